"""What is handed to the history? Records, raw events and dead letters, with when each was known."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from schemas.events.envelope import Envelope, EventBase
from schemas.records import Record
from schemas.wire import chain_hash

RAW_BYTES_KEPT: Final = 64 * 1024
"""Of a dead letter at most so many bytes are kept."""


class KnownRecord(NamedTuple):
    """One record of the fold, its exact bytes, and when the log got it."""

    record: Record
    raw: bytes
    known_at_us: int
    """Append time of the verdict, microseconds since 1970 UTC."""


class ReceivedEvent(NamedTuple):
    """One event as it was received; the fields stand in the order of the table's columns."""

    source_id: str
    feed_id: str
    sequence: int
    content_hash: str
    type: str
    """Wire tag; empty where only the envelope was readable."""
    occurred_at_us: int
    log_partition: int
    log_offset: int
    raw_bytes: bytes
    known_at_us: int


class DeadLetter(NamedTuple):
    """Bytes of the log that are no event; the fields stand in the order of the table's columns."""

    origin_topic: str
    origin_partition: int
    origin_offset: int
    content_hash: str
    """SHA-256 of all the bytes."""
    byte_count: int
    """Length of all the bytes."""
    reason: str
    """One of the published reasons."""
    detail: str
    """One line: what, where and how to mend it."""
    source_id: str | None
    feed_id: str | None
    sequence: int | None
    raw_bytes: bytes
    """The first 64 KiB."""
    known_at_us: int


def received_event(
    event: EventBase, raw: bytes, *, log_offset: int, known_at_us: int, log_partition: int = 0
) -> ReceivedEvent:
    """Describe an event that could be read."""
    return ReceivedEvent(
        event.source_id,
        event.feed_id,
        event.sequence,
        chain_hash(raw),
        event.type,
        event.occurred_at_us,
        log_partition,
        log_offset,
        raw,
        known_at_us,
    )


def received_envelope(
    envelope: Envelope,
    raw: bytes,
    *,
    log_offset: int,
    known_at_us: int,
    log_partition: int = 0,
    event_type: str | None = None,
) -> ReceivedEvent:
    """Describe an event of which no more than the envelope could be read."""
    occurred_at_us = EventBase.occurred_at_us.fget(envelope)  # type: ignore[attr-defined]
    return ReceivedEvent(
        envelope.source_id,
        envelope.feed_id,
        envelope.sequence,
        chain_hash(raw),
        event_type or "",
        occurred_at_us,
        log_partition,
        log_offset,
        raw,
        known_at_us,
    )


def dead_letter(
    raw: bytes,
    *,
    origin: tuple[str, int, int],
    reason: str,
    detail: str,
    known_at_us: int,
    envelope: Envelope | None = None,
) -> DeadLetter:
    """Describe bytes that are no event.

    Args:
        raw: All the bytes.
        origin: Topic, partition and offset.
        reason: One of the published reasons.
        detail: One line for people.
        known_at_us: When it was put aside.
        envelope: The envelope, where it was readable.
    """
    return DeadLetter(
        *origin,
        hashlib.sha256(raw).hexdigest(),
        len(raw),
        reason,
        detail,
        envelope.source_id if envelope else None,
        envelope.feed_id if envelope else None,
        envelope.sequence if envelope else None,
        raw[:RAW_BYTES_KEPT],
        known_at_us,
    )
