"""What does a worker remember of a table, and does the log say the same?"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from auditors.table import TableState, encode_state
from schemas.suggestions import near_miss
from schemas.topics import TopicName, topic
from streams.host.dead_letters import Origin
from streams.host.ports import Folded, LogEntry
from streams.host.snapshots import SnapshotHeader, UnreadableSnapshotError, decode_snapshot
from streams.host.table_fold import TableFold
from streams.kafka.log import KafkaLog
from streams.kafka.partitioning import partition_of
from streams.reconcile.clients import reading_clients, unavailable
from streams.reconcile.positions import newest_snapshot
from streams.reconcile.refolding import BoundedLog, GatheringOutbox, Refolded, refolding_host
from streams.reconcile.running import events_topic_id
from streams.settings import KafkaSettings, Settings
from streams.worker.archive import HistoryArchive, history_reader


class NoStateError(Exception):
    """There is no snapshot with that table; one line says what there is."""


class _RememberingFold(TableFold):
    """The fold of one table, which remembers how far it has come."""

    last: TableState | None = None

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        return self._remembered(super().absorb(state, entry, read_again))

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Fold the shoe in play again."""
        return self._remembered(super().amend(state, entries, read_again))

    def _remembered(self, folded: Folded) -> Folded:
        if folded.dead_letter is None:
            self.last = cast(TableState, folded.state)
        return folded


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
        async with _clients(settings) as (consumer, _):
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
    async with _clients(settings.kafka) as (looking, reading):
        kept = await _kept_state(looking, settings.kafka, table_id)
        name = topic(TopicName.EVENTS).full_name(settings.kafka.prefix)
        log = KafkaLog(reading, name, kept.header.partition, lambda _: None)
        refolded = await _refolded(settings, kept.header, table_id, log)
    if refolded is None:
        return Verified(kept, None, ())
    fields = TableState.__dataclass_fields__
    differing = [
        one for one in fields if getattr(kept.state, one) != getattr(refolded, one)
    ]  # fmt: skip
    if encode_state(kept.state) != encode_state(refolded) and not differing:
        differing = ["bytes"]
    return Verified(kept, refolded, tuple(differing))


async def _refolded(
    settings: Settings, header: SnapshotHeader, table_id: str, log: KafkaLog
) -> TableState | None:
    """Fold one table to the offset of a snapshot."""
    fold, key = _RememberingFold(), table_id.encode()
    bounded = BoundedLog(log, lambda entry: entry.key == key)
    bounded.end = header.next_offset

    async def forget(_: Sequence[Refolded]) -> None:
        """Nothing is compared but the state."""

    with contextlib.ExitStack() as held:
        archive = None
        if await log.start_offset():
            reader = held.enter_context(history_reader(settings))
            archive = HistoryArchive(lambda: contextlib.nullcontext(reader), header.partition)
        host = refolding_host(
            fold,
            bounded,
            GatheringOutbox(forget),
            (Origin(header.log_id, header.partition), header.partitions),
            archive=archive,
        )
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


async def _kept_state(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, table_id: str
) -> KeptState:
    partition = partition_of(table_id.encode(), settings.partitions)
    log_id = await asyncio.to_thread(events_topic_id, settings)
    found = await newest_snapshot(consumer, settings, partition)
    if found is None:
        raise NoStateError(
            f"no worker has kept a snapshot of partition {partition}, where {table_id} belongs; "
            "start ladderman worker"
        )
    header, snapshot = found
    if header.log_id != log_id:
        raise NoStateError(
            f"the snapshot of partition {partition} is of log {header.log_id}, which was replaced "
            f"by {log_id}; see infra/runbook/TopicRecreated.md"
        )
    try:
        _, sources = decode_snapshot(snapshot, TableFold())
    except UnreadableSnapshotError as error:
        raise NoStateError(
            f"the snapshot of partition {partition} is unreadable: {error}"
        ) from None
    for source in sources:
        if source.source_id == table_id:
            state = cast(TableState, source.state)
            return KeptState(header, state, source.valid, source.streak)
    names = [one.source_id for one in sources]
    raise NoStateError(
        f'nothing was heard of table "{table_id}" up to offset {header.next_offset} of partition '
        f"{partition}{near_miss(table_id, names) or f'; it has {len(names)} other sources'}"
    )
