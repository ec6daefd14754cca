"""Which Kafka clients does the host of one partition have? Its own, none of them shared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.clock import Clock
from streams.host.dead_letters import Origin
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import Fold
from streams.kafka.connecting import aiokafka_options
from streams.kafka.log import KafkaLog
from streams.kafka.outbox import KafkaOutbox, OutputTopics
from streams.kafka.partitioning import partition_of
from streams.kafka.snapshots import KafkaSnapshots
from streams.settings import KafkaSettings

_FETCH_WAIT_MS: Final = 50


@dataclass(slots=True)
class _Clients:
    log: AIOKafkaConsumer
    snapshots: AIOKafkaConsumer
    producer: AIOKafkaProducer
    outbox: KafkaOutbox


class HostFactory:
    """Makes hosts over Kafka, and closes their clients."""

    def __init__(
        self,
        settings: KafkaSettings,
        events_topic_id: str,
        fold: Fold,
        clock: Clock,
        alert: Callable[[str], None],
    ) -> None:
        """Make hosts under these settings.

        Args:
            settings: How Kafka is reached.
            events_topic_id: Id of the topic of events; snapshots of another one are refused.
            fold: The pure fold.
            clock: For the pace of snapshots.
            alert: Told what people should know, one line.
        """
        self._settings, self._topic_id = settings, events_topic_id
        self._fold, self._clock, self._alert = fold, clock, alert
        self._clients: dict[int, _Clients] = {}

    def name(self, topic_name: TopicName) -> str:
        """Give the full name of a topic."""
        return topic(topic_name).full_name(self._settings.prefix)

    async def make(self, partition: int) -> PartitionHost:
        """Start the clients of a partition and make its host."""
        options = aiokafka_options(self._settings)
        producer = await self._producer(options)
        log = await self._consumer(options)
        snapshots = await self._consumer(options)
        topics = OutputTopics(
            self.name(TopicName.VERDICTS),
            self.name(TopicName.FINDINGS),
            self.name(TopicName.DEAD_LETTERS),
        )
        outbox = KafkaOutbox(producer, topics)
        self._clients[partition] = _Clients(log, snapshots, producer, outbox)
        partitions = self._settings.partitions
        return PartitionHost(
            self._fold,
            (
                KafkaLog(log, self.name(TopicName.EVENTS), partition),
                KafkaSnapshots(snapshots, producer, self.name(TopicName.SNAPSHOTS), partition),
                outbox,
            ),
            HostSettings(Origin(self._topic_id, partition), partitions),
            self._clock,
            alert=self._alert,
            owns=lambda key: partition_of(key, partitions) == partition,
        )

    async def close(self, partition: int) -> None:
        """Close the clients of a partition."""
        clients = self._clients.pop(partition, None)
        if clients is not None:
            await asyncio.gather(
                clients.log.stop(), clients.snapshots.stop(), clients.producer.stop()
            )

    def unacknowledged(self, partition: int) -> int:
        """Say how many outputs of a partition are on their way."""
        clients = self._clients.get(partition)
        return clients.outbox.unacknowledged if clients else 0

    async def _producer(self, options: dict[str, Any]) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(
            **options,
            enable_idempotence=True,
            acks="all",
            max_request_size=MESSAGE_BYTES_MAX,
            linger_ms=1,
        )
        await producer.start()
        return producer

    async def _consumer(self, options: dict[str, Any]) -> AIOKafkaConsumer:
        consumer = AIOKafkaConsumer(
            **options,
            enable_auto_commit=False,
            auto_offset_reset="none",
            max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
            fetch_max_wait_ms=_FETCH_WAIT_MS,
        )
        await consumer.start()
        return consumer
