"""The wire: which bytes are events, and what is said about those that are not."""

import json

import pytest

from schemas.events import (
    EVENT_TYPES,
    CardDealt,
    WagerPlaced,
    version_of,
)
from schemas.money import MINOR_MAX
from schemas.wire import (
    EVENT_BYTES_MAX,
    encode_event,
    parse_event,
)
from schemas.wire.errors import RejectReason
from schemas.wire.old_versions import OLD_VERSIONS, WAGER_NAMES_1
from schemas.wire.vectors import event_vectors
from tests.support.tables.wire_samples import COUP, ENVELOPE, RAW, WAGER, changed, refusal


def test_a_long_event_is_read_up_to_the_last_byte_allowed() -> None:
    assert parse_event(RAW.ljust(EVENT_BYTES_MAX)) == WAGER
    assert refusal(RAW.ljust(EVENT_BYTES_MAX + 1)).reason is RejectReason.TOO_LARGE


def test_ten_megabytes_are_refused_without_looking_into_them() -> None:
    error = refusal(b'{"a":' * 2_000_000)
    assert error.reason is RejectReason.TOO_LARGE
    assert error.envelope is None


def test_null_means_the_same_as_left_out() -> None:
    with_null = RAW.replace(b'"seat"', b'"patron":null,"seat"')
    assert parse_event(with_null) == WAGER


def test_an_unreadable_card_is_a_card_that_was_dealt() -> None:
    dealt = CardDealt(**ENVELOPE, **COUP, hand="player", position=1)
    assert parse_event(encode_event(dealt)) == dealt
    assert dealt.card is None


@pytest.mark.parametrize("card", ["TD", "AS", "9H", "KC", "T", "A", "0"])
def test_cards_are_read_in_the_notation_of_the_product(card: str) -> None:
    dealt = CardDealt(**ENVELOPE, **COUP, hand="banker", position=3, card=card)
    assert parse_event(encode_event(dealt)) == dealt


@pytest.mark.parametrize("card", ["10D", "td", "DT", "1S", "0S", "", "T♦", "TD ", "TD\n"])
def test_cards_in_another_notation_are_refused(card: str) -> None:
    raw = encode_event(CardDealt(**ENVELOPE, **COUP, hand="banker", position=3, card="TD"))
    document = json.loads(raw) | {"card": card}
    assert refusal(json.dumps(document).encode()).field == "card"


def test_the_29th_of_february_exists_in_leap_years_only() -> None:
    parse_event(changed(occurred_at="2024-02-29T23:59:59.999999Z"))
    error = refusal(changed(occurred_at="2025-02-29T00:00:00.000000Z"))
    assert error.message.endswith("the calendar has no such day")


@pytest.mark.parametrize(
    "occurred_at",
    [
        "2025-06-07T22:00:41Z",
        "2025-06-07T22:00:41.123Z",
        "2025-06-07T22:00:41.12345Z",
        "2025-06-07T22:00:41.1234567Z",
        "2025-06-07T22:00:41.123456+00:00",
        "2025-06-07 22:00:41.123456Z",
        "2025-06-07T24:00:00.000000Z",
        "2025-06-07T22:00:60.000000Z",
        "2025-W23-6T22:00:41.123456Z",
        "2025-06-07T22:00:41,123456Z",
        "٢٠٢٥-06-07T22:00:41.123456Z",
        "1999-12-31T23:59:59.999999Z",
        "2200-01-01T00:00:00.000000Z",
        1_749_333_641,
    ],
)
def test_times_have_one_form(occurred_at: object) -> None:
    error = refusal(changed(occurred_at=occurred_at))
    assert (error.reason, error.field) == (RejectReason.BAD_FIELD, "occurred_at")
    assert error.envelope is None


@pytest.mark.parametrize("sequence", [1, 2**53 - 1])
def test_the_first_and_the_last_sequence_are_read(sequence: int) -> None:
    assert parse_event(changed(sequence=sequence)).sequence == sequence


@pytest.mark.parametrize("sequence", [0, -1, 2**53, 2**64, True, "12", 12.0])
def test_sequences_outside_are_refused_and_leave_no_envelope(sequence: object) -> None:
    error = refusal(changed(sequence=sequence))
    assert (error.field, error.envelope) == ("sequence", None)


@pytest.mark.parametrize("stake_minor", [1, MINOR_MAX])
def test_the_smallest_and_the_greatest_stake_are_read(stake_minor: int) -> None:
    event = parse_event(changed(stake_minor=stake_minor))
    assert isinstance(event, WagerPlaced)
    assert event.stake_minor == stake_minor


PATRON = b'"patron":"p-1"'
REFUSALS = [
    ("empty", b"", "not_json", "no JSON from character 1"),
    ("cut off", RAW[:-1], "not_json", "send one whole object"),
    ("two events", RAW + RAW, "not_json", "from character"),
    ("not a number", RAW.replace(b"10000", b"NaN"), "not_json", "no JSON"),
    ("infinity", RAW.replace(b"10000", b"-Infinity"), "not_json", "no JSON"),
    ("comment", RAW + b"//", "not_json", "no JSON"),
    ("lone surrogate", RAW.replace(b'"4"', b'"\\ud800"'), "not_json", "no JSON"),
    ("latin 1", RAW.replace(b'"4"', b'"\xe9"'), "not_utf8", "is not UTF-8"),
    ("utf 16", RAW.decode().encode("utf-16"), "not_utf8", "byte 1 is not UTF-8"),
    ("byte order mark", b"\xef\xbb\xbf" + RAW, "not_utf8", "byte order mark"),
    ("list", b"[" + RAW + b"]", "not_an_object", "one object in braces"),
    ("text", b'"card_dealt"', "not_an_object", '"card_dealt" is JSON'),
    ("deep lists", b"[" * 8000 + b"]" * 8000, "too_deep", "8 brackets"),
    ("deep and cut", b'{"a":' * 3000, "too_deep", "8 brackets"),
    ("deep objects", b'{"a":' * 300 + b"1" + b"}" * 300, "too_deep", "8 brackets"),
    (
        "deep field",
        RAW.replace(b'"4"', b"[" * 200 + b"]" * 200),
        "too_deep",
        "no event has that",
    ),
    ("twice", RAW.replace(b'"seat"', PATRON + b"," + PATRON + b',"seat"'), "duplicate_key", "pat"),
    ("twice, spaced", RAW.replace(b'"seat":', b'"seat" : "4", "seat" :'), "duplicate_key", "seat"),
    ("twice, escaped", RAW.replace(b'"seat"', b'"\\u0073eat":"4","seat"'), "duplicate_key", "seat"),
    (
        "twice, deep",
        event_vectors()[1].raw.replace(b'"odds":{}', b'"odds":{},"odds":{}'),
        "duplicate_key",
        "odds",
    ),
    ("type missing", changed(type=None), "bad_field", "type: is missing"),
    ("type of a list", changed(type=["card_dealt"]), "bad_field", "is no text"),
    ("type misspelt", changed(type="wager_plcaed"), "unknown_type", "did you mean wager_placed?"),
    ("class name", changed(type="WagerPlaced"), "unknown_type", "is no event"),
    ("version missing", changed(schema_version=None), "bad_field", "write the whole number 2"),
    ("version true", changed(schema_version=True), "bad_field", "write the whole number 2"),
    ("version text", changed(schema_version="2"), "bad_field", "write the whole number 2"),
    ("version to come", changed(schema_version=3), "unknown_version", "1 and 2 can be read"),
    ("version of none", changed(schema_version=0), "unknown_version", "0 is not known"),
    ("missing", changed(seat=None), "bad_field", "seat: is missing; add it (seat or numbered"),
    ("misspelt", changed(stake=1), "bad_field", "stake: is no field here; did you mean stake_min"),
    ("foreign", changed(zzz=1), "bad_field", "zzz: is no field here; leave it out"),
    ("decimal", changed(stake_minor=100.5), "bad_field", "such as 2550 for 25.50"),
    ("whole decimal", RAW.replace(b"10000", b"10000.0"), "bad_field", "digits only"),
    ("exponent", RAW.replace(b"10000", b"1e4"), "bad_field", "digits only"),
    ("amount in text", changed(stake_minor="100.00"), "bad_field", '"100.00" is no whole number'),
    ("yes", changed(stake_minor=True), "bad_field", "true is no whole number"),
    ("nothing staked", changed(stake_minor=0), "bad_field", "0 is below 1"),
    ("too much", changed(stake_minor=10**15 + 1), "bad_field", "is above 1000000000000000"),
    ("huge", RAW.replace(b"10000", b"9" * 30), "bad_field", "stake_minor: 999999"),
    ("5000 digits", RAW.replace(b"10000", b"9" * 5000), "not_json", "no JSON"),
    ("seat number", changed(seat=4), "bad_field", "is no text; write it in double quotes"),
    ("seat with space", changed(seat="seat 4"), "bad_field", "letters, digits or"),
    ("seat too long", changed(seat="4" * 65), "bad_field", "write 1 to 64"),
    ("control character", changed(seat="4\x1b[2J"), "bad_field", "write 1 to 64"),
    ("wager by title", changed(wager="Golden Talons"), "bad_field", "such as golden_talons@pl"),
    ("wager on a tie", changed(wager="golden_talons@tie"), "bad_field", "such as golden_talons@pl"),
    ("hash in capitals", changed(previous_hash="A" * 64), "bad_field", "in small letters"),
    ("bad key", changed(**{"\n": 1}), "bad_field", "is no field here"),
]


@pytest.mark.parametrize(
    ("raw", "reason", "part"),
    [one[1:] for one in REFUSALS],
    ids=[one[0] for one in REFUSALS],
)
def test_what_is_no_event_is_refused_with_its_reason(raw: bytes, reason: str, part: str) -> None:
    error = refusal(raw)
    assert error.reason.value == reason
    assert part in error.message
    assert error.message.isprintable()


def test_a_seat_of_64_characters_is_read() -> None:
    parse_event(changed(seat="4" * 64))


def test_every_reason_is_shown_by_a_case_above() -> None:
    assert {one[2] for one in REFUSALS} | {"too_large"} == {one.value for one in RejectReason}


@pytest.mark.parametrize(
    "fields",
    [{"type": "card_delt"}, {"schema_version": 9}, {"seat": 4}, {"stakes": 1}, {"type": None}],
    ids=["type", "version", "field", "unknown field", "no type"],
)
def test_a_refused_event_with_a_readable_envelope_keeps_the_numbering(
    fields: dict[str, object],
) -> None:
    envelope = refusal(changed(**fields)).envelope
    assert envelope is not None
    assert envelope.model_dump() == ENVELOPE


def test_a_key_twice_hides_the_envelope_only_where_it_is_part_of_it() -> None:
    outside = refusal(RAW.replace(b'"seat"', b'"seat":"5","seat"'))
    assert outside.envelope == WAGER.envelope
    inside = refusal(RAW.replace(b'"sequence"', b'"sequence":11,"sequence"'))
    assert inside.envelope is None


def test_several_faults_are_counted_and_all_kept() -> None:
    error = refusal(changed(seat=4, stake_minor=0, patron=7))
    assert error.message.endswith("(and 2 more)")
    assert len(error.problems) == 3
    assert error.field == "seat"
    assert error.event_type == "wager_placed"


def test_a_fault_inside_a_list_is_found_by_its_place() -> None:
    document = json.loads(event_vectors()[1].raw)
    document["submission"]["wagers"][2]["minimum"] = 5
    error = refusal(json.dumps(document).encode())
    assert error.field == "submission.wagers[2].minimum"
    assert error.message.startswith("table_opened.submission.wagers[2].minimum: 5 is no text")


def test_a_misspelt_capability_gets_a_near_word_instead_of_the_whole_list() -> None:
    document = json.loads(event_vectors()[1].raw)
    document["reports"][2] = "suites"
    message = refusal(json.dumps(document).encode()).message
    assert message.endswith("words; did you mean suits?")


def test_numbers_inside_the_submission_are_as_strict_as_outside() -> None:
    raw = event_vectors()[1].raw
    assert refusal(raw.replace(b'"decks":8', b'"decks":8.0')).field == "submission.decks"


OLD = {"schema_version": 1, "bet": "Golden Talons Player", "amount": "25.50", "currency": "USD"}


def old_wager(**fields: object) -> bytes:
    """Write a wager as version 1 had it."""
    return changed(**{"wager": None, "stake_minor": None} | OLD | fields)


def test_version_1_of_a_wager_is_read_as_the_current_one() -> None:
    event = parse_event(old_wager())
    assert event == WAGER.model_copy(update={"wager": "golden_talons@player", "stake_minor": 2550})
    assert event.schema_version == 2


@pytest.mark.parametrize("name", sorted(WAGER_NAMES_1))
def test_every_name_of_version_1_means_a_wager_of_today(name: str) -> None:
    event = parse_event(old_wager(bet=name))
    assert isinstance(event, WagerPlaced)
    assert event.wager == WAGER_NAMES_1[name]


def test_the_digits_of_an_old_amount_follow_its_currency() -> None:
    event = parse_event(old_wager(amount="2550", currency="JPY"))
    assert isinstance(event, WagerPlaced)
    assert event.stake_minor == 2550


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"bet": "Bankr"}, "did you mean Banker?"),
        ({"amount": "1.005"}, "more than 2 decimals"),
        ({"amount": "0.00"}, "more than nothing"),
        ({"amount": "25.50", "currency": "XXX"}, "unknown currency"),
        ({"amount": 25}, "is no text"),
        ({"stake_minor": 2550}, "is no field here"),
        ({"bet": None}, "bet: is missing"),
    ],
    ids=["name", "too fine", "nothing", "currency", "number", "new field", "missing"],
)
def test_an_old_wager_without_meaning_is_refused_in_its_own_words(
    fields: dict[str, object], part: str
) -> None:
    error = refusal(old_wager(**fields))
    assert error.reason is RejectReason.BAD_FIELD
    assert part in error.message
    assert error.envelope == WAGER.envelope


def test_no_old_version_stands_beside_an_equal_current_one() -> None:
    for tag, version in OLD_VERSIONS:
        assert version < version_of(EVENT_TYPES[tag])
