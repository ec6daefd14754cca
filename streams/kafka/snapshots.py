"""Snapshots of one partition, on the partition of the compacted topic that has its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from streams.host.snapshots import UnreadableSnapshotError, read_header

FETCH_WAIT_MS: Final = 500


class KafkaSnapshots:
    """Keeps snapshots; the one of the highest position counts, not the one written last."""

    def __init__(
        self, consumer: AIOKafkaConsumer, producer: AIOKafkaProducer, topic: str, partition: int
    ) -> None:
        """Keep them with clients that are started.

        Args:
            consumer: Without a group; assigned to nothing but this.
            producer: Writes to the partition that the snapshot describes, whatever its key.
            topic: Name of the topic.
            partition: Number of the partition.
        """
        self._consumer, self._producer = consumer, producer
        self._at = TopicPartition(topic, partition)
        consumer.assign([self._at])

    async def newest_first(self) -> Sequence[bytes]:
        """Give what is kept, that of the highest (audit epoch, next offset) first.

        A worker that was stopped and goes on late writes an old one behind the newer ones.
        """
        end = (await self._consumer.end_offsets([self._at]))[self._at]
        await self._consumer.seek_to_beginning(self._at)
        kept: list[bytes] = []
        while await self._consumer.position(self._at) < end:
            found = await self._consumer.getmany(self._at, timeout_ms=FETCH_WAIT_MS)
            kept += [one.value for one in found.get(self._at, []) if one.value is not None]
        return sorted(kept, key=_position, reverse=True)

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Keep a snapshot of an (audit epoch, next offset); return when it is durable."""
        del position  # it is in the snapshot's own header
        await self._producer.send_and_wait(
            self._at.topic,
            value=snapshot,
            key=str(self._at.partition).encode(),
            partition=self._at.partition,
        )


def _position(snapshot: bytes) -> tuple[int, int]:
    try:
        return read_header(snapshot).position
    except UnreadableSnapshotError:
        return (-1, -1)
