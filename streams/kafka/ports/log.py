"""One partition of the events, read by offset and without a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from streams.host.errors import LogCutError, log_replaced
from streams.host.ports import LogBatch, LogEntry
from streams.kafka.answers import Answers
from streams.kafka.patience import Patience

FETCH_WAIT_MS: Final = 200
"""How long one look at the broker may take before it is taken to have nothing."""


class KafkaLog:
    """Messages of one partition; the consumer is the host's own, assigned by hand.

    A broker that is away is waited for: reading can always go on where it stopped. Only who looks
    once gives up after a while.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        topic: str,
        partition: int,
        alert: Callable[[str], None],
        answers: Answers | None = None,
        heard: Callable[[Sequence[ConsumerRecord]], None] | None = None,
    ) -> None:
        """Read from a started consumer that is assigned nothing else.

        Args:
            consumer: Without a group, so it moves no offsets but its own.
            topic: Name of the topic.
            partition: Number of the partition.
            alert: Told when the broker is away and when it is back, one line.
            answers: Limit how long it is waited for; None: for ever.
            heard: Told of all that is read, whether for the first time or once more.
        """
        self._consumer, self._heard = consumer, heard
        self._at = TopicPartition(topic, partition)
        self._patience = Patience(f"{topic} {partition}", alert, answers)
        self._position = -1
        self.known_end = 0
        """The end of the log when it was last looked at."""
        self.appended_s = 0.0
        """When the log got the latest message that was read, seconds since 1970; 0: none was."""
        consumer.assign([self._at])
        consumer.pause(self._at)

    @property
    def outage(self) -> str | None:
        """Why the log cannot be read now; None while it can."""
        return self._patience.outage

    async def start_offset(self) -> int:
        """Give the offset of the oldest message that is kept."""
        found = await self._patience.ask(lambda: self._consumer.beginning_offsets([self._at]))
        return int(found[self._at])

    async def end_offset(self) -> int:
        """Give the offset behind the last message."""
        found = await self._patience.ask(lambda: self._consumer.end_offsets([self._at]))
        self.known_end = int(found[self._at])
        return self.known_end

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages from an offset on; none only where the log ends there."""
        self._seek(start)
        # Fetching stops in between: what deliveries bring need not be fetched twice.
        self._consumer.resume(self._at)
        try:
            while True:
                messages = await self._patience.ask(lambda: self._fetch(count_max))
                if messages or self._position > start or await self.end_offset() <= start:
                    return LogBatch(messages, max(self._position, start))
        finally:
            if self._position >= self.known_end:
                self._consumer.pause(self._at)

    async def read_tail(self, start: int, count_max: int, wait_s: float) -> LogBatch:
        """Read what was fetched meanwhile; the next is fetched in advance until :meth:`rest`.

        One request brings what is new, instead of one that asks for the end and one that reads.
        """
        self._seek(start)
        self._consumer.resume(self._at)
        messages = await self._patience.ask(lambda: self._fetch(count_max, int(wait_s * 1000)))
        reached = max(self._position, start)
        self.known_end = max(self.known_end, reached, self._consumer.highwater(self._at) or 0)
        return LogBatch(messages, reached)

    def rest(self) -> None:
        """Have nothing fetched in advance until something is read again."""
        self._consumer.pause(self._at)

    async def _fetch(self, count_max: int, wait_ms: int = FETCH_WAIT_MS) -> list[LogEntry]:
        try:
            found = await self._consumer.getmany(
                self._at, timeout_ms=wait_ms, max_records=count_max
            )
        except OffsetOutOfRangeError as error:
            raise await self._out_of_range(error) from error
        self._position = int(await self._consumer.position(self._at))
        messages = found.get(self._at, [])
        if messages:
            # One that is read again, as for a late event, is older than what was read before.
            self.appended_s = max(self.appended_s, messages[-1].timestamp / 1000)
            if self._heard is not None:
                self._heard(messages)
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

    async def _out_of_range(self, error: Exception) -> Exception:
        """Say why nothing can be read from the offset that comes next."""
        start, end = await self.start_offset(), await self.end_offset()
        if self._position > end:
            return log_replaced(self._position, end)
        if self._position < start:
            return LogCutError(
                f"the log begins at offset {start}: offset {self._position} left it before it was "
                "folded; start again, what the history has of it is folded from there"
            )
        return error
