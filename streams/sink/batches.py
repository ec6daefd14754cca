"""The rows that a sink holds between reading and writing, with the offsets that they came from.

Offsets travel with the rows and are committed only after the write has returned. What cannot be
written is kept and written again; what cannot be read stands among the dead letters already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from aiokafka import ConsumerRecord, TopicPartition

from schemas.records import RECORD_SCHEMA
from streams.history.writing.decoded_records import told_alone, told_at_once
from streams.history.writing.entries import RecordFields, ToldRecord
from streams.history.writing.outbox import stored_letter
from streams.history.writing.received_events import MS_US
from streams.history.writing.row_batch import RowBatch
from streams.host.dead_letters import DEAD_LETTER_SCHEMA, decode_dead_letter
from streams.sink.reading import received_from

ROWS_MAX: Final = 50_000
"""The most messages of one write: a write costs the engine 0.1 s, however small."""

BYTES_MAX: Final = 32 * 1024 * 1024
_RECORDS_TOGETHER: Final = 32
"""Records are long: more would be out of the processor's reach before they are used."""

_T = TypeVar("_T")


class ForeignVersionError(Exception):
    """A worker of another version wrote what this sink cannot read; nothing of it is committed."""


@dataclass(frozen=True, slots=True)
class SinkTopics:
    """Names of the topics that the sink reads."""

    events: str
    verdicts: str
    dead_letters: str

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (self.events, self.verdicts, self.dead_letters)


@dataclass(slots=True)
class Batch:
    """Rows that are written together."""

    rows: RowBatch = field(default_factory=lambda: RowBatch(is_from_bytes=True))
    next_offsets: dict[TopicPartition, int] = field(default_factory=dict)
    messages: int = 0
    byte_count: int = 0
    foreign: int = 0
    """Messages that no worker has written, and that are left out."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write or to commit."""
        return not self.next_offsets

    @property
    def is_full(self) -> bool:
        """Whether it is time to write, however young it is."""
        return self.messages >= ROWS_MAX or self.byte_count >= BYTES_MAX

    def add(
        self,
        at: TopicPartition,
        messages: Sequence[ConsumerRecord],
        topics: SinkTopics,
        partitions: int,
    ) -> None:
        """Take messages of one partition.

        Raises:
            ForeignVersionError: A newer build wrote one of them.
        """
        if not messages:
            return
        if at.topic == topics.verdicts:
            self._add_records(messages)
        elif at.topic == topics.dead_letters:
            self._add_letters(messages)
        else:
            for events in received_from(messages, partitions):
                self.rows.add_events(events)
        self.messages += len(messages)
        self.byte_count += sum([len(message.value or b"") for message in messages])
        self.next_offsets[at] = messages[-1].offset + 1

    def _add_records(self, messages: Sequence[ConsumerRecord]) -> None:
        for start in range(0, len(messages), _RECORDS_TOGETHER):
            some = messages[start : start + _RECORDS_TOGETHER]
            together = told_at_once([message.value or b"" for message in some])
            fields: Sequence[RecordFields | None] = (
                [_read(message, _told, RECORD_SCHEMA) for message in some]
                if together is None
                else together
            )
            self.foreign += fields.count(None)
            self.rows.add_records(
                ToldRecord(said, message.value, message.timestamp * MS_US)
                for said, message in zip(fields, some, strict=True)
                if said is not None
            )

    def _add_letters(self, messages: Sequence[ConsumerRecord]) -> None:
        for message in messages:
            letter = _read(message, decode_dead_letter, DEAD_LETTER_SCHEMA)
            if letter is None:
                self.foreign += 1
            else:
                self.rows.add_letters([stored_letter(letter, message.timestamp * MS_US)])

    def without(self, revoked: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Give the offsets to commit once it is written, leaving out partitions that moved."""
        gone = set(revoked)
        return {at: offset for at, offset in self.next_offsets.items() if at not in gone}


def _told(raw: bytes) -> RecordFields:
    """Read one record: of those beside one that an earlier build wrote, most are as usual."""
    alone = told_at_once([raw])
    return told_alone(raw) if alone is None else alone[0]


def _read(message: ConsumerRecord, decode: Callable[[bytes], _T], schema: str) -> _T | None:
    """Read a message of a worker; None for what no worker of any version has written."""
    value = message.value or b""
    try:
        return decode(value)
    except (ValueError, KeyError, TypeError) as error:
        family = schema.partition("/")[0].encode()
        if b'"' + family + b"/" not in value[:200]:
            return None
        raise ForeignVersionError(
            f"{message.topic} {message.partition}: offset {message.offset} is no {schema}; "
            f"start a sink of the build that wrote it ({str(error).splitlines()[0]})"
        ) from None
