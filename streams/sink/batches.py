"""What does the sink hold between reading and writing? Rows, with the offsets that they came from.

Offsets travel with the rows and are committed only after the write has returned. What cannot be
written is kept and written again; what cannot be read stands among the dead letters already.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeVar

from aiokafka import ConsumerRecord, TopicPartition

from schemas.records import RECORD_SCHEMA, decode_record
from schemas.wire import chain_hash, read_envelope
from schemas.wire_errors import UnreadableEventError
from streams.history.entries import DeadLetter as StoredLetter
from streams.history.entries import KnownRecord, ReceivedEvent
from streams.history_outbox import stored_letter
from streams.host.dead_letters import DEAD_LETTER_SCHEMA, decode_dead_letter
from streams.kafka.partitioning import partition_of

ROWS_MAX: Final = 20_000
BYTES_MAX: Final = 32 * 1024 * 1024
_MS_US: Final = 1_000
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)

_T = TypeVar("_T")

_partition_of: Final = lru_cache(maxsize=65_536)(partition_of)
"""Sources are few, and the hash is slow."""


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

    events: list[ReceivedEvent] = field(default_factory=list)
    records: list[KnownRecord] = field(default_factory=list)
    letters: list[StoredLetter] = field(default_factory=list)
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
        self, at: TopicPartition, messages: Iterable[ConsumerRecord], topics: SinkTopics,
        partitions: int,
    ) -> None:  # fmt: skip
        """Take messages of one partition.

        Raises:
            ForeignVersionError: A newer build wrote one of them.
        """
        for message in messages:
            self._take(message, topics, partitions)
            self.messages += 1
            self.byte_count += len(message.value or b"")
            self.next_offsets[at] = message.offset + 1

    def _take(self, message: ConsumerRecord, topics: SinkTopics, partitions: int) -> None:
        value, known_at_us = message.value or b"", message.timestamp * _MS_US
        if message.topic == topics.verdicts:
            record = _read(message, decode_record, RECORD_SCHEMA)
            if record is not None:
                self.records.append(KnownRecord(record, value, known_at_us))
                return
        elif message.topic == topics.dead_letters:
            letter = _read(message, decode_dead_letter, DEAD_LETTER_SCHEMA)
            if letter is not None:
                self.letters.append(stored_letter(letter, known_at_us))
                return
        else:
            event = event_of(message, partitions)
            if event is not None:
                self.events.append(event)
            return
        self.foreign += 1

    def without(self, revoked: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Give the offsets to commit once it is written, leaving out partitions that moved."""
        gone = set(revoked)
        return {at: offset for at, offset in self.next_offsets.items() if at not in gone}


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


def event_of(message: ConsumerRecord, partitions: int) -> ReceivedEvent | None:
    """Read an event of the log as the history keeps it; None where the host dead-letters it."""
    key, raw = message.key or b"", message.value or b""
    if _partition_of(key, partitions) != message.partition:
        return None
    try:
        envelope, tag = read_envelope(raw)
    except UnreadableEventError:
        return None
    if envelope.source_id.encode() != key:
        return None
    return ReceivedEvent(
        envelope.source_id,
        envelope.feed_id,
        envelope.sequence,
        chain_hash(raw),
        tag,
        (envelope.occurred_at - _EPOCH) // _MICROSECOND,
        message.partition,
        message.offset,
        raw,
        message.timestamp * _MS_US,
    )
