"""Events as bytes, and bytes as events.

One event is one JSON object in UTF-8, at most 16 KiB. Its ``previous_hash`` is the SHA-256 of the
exact bytes of the event before it in the feed, so that any language can chain and check. Numbers
are whole: the wire has no binary fractions. ``feed.md`` says the same to device makers.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

import orjson
from pydantic import ValidationError

from schemas.events.envelope import GENESIS_HASH, Envelope, EnvelopeFields, EventBase
from schemas.events.union import EVENT_TYPES, AnyEvent, version_of
from schemas.wire.errors import RejectReason, UnreadableEventError, field_error, quoted
from schemas.wire.hints import layout_advice
from schemas.wire.old_versions import OLD_VERSIONS, UpcastError
from schemas.words.suggestions import near_miss

EVENT_BYTES_MAX: Final = 16 * 1024
"""An event is at most this long."""

DEPTH_MAX: Final = 8
"""At most so many brackets are open at once."""

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | bool | None"
_CURRENT: Final = {
    (tag, version_of(event_class)): event_class for tag, event_class in EVENT_TYPES.items()
}
_ENVELOPE_FIELDS: Final = tuple(Envelope.model_fields)
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_UTF8_MARK: Final = b"\xef\xbb\xbf"


class EventTooLargeError(ValueError):
    """An event that would be longer than the wire allows."""


def encode_event(event: AnyEvent) -> bytes:
    """Write an event as its canonical bytes.

    Fields stand in the order of their definition, without spaces; what is not known is left out,
    everything else is written, defaults too, because a log must not change its meaning with them.

    Raises:
        EventTooLargeError: It is longer than :data:`EVENT_BYTES_MAX`.
    """
    raw = event.__pydantic_serializer__.to_json(event, by_alias=True, exclude_none=True)
    if len(raw) > EVENT_BYTES_MAX:
        raise EventTooLargeError(
            f"{event.type} has {len(raw)} bytes, an event has at most {EVENT_BYTES_MAX}; "
            "shorten its lists"
        )
    return raw


def chain_hash(raw: bytes) -> str:
    """Give the ``previous_hash`` that the event after these bytes must carry."""
    return hashlib.sha256(raw).hexdigest()


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """Where a feed stands: what the next event carries."""

    source_id: str
    feed_id: str
    sequence: int = 1
    """Sequence of the next event."""
    previous_hash: str = GENESIS_HASH
    """Hash of the event before it."""

    def after(self, raw: bytes) -> FeedPosition:
        """Move past the event with these bytes."""
        return FeedPosition(self.source_id, self.feed_id, self.sequence + 1, chain_hash(raw))

    def fields(self, occurred_at: datetime.datetime) -> EnvelopeFields:
        """Give the envelope of the next event as keyword arguments."""
        return {
            "source_id": self.source_id,
            "feed_id": self.feed_id,
            "sequence": self.sequence,
            "previous_hash": self.previous_hash,
            "occurred_at": occurred_at,
        }


def parse_event(raw: bytes) -> AnyEvent:
    """Read the bytes of one event, of the current or an older version.

    Args:
        raw: The exact bytes, without a line end.

    Returns:
        The event in its current version.

    Raises:
        UnreadableEventError: They are no event; it says why, where, and how to mend it.
    """
    document = _decode(raw)
    tag, version = document.get("type"), document.get("schema_version")
    # The check of the exact type keeps out true, which Python takes for 1.
    if not isinstance(tag, str) or type(version) is not int:
        raise _unknown_event(document)
    event_class = _CURRENT.get((tag, version))
    if event_class is None:
        return _upcast(raw, document, tag, version)
    try:
        # The class's own validator: what model_validate_json calls after half a microsecond.
        event: AnyEvent = event_class.__pydantic_validator__.validate_json(raw, strict=True)
    except ValidationError as error:
        raise _refused(raw, error, event_class, document) from None
    return event


def read_envelope(raw: bytes) -> tuple[Envelope, str]:
    """Read who speaks, as which number of which feed and when, whatever else the bytes hold.

    What has an envelope gets its place in its feed; what has none is a dead letter. That is so for
    exactly those bytes for which :func:`parse_event` gives an event, or an error with an envelope.

    Returns:
        The envelope, and the tag of the event's type; empty where the type is not known.

    Raises:
        UnreadableEventError: Not even the envelope can be read.
    """
    try:
        document = _decode(raw)
    except UnreadableEventError as error:
        if error.envelope is None:
            raise
        return error.envelope, ""
    try:
        envelope = Envelope.__pydantic_validator__.validate_python(
            {name: document.get(name) for name in _ENVELOPE_FIELDS}, strict=True
        )
    except ValidationError:
        parse_event(raw)  # says why
        raise AssertionError("an event without an envelope cannot be read") from None
    tag = document.get("type")
    return envelope, tag if isinstance(tag, str) and tag in EVENT_TYPES else ""


def _upcast(raw: bytes, document: dict[str, _Json], tag: str, version: int) -> AnyEvent:
    if (tag, version) not in OLD_VERSIONS:
        raise _unknown_event(document)
    old_class, upcast = OLD_VERSIONS[tag, version]
    try:
        return upcast(old_class.model_validate_json(raw, strict=True))
    except ValidationError as error:
        raise _refused(raw, error, old_class, document) from None
    except UpcastError as error:
        shown = quoted(document.get(error.field))
        problem = str(error).partition(": ")[2]
        raise UnreadableEventError(
            RejectReason.BAD_FIELD,
            f"{tag}.{error.field}: {shown}: {problem}",
            field=error.field,
            envelope=_envelope_of(document),
            event_type=tag,
        ) from None


def _decode(raw: bytes) -> dict[str, _Json]:
    """Read the bytes as one JSON object in which no key stands twice."""
    if len(raw) > EVENT_BYTES_MAX:
        raise UnreadableEventError(
            RejectReason.TOO_LARGE,
            f"{len(raw)} bytes; an event has at most {EVENT_BYTES_MAX}: split it or shorten lists",
        )
    try:
        document: _Json = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _undecodable(raw, error) from None
    if not isinstance(document, dict):
        if _is_too_deep(raw):
            raise _too_deep({})
        raise UnreadableEventError(
            RejectReason.NOT_AN_OBJECT,
            f"{quoted(document)} is JSON, but an event is one object in braces",
        )
    if not _is_own_writing(document, raw):
        _refuse_duplicate_keys(raw, document)
    return document


def _is_own_writing(document: dict[str, _Json], raw: bytes) -> bool:
    """Whether writing the decoded object gives these very bytes: then no key stood twice.

    Far cheaper than watching every pair; only bytes with spaces or escapes need that.
    """
    try:
        return orjson.dumps(document) == raw
    except orjson.JSONEncodeError:  # nested deeper than the writer goes
        return False


class _DuplicateKeyError(Exception):
    """A key that stands twice in one object."""


def _refuse_duplicate_keys(raw: bytes, document: dict[str, _Json]) -> None:
    marks = _without_strings(raw)
    if _depth_of(marks) > DEPTH_MAX:
        raise _too_deep(document)
    if marks.count(b":") == _pairs_in(document):
        return
    try:
        # Only the pairs matter here, so numbers are not even converted.
        json.loads(raw, object_pairs_hook=_unique_pairs, parse_int=len, parse_float=len)
    except _DuplicateKeyError as error:
        key = str(error)
        shown = quoted(key)
        raise UnreadableEventError(
            RejectReason.DUPLICATE_KEY,
            f"key {shown} stands twice in one object; write it once",
            field=key[:64],
            envelope=None if key in _ENVELOPE_FIELDS else _envelope_of(document),
        ) from None


def _pairs_in(value: _Json) -> int:
    """Count the pairs of all objects in a value that is at most :data:`DEPTH_MAX` deep."""
    if isinstance(value, dict):
        return len(value) + sum(_pairs_in(part) for part in value.values())
    if isinstance(value, list):
        return sum(_pairs_in(part) for part in value)
    return 0


def _unique_pairs(pairs: list[tuple[str, object]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise _DuplicateKeyError(key)
        seen.add(key)


def _undecodable(raw: bytes, error: orjson.JSONDecodeError) -> UnreadableEventError:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        return UnreadableEventError(
            RejectReason.NOT_UTF8, f"byte {bad.start + 1} is not UTF-8; send the text as UTF-8"
        )
    if raw.startswith(_UTF8_MARK):
        return UnreadableEventError(
            RejectReason.NOT_UTF8, "it begins with a byte order mark; send UTF-8 without one"
        )
    if _is_too_deep(raw):
        return _too_deep({})
    problem = str(error.msg).partition(":")[0]
    return UnreadableEventError(
        RejectReason.NOT_JSON,
        f"no JSON from character {error.pos + 1} on ({problem}); {layout_advice(raw, problem)}",
    )


def _depth_of(marks: bytes) -> int:
    """Count the brackets that are open at once, without recursion.

    Args:
        marks: JSON text with its strings taken out.
    """
    if marks.count(b"{") + marks.count(b"[") <= DEPTH_MAX:
        return 0  # cannot be too deep, so the exact depth does not matter
    depth = deepest = 0
    for byte in marks:
        if byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    return deepest


def _is_too_deep(raw: bytes) -> bool:
    return _depth_of(_without_strings(raw)) > DEPTH_MAX


def _without_strings(raw: bytes) -> bytes:
    """Take the strings out of JSON text, so that what is left are brackets, colons, numbers."""
    if b"\\" not in raw:
        return b"".join(raw.split(b'"')[::2])  # ten times as fast as the pattern
    return _STRING.sub(b"", raw)


def _too_deep(document: dict[str, _Json]) -> UnreadableEventError:
    return UnreadableEventError(
        RejectReason.TOO_DEEP,
        f"more than {DEPTH_MAX} brackets are open at once; no event has that",
        envelope=_envelope_of(document),
    )


def _refused(
    raw: bytes,
    error: ValidationError,
    event_class: type[EventBase],
    document: dict[str, _Json],
) -> UnreadableEventError:
    if _is_too_deep(raw):
        return _too_deep(document)
    return field_error(error, event_class, _envelope_of(document), document)


def _unknown_event(document: dict[str, _Json]) -> UnreadableEventError:
    """Say that the type, or this version of it, is not known."""
    tag, version = document.get("type"), document.get("schema_version")
    envelope = _envelope_of(document)
    if not isinstance(tag, str):
        problem = "is missing" if "type" not in document else f"{quoted(tag)} is no text"
        return UnreadableEventError(
            RejectReason.BAD_FIELD,
            f'type: {problem}; say what happened, such as "card_dealt"',
            field="type",
            envelope=envelope,
        )
    if tag not in EVENT_TYPES:
        return UnreadableEventError(
            RejectReason.UNKNOWN_TYPE,
            f"type: {quoted(tag)} is no event"
            f"{near_miss(tag, EVENT_TYPES) or '; ladderman schema lists them'}",
            field="type",
            envelope=envelope,
        )
    known = [str(version) for name, version in (*OLD_VERSIONS, *_CURRENT) if name == tag]
    listed = f"version {known[0]}" if len(known) == 1 else f"versions {' and '.join(known)}"
    if type(version) is not int:
        is_there = "schema_version" in document
        problem = f"{quoted(version)} is no whole number" if is_there else "is missing"
        return UnreadableEventError(
            RejectReason.BAD_FIELD,
            f"{tag}.schema_version: {problem}; write the whole number {known[-1]}",
            field="schema_version",
            envelope=envelope,
            event_type=tag,
        )
    return UnreadableEventError(
        RejectReason.UNKNOWN_VERSION,
        f"{tag}.schema_version: {quoted(version)} is not known here; {listed} can be read",
        field="schema_version",
        envelope=envelope,
        event_type=tag,
    )


def _envelope_of(document: dict[str, _Json]) -> Envelope | None:
    """Read the envelope of an event that is otherwise unreadable, or None."""
    values = {name: document.get(name) for name in _ENVELOPE_FIELDS}
    if not all(isinstance(value, str | int) for value in values.values()):
        return None
    try:
        return Envelope.model_validate_json(orjson.dumps(values), strict=True)
    except ValidationError:
        return None
