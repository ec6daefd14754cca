"""What does the sink hold between reading and writing? Rows, with the offsets that they came from.

Offsets travel with the rows and are committed only after the write has returned. What cannot be
written is kept and written again; what cannot be read stands among the dead letters already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from aiokafka import ConsumerRecord, TopicPartition

from schemas.records import decode_record
from streams.history.entries import DeadLetter as StoredLetter
from streams.history.entries import KnownRecord, ReceivedEvent
from streams.history_outbox import received, stored_letter
from streams.host.dead_letters import decode_dead_letter
from streams.host.ports import LogEntry
from streams.kafka.partitioning import partition_of

ROWS_MAX: Final = 20_000
BYTES_MAX: Final = 32 * 1024 * 1024
_MS_US: Final = 1_000


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
        """Take messages of one partition."""
        for message in messages:
            self.messages += 1
            self.byte_count += len(message.value or b"")
            self._take(message, topics, partitions)
            self.next_offsets[at] = message.offset + 1

    def _take(self, message: ConsumerRecord, topics: SinkTopics, partitions: int) -> None:
        value, known_at_us = message.value or b"", message.timestamp * _MS_US
        if message.topic == topics.verdicts:
            self.records.append(KnownRecord(decode_record(value), value, known_at_us))
        elif message.topic == topics.dead_letters:
            self.letters.append(stored_letter(decode_dead_letter(value), known_at_us))
        else:
            event = event_of(message, partitions)
            if event is not None:
                self.events.append(event)

    def without(self, revoked: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Give the offsets to commit once it is written, leaving out partitions that moved."""
        gone = set(revoked)
        return {at: offset for at, offset in self.next_offsets.items() if at not in gone}


def event_of(message: ConsumerRecord, partitions: int) -> ReceivedEvent | None:
    """Read an event of the log as the history keeps it; None where the host dead-letters it."""
    key = message.key or b""
    if partition_of(key, partitions) != message.partition:
        return None
    entry = LogEntry(message.offset, key, message.value or b"")
    try:
        event = received(entry, message.timestamp * _MS_US)
    except (ValueError, KeyError, TypeError):
        return None
    if event.source_id.encode() != key:
        return None
    return event._replace(log_partition=message.partition)
