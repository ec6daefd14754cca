"""Folds a log again to see what it gives, with the host that the worker has.

The log is shown to the host only up to a limit, nothing is kept, and what is put out goes to
whoever compares it. Messages that the fold lets pass because they are late or old are noted: they
are the reconciler's to look after.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, cast

import orjson

from auditors.table.delivery.gate import feed_of, is_after_end
from auditors.table.known.state import TableState
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from streams.host.dead_letters import DeadLetter, Origin
from streams.host.partition_fold import SOURCE_KEYS, Keys
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import Archive, Fold, Folded, FollowedLog, Log, LogBatch, LogEntry
from streams.host.table_fold import TableFold
from streams.process.clock import SystemClock

CHUNK_MESSAGES: Final = 20_000
"""Messages that are compared at a time."""

_NEVER: Final = 1 << 62
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


class Refolded(NamedTuple):
    """One message, and what folding it gave."""

    entry: LogEntry
    records: Sequence[Record]
    dead_letter: DeadLetter | None


class PassedBy(NamedTuple):
    """A message that the gate let pass without folding it, though it may say something."""

    source_id: str
    feed_id: str
    sequence: int
    content_hash: str
    offset: int
    raw: bytes
    state: TableState
    """The source when it came."""
    is_late: bool
    """Whether it fills a declared gap; else it repeats a sequence whose hash is forgotten."""


class BoundedLog:
    """A log that ends at a limit."""

    def __init__(self, log: Log, keep: Callable[[LogEntry], bool] | None = None) -> None:
        """Show nothing before :attr:`end` is raised.

        Args:
            log: The whole log.
            keep: Which messages are shown; None: all.
        """
        self._log, self._keep = log, keep
        self.end = 0
        """Offset behind the last message that is shown."""

    async def start_offset(self) -> int:
        """Give the offset of the oldest message that is kept."""
        return await self._log.start_offset()

    async def end_offset(self) -> int:
        """Give the limit."""
        return self.end

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages below the limit."""
        batch = await self._log.read(start, count_max)
        entries = [entry for entry in batch.entries if entry.offset < self.end]
        if self._keep is not None:
            entries = [entry for entry in entries if self._keep(entry)]
        return LogBatch(entries, min(batch.next_offset, max(self.end, start)))

    async def read_tail(self, start: int, count_max: int, wait_s: float) -> LogBatch:
        """Read as :meth:`read` does."""
        del wait_s
        return await self.read(start, count_max)

    def rest(self) -> None:
        """Do nothing: nothing is read in advance."""

    async def read_one(self, offset: int) -> bytes:
        """Read the bytes of one message that is known to be there."""
        return await self._log.read_one(offset)


class NoSnapshots:
    """Keeps nothing: a fold that is compared begins with the first message."""

    async def newest_first(self) -> Sequence[bytes]:
        """Give none."""
        return ()

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Forget it."""


class GatheringOutbox:
    """Gathers what is put, and hands it on in chunks."""

    def __init__(
        self, take: Callable[[Sequence[Refolded]], Awaitable[None]], count: int = CHUNK_MESSAGES
    ) -> None:
        """Gather nothing yet.

        Args:
            take: Given each chunk.
            count: Messages of a chunk.
        """
        self._take, self._count = take, count
        self._gathered: list[Refolded] = []

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave; what ledgers were told, nobody compares."""
        self._gathered.append(Refolded(entry, records, dead_letter))

    async def make_room(self) -> None:
        """Hand a full chunk on."""
        if len(self._gathered) >= self._count:
            await self.flush()

    async def flush(self) -> None:
        """Hand on what is there."""
        gathered, self._gathered = self._gathered, []
        if gathered:
            await self._take(gathered)


class NoticingFold(TableFold):
    """The table fold, which notes what its gate lets pass."""

    def __init__(self) -> None:
        """Have noticed nothing."""
        self._noticed: dict[int, PassedBy] = {}

    def take_noticed(self) -> list[PassedBy]:
        """Give what was noticed since the last call."""
        noticed, self._noticed = self._noticed, {}
        return list(noticed.values())

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        folded = super().absorb(state, entry, read_again)
        # Whatever is let pass leaves the state as it is.
        if folded.state is state and folded.dead_letter is None:
            noticed = passed_by(cast(TableState, state), entry)
            if noticed is not None:
                self._noticed[entry.offset] = noticed
        return folded

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Fold the shoe in play again; its late message is no longer the reconciler's."""
        folded = super().amend(state, entries, read_again)
        self._noticed.pop(entries[-1].offset, None)
        return folded


def passed_by(state: TableState, entry: LogEntry) -> PassedBy | None:
    """Say whether a message that changed nothing is late or an old repeat; None: neither."""
    document = orjson.loads(entry.raw)
    feed_id, sequence = document["feed_id"], document["sequence"]
    feed, _ = feed_of(state, feed_id)
    back = feed.next_sequence - sequence
    if back <= 0 or is_after_end(feed, sequence, _occurred_at_us(document)):
        return None
    is_late = any(first <= sequence <= last for first, last in feed.gaps)
    if not is_late and feed.hash_back(back):
        return None  # its hash is known, so the gate has compared it
    content_hash = hashlib.sha256(entry.raw).hexdigest()
    return PassedBy(
        state.source_id, feed_id, sequence, content_hash, entry.offset, entry.raw, state, is_late
    )


def _occurred_at_us(document: dict[str, str]) -> int:
    return (datetime.datetime.fromisoformat(document["occurred_at"]) - _EPOCH) // _MICROSECOND


def refolding_host(
    fold: Fold,
    log: FollowedLog,
    outbox: GatheringOutbox,
    place: tuple[Origin, int],
    *,
    owns: Callable[[bytes], bool] | None = None,
    archive: Archive | None = None,
    keys: Keys = SOURCE_KEYS,
) -> PartitionHost:
    """Make a host that folds a log from its first message and keeps nothing.

    Args:
        fold: The fold.
        log: Shown up to a limit.
        outbox: Takes what comes out.
        place: The partition, and how many there are.
        owns: Whether a key belongs to the partition.
        archive: Where messages are found that the log no longer keeps.
        keys: What the keys of the log name.
    """
    origin, partitions = place
    settings = HostSettings(
        origin, partitions, snapshot_every_s=float("inf"), snapshot_every=_NEVER, keys=keys
    )
    return PartitionHost(
        fold,
        (log, NoSnapshots(), outbox),
        settings,
        SystemClock(),
        alert=lambda _: None,  # the worker has said it
        owns=owns,
        archive=archive,
    )
