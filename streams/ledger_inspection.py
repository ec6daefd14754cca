"""What does a worker remember of a progressive, and does what it was told give the same?"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from auditors.progressive import ProgressiveState, encode_state
from schemas.suggestions import near_miss
from schemas.topics import TopicName, topic
from streams.host.dead_letters import Origin
from streams.host.partition_fold import PROGRESSIVE_KEYS
from streams.host.ports import Folded, LogEntry
from streams.host.snapshots import SnapshotHeader, UnreadableSnapshotError, decode_snapshot
from streams.kafka.log import KafkaLog
from streams.kafka.partitioning import partition_of
from streams.progressives.fold import ProgressiveFold
from streams.reconcile.clients import reading_clients, unavailable
from streams.reconcile.positions import newest_snapshot
from streams.reconcile.refolding import BoundedLog, GatheringOutbox, Refolded, refolding_host
from streams.settings import KafkaSettings
from streams.state_inspection import NoStateError
from streams.topics import check_topics, topic_ids


class _RememberingFold(ProgressiveFold):
    """The fold of one progressive, which remembers how far it has come."""

    last: ProgressiveState | None = None

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        folded = super().absorb(state, entry, read_again)
        if folded.dead_letter is None:
            self.last = cast(ProgressiveState, folded.state)
        return folded


@dataclass(frozen=True, slots=True)
class KeptLedger:
    """The state of one progressive in the newest snapshot of its partition."""

    progressive_id: str
    header: SnapshotHeader
    state: ProgressiveState
    streak: int
    """Rejects in a row."""

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical state."""
        return hashlib.sha256(encode_state(self.state)).hexdigest()


@dataclass(frozen=True, slots=True)
class VerifiedLedger:
    """A state that was kept, and what the log gives."""

    kept: KeptLedger
    refolded_digest: str | None
    """None where the log no longer keeps the first messages, so that nothing can be compared."""

    @property
    def is_equal(self) -> bool:
        """Whether the snapshot is what the log gives."""
        return self.refolded_digest == self.kept.digest


def kept_ledger(settings: KafkaSettings, progressive_id: str) -> KeptLedger:
    """Read the state of a progressive from the newest snapshot of its partition.

    Raises:
        NoStateError: There is no snapshot, or none with that progressive.
        KafkaUnavailableError: The cluster cannot be reached.
    """

    async def run() -> KeptLedger:
        async with _clients(settings) as (consumer, _):
            return await _kept(consumer, settings, progressive_id)

    return asyncio.run(run())


def verified_ledger(settings: KafkaSettings, progressive_id: str) -> VerifiedLedger:
    """Fold again what a progressive was told, and compare with the newest snapshot.

    Raises:
        NoStateError: There is no snapshot, or none with that progressive.
        KafkaUnavailableError: The cluster cannot be reached.
    """

    async def run() -> VerifiedLedger:
        async with _clients(settings) as (looking, reading):
            kept = await _kept(looking, settings, progressive_id)
            name = topic(TopicName.PROGRESSIVE_INPUTS).full_name(settings.prefix)
            log = KafkaLog(reading, name, kept.header.partition, lambda _: None)
            if await log.start_offset():
                return VerifiedLedger(kept, None)
            refolded = await _refolded(kept.header, progressive_id, log)
            raw = encode_state(refolded) if refolded is not None else b""
            return VerifiedLedger(kept, hashlib.sha256(raw).hexdigest())

    return asyncio.run(run())


async def _refolded(
    header: SnapshotHeader, progressive_id: str, log: KafkaLog
) -> ProgressiveState | None:
    """Fold one progressive to the offset of a snapshot."""
    fold, key = _RememberingFold(), progressive_id.encode()
    bounded = BoundedLog(log, lambda entry: entry.key == key)
    bounded.end = header.next_offset

    async def forget(_: Sequence[Refolded]) -> None:
        """Nothing is compared but the state."""

    place = (Origin(header.log_id, header.partition), header.partitions)
    host = refolding_host(fold, bounded, GatheringOutbox(forget), place, keys=PROGRESSIVE_KEYS)
    await host.recover()
    await host.follow()
    return fold.last


@contextlib.asynccontextmanager
async def _clients(
    settings: KafkaSettings,
) -> AsyncIterator[tuple[AIOKafkaConsumer, AIOKafkaConsumer]]:
    async with reading_clients(settings, 2) as (looking, reading):
        try:
            yield looking, reading
        except KafkaError as error:
            raise unavailable(settings, error) from None


async def _kept(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, progressive_id: str
) -> KeptLedger:
    partition = partition_of(progressive_id.encode(), settings.partitions)
    ids = await asyncio.to_thread(lambda: topic_ids(check_topics(settings)))
    found = await newest_snapshot(consumer, settings, partition, TopicName.PROGRESSIVE_SNAPSHOTS)
    if found is None:
        raise NoStateError(
            f"no worker has kept a snapshot of partition {partition}, where {progressive_id} "
            "belongs; start ladderman worker"
        )
    header, snapshot = found
    log_id = ids.get(TopicName.PROGRESSIVE_INPUTS)
    if header.log_id != log_id:
        raise NoStateError(
            f"the snapshot of partition {partition} is of log {header.log_id}, which was replaced "
            f"by {log_id}; see infra/runbook/TopicRecreated.md"
        )
    try:
        _, sources = decode_snapshot(snapshot, ProgressiveFold())
    except UnreadableSnapshotError as error:
        raise NoStateError(
            f"the snapshot of partition {partition} is unreadable: {error}"
        ) from None
    for source in sources:
        if source.source_id == progressive_id:
            state = cast(ProgressiveState, source.state)
            return KeptLedger(progressive_id, header, state, source.streak)
    names = [one.source_id for one in sources]
    raise NoStateError(
        f'nothing was heard of progressive "{progressive_id}" up to offset {header.next_offset} of '
        f"partition {partition}"
        f"{near_miss(progressive_id, names) or f'; it has {len(names)} other progressives'}"
    )
