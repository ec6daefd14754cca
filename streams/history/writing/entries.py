"""The entries that the history takes: records, raw events and dead letters, with known times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, Self, TypeAlias

from schemas.records import Record

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
        "wagers": [vars(wager) for wager in record.wagers],
        "findings": [vars(finding) for finding in record.findings],
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


_EVENT_COLUMNS: Final = tuple(field.name for field in fields(ReceivedEvents))


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
