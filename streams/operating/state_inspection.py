"""Inspects a table in a worker's snapshot and compares it with what the log gives."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from dataclasses import dataclass
from typing import cast

from aiokafka import AIOKafkaConsumer

from auditors.table import TableState, encode_state
from streams.history.archive import HistoryArchive, history_reader
from streams.host.snapshots import SnapshotHeader
from streams.kafka.events_topic import events_topic_id
from streams.kafka.ports.log import KafkaLog
from streams.operating.kept_sources import TABLES, kept_source, refolded_state, two_readers
from streams.process.settings import KafkaSettings, Settings


@dataclass(frozen=True, slots=True)
class KeptState:
    """The state of one table in the newest snapshot of its partition."""

    header: SnapshotHeader
    state: TableState
    valid: int
    """Valid events, counted up to a thousand."""
    streak: int
    """Rejects in a row."""

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical state."""
        return hashlib.sha256(encode_state(self.state)).hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """A state that was kept, and what the log gives."""

    kept: KeptState
    refolded: TableState | None
    """None where the log has nothing of the table."""
    differing: tuple[str, ...]
    """Fields of the state that differ."""

    @property
    def is_equal(self) -> bool:
        """Whether the snapshot is what the log gives."""
        return self.refolded is not None and not self.differing


def kept_state(settings: KafkaSettings, table_id: str) -> KeptState:
    """Read the state of a table from the newest snapshot of its partition.

    Raises:
        NoStateError: There is no snapshot, or none with that table.
        KafkaUnavailableError: The cluster cannot be reached.
    """

    async def run() -> KeptState:
        async with two_readers(settings) as (consumer, _):
            return await _kept_state(consumer, settings, table_id)

    return asyncio.run(run())


def verified_state(settings: Settings, table_id: str) -> Verified:
    """Fold the events of a table again, and compare with the newest snapshot.

    The log is folded from its first message; what it no longer keeps comes from the history.

    Raises:
        NoStateError: There is no snapshot, or none with that table.
        KafkaUnavailableError: The cluster cannot be reached.
        HistoryError: The history is needed and cannot be read.
    """
    return asyncio.run(_verified(settings, table_id))


async def _verified(settings: Settings, table_id: str) -> Verified:
    async with two_readers(settings.kafka) as (looking, reading):
        kept = await _kept_state(looking, settings.kafka, table_id)
        log = TABLES.opened(reading, settings.kafka, kept.header.partition)
        refolded = await _refolded(settings, kept.header, table_id, log)
    if refolded is None:
        return Verified(kept, None, ())
    fields = TableState.__dataclass_fields__
    differing = [
        field for field in fields if getattr(kept.state, field) != getattr(refolded, field)
    ]
    if encode_state(kept.state) != encode_state(refolded) and not differing:
        differing = ["bytes"]
    return Verified(kept, refolded, tuple(differing))


async def _refolded(
    settings: Settings, header: SnapshotHeader, table_id: str, log: KafkaLog
) -> TableState | None:
    """Fold one table to the offset of a snapshot, from the history what the log has lost."""
    with contextlib.ExitStack() as held:
        archive = None
        if await log.start_offset():
            reader = held.enter_context(history_reader(settings))
            archive = HistoryArchive(
                lambda: contextlib.nullcontext(reader), header.partition, header.log_id
            )
        state = await refolded_state(header, TABLES, table_id, log, archive)
    return cast("TableState | None", state)


async def _kept_state(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, table_id: str
) -> KeptState:
    log_id = await asyncio.to_thread(events_topic_id, settings)
    header, source = await kept_source(consumer, settings, TABLES, table_id, log_id)
    return KeptState(header, cast(TableState, source.state), source.valid, source.streak)
