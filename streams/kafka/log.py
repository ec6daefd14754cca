"""One partition of the events, read by offset and without a group."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, KafkaTimeoutError

from streams.host.ports import LogBatch, LogEntry

FETCH_WAIT_MS: Final = 200
"""How long one look at the broker may take before it is taken to have nothing."""

ANSWER_WITHIN_S: Final = 5.0
"""A broker that says nothing for so long is away."""

RETRY_S: Final = (0.1, 2.0)
"""Shortest and longest wait before a broker that is away is asked again."""

_T = TypeVar("_T")


class KafkaLog:
    """Messages of one partition; the consumer is the host's own, assigned by hand.

    A broker that is away is waited for: reading can always go on where it stopped.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        topic: str,
        partition: int,
        alert: Callable[[str], None],
    ) -> None:
        """Read from a started consumer that is assigned nothing else.

        Args:
            consumer: Without a group, so it moves no offsets but its own.
            topic: Name of the topic.
            partition: Number of the partition.
            alert: Told when the broker is away and when it is back, one line.
        """
        self._consumer, self._alert = consumer, alert
        self._at = TopicPartition(topic, partition)
        self._position = -1
        self.known_end = 0
        """The end of the log when it was last looked at."""
        self.appended_s = 0.0
        """When the log got the latest message that was read, seconds since 1970; 0: none was."""
        self.outage: str | None = None
        """Why the log cannot be read now; None while it can."""
        consumer.assign([self._at])
        consumer.pause(self._at)

    async def start_offset(self) -> int:
        """Give the offset of the oldest message that is kept."""
        found = await self._patiently(lambda: self._consumer.beginning_offsets([self._at]))
        return int(found[self._at])

    async def end_offset(self) -> int:
        """Give the offset behind the last message."""
        found = await self._patiently(lambda: self._consumer.end_offsets([self._at]))
        self.known_end = int(found[self._at])
        return self.known_end

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages from an offset on; none only where the log ends there."""
        self._seek(start)
        # Fetching stops in between: what deliveries bring need not be fetched twice.
        self._consumer.resume(self._at)
        try:
            while True:
                messages = await self._patiently(lambda: self._fetch(count_max))
                if messages or self._position > start or await self.end_offset() <= start:
                    return LogBatch(messages, max(self._position, start))
        finally:
            if self._position >= self.known_end:
                self._consumer.pause(self._at)

    async def _fetch(self, count_max: int) -> list[LogEntry]:
        found = await self._consumer.getmany(
            self._at, timeout_ms=FETCH_WAIT_MS, max_records=count_max
        )
        self._position = int(await self._consumer.position(self._at))
        messages = found.get(self._at, [])
        if messages:
            # One that is read again, as for a late event, is older than what was read before.
            self.appended_s = max(self.appended_s, messages[-1].timestamp / 1000)
        return [
            LogEntry(message.offset, message.key or b"", message.value or b"")
            for message in messages
        ]

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

    async def _patiently(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        """Ask until the broker answers; only what it refuses is an error."""
        wait_s, longest_s = RETRY_S
        while True:
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    answer = await ask()
            except (KafkaError, TimeoutError) as error:
                passing = isinstance(error, TimeoutError | KafkaTimeoutError) or error.retriable
                if not passing:
                    raise
                self._note_outage(error)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, longest_s)
            else:
                if self.outage is not None:
                    self.outage = None
                    self._alert(f"{self._at.topic} {self._at.partition} is read again")
                return answer

    def _note_outage(self, error: Exception) -> None:
        why = " ".join(str(error).split()) or f"no answer within {ANSWER_WITHIN_S:g} s"
        line = f"{self._at.topic} {self._at.partition} cannot be read: {why}"
        if self.outage is None:
            self._alert(f"{line}; tried again until it can")
        self.outage = line
