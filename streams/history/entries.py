"""What is handed to the history? Records, raw events and dead letters, with when each was known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, Self, TypeAlias

from schemas.events.envelope import Envelope, EventBase
from schemas.records import Record
from schemas.wire import chain_hash

RAW_BYTES_KEPT: Final = 64 * 1024
"""Of a dead letter at most so many bytes are kept."""

RecordFields: TypeAlias = dict[str, Any]
"""What a record says, field by field; the rows in it are dictionaries too."""


class KnownRecord(NamedTuple):
    """One record of the fold, its exact bytes, and when the log got it."""

    record: Record
    raw: bytes
    known_at_us: int
    """Append time of the verdict, microseconds since 1970 UTC."""


class ToldRecord(NamedTuple):
    """The same record as its fields, whether they come from values or from bytes."""

    fields: RecordFields
    raw: bytes
    known_at_us: int


def told(known: KnownRecord) -> ToldRecord:
    """Give a record as its fields."""
    return ToldRecord(fields_of(known.record), known.raw, known.known_at_us)


def fields_of(record: Record) -> RecordFields:
    """Give what a record says as its fields; they are the record's own and stay as they are."""
    return {
        **vars(record),
        "coup": None if record.coup is None else vars(record.coup),
        "shoe": None if record.shoe is None else vars(record.shoe),
        "wagers": [vars(one) for one in record.wagers],
        "findings": [vars(one) for one in record.findings],
    }


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


@dataclass(slots=True)
class ReceivedEvents:
    """Many such events by column, one value an event: so they are read, and so they are written."""

    source_id: list[str] = field(default_factory=list)
    feed_id: list[str] = field(default_factory=list)
    sequence: list[int] = field(default_factory=list)
    content_hash: list[str] = field(default_factory=list)
    type: list[str] = field(default_factory=list)
    occurred_at_us: list[int] = field(default_factory=list)
    log_partition: list[int] = field(default_factory=list)
    log_offset: list[int] = field(default_factory=list)
    raw_bytes: list[bytes] = field(default_factory=list)
    known_at_us: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, events: Iterable[ReceivedEvent]) -> Self:
        """Turn events into columns."""
        return cls(*map(list, zip(*events, strict=True)))

    def __len__(self) -> int:
        """How many events there are."""
        return len(self.sequence)

    def __iter__(self) -> Iterator[ReceivedEvent]:
        """Give them one by one."""
        return map(ReceivedEvent, *self.columns)

    @property
    def columns(self) -> tuple[list[Any], ...]:
        """The columns in the order of the fields."""
        return tuple(getattr(self, name) for name in _EVENT_COLUMNS)

    def extend(self, others: Self) -> None:
        """Take others behind these."""
        for mine, theirs in zip(self.columns, others.columns, strict=True):
            mine.extend(theirs)

    def at(self, places: Sequence[int]) -> ReceivedEvents:
        """Give those at some places."""
        return ReceivedEvents(*([values[at] for at in places] for values in self.columns))


_EVENT_COLUMNS: Final = tuple(one.name for one in fields(ReceivedEvents))


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
