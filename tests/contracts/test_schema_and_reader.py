"""The printed JSON Schema and the reader of events say the same of every field of every event."""

import copy
import json
from collections.abc import Iterator

import pytest

from schemas.events import EVENT_TYPES, GENESIS_HASH
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import event_vectors
from tests.support.texts.json_schema import JsonSchema, subschemas, unknown_keywords

SCHEMA = event_json_schema()
VALIDATOR = JsonSchema(SCHEMA)
DEFINITIONS = SCHEMA["$defs"]
assert isinstance(DEFINITIONS, dict)

Path = tuple[str | int, ...]

KNOWN_WORDS = {
    "gaming_date": "2025-06-07",
    "previous_hash": GENESIS_HASH,
    "time_zone": "America/New_York",
    "tie_odds": "8 to 1",
    "effective_from": "2025-06-07T06:00:00-04:00",
    "gaming_day_start": "06:00:00",
    "from": "2026-08-05",
    "odds": "40 to 1",
    "rate": "5%",
    "increment_rate": "15%",
    "reserve_rate": "3%",
    "value_before": "15%",
    "value_after": "16%",
    "wager": "golden_talons",
    "winning_wagers": "banker",
    "predecessor_feed_id": "f0",
    "exposed_card": "TD",
    "burned_cards": "TD",
    "card": "TD",
    "paytable": "A",
}
"""What stands in a text of this name in the sample of an event."""

INSTANT = "2025-06-07T22:00:41.123456Z"
"""What stands in every instant."""

VALUES = [
    "null",
    '""',
    '" "',
    r'"x\n"',
    '"é"',
    r'"\u0000"',
    r'"\u2028"',
    r'"\u00a0x"',
    '"x "',
    '"a b"',
    '"%s"' % ("x" * 64),
    '"%s"' % ("x" * 65),
    '"%s"' % ("x" * 200),
    '"%s"' % ("x" * 201),
    "0",
    "1",
    "-1",
    "1.5",
    "13",
    "1001",
    "9007199254740992",
    "1000000000000001",
    "1" + "0" * 30,
    "true",
    "[]",
    "{}",
    "[null]",
    '["a","b","c","d","e"]',
    '{"a":1}',
    '{"":1}',
    '"2025-02-29"',
    '"2024-02-29"',
    '"2100-02-29"',
    '"2025-06-31"',
    '"2025-06-07T24:00:00.000000Z"',
    '"2025-02-30T00:00:00.000000Z"',
    '"2025-06-07T22:00:41Z"',
    '"1999-06-07T22:00:41.123456Z"',
    '"2025-06-07T22:00:41.123456-04:00"',
    '"2025-06-07T06:00-04:00"',
    '"06:00"',
    '"24:00"',
    '"06:00Z"',
    '"10H"',
    '"td"',
    '"T"',
    '"-0.5"',
    '"01.5"',
    '"1,5"',
    '"1,5%"',
    '"100.0%"',
    '"100.1%"',
    '"5"',
    '"8 to 1"',
    '"2,5 to 1"',
    '"8 to 0"',
    '"2 for 1 less vigorish"',
    '"usd"',
    '"EUR"',
    '"golden_talons@player"',
    '"a/b"',
    '"../x"',
]
"""JSON texts that are put in the place of every value."""

BEYOND_A_SCHEMA = (
    "has more than",  # decimals of the currency
    "unknown time zone",
    "a chip is worth more than 0",
    "predecessor_feed_id is this feed",
)
"""What is refused though the schema accepts it; feed.md says so."""


def sample(schema: dict, name: str) -> object:
    """Make a value that a schema describes, with every field that there may be."""
    if "$ref" in schema:
        return sample(DEFINITIONS[schema["$ref"].rpartition("/")[2]], name)
    if "anyOf" in schema:
        return sample(schema["anyOf"][0], name)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][-1]
    match schema["type"]:
        case "integer":
            return max(1, schema.get("minimum", 1))
        case "boolean":
            return True
        case "array":
            return [sample(schema["items"], name)]
        case "object" if "properties" in schema:
            return {one: sample(form, one) for one, form in schema["properties"].items()}
        case "object":
            names = schema["propertyNames"]
            key = sample(names, name) if "$ref" in names else "wins"
            key = "TD" if name in ("cards", "cards_left") else key
            return {str(key): sample(schema["additionalProperties"], name)}
    if name not in KNOWN_WORDS and schema.get("format") == "date-time":
        return INSTANT
    return KNOWN_WORDS.get(name, "12.50" if "[1-9][0-9]{0,11}" in str(schema) else "5")


def complete(tag: str) -> dict:
    """Make an event of a type with all of its fields."""
    event = sample(DEFINITIONS[EVENT_TYPES[tag].__name__], tag)
    assert isinstance(event, dict)
    if tag == "feed_started":
        event["sequence"] = 1
    if tag == "progressive_parameters_changed":
        event["parameter"] = "increment_rate"
    return event


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Give every place in a document."""
    pairs = value.items() if isinstance(value, dict) else []
    pairs = enumerate(value) if isinstance(value, list) else pairs
    for key, one in pairs:
        yield (*path, key)
        yield from places(one, (*path, key))


def changed(event: dict, path: Path, text: str | None) -> bytes:
    """Put a JSON text in a place of an event, or take the place out."""
    event = copy.deepcopy(event)
    holder = event
    for key in path[:-1]:
        holder = holder[key]
    if text is None:
        del holder[path[-1]]
        return json.dumps(event, ensure_ascii=False).encode()
    holder[path[-1]] = "@here@"
    return json.dumps(event, ensure_ascii=False).replace('"@here@"', text).encode()


def refusal(raw: bytes) -> str | None:
    """Say why the reader refuses bytes, or None where it does not."""
    try:
        parse_event(raw)
    except UnreadableEventError as error:
        return error.message
    return None


def differences(tag: str, event: dict, path: Path) -> list[str]:
    """List the changes of one place that schema and reader judge differently."""
    found = []
    part, name = event, EVENT_TYPES[tag].__name__
    if path[0] == "submission" and len(path) > 1:
        # The filing alone is looked at: the rest of the event is right.
        part, name = event["submission"], "RulesSubmission"
    marked = changed(event, path, '"@here@"')
    marked_part = changed(part, path[part is not event :], '"@here@"')
    taken_out = changed(event, path, None), changed(part, path[part is not event :], None)
    for text in (None, *VALUES):
        texts = [one.replace(b'"@here@"', (text or "").encode()) for one in (marked, marked_part)]
        raw, raw_part = taken_out if text is None else texts
        said = refusal(raw)
        accepts = VALIDATOR.accepts(json.loads(raw_part), name)
        if accepts != (said is None) and not (accepts and any(w in said for w in BEYOND_A_SCHEMA)):
            found.append(f"{tag} {path} {text}: {'schema' if accepts else 'reader'} takes; {said}")
    return found


@pytest.mark.parametrize("tag", EVENT_TYPES)
def test_every_field_of_an_event_means_the_same_to_both(tag: str) -> None:
    event = complete(tag)
    assert refusal(json.dumps(event).encode()) is None
    assert VALIDATOR.accepts(event)
    # The filing stands in two events and its fields are looked at once.
    envelope = {"source_id", "feed_id", "sequence", "previous_hash", "occurred_at"}
    passed_over = envelope if tag != "heartbeat" else set()
    passed_over |= {"submission"} if tag == "rules_submission_changed" else set()
    for path in places(event):
        if path[0] not in passed_over:
            assert differences(tag, event, path) == []


def test_the_vectors_are_events_of_the_schema() -> None:
    for vector in event_vectors():
        assert VALIDATOR.accepts(json.loads(vector.raw)), vector.name


@pytest.mark.parametrize(
    ("tag", "fields"),
    [
        ("feed_started", {"sequence": 2}),
        ("feed_started", {"previous_hash": "a" * 64}),
        ("feed_started", {"predecessor_sequence": 7}),
        ("feed_started", {"predecessor_sequence": 7, "predecessor_feed_id": None}),
        ("feed_started", {"predecessor_sequence": 7, "predecessor_feed_id": "f0"}),
        ("feed_started", {"predecessor_feed_id": "f0"}),
        ("table_opened", {"reports": ["payments", "seat_totals_only"]}),
        ("table_opened", {"reports": ["payments"]}),
        ("table_opened", {"reports": ["seat_totals_only", "cards"]}),
        ("progressive_parameters_changed", {"parameter": "limit"}),
        ("progressive_parameters_changed", {"parameter": "limit", "value_before": "5"}),
        ("progressive_parameters_changed", {"parameter": "reserve_rate", "value_after": "5"}),
        (
            "progressive_parameters_changed",
            {"parameter": "base", "value_before": "1", "value_after": None},
        ),
    ],
)
def test_fields_that_depend_on_each_other_mean_the_same_to_both(tag: str, fields: dict) -> None:
    event = complete(tag)
    if tag == "feed_started":
        del event["predecessor_feed_id"], event["predecessor_sequence"]
    event |= fields
    assert VALIDATOR.accepts(event) == (refusal(json.dumps(event).encode()) is None)


def test_no_field_may_stand_that_is_not_named() -> None:
    for tag in EVENT_TYPES:
        event = complete(tag)
        for path in [(), *(one for one in places(event) if isinstance(_at(event, one), dict))]:
            extra = changed(event, (*path, "Extra field"), "1")
            assert refusal(extra) is not None, (tag, path)
            assert not VALIDATOR.accepts(json.loads(extra), EVENT_TYPES[tag].__name__), (tag, path)


def _at(event: object, path: Path) -> object:
    for key in path:
        event = event[key]  # type: ignore[index]
    return event


def test_validators_that_refuse_unknown_keywords_can_take_the_schema() -> None:
    """Ajv, which most devices in JavaScript use, compiles nothing else unless it is told to."""
    assert unknown_keywords(SCHEMA) == set()
    assert unknown_keywords(SCHEMA | {"discriminator": {"propertyName": "type"}}) == {
        "discriminator"
    }


def test_a_format_never_demands_more_than_the_pattern_beside_it() -> None:
    """A format is looked at by some validators only, and one of time of day demands an offset."""
    forms = [one for schema in subschemas(SCHEMA) if (one := schema.get("format"))]
    assert set(forms) == {"date-time", "date"}
    assert all("pattern" in one for one in subschemas(SCHEMA) if "format" in one)
