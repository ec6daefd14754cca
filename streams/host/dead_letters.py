"""Dead letters: bytes that nobody can read, kept with the reason so that they can be repaired."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Final

import orjson

DEAD_LETTER_SCHEMA: Final = "ladderman.dead-letter/1"
"""Name and version of the shape."""

HEAD_BYTES_MAX: Final = 64 * 1024
"""The most bytes of a message that are kept."""

KEY_BYTES_MAX: Final = 255
"""The most bytes of a key that are kept."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Which partition of which log a message stands in."""

    log_id: str
    """Id of the topic, or of the log of one machine."""
    partition: int = 0


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that could not be read, and why."""

    origin: Origin
    offset: int
    key: bytes
    reason: str
    """One word, such as ``not_json``."""
    detail: str
    """One line for people."""
    length: int
    sha256: str
    head: bytes
    """The bytes, or the first of them."""

    @property
    def letter_id(self) -> str:
        """Its id: where the message stands."""
        return f"{self.origin.log_id}/{self.origin.partition}/{self.offset}"

    @property
    def is_whole(self) -> bool:
        """Whether all bytes are kept, so that it can be replayed from here."""
        return self.length == len(self.head)


def dead_letter_of(
    origin: Origin, offset: int, message: tuple[bytes, bytes], reason: tuple[str, str]
) -> DeadLetter:
    """Make the dead letter of a message.

    Args:
        origin: Where it stands.
        offset: At which offset.
        message: Its key and bytes.
        reason: One word, and one line for people.
    """
    key, raw = message
    return DeadLetter(
        origin=origin,
        offset=offset,
        key=key[:KEY_BYTES_MAX],
        reason=reason[0],
        detail=reason[1],
        length=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        head=raw[:HEAD_BYTES_MAX],
    )


def encode_dead_letter(letter: DeadLetter) -> bytes:
    """Give the canonical bytes of a dead letter: JSON, key and head as base64."""
    return orjson.dumps(
        {
            "schema": DEAD_LETTER_SCHEMA,
            "id": letter.letter_id,
            "log_id": letter.origin.log_id,
            "partition": letter.origin.partition,
            "offset": letter.offset,
            "key": base64.b64encode(letter.key).decode(),
            "reason": letter.reason,
            "detail": letter.detail,
            "length": letter.length,
            "sha256": letter.sha256,
            "head": base64.b64encode(letter.head).decode(),
        }
    )


def decode_dead_letter(raw: bytes) -> DeadLetter:
    """Read a dead letter back.

    Raises:
        ValueError: The bytes are no dead letter of this version.
    """
    content = orjson.loads(raw)
    if not isinstance(content, dict) or content.get("schema") != DEAD_LETTER_SCHEMA:
        raise ValueError(f"no {DEAD_LETTER_SCHEMA}")
    return DeadLetter(
        origin=Origin(content["log_id"], content["partition"]),
        offset=content["offset"],
        key=base64.b64decode(content["key"]),
        reason=content["reason"],
        detail=content["detail"],
        length=content["length"],
        sha256=content["sha256"],
        head=base64.b64decode(content["head"]),
    )
