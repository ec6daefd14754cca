"""A consumer for looking at the stream: it waits for a limited time and says that it waits."""

from __future__ import annotations

from typing import Any, Final

from aiokafka import AIOKafkaConsumer, TopicPartition

from schemas.topics import MESSAGE_BYTES_MAX
from streams.kafka.answers import Answers
from streams.kafka.connecting import aiokafka_options
from streams.process.settings import KafkaSettings

_FETCH_WAIT_MS: Final = 50

_LATER_MS: Final = 2_000
"""The client gives up so much later than we do, who can say why."""


class LookingConsumer(AIOKafkaConsumer):  # type: ignore[misc]  # no types are shipped
    """Reads by offset and without a group; every answer has a limit.

    Where a position stands still below an end that brokers told, they do not answer either.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        """Reach for nothing yet."""
        options = aiokafka_options(settings)
        options["request_timeout_ms"] += _LATER_MS
        super().__init__(
            **options,
            enable_auto_commit=False,
            auto_offset_reset="none",
            max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
            fetch_max_wait_ms=_FETCH_WAIT_MS,
        )
        self._answers = Answers(settings)
        self._ends: dict[TopicPartition, int] = {}
        self._reached: dict[TopicPartition, int] = {}

    async def start(self) -> None:
        """Reach the cluster."""
        async with self._answers.awaited():
            await super().start()

    async def beginning_offsets(self, partitions: Any) -> Any:
        """Give the offsets of the oldest messages."""
        async with self._answers.awaited():
            return await super().beginning_offsets(partitions)

    async def end_offsets(self, partitions: Any) -> Any:
        """Give the offsets behind the latest messages."""
        async with self._answers.awaited():
            ends = await super().end_offsets(partitions)
        self._ends.update(ends)
        self._answers.moved()
        return ends

    async def position(self, partition: TopicPartition) -> int:
        """Give the offset of what is read next."""
        async with self._answers.awaited():
            position = int(await super().position(partition))
        if position >= self._ends.get(partition, 0) or self._reached.get(partition) != position:
            self._reached[partition] = position
            self._answers.moved()
        else:
            self._answers.stands()
        return position

    def assign(self, partitions: Any) -> None:
        """Read these partitions from now on."""
        super().assign(partitions)
        self._answers.moved()

    def resume(self, *partitions: TopicPartition) -> None:
        """Go on with partitions that were paused; while they are, none need answer."""
        super().resume(*partitions)
        self._answers.moved()

    async def seek_to_beginning(self, *partitions: TopicPartition) -> Any:
        """Read next what is oldest."""
        async with self._answers.awaited():
            return await super().seek_to_beginning(*partitions)
