"""The limit of a comparison: what the worker has kept and the sink has written."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import orjson
from aiokafka import AIOKafkaConsumer, TopicPartition
from kafka import KafkaAdminClient
from kafka.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    GroupIdNotFoundError,
)

from schemas.topics import TopicName, topic
from streams.host.dead_letters import decode_dead_letter
from streams.host.errors import SnapshotRefusedError
from streams.host.snapshots import SnapshotHeader, UnreadableSnapshotError, read_header
from streams.kafka.administration import administration
from streams.kafka.pending import Pending, RecordId
from streams.kafka.ports.snapshots import KafkaSnapshots
from streams.process.settings import KafkaSettings

_SINK_GROUP: Final = "sink"
"""Name of the sinks' group behind the prefix, and before the id of their history."""

COORDINATOR_WITHIN_S: Final = 10.0
"""How long a broker may take to find out who looks after a group."""

_FETCH_WAIT_MS: Final = 200


def sink_group(settings: KafkaSettings, of_history: str | None) -> str:
    """Name the group of the sinks of a history.

    Args:
        settings: Give the prefix.
        of_history: Id of the history; None for one that only an earlier version has written.
    """
    return "-".join([settings.prefix, _SINK_GROUP, *([of_history] if of_history else [])])


def sink_watermarks(settings: KafkaSettings, group: str) -> dict[TopicPartition, int]:
    """Give the offsets below which the sinks of a group have written everything.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
    """
    with administration(settings) as admin:
        found = _group_offsets(admin, group)
    return {
        TopicPartition(at.topic, at.partition): committed.offset
        for at, committed in found.items()
        if committed.offset >= 0
    }


def _group_offsets(admin: KafkaAdminClient, group: str) -> Mapping[Any, Any]:
    """Ask for the offsets of a group; a broker that has just started is asked again."""
    deadline = time.monotonic() + COORDINATOR_WITHIN_S
    while True:
        try:
            found: Mapping[Any, Any] = admin.list_group_offsets(group)[group]
            return found
        except GroupIdNotFoundError:
            return {}
        except (CoordinatorNotAvailableError, CoordinatorLoadInProgressError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


async def newest_header(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, partition: int, log_id: str
) -> SnapshotHeader | None:
    """Read what the newest snapshot of a partition says of itself; None where there is none.

    Raises:
        SnapshotRefusedError: It is of another log.
    """
    found = await newest_snapshot(consumer, settings, partition)
    if found is None:
        return None
    header, _ = found
    if header.log_id != log_id:
        raise SnapshotRefusedError(
            f"partition {partition}: the snapshot is of log {header.log_id}, not of {log_id}: "
            "the topic was created again; see infra/runbook/TopicRecreated.md"
        )
    return header


async def newest_snapshot(
    consumer: AIOKafkaConsumer,
    settings: KafkaSettings,
    partition: int,
    snapshots_in: TopicName = TopicName.SNAPSHOTS,
) -> tuple[SnapshotHeader, bytes] | None:
    """Read the snapshot of the highest position of a partition; None where there is none.

    Args:
        consumer: Started, without a group; assigned to nothing else.
        settings: Say what the topic is called.
        partition: Number of the partition.
        snapshots_in: The topic.
    """
    name = topic(snapshots_in).full_name(settings.prefix)
    # Nothing is put, so there is no producer.
    snapshots = KafkaSnapshots(consumer, None, name, partition)
    for snapshot in await snapshots.newest_first():
        try:
            return read_header(snapshot), snapshot
        except UnreadableSnapshotError:
            continue
    return None


async def pending_outputs(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, watermarks: dict[TopicPartition, int]
) -> Pending:
    """Read the records and dead letters that the sink has not written yet.

    Args:
        consumer: Started, without a group; assigned to nothing else.
        settings: Say what the topics are called.
        watermarks: Of the sink.
    """
    names = {topic_name: topic(topic_name).full_name(settings.prefix) for topic_name in TopicName}
    records, letters = [], []
    for at in _places(names[TopicName.VERDICTS], settings):
        async for raw in _behind(consumer, at, watermarks.get(at, 0)):
            if (record := version_in(raw)) is not None:
                records.append(record)
    for at in _places(names[TopicName.DEAD_LETTERS], settings):
        async for raw in _behind(consumer, at, watermarks.get(at, 0)):
            # What no worker wrote the sink leaves out too, and says so.
            with contextlib.suppress(ValueError, KeyError, TypeError):
                letters.append(decode_dead_letter(raw).letter_id)
    return Pending(frozenset(records), frozenset(letters))


def version_in(raw: bytes) -> tuple[RecordId, int] | None:
    """Read which version of which subject a message is, with its audit epoch; None: no record."""
    try:
        document = orjson.loads(raw)
        place = (document["table_id"], document["kind"], document["subject"])
        found = (*place, document["offset"]), document["audit_epoch"]
        hash(found)  # what stands there may be anything
    except (ValueError, KeyError, TypeError):
        return None
    return found


def _places(name: str, settings: KafkaSettings) -> list[TopicPartition]:
    return [TopicPartition(name, number) for number in range(settings.partitions)]


async def _behind(
    consumer: AIOKafkaConsumer, at: TopicPartition, watermark: int
) -> AsyncIterator[bytes]:
    """Give what stands on a partition from an offset to the end that it has now."""
    end = (await consumer.end_offsets([at]))[at]
    start = max(watermark, (await consumer.beginning_offsets([at]))[at])
    if start >= end:
        return
    consumer.assign([at])
    try:
        consumer.seek(at, start)
        while await consumer.position(at) < end:
            for message in (await consumer.getmany(at, timeout_ms=_FETCH_WAIT_MS)).get(at, ()):
                if message.value is not None:
                    yield message.value
    finally:
        consumer.unsubscribe()
