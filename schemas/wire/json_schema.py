"""The JSON Schema that describes every event and that ``ladderman schema`` prints.

It is made from the same classes that read the events, so the two cannot differ.
"""

from __future__ import annotations

from typing import Final, TypeAlias, cast

from pydantic import TypeAdapter

from schemas.events.envelope import EventBase
from schemas.events.union import EVENT_TYPES, Event

EVENT_SCHEMA_VERSION: Final = 1
"""Version of the union, the end of its name; it rises with an event or version that is added."""

EVENT_SCHEMA_ID: Final = f"urn:ladderman:events:{EVENT_SCHEMA_VERSION}"
"""Name of the JSON Schema."""

_JsonObject: TypeAlias = dict[str, object]
_TAG_FIELDS: Final = ("type", "schema_version")


def event_json_schema() -> dict[str, object]:
    """Give the JSON Schema (2020-12) of the union of all events in their current versions.

    Only keywords of JSON Schema stand in it: validators that are strict refuse any other. What a
    schema cannot say stands in ``feed.md``: the chain, 16 KiB, no key twice.
    """
    made = cast(_JsonObject, TypeAdapter(Event).json_schema())
    definitions = cast(dict[str, _JsonObject], made["$defs"])
    for definition in definitions.values():
        _tidy(definition)
    for event_class in EVENT_TYPES.values():
        _require_tag(definitions[event_class.__name__])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": EVENT_SCHEMA_ID,
        "title": "Ladderman event",
        "description": "One thing that happened at a baccarat table or a progressive controller.",
        "type": "object",
        "oneOf": made["oneOf"],
        "$defs": definitions,
    }


def _tidy(definition: _JsonObject) -> None:
    """Drop the titles that only repeat the name of a field, and close open objects."""
    for field in cast(dict[str, _JsonObject], definition.get("properties", {})).values():
        field.pop("title", None)
        for form in (field, *cast(list[_JsonObject], field.get("anyOf", []))):
            _refuse_other_keys(form)


def _refuse_other_keys(form: _JsonObject) -> None:
    """Make a pattern of keys hold for every key: ``patternProperties`` lets others pass."""
    patterns = cast(dict[str, object], form.pop("patternProperties", {}))
    for pattern, values in patterns.items():
        names = cast(_JsonObject, form.get("propertyNames", {}))
        form["propertyNames"] = names | {"pattern": pattern}
        form["additionalProperties"] = values


def _require_tag(definition: _JsonObject) -> None:
    """Demand type and version: the classes fill them in, on the wire they must stand."""
    properties = cast(dict[str, _JsonObject], definition["properties"])
    for name in _TAG_FIELDS:
        del properties[name]["default"]
        properties[name]["description"] = EventBase.model_fields[name].description
    definition["required"] = [*_TAG_FIELDS, *cast(list[str], definition["required"])]
