"""Events of every type, drawn at random from the published JSON Schema."""

import datetime
from collections.abc import Mapping
from functools import cache

import orjson
from hypothesis import strategies as st

from schemas.events import EVENT_TYPES, GENESIS_HASH
from schemas.filed_forms import ODDS_PATTERN
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import event_vectors

Schema = Mapping[str, object]

_DEFINITIONS = event_json_schema()["$defs"]
assert isinstance(_DEFINITIONS, dict)
_SUBMISSION = orjson.loads(event_vectors()[1].raw)["submission"]
_SUBMISSIONS = [
    _SUBMISSION,
    _SUBMISSION | {"id": "RS-8", "currency": "KWD", "commission": None},
    _SUBMISSION | {"severities": {"WAGER_LATE": "critical"}, "readings": {"D11": "paytable"}},
]
_CHARACTERS = st.characters(codec="utf-8")
_INSTANTS = st.datetimes(
    min_value=datetime.datetime(2000, 1, 1),  # noqa: DTZ001 - hypothesis wants it without zone
    max_value=datetime.datetime(2199, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001 - same
)


def event_documents(tag: str | None = None) -> st.SearchStrategy[dict[str, object]]:
    """Draw the JSON object of an event: of one type, or of any."""
    tags = sorted(EVENT_TYPES) if tag is None else [tag]
    return st.sampled_from(tags).flatmap(_document).map(_made_consistent)


def event_bytes(tag: str | None = None) -> st.SearchStrategy[bytes]:
    """Draw the bytes of an event, without spaces."""
    return event_documents(tag).map(orjson.dumps)


@cache  # a strategy is costly to make and can be drawn from again
def _document(tag: str) -> st.SearchStrategy[dict[str, object]]:
    return _object(_DEFINITIONS[EVENT_TYPES[tag].__name__])


def _made_consistent(document: dict[str, object]) -> dict[str, object]:
    """Keep what the schema cannot say: how a feed begins, what excludes what, what ends later."""
    if document["type"] == "feed_started":
        document |= {"sequence": 1, "previous_hash": GENESIS_HASH}
        if document.get("predecessor_feed_id") in (None, document["feed_id"]):
            document["predecessor_feed_id"] = document["predecessor_sequence"] = None
    if document["type"] == "progressive_parameters_changed":
        document["parameter"] = "limit"
        for name in ("value_before", "value_after"):
            if str(document.get(name)).endswith("%"):
                document[name] = "10000.00"
    for last in [name for name in document if name.endswith("_until")]:
        first = last.removesuffix("_until") + "_from"
        document[first], document[last] = sorted((str(document[first]), str(document[last])))
    if isinstance(reports := document.get("reports"), list) and "payments" in reports:
        document["reports"] = [word for word in reports if word != "seat_totals_only"]
    return document


def _object(definition: Schema) -> st.SearchStrategy[dict[str, object]]:
    properties, required = definition["properties"], definition.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    forms = {name: _value(name, form) for name, form in properties.items()}
    return st.fixed_dictionaries(
        {name: form for name, form in forms.items() if name in required},
        optional={name: form for name, form in forms.items() if name not in required},
    )


def _value(name: str, form: Schema) -> st.SearchStrategy[object]:
    if name == "submission":
        return st.sampled_from(_SUBMISSIONS)
    if "const" in form:
        return st.just(form["const"])
    if isinstance(words := form.get("enum"), list):
        return st.sampled_from(words)
    if isinstance(choices := form.get("anyOf"), list):
        return st.one_of([_value(name, one) for one in choices])
    if "$ref" in form:
        definition = _DEFINITIONS[str(form["$ref"]).rpartition("/")[2]]
        return _value(name, definition) if "enum" in definition else _object(definition)
    return _VALUES[str(form["type"])](name, form)


def _text(name: str, form: Schema) -> st.SearchStrategy[object]:
    match form.get("format"):
        case "date-time":
            return _INSTANTS.map(lambda at: at.isoformat(timespec="microseconds") + "Z")
        case "date":
            return _INSTANTS.map(lambda at: at.date().isoformat())
    if form.get("pattern") == ODDS_PATTERN:
        return st.sampled_from(["40 to 1", "1,000 for 1", "push", "N/A"])
    pattern = str(form["pattern"])
    if pattern.endswith("%$"):
        return st.sampled_from(["15%", "1.57%", "0%", "100%", "3.000000000001%"])
    return _matching(pattern, int(str(form.get("maxLength", 400))))


@cache
def _matching(pattern: str, longest: int) -> st.SearchStrategy[object]:
    bare = pattern.removeprefix("^").removesuffix("$")
    drawn = st.from_regex(bare, fullmatch=True, alphabet=_CHARACTERS)
    return drawn.filter(lambda text: len(text) <= longest)


def _whole_number(name: str, form: Schema) -> st.SearchStrategy[object]:
    return st.integers(int(str(form["minimum"])), int(str(form["maximum"])))


def _list(name: str, form: Schema) -> st.SearchStrategy[object]:
    entry = form["items"]
    assert isinstance(entry, dict)
    longest = min(int(str(form["maxItems"])), 5)
    return st.lists(
        _value(name, entry), min_size=int(str(form.get("minItems", 0))), max_size=longest
    )


def _mapping(name: str, form: Schema) -> st.SearchStrategy[object]:
    keys, values = form["propertyNames"], form["additionalProperties"]
    assert isinstance(keys, dict)
    assert isinstance(values, dict)
    return st.dictionaries(_text(name, keys), _value(name, values), max_size=5)


_VALUES = {
    "null": lambda name, form: st.none(),
    "boolean": lambda name, form: st.booleans(),
    "integer": _whole_number,
    "string": _text,
    "array": _list,
    "object": _mapping,
}
