"""Compares the state of one source in the newest snapshot with what the log gives.

The same for every log that hosts fold; what differs is named by :class:`HostedLog`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from schemas.topics import TopicName, topic
from schemas.words.suggestions import near_miss
from streams.host.dead_letters import Origin
from streams.host.ledger_fold import ProgressiveFold
from streams.host.partition_fold import PROGRESSIVE_KEYS, SOURCE_KEYS, Keys
from streams.host.ports import Archive, Fold
from streams.host.rejects import Source
from streams.host.snapshots import SnapshotHeader, UnreadableSnapshotError, decode_snapshot
from streams.host.table_fold import TableFold
from streams.kafka.answers import Answers
from streams.kafka.partitioning import partition_of
from streams.kafka.passing_clients import reading_clients, unavailable
from streams.kafka.ports.log import KafkaLog
from streams.kafka.positions import newest_snapshot
from streams.process.settings import KafkaSettings
from streams.reconcile.refolding import BoundedLog, GatheringOutbox, Refolded, refolding_host


class NoStateError(Exception):
    """There is no snapshot with that source; one line says what there is."""


@dataclass(frozen=True, slots=True)
class HostedLog:
    """A log that hosts fold, where they keep their snapshots, and what its keys name."""

    topic: TopicName
    snapshots: TopicName
    keys: Keys
    fold: Fold
    noun: str
    others: str
    """What else a partition has, for messages."""

    def opened(self, reader: AIOKafkaConsumer, settings: KafkaSettings, partition: int) -> KafkaLog:
        """Read a partition of it."""
        name = topic(self.topic).full_name(settings.prefix)
        return KafkaLog(reader, name, partition, lambda _: None, Answers(settings))


TABLES: Final = HostedLog(
    TopicName.EVENTS, TopicName.SNAPSHOTS, SOURCE_KEYS, TableFold(), "table", "other sources"
)
LEDGERS: Final = HostedLog(
    TopicName.PROGRESSIVE_INPUTS,
    TopicName.PROGRESSIVE_SNAPSHOTS,
    PROGRESSIVE_KEYS,
    ProgressiveFold(),
    "progressive",
    "other progressives",
)


@contextlib.asynccontextmanager
async def two_readers(
    settings: KafkaSettings,
) -> AsyncIterator[tuple[AIOKafkaConsumer, AIOKafkaConsumer]]:
    """Give one client that looks for snapshots and one that reads a log.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached, now or later on.
    """
    async with reading_clients(settings, 2) as (looking, reading):
        try:
            yield looking, reading
        except KafkaError as error:
            raise unavailable(settings, error) from None


async def kept_source(
    consumer: AIOKafkaConsumer,
    settings: KafkaSettings,
    hosted: HostedLog,
    name: str,
    log_id: str | None,
) -> tuple[SnapshotHeader, Source]:
    """Find a source in the newest snapshot of its partition.

    Raises:
        NoStateError: There is no snapshot, none of this log, or none with that source.
    """
    partition = partition_of(name.encode(), settings.partitions)
    found = await newest_snapshot(consumer, settings, partition, hosted.snapshots)
    if found is None:
        raise NoStateError(
            f"no worker has kept a snapshot of partition {partition}, where {name} belongs: see "
            "whether the name is right, else start ladderman worker"
        )
    header, snapshot = found
    if header.log_id != log_id:
        raise NoStateError(
            f"the snapshot of partition {partition} is of log {header.log_id}, which was replaced "
            f"by {log_id}; see infra/runbook/TopicRecreated.md"
        )
    try:
        _, sources = decode_snapshot(snapshot, hosted.fold)
    except UnreadableSnapshotError as error:
        raise NoStateError(
            f"the snapshot of partition {partition} is unreadable: {error}"
        ) from None
    for source in sources:
        if source.source_id == name:
            return header, source
    names = [source.source_id for source in sources]
    others = hosted.others if len(names) != 1 else hosted.others.removesuffix("s")
    raise NoStateError(
        f'no event came from {hosted.noun} "{name}" up to offset {header.next_offset} of '
        f"partition {partition}{near_miss(name, names) or f'; it has {len(names)} {others}'}"
    )


async def refolded_state(
    header: SnapshotHeader,
    hosted: HostedLog,
    name: str,
    log: KafkaLog,
    archive: Archive | None = None,
) -> object | None:
    """Fold one source to the offset of a snapshot; None where the log has nothing of it."""
    key = name.encode()
    bounded = BoundedLog(log, lambda entry: entry.key == key)
    bounded.end = header.next_offset

    async def forget(_: Sequence[Refolded]) -> None:
        """Nothing is compared but the state."""

    host = refolding_host(
        hosted.fold,
        bounded,
        GatheringOutbox(forget),
        (Origin(header.log_id, header.partition), header.partitions),
        archive=archive,
        keys=hosted.keys,
    )
    await host.recover()
    await host.follow()
    return host.state_of(key)
