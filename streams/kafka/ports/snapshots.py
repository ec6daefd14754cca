"""Snapshots of one partition, on the partition of the compacted topic that has its number."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from streams.host.snapshots import UnreadableSnapshotError, read_header
from streams.kafka.patience import Patience
from streams.kafka.ports.sending import send

FETCH_WAIT_MS: Final = 500

KEPT_COUNT: Final = 3
"""Snapshots kept in memory while reading: the highest may turn out to be unreadable."""

_T = TypeVar("_T")


class KafkaSnapshots:
    """Keeps snapshots; the one of the highest position counts, not the one written last."""

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        producer: AIOKafkaProducer,
        topic: str,
        partition: int,
        alert: Callable[[str], None] | None = None,
    ) -> None:
        """Keep them with clients that are started.

        Args:
            consumer: Without a group; assigned to nothing else, and to nothing between readings.
            producer: Writes to the partition that the snapshot describes, whatever its key.
            topic: Name of the topic.
            partition: Number of the partition.
            alert: Told when they cannot be read and when they can again, one line, and a broker
                that is away is waited for; None: it is an error.
        """
        self._consumer, self._producer = consumer, producer
        self._at = TopicPartition(topic, partition)
        self._ask = Patience(f"{topic} {partition}", alert).ask if alert else _ask_once
        self.out_of_order = 0
        """Snapshots that were written behind a higher one: a worker woke up late."""

    async def newest_first(self) -> Sequence[bytes]:
        """Give the highest (audit epoch, next offset) first, and a few below it.

        A worker that was stopped and goes on late writes an old one behind the newer ones.
        """
        kept: list[tuple[tuple[int, int], int, bytes]] = []
        highest = (-1, -1)
        self._consumer.assign([self._at])
        try:
            ask = self._ask
            end = (await ask(lambda: self._consumer.end_offsets([self._at])))[self._at]
            await ask(lambda: self._consumer.seek_to_beginning(self._at))
            while await ask(lambda: self._consumer.position(self._at)) < end:
                found = await self._consumer.getmany(self._at, timeout_ms=FETCH_WAIT_MS)
                for message in found.get(self._at, []):
                    if message.value is None:
                        continue
                    position = _position(message.value)
                    self.out_of_order += (-1, -1) < position < highest
                    highest = max(highest, position)
                    heapq.heappush(kept, (position, message.offset, message.value))
                    if len(kept) > KEPT_COUNT:
                        heapq.heappop(kept)
        finally:
            # Or it would go on fetching every further snapshot.
            self._consumer.unsubscribe()
        return [snapshot for _, _, snapshot in sorted(kept, reverse=True)]

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Keep a snapshot of an (audit epoch, next offset); return when it is durable."""
        del position  # it is in the snapshot's own header
        key = str(self._at.partition).encode()
        await (await send(self._producer, self._at.topic, (key, snapshot), self._at.partition))


def _position(snapshot: bytes) -> tuple[int, int]:
    try:
        return read_header(snapshot).position
    except UnreadableSnapshotError:
        return (-1, -1)


async def _ask_once(question: Callable[[], Awaitable[_T]]) -> _T:
    return await question()
