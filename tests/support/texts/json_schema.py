"""Validates against the published JSON Schema with nothing but the keywords of JSON Schema 2020-12.

Formats are not looked at, as the standard has it. A keyword that is not known here is an error, so
that nothing gets into the schema which strict validators of other languages refuse.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

Schema = Mapping[str, object]

ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "default", "format"})
_TYPES: dict[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    # A number without a fraction is an integer for JSON Schema, however it is written.
    "integer": lambda value: (
        not isinstance(value, bool) and isinstance(value, int | float) and value == int(value)
    ),
}


_HOLD_SCHEMAS = (
    "items",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "additionalProperties",
)
_NAME_SCHEMAS = ("properties", "$defs")
_LIST_SCHEMAS = ("allOf", "anyOf", "oneOf")


def subschemas(schema: object) -> Iterator[Schema]:
    """Give a schema and all schemas in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    within = [schema[name] for name in _HOLD_SCHEMAS if name in schema]
    within += [one for name in _NAME_SCHEMAS for one in schema.get(name, {}).values()]
    within += [one for name in _LIST_SCHEMAS for one in schema.get(name, [])]
    for one in within:
        yield from subschemas(one)


def unknown_keywords(schema: Schema) -> set[str]:
    """List the keywords that are none of JSON Schema, or that no schema of ours had before."""
    known = {*ANNOTATIONS, *_HOLD_SCHEMAS, *_NAME_SCHEMAS, *_LIST_SCHEMAS, *_WITHIN, "$ref"}
    return {name for one in subschemas(schema) for name in one if name not in known}


class JsonSchema:
    """One schema with its definitions."""

    def __init__(self, document: Schema) -> None:
        definitions = document["$defs"]
        assert isinstance(definitions, dict)
        self._definitions: dict[str, Schema] = definitions
        self._document = document

    def accepts(self, value: object, definition: str | None = None) -> bool:
        """Whether a value is one of the schema, or of one of its definitions."""
        schema = self._document if definition is None else self._definitions[definition]
        return self._accepts(schema, value)

    def _accepts(self, schema: object, value: object) -> bool:
        if isinstance(schema, bool):
            return schema
        assert isinstance(schema, dict)
        return all(self._keyword(name, schema, value) for name in schema)

    def _keyword(self, name: str, schema: Mapping[str, object], value: object) -> bool:
        told = schema[name]
        if name in ANNOTATIONS or name in ("then", "else"):
            return True
        if name in _WITHIN:
            return _WITHIN[name](told, value)
        if name in ("properties", "additionalProperties", "propertyNames"):
            return not isinstance(value, dict) or self._of_object(name, schema, value)
        if name in ("items", "contains"):
            every = all if name == "items" else any
            return not isinstance(value, list) or every(self._accepts(told, one) for one in value)
        match name, told:
            case "$ref", str():
                return self._accepts(self._definitions[told.removeprefix("#/$defs/")], value)
            case "not", _:
                return not self._accepts(told, value)
            case "if", _:
                branch = "then" if self._accepts(told, value) else "else"
                return self._accepts(schema.get(branch, True), value)
            case (("allOf" | "anyOf" | "oneOf"), list()):
                right = sum(self._accepts(one, value) for one in told)
                return {"allOf": right == len(told), "anyOf": right > 0, "oneOf": right == 1}[name]
        raise AssertionError(f"{name} is no keyword of JSON Schema, or none that is known here")

    def _of_object(
        self, name: str, schema: Mapping[str, object], value: Mapping[str, object]
    ) -> bool:
        known = schema.get("properties", {})
        assert isinstance(known, dict)
        told = schema[name]
        if name == "properties":
            return all(self._accepts(known[one], value[one]) for one in known if one in value)
        if name == "propertyNames":
            return all(self._accepts(told, one) for one in value)
        return all(self._accepts(told, value[one]) for one in value if one not in known)


def _is_type(told: object, value: object) -> bool:
    words = told if isinstance(told, list) else [told]
    return any(_TYPES[word](value) for word in words)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # In other languages $ is the very end; in Python a line end may follow it.
    return re.compile(pattern.replace("$", r"\Z"))


_WITHIN: dict[str, Callable[..., bool]] = {
    "type": _is_type,
    "const": lambda told, value: json.dumps(told) == json.dumps(value),
    "enum": lambda told, value: value in told,
    "required": lambda told, value: not isinstance(value, dict) or set(told) <= set(value),
    "minimum": lambda told, value: not _is_number(value) or value >= told,
    "maximum": lambda told, value: not _is_number(value) or value <= told,
    "pattern": lambda told, value: (
        not isinstance(value, str) or bool(_compiled(told).search(value))
    ),
    "minLength": lambda told, value: not isinstance(value, str) or len(value) >= told,
    "maxLength": lambda told, value: not isinstance(value, str) or len(value) <= told,
    "minItems": lambda told, value: not isinstance(value, list) or len(value) >= told,
    "maxItems": lambda told, value: not isinstance(value, list) or len(value) <= told,
    "maxProperties": lambda told, value: not isinstance(value, dict) or len(value) <= told,
}
