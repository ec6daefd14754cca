"""What is the key of a message? The source that its event names, as every sender must say it."""

from __future__ import annotations

import re
from typing import Final

import orjson

from schemas.events.fields import SOURCE_PATTERN

_SOURCE: Final = re.compile(SOURCE_PATTERN)


def is_source_id(text: object) -> bool:
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
