"""Reasons why an event cannot be read and what its sender must mend, one line each.

The reasons are part of the published schema (``feed.md``) and never reused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Container
from enum import StrEnum
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.events.envelope import Envelope, EventBase
from schemas.events.fields import (
    CARD_PATTERN,
    EXACT_PATTERN,
    HASH_PATTERN,
    ID_PATTERN,
    LETTER_PATTERN,
    RATE_PATTERN,
    SIGNED_EXACT_PATTERN,
    SOURCE_PATTERN,
    TEXT_PATTERN,
    WAGER_PATTERN,
)
from schemas.wire.hints import meant_value
from schemas.words.suggestions import near_miss


class RejectReason(StrEnum):
    """Why an event was refused."""

    TOO_LARGE = "too_large"
    """More than 16 KiB; it was not looked into."""

    NOT_UTF8 = "not_utf8"
    """The bytes are not UTF-8, or begin with a byte order mark."""

    NOT_JSON = "not_json"
    """The text is not JSON: cut off, NaN, a comment, two documents."""

    TOO_DEEP = "too_deep"
    """More than eight brackets open at once."""

    NOT_AN_OBJECT = "not_an_object"
    """JSON, but not one object."""

    DUPLICATE_KEY = "duplicate_key"
    """A key stands twice in one object, so that readers would differ."""

    UNKNOWN_TYPE = "unknown_type"
    """No event has this type."""

    UNKNOWN_VERSION = "unknown_version"
    """The type is known, this version of it is not."""

    BAD_FIELD = "bad_field"
    """A field is missing, unknown, or not of its form."""


class UnreadableEventError(ValueError):
    """Bytes that are no event; the text says where and how to mend them."""

    def __init__(
        self,
        reason: RejectReason,
        message: str,
        *,
        field: str | None = None,
        envelope: Envelope | None = None,
        event_type: str | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        """Keep the reason, its place and whatever could still be read."""
        super().__init__(message)
        self.reason = reason
        self.message = message
        """One line for people: what, where, what to do."""
        self.field = field
        """Path of the field, such as ``submission.wagers[2].id``; None where none is to blame."""
        self.envelope = envelope
        """The envelope, where it was readable, so that the feed's numbering can go on."""
        self.event_type = event_type
        """The known type of the event, where it was readable."""
        self.problems = problems or (message,)
        """One line for every problem found, the first of them in the message."""


_QUOTED_MAX: Final = 40
_PATTERN_ADVICE: Final = {
    SOURCE_PATTERN: "write 1 to 64 letters, digits, . _ or -, the first a letter or digit",
    ID_PATTERN: "write 1 to 64 letters, digits or ._:/#@+=~-, the first a letter or digit",
    HASH_PATTERN: "write SHA-256 as 64 hexadecimal digits in small letters, 64 zeros in event 1",
    CARD_PATTERN: "write rank and suit such as AS, or the rank alone; T is ten, 0 any ten-value",
    WAGER_PATTERN: "write section.wager or a code, such as golden_talons@player",
    LETTER_PATTERN: "write one capital letter",
    TEXT_PATTERN: "write 1 to 200 characters without line breaks or control characters",
    EXACT_PATTERN: "write currency units as a decimal in quotes, such as 12345.6785",
    SIGNED_EXACT_PATTERN: "write currency units as a decimal in quotes, such as -0.15",
    RATE_PATTERN: "write a rate in per cent in quotes, such as 15%",
}
_DIGITS_ADVICE: Final = "write digits only, without quotes, point or exponent"
_MINOR_ADVICE: Final = "write minor units as digits only, such as 2550 for 25.50"
_TYPE_ADVICE: Final = {
    "datetime_parsing": "is no instant of 2000 to 2199; write it as 2025-06-07T06:00:00-04:00",
    "timezone_aware": "has no offset; write the instant as 2025-06-07T06:00:00-04:00",
    "datetime_type": "is no instant; write it in quotes, as 2025-06-07T06:00:00-04:00",
    "time_type": "is no time; write it in quotes, as 06:00:00",
    "date_type": "is no day; write it in quotes, as 2026-08-05",
    "time_parsing": "is no time of the property's zone; write it without an offset, as 06:00:00",
    "date_parsing": "is no day of 2000 to 2199; write it as YYYY-MM-DD",
    "int_type": "is no whole number",
    "int_from_float": "is no whole number",
    "bool_type": "is neither true nor false",
    "string_type": "is no text; write it in double quotes",
    "tuple_type": "is no list; write it in square brackets",
    "dict_type": "is no object; write it in braces",
    "model_type": "is no object; write it in braces",
    "model_attributes_type": "is no object; write it in braces",
}
_LIMIT_ADVICE: Final = {
    "greater_than_equal": ("ge", "is below {0}; write {0} or more"),
    "less_than_equal": ("le", "is above {0}; write {0} or less"),
    "string_too_long": ("max_length", "has more than {} characters"),
    "string_too_short": ("min_length", "has fewer than {} characters"),
    "too_long": ("max_length", "has more than {} entries"),
    "too_short": ("min_length", "has fewer than {} entries"),
}
_CHOICE: Final = re.compile("'([^']*)'")
_CHOICES_LISTED_MAX: Final = 6


def field_error(
    error: ValidationError,
    event_class: type[EventBase],
    envelope: Envelope | None,
    told: Container[str] = (),
) -> UnreadableEventError:
    """Say which fields of an event are wrong, the first of them in full.

    Args:
        error: What pydantic found.
        event_class: The version of the event against which it was read.
        envelope: The envelope, where it was readable.
        told: Names of the fields that the event has.
    """
    tag = str(event_class.model_fields["type"].default)
    found = error.errors(include_url=False)
    problems = tuple(f"{tag}{_problem(problem, event_class, told)}" for problem in found)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return UnreadableEventError(
        RejectReason.BAD_FIELD,
        problems[0] + more,
        field=_path(found[0]["loc"]) or None,
        envelope=envelope,
        event_type=tag,
        problems=problems,
    )


def _problem(one: ErrorDetails, event_class: type[EventBase], told: Container[str]) -> str:
    path = _path(one["loc"])
    return f"{f'.{path}' if path else ''}: {_advice(one, event_class, told)}"


def _path(loc: tuple[int | str, ...]) -> str:
    """Write a place as people do: ``submission.wagers[2].id``."""
    path = ""
    for step in loc:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step.isidentifier():
            path += f".{step}" if path else step[:64]
        else:
            path += f"[{quoted(step)}]"
    return path


def quoted(value: object) -> str:
    """Show a value of the event on one line, as JSON, cut where it is long."""
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= _QUOTED_MAX else shown[: _QUOTED_MAX - 1] + "…"


def _advice(one: ErrorDetails, event_class: type[EventBase], told: Container[str]) -> str:
    kind, context = one["type"], one.get("ctx", {})
    if kind == "missing":
        return f"is missing; add it{_meaning(one, event_class)}"
    if kind == "extra_forbidden":
        # A misspelt field of a nested object is not compared: its class is not known here.
        known = event_class.model_fields if len(one["loc"]) == 1 else ()
        return f"is no field here{_field_meant(str(one['loc'][-1]), known, told)}"
    if kind == "value_error" and isinstance(one["input"], dict):
        return str(context["error"])  # it is about several fields and names them
    if one["input"] is None and kind != "value_error":
        return f"is null, which means not known; it must be told{_meaning(one, event_class)}"
    if kind in _LIMIT_ADVICE and len(one["loc"]) == 1:
        return f"{quoted(one['input'])} {_fault_of_value(one)}{_meaning(one, event_class)}"
    return f"{quoted(one['input'])} {_fault_of_value(one)}"


def _field_meant(name: str, known: Collection[str], told: Container[str]) -> str:
    hint = near_miss(name, known)
    if any(hint == f"; did you mean {word}?" for word in known if word in told):
        return f"{hint[:-1]}, which stands here too? Leave out the other"
    return hint or "; leave it out"


def _fault_of_value(one: ErrorDetails) -> str:
    kind, context = one["type"], one.get("ctx", {})
    if kind == "value_error":
        said = str(context["error"])
        return f"is not of its form{'; ' if said.startswith('write ') else ': '}{said}"
    if kind == "string_pattern_mismatch":
        pattern = str(context["pattern"])
        written = _PATTERN_ADVICE.get(pattern, f"write {pattern}")
        return f"is not of its form; {written}{meant_value(pattern, one['input'])}"
    if kind in ("literal_error", "enum"):
        return _fault_of_choice(str(one["input"]), str(context["expected"]))
    if kind in _LIMIT_ADVICE:
        name, advice = _LIMIT_ADVICE[kind]
        return advice.format(context[name])
    if kind.startswith("int_"):
        is_minor = str(one["loc"][-1]).endswith("_minor")
        advice = _MINOR_ADVICE if is_minor else _DIGITS_ADVICE
        return f"{_TYPE_ADVICE.get(kind, 'is out of range')}; {advice}"
    if kind in _TYPE_ADVICE:
        return _TYPE_ADVICE[kind]
    return f"is refused: {one['msg'][:1].lower()}{one['msg'][1:]}"


def _fault_of_choice(word: str, expected: str) -> str:
    choices = _CHOICE.findall(expected)
    hint = near_miss(word.lower(), choices)
    if len(choices) > _CHOICES_LISTED_MAX and hint:
        return f"is none of its {len(choices)} words{hint}"
    return f"is not {expected.replace(chr(39), '')}{hint or '; write one of them as it stands'}"


def _meaning(one: ErrorDetails, event_class: type[EventBase]) -> str:
    field = event_class.model_fields.get(str(one["loc"][0])) if len(one["loc"]) == 1 else None
    if field is None or field.description is None:
        return ""
    meaning = field.description.partition(". ")[0].partition("; ")[0].rstrip(".")
    begins = meaning[:1] if meaning[1:2].isupper() else meaning[:1].lower()
    return f" ({begins}{meaning[1:]})"
