"""Inspects a progressive in a worker's snapshot and compares it with what the log gives."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import cast

from aiokafka import AIOKafkaConsumer

from auditors.progressive import ProgressiveState, encode_state
from auditors.values import evolve
from streams.host.snapshots import SnapshotHeader
from streams.kafka.topics import check_topics, topic_ids
from streams.operating.kept_sources import LEDGERS, kept_source, refolded_state, two_readers
from streams.process.settings import KafkaSettings


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
        async with two_readers(settings) as (consumer, _):
            return await _kept(consumer, settings, progressive_id)

    return asyncio.run(run())


def verified_ledger(settings: KafkaSettings, progressive_id: str) -> VerifiedLedger:
    """Fold again what a progressive was told, and compare with the newest snapshot.

    Raises:
        NoStateError: There is no snapshot, or none with that progressive.
        KafkaUnavailableError: The cluster cannot be reached.
    """

    async def run() -> VerifiedLedger:
        async with two_readers(settings) as (looking, reading):
            kept = await _kept(looking, settings, progressive_id)
            log = LEDGERS.opened(reading, settings, kept.header.partition)
            if await log.start_offset():
                return VerifiedLedger(kept, None)
            refolded = await refolded_state(kept.header, LEDGERS, progressive_id, log)
            return VerifiedLedger(
                kept, _digest(kept.state, cast(ProgressiveState | None, refolded))
            )

    return asyncio.run(run())


def _digest(kept: ProgressiveState, refolded: ProgressiveState | None) -> str:
    """Give the digest of a state that was folded again, as a worker could have it.

    A worker that went on from a state of format 1 does not know which findings stood then. No
    verdict depends on it.
    """
    if refolded is None:
        return hashlib.sha256(b"").hexdigest()
    known = kept.standing.items() <= refolded.standing.items()
    as_kept = evolve(refolded, standing=kept.standing) if known else refolded
    return hashlib.sha256(encode_state(as_kept)).hexdigest()


async def _kept(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, progressive_id: str
) -> KeptLedger:
    ids = await asyncio.to_thread(lambda: topic_ids(check_topics(settings)))
    log_id = ids.get(LEDGERS.topic)
    header, source = await kept_source(consumer, settings, LEDGERS, progressive_id, log_id)
    return KeptLedger(progressive_id, header, cast(ProgressiveState, source.state), source.streak)
