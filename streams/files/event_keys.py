"""The key of a message: the source that its event names, the same for every sender."""

from __future__ import annotations

import re
from typing import Final, TypeGuard

import orjson

from schemas.events.fields import SOURCE_PATTERN

_SOURCE: Final = re.compile(SOURCE_PATTERN)
_SOURCE_FIELD: Final = re.compile(rb'"source_id"\s*:\s*"([^"\\]{1,256})"')


def is_source_id(text: object) -> TypeGuard[str]:
    """Tell whether something may be the id of a source."""
    return isinstance(text, str) and _SOURCE.fullmatch(text) is not None


def key_of(raw: bytes) -> bytes:
    """Give the key of an event: its source; nothing where that cannot be read."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return b""
    source_id = document.get("source_id") if isinstance(document, dict) else None
    return source_id.encode() if is_source_id(source_id) else b""


def source_told_by(raw: bytes) -> str | None:
    """Say which source a line names though it is no whole event; None where it is not one alone."""
    named = set(_SOURCE_FIELD.findall(raw))
    text = named.pop().decode(errors="replace") if len(named) == 1 else None
    return text if is_source_id(text) else None
