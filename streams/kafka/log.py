"""One partition of the events, read by offset and without a group."""

from __future__ import annotations

from typing import Final

from aiokafka import AIOKafkaConsumer, TopicPartition

from streams.host.ports import LogBatch, LogEntry

FETCH_WAIT_MS: Final = 200
"""How long one look at the broker may take before it is taken to have nothing."""


class KafkaLog:
    """Messages of one partition; the consumer is the host's own, assigned by hand."""

    def __init__(self, consumer: AIOKafkaConsumer, topic: str, partition: int) -> None:
        """Read from a started consumer that is assigned nothing else.

        Args:
            consumer: Without a group, so it moves no offsets but its own.
            topic: Name of the topic.
            partition: Number of the partition.
        """
        self._consumer = consumer
        self._at = TopicPartition(topic, partition)
        self._position = -1
        consumer.assign([self._at])

    async def start_offset(self) -> int:
        """Give the offset of the oldest message that is kept."""
        found = await self._consumer.beginning_offsets([self._at])
        return int(found[self._at])

    async def end_offset(self) -> int:
        """Give the offset behind the last message."""
        found = await self._consumer.end_offsets([self._at])
        return int(found[self._at])

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages from an offset on; none only where the log ends there."""
        while True:
            self._seek(start)
            found = await self._consumer.getmany(
                self._at, timeout_ms=FETCH_WAIT_MS, max_records=count_max
            )
            messages = found.get(self._at, [])
            self._position = int(await self._consumer.position(self._at))
            if messages or self._position > start or await self.end_offset() <= start:
                entries = [
                    LogEntry(message.offset, message.key or b"", message.value or b"")
                    for message in messages
                ]
                return LogBatch(entries, max(self._position, start))

    async def read_one(self, offset: int) -> bytes:
        """Read the bytes of one message that is known to be there."""
        batch = await self.read(offset, 1)
        if not batch.entries or batch.entries[0].offset != offset:
            raise LookupError(f"{self._at.topic} {self._at.partition}: offset {offset} is gone")
        return batch.entries[0].raw

    def _seek(self, offset: int) -> None:
        if self._position != offset:
            self._consumer.seek(self._at, offset)
            self._position = offset
