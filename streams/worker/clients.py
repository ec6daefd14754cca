"""The Kafka clients of the host of one partition; none of them is shared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord

from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.host.dead_letters import Origin
from streams.host.partition_fold import PROGRESSIVE_KEYS, SOURCE_KEYS, Keys
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import Archive, Fold
from streams.host.steps import Step
from streams.kafka.connecting import aiokafka_options
from streams.kafka.partitioning import partition_of
from streams.kafka.ports.log import KafkaLog
from streams.kafka.ports.outbox import KafkaOutbox, OutputTopics
from streams.kafka.ports.sending import get_to_know
from streams.kafka.ports.snapshots import KafkaSnapshots
from streams.process.clock import Clock
from streams.process.settings import KafkaSettings
from streams.worker.output_log import LoggedOutbox, OutputLog

_FETCH_WAIT_MS: Final = 200


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What may differ between hosts beside their partition."""

    pace: Mapping[str, float] = field(default_factory=dict)
    """Other paces of :class:`~streams.host.partition_host.HostSettings`."""
    archive: Callable[[int], Archive] | None = None
    """Gives where a partition's messages are found that the log no longer keeps."""
    told: OutputLog | None = None
    """Told of what hosts put out; None where nobody reads of it."""
    after_step: Callable[[TopicName, Step], None] | None = None
    """Called after every step of every host, with the log it folds; tests stop the world there."""


@dataclass(frozen=True, slots=True)
class HostLog:
    """Which log hosts fold, where its snapshots are, and what its keys name."""

    log: TopicName
    snapshots: TopicName
    keys: Keys
    begins_anew: bool = False
    """Whether all of it is folded again under a higher audit epoch."""


TABLE_LOG: Final = HostLog(TopicName.EVENTS, TopicName.SNAPSHOTS, SOURCE_KEYS)
"""Events of tables and controllers."""

LEDGER_LOG: Final = HostLog(
    TopicName.PROGRESSIVE_INPUTS,
    TopicName.PROGRESSIVE_SNAPSHOTS,
    PROGRESSIVE_KEYS,
    begins_anew=True,
)
"""What they say to the ledgers of progressives."""


@dataclass(slots=True)
class _Clients:
    consumers: tuple[AIOKafkaConsumer, AIOKafkaConsumer]
    producer: AIOKafkaProducer
    ports: tuple[KafkaLog, KafkaSnapshots, KafkaOutbox]


class HostFactory:
    """Makes hosts over Kafka, closes their clients, and knows how their clients are."""

    def __init__(
        self,
        settings: KafkaSettings,
        topic_id: str,
        fold: Fold,
        clock: Clock,
        alert: Callable[[str], None],
        options: HostOptions = HostOptions(),
        place: HostLog = TABLE_LOG,
    ) -> None:
        """Make hosts under these settings.

        Args:
            settings: How Kafka is reached.
            topic_id: Id of the topic that is folded; snapshots of another one are refused.
            fold: The pure fold.
            clock: For the pace of snapshots.
            alert: Told what people should know, one line.
            options: What may differ.
            place: Which log is folded.
        """
        self._settings, self._topic_id, self._place = settings, topic_id, place
        self._fold, self._clock, self._alert = fold, clock, alert
        self._options = options
        self._clients: dict[int, _Clients] = {}
        self.heard: Callable[[int, Sequence[ConsumerRecord]], None] | None = None
        """Told, with the partition, of what hosts read for themselves."""

    def name(self, topic_name: TopicName) -> str:
        """Give the full name of a topic."""
        return topic(topic_name).full_name(self._settings.prefix)

    async def make(self, partition: int) -> PartitionHost:
        """Start the clients of a partition and make its host."""
        clients = await self._start(partition)
        self._clients[partition] = clients
        partitions = self._settings.partitions
        options = self._options
        after = options.after_step
        log, snapshots, outbox = clients.ports
        told = LoggedOutbox(outbox, options.told, partition) if options.told else outbox
        return PartitionHost(
            self._fold,
            (log, snapshots, told),
            HostSettings(
                Origin(self._topic_id, partition),
                partitions,
                keys=self._place.keys,
                begins_anew=self._place.begins_anew,
                **options.pace,  # type: ignore[arg-type]  # paces are numbers
            ),
            self._clock,
            alert=self._alert,
            owns=lambda key: partition_of(key, partitions) == partition,
            archive=options.archive(partition) if options.archive else None,
            after_step=partial(after, self._place.log) if after else None,
        )

    async def _start(self, partition: int) -> _Clients:
        options = aiokafka_options(self._settings)
        producer = AIOKafkaProducer(
            **options,
            enable_idempotence=True,
            acks="all",
            max_request_size=MESSAGE_BYTES_MAX,
            linger_ms=1,
        )
        consumers = (_consumer(options), _consumer(options))
        topics = OutputTopics(
            self.name(TopicName.VERDICTS),
            self.name(TopicName.FINDINGS),
            self.name(TopicName.DEAD_LETTERS),
            self.name(TopicName.PROGRESSIVE_INPUTS),
            self._settings.partitions,
        )
        snapshots = self.name(self._place.snapshots)
        try:
            await asyncio.gather(*(client.start() for client in (producer, *consumers)))
            await get_to_know(producer, (*topics.names, snapshots))
        except BaseException:
            await asyncio.gather(
                *(client.stop() for client in (producer, *consumers)), return_exceptions=True
            )
            raise
        ports = (
            KafkaLog(
                consumers[0],
                self.name(self._place.log),
                partition,
                self._alert,
                heard=partial(self.heard, partition) if self.heard else None,
            ),
            KafkaSnapshots(consumers[1], producer, snapshots, partition, self._alert),
            KafkaOutbox(producer, topics),
        )
        return _Clients(consumers, producer, ports)

    async def close(self, partition: int) -> None:
        """Close the clients of a partition."""
        clients = self._clients.pop(partition, None)
        if clients is not None:
            await asyncio.gather(
                *(client.stop() for client in (clients.producer, *clients.consumers)),
                return_exceptions=True,
            )

    def lag(self, partition: int, next_offset: int) -> int:
        """Say how far an offset is behind the end of the log that was last seen."""
        clients = self._clients.get(partition)
        return max(0, clients.ports[0].known_end - next_offset) if clients else 0

    def read_appended_s(self, partition: int) -> float:
        """Say when the log got the latest message that the own reader read; 0: none was."""
        clients = self._clients.get(partition)
        return clients.ports[0].appended_s if clients else 0.0

    def unacknowledged(self, partition: int) -> int:
        """Say how many outputs of a partition are on their way."""
        clients = self._clients.get(partition)
        return clients.ports[2].unacknowledged if clients else 0

    def snapshots_out_of_order(self, partition: int) -> int:
        """Say how many old snapshots were found behind newer ones."""
        clients = self._clients.get(partition)
        return clients.ports[1].out_of_order if clients else 0

    def outages(self) -> list[str]:
        """Say which partitions cannot be read now, one line each."""
        logs = [clients.ports[0] for clients in list(self._clients.values())]
        return [log.outage for log in logs if log.outage is not None]


def _consumer(options: Mapping[str, Any]) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        **options,
        enable_auto_commit=False,
        auto_offset_reset="none",
        max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
        fetch_max_wait_ms=_FETCH_WAIT_MS,
    )
