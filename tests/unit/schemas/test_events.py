"""Events: what they carry, what they refuse to carry, and how they are written."""

import datetime
import json
from collections.abc import Iterator
from fractions import Fraction

import pytest
from pydantic import ValidationError

from schemas import events
from schemas.events import (
    EVENT_TYPES,
    GENESIS_HASH,
    FeedStarted,
    Heartbeat,
    PayoutCorrected,
    ProgressivePaid,
    ProgressiveParametersChanged,
    ShoeLoaded,
    TableOpened,
    tag_of,
    version_of,
)
from schemas.events.envelope import Said
from schemas.money import parse_exact
from schemas.odds import parse_rate
from schemas.wire import (
    EVENT_BYTES_MAX,
    EventTooLargeError,
    FeedPosition,
    chain_hash,
    encode_event,
    parse_event,
)
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import event_vectors
from tests.support.tables.wire_samples import AT, COUP, ENVELOPE, RAW, WAGER, refusal


def test_the_tag_of_every_event_is_the_name_of_its_class() -> None:
    for tag, event_class in EVENT_TYPES.items():
        words = "".join(word.capitalize() for word in tag.split("_"))
        assert words == event_class.__name__
        assert tag_of(event_class) == tag
        assert version_of(event_class) >= 1


def test_the_registry_exports_every_event_and_every_part_of_one() -> None:
    for event_class in EVENT_TYPES.values():
        assert getattr(events, event_class.__name__) is event_class
    assert {one.__name__ for one in Said.__subclasses__()} <= {*vars(events), "WagerPlaced1"}


def definitions_of_events() -> Iterator[tuple[str, dict]]:
    """Give the definitions of events and their parts; the filed submission has its own tests."""
    submitted = {
        "RulesSubmission",
        "OfferedWager",
        "FiledProgressive",
        "Commission",
        "SeverityAmounts",
        "Successor",
    }
    for name, definition in event_json_schema()["$defs"].items():
        if name not in submitted and "properties" in definition:
            yield name, definition


def test_every_field_says_what_it_means() -> None:
    silent = [
        f"{name}.{field}"
        for name, definition in definitions_of_events()
        for field, form in definition["properties"].items()
        if len(form.get("description", "")) < 8
    ]
    assert silent == []


def unbounded_parts(form: dict, place: str) -> Iterator[str]:
    """Name the parts of a field that could grow without limit."""
    for one in form.get("anyOf", []):
        yield from unbounded_parts(one, place)
    is_closed = "const" in form or "enum" in form or "$ref" in form
    if is_closed:
        return
    match form.get("type"):
        case "string" if "format" not in form and "pattern" not in form:
            yield f"{place}: text"
        case "string" if form.get("pattern", "").count("*") and "maxLength" not in form:
            yield f"{place}: pattern without length"
        case "integer" if not {"minimum", "maximum"} <= set(form):
            yield f"{place}: number"
        case "array":
            if "maxItems" not in form:
                yield f"{place}: list"
            yield from unbounded_parts(form["items"], f"{place}[]")
        case "object":
            if "maxProperties" not in form:
                yield f"{place}: object"
            yield from unbounded_parts(form["propertyNames"] | {"type": "string"}, f"{place} key")


def test_every_text_number_and_list_is_bounded() -> None:
    found = [
        part
        for name, definition in definitions_of_events()
        for field, form in definition["properties"].items()
        for part in unbounded_parts(form, f"{name}.{field}")
    ]
    assert found == []


def test_the_search_for_unbounded_fields_finds_them() -> None:
    assert list(unbounded_parts({"type": "string"}, "a"))
    assert list(unbounded_parts({"type": "integer", "minimum": 0}, "a"))
    assert list(unbounded_parts({"type": "array", "items": {"const": 1}}, "a"))


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        WAGER.stake_minor = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "occurred_at",
    [
        AT.replace(tzinfo=None),
        AT.astimezone(datetime.timezone(datetime.timedelta(hours=-4))),
        AT.replace(year=1999),
        AT.replace(year=2200),
        "2025-06-07T22:00:41Z",
    ],
    ids=["no zone", "local zone", "before 2000", "after 2199", "no decimals"],
)
def test_an_event_is_made_only_with_a_utc_instant_of_our_time(occurred_at: object) -> None:
    with pytest.raises(ValidationError):
        Heartbeat(**ENVELOPE | {"occurred_at": occurred_at})


def test_time_is_given_in_microseconds_too() -> None:
    assert WAGER.occurred_at_us == 1_749_333_641_123_456


def test_the_envelope_stands_alone_as_well() -> None:
    assert WAGER.envelope.model_dump() == ENVELOPE


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"sequence": 2}, "event 1 of its feed"),
        ({"previous_hash": "a" * 64}, "event 1 of its feed"),
        ({"predecessor_feed_id": "7c9e6679f3b04d8a"}, "is this feed"),
        ({"predecessor_sequence": 9}, "needs predecessor_feed_id"),
    ],
    ids=["second", "chained", "own predecessor", "sequence of no feed"],
)
def test_a_feed_begins_with_number_one_and_names_another_feed(
    fields: dict[str, object], problem: str
) -> None:
    beginning = ENVELOPE | {"sequence": 1, "previous_hash": GENESIS_HASH}
    FeedStarted(**beginning, source_kind="table")
    with pytest.raises(ValidationError, match=problem):
        FeedStarted(**beginning | {"source_kind": "table"} | fields)


def test_a_table_reports_payments_by_wager_or_by_seat_but_not_both() -> None:
    opened = event_vectors()[1].event
    assert isinstance(opened, TableOpened)
    document = json.loads(event_vectors()[1].raw)
    document["reports"] = ["payments", "seat_totals_only"]
    error = refusal(json.dumps(document).encode())
    assert "leave out the other" in error.message
    document["reports"] = ["seat_totals_only"]
    parse_event(json.dumps(document).encode())


def test_canonical_bytes_have_no_spaces_a_fixed_order_and_nothing_unknown() -> None:
    assert RAW == (
        b'{"type":"wager_placed","schema_version":2,"source_id":"BAC-03",'
        b'"feed_id":"7c9e6679f3b04d8a","sequence":12,"previous_hash":"' + b"a" * 64 + b'",'
        b'"occurred_at":"2025-06-07T22:00:41.123456Z","coup_id":"S1/1","wager_id":"S1/1/1",'
        b'"seat":"4","wager":"banker","stake_minor":10000}'
    )


def test_a_whole_second_still_has_six_decimals() -> None:
    whole = Heartbeat(**ENVELOPE | {"occurred_at": AT.replace(microsecond=0)})
    assert b'"2025-06-07T22:00:41.000000Z"' in encode_event(whole)


def test_defaults_are_written_because_a_log_outlives_them() -> None:
    correction = PayoutCorrected(
        **ENVELOPE, **COUP, correction_id="X", settlement_id="Y", paid_change_minor=-500
    )
    assert b'"vigorish_taken_change_minor":0' in encode_event(correction)
    assert b'"hands_after_cover_card":1' in event_vectors()[1].raw
    assert b"reason" not in encode_event(correction)


def test_an_event_that_would_be_too_long_is_not_written() -> None:
    ids = tuple(f"{number:064}" for number in range(4))
    fits = ShoeLoaded(**ENVELOPE, shoe_id="S1", decks=8, pack_ids=ids)
    assert parse_event(encode_event(fits)) == fits
    opened = event_vectors()[1].event
    assert isinstance(opened, TableOpened)
    wagers = tuple(
        opened.submission.wagers[0].model_copy(update={"id": f"house.wager_{number}"})
        for number in range(300)
    )
    submission = opened.submission.model_copy(update={"wagers": wagers})
    with pytest.raises(EventTooLargeError, match=f"at most {EVENT_BYTES_MAX}"):
        encode_event(opened.model_copy(update={"submission": submission}))


def test_a_position_moves_on_by_one_and_by_the_hash_of_the_bytes() -> None:
    position = FeedPosition("BAC-03", "7c9e6679f3b04d8a")
    assert position.fields(AT)["previous_hash"] == GENESIS_HASH
    after = position.after(RAW)
    assert (after.sequence, after.previous_hash) == (2, chain_hash(RAW))


def test_157_of_10000_of_a_million_is_15700_exactly() -> None:
    event = ProgressiveParametersChanged(
        **ENVELOPE,
        progressive_id="HARMONY-1",
        parameter="increment_rate",
        value_before="15%",
        value_after="1.57%",
    )
    read = parse_event(encode_event(event))
    assert isinstance(read, ProgressiveParametersChanged)
    assert read.value_after is not None
    rate = parse_rate(read.value_after)
    assert rate == Fraction(157, 10_000)
    assert rate * parse_exact("1000000.00") == parse_exact("15700.00")


@pytest.mark.parametrize("rate", ["100.01%", "15", "15 %", "-1%", "1e1%", ".5%"])
def test_a_rate_is_a_percentage_between_0_and_100(rate: str) -> None:
    with pytest.raises(ValidationError):
        ProgressiveParametersChanged(
            **ENVELOPE,
            progressive_id="HARMONY-1",
            parameter="increment_rate",
            value_after=rate,
        )


@pytest.mark.parametrize(("parameter", "value"), [("reset", "15%"), ("reserve_rate", "3.00")])
def test_a_rate_is_not_taken_for_an_amount_nor_an_amount_for_a_rate(
    parameter: str, value: str
) -> None:
    with pytest.raises(ValidationError, match=f"of {parameter} are"):
        ProgressiveParametersChanged(
            **ENVELOPE, progressive_id="HARMONY-1", parameter=parameter, value_before=value
        )


def test_fractions_of_a_cent_are_kept_and_floats_are_not_taken() -> None:
    reading = {
        "progressive_id": "HARMONY-1",
        "display": "15700.000000000005",
        "reserve": "0.001",
        "in_count": 1,
        "coin_in_minor": 500,
        "hits_count": 0,
        "wins_minor": 0,
        "tables": [],
    }
    document = json.loads(encode_event(Heartbeat(**ENVELOPE))) | reading
    document["type"] = "progressive_reading"
    event = parse_event(json.dumps(document).encode())
    assert event.display == "15700.000000000005"  # type: ignore[union-attr]
    document["display"] = 15700.005
    assert refusal(json.dumps(document).encode()).field == "display"


def test_a_payment_of_a_fraction_of_a_cent_is_refused() -> None:
    paid = ProgressivePaid(
        **ENVELOPE,
        progressive_id="HARMONY-1",
        payment_id="P",
        hit_id="H",
        wager_id="W",
        paid_minor=1_570_000,
    )
    raw = encode_event(paid).replace(b":1570000", b":15700.005")
    assert refusal(raw).field == "paid_minor"
