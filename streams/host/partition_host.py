"""The host of a partition: every event is folded once, in order, and no output is lost.

One host per partition. It knows which offset comes next and trusts nobody else about that: what
is delivered to it may be early, late, repeated or missing. The same steps run over Kafka and over
the files of one machine; see :mod:`streams.host.steps` for their numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from streams.host.dead_letters import Origin
from streams.host.errors import HostStoppedError, log_replaced
from streams.host.late_truth import SHORT_ENDS_MAX, amend_source, entries_of
from streams.host.partition_fold import (
    SOURCE_KEYS,
    Keys,
    NotAtHandError,
    Outcome,
    PartitionFold,
)
from streams.host.ports import Archive, Fold, FollowedLog, LogEntry, Outbox, Snapshots
from streams.host.snapshots import (
    SNAPSHOT_BYTES_MAX,
    SnapshotScope,
    UnreadableSnapshotError,
    decode_snapshot,
    encode_snapshot,
    read_header,
    refuse_foreign,
    take_cut,
)
from streams.host.steps import Step
from streams.process.clock import Clock

SNAPSHOT_EVERY_S: Final = 5.0
SNAPSHOT_EVERY: Final = 100_000
READ_COUNT: Final = 2_000
_ROOM_EVERY: Final = 8
"""After so many messages from the log, and behind the last, the outbox is asked for room."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What a host is told about its partition and its pace."""

    origin: Origin
    partitions: int = 1
    snapshot_every_s: float = SNAPSHOT_EVERY_S
    snapshot_every: int = SNAPSHOT_EVERY
    """Messages."""
    read_count: int = READ_COUNT
    """Messages that are read from the log at a time."""
    snapshot_bytes_max: int = SNAPSHOT_BYTES_MAX
    """Largest snapshot that may be kept, compressed."""
    keys: Keys = SOURCE_KEYS
    """What the keys of the log name."""
    begins_anew: bool = False
    """Whether it folds the whole log again under a higher audit epoch, where all of it is there."""


@dataclass(slots=True)
class HostCounts:
    """What a host did so far, for those who watch it."""

    folded: int = 0
    skipped: int = 0
    """Deliveries that had been folded before."""
    healed: int = 0
    """Messages that were never delivered and read from the log instead."""
    probed: int = 0
    """Messages that only the look at the tail found; should stay 0."""
    dead_letters: int = 0
    amended: int = 0
    left_to_reconciler: int = 0
    """Late messages of shoes too long to be folded again here."""
    snapshots: int = 0
    snapshot_bytes: int = 0
    """Size of the last."""
    passed_over: int = 0
    """Unreadable snapshots that an older one or the log itself stood in for."""
    from_archive: int = 0
    """Messages that the log no longer kept and the archive gave."""
    lost_to_retention: int = 0
    """Offsets that neither had when they were to be folded."""


class PartitionHost:
    """Folds one partition; whoever calls it never calls it twice at a time."""

    def __init__(
        self,
        fold: Fold,
        ports: tuple[FollowedLog, Snapshots, Outbox],
        settings: HostSettings,
        clock: Clock,
        *,
        alert: Callable[[str], None],
        owns: Callable[[bytes], bool] | None = None,
        archive: Archive | None = None,
        after_step: Callable[[Step], None] | None = None,
    ) -> None:
        """Make a host that has folded nothing; :meth:`recover` comes first.

        Args:
            fold: The pure fold.
            ports: Where messages come from, snapshots are kept and outputs go.
            settings: Partition and pace.
            clock: For the pace of snapshots only.
            alert: Told what people should know, one line.
            owns: Whether a key belongs to this partition; None where every key does.
            archive: Where messages are found that the log no longer keeps; None: nowhere.
            after_step: Called after every numbered step; tests stop the world there.
        """
        self._fold = fold
        self._log, self._snapshots, self._outbox = ports
        self._settings = settings
        self._clock = clock
        self._alert = alert
        self._after = after_step or _nothing
        self._is_watched = after_step is not None
        self._scope = SnapshotScope(settings.origin, settings.partitions, fold.audit_epoch)
        self._archive = archive
        self._core = PartitionFold(fold, settings.origin, alert, owns, settings.keys)
        self.counts = HostCounts()
        self._failure: BaseException | None = None
        self._kept_offset = 0
        self._kept_at_s = clock.monotonic_s()
        self._probed_offset = -1
        self._short_ends = 0

    @property
    def next_offset(self) -> int:
        """Offset of the message that is folded next."""
        return self._core.next_offset

    @property
    def states(self) -> tuple[object, ...]:
        """The states of its sources, for those who watch; they never change."""
        return tuple(source.state for source in tuple(self._core.sources.values()))

    def state_of(self, key: bytes) -> object | None:
        """Give the state of a source as folded so far; None where no event came from it."""
        source = self._core.sources.get(key)
        return None if source is None else source.state

    @property
    def has_stopped(self) -> bool:
        """Whether it does nothing more: it failed, was cancelled amid a step, or was stopped."""
        return self._failure is not None

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Sources of which nothing but unreadable messages comes."""
        return self._core.watch.quarantined

    @contextlib.contextmanager
    def _stopping_on_failure(self) -> Iterator[None]:
        """Let nothing more be done once something failed: what is in memory may be wrong."""
        if self._failure is not None:
            self._raise_stopped()
        try:
            yield
        except BaseException as error:
            self._failure = error
            raise

    def _raise_stopped(self) -> NoReturn:
        raise HostStoppedError(
            f"the host of partition {self._settings.origin.partition} has stopped: {self._failure}"
        ) from self._failure

    # Step 5: recovery.

    async def recover(self) -> None:
        """Go on from the highest snapshot and fold to the end of the log.

        Raises:
            SnapshotRefusedError: What is kept belongs to another log or a newer build.
        """
        with self._stopping_on_failure():
            # Snapshots first: an owner that still folds may keep one beyond an end seen before.
            snapshots = await self._snapshots.newest_first()
            end = await self._log.end_offset()
            is_whole = await self._log.start_offset() == 0
            self._restore(snapshots, end, begins_anew=self._settings.begins_anew and is_whole)
            await self._make_up_for_retention()
            await self._fold_to(end)
            self._after(Step.CAUGHT_UP)

    def _restore(self, snapshots: Sequence[bytes], end: int, *, begins_anew: bool) -> None:
        for snapshot in snapshots:
            try:
                # 5a. The highest position wins, whoever wrote it last: zombies write old ones late.
                header = read_header(snapshot)
                refuse_foreign(header, self._scope, end)
                self._after(Step.CHOSEN)
                if begins_anew and header.audit_epoch < self._scope.audit_epoch:
                    self._alert(
                        f"partition {self._settings.origin.partition} was folded under audit epoch "
                        f"{header.audit_epoch} and is folded again under {self._scope.audit_epoch}"
                    )
                    break
                header, sources = decode_snapshot(snapshot, self._fold)
            except UnreadableSnapshotError as error:
                self.counts.passed_over += 1
                self._alert(
                    f"a snapshot of partition {self._settings.origin.partition} is unreadable: "
                    f"{error}; going on from an older one, or from the start of the log"
                )
                continue
            # 5b.
            self._core.restore(sources, header.next_offset)
            self._kept_offset = header.next_offset
            break
        self._kept_at_s = self._clock.monotonic_s()
        self._after(Step.RESTORED)

    async def _make_up_for_retention(self) -> None:
        """Fold what the log no longer keeps from the archive; what is not there either is lost."""
        start = await self._log.start_offset()
        found = lost = 0
        while self._archive is not None and self._core.next_offset < start:
            entries = await self._archive.read(
                self._core.next_offset, start, self._settings.read_count
            )
            if not entries:
                break
            for entry in entries:
                lost += entry.offset - self._core.next_offset
                await self._take(entry)
            found += len(entries)
        lost += max(0, start - self._core.next_offset)
        self._core.next_offset = max(start, self._core.next_offset)
        self.counts.from_archive += found
        self.counts.lost_to_retention += lost
        if lost:
            # What those messages said is missing from their feeds, so the gate declares the gaps.
            self._alert(
                f"the log begins at offset {start}: {lost} messages before it were never folded "
                f"and are not in the history, {found} were; gaps of feeds show what is missing"
            )

    # Step 1: messages.

    async def offer(self, entry: LogEntry) -> None:
        """Take a delivered message: skip it, fold it, or first read what was not delivered."""
        if self._failure is not None:
            self._raise_stopped()
        try:  # as _stopping_on_failure does, which costs more for every message
            # 1a. Only the next offset decides; what the deliverer believes does not count.
            if entry.offset < self._core.next_offset:
                self.counts.skipped += 1
                self._after(Step.TAKEN)
                return
            if entry.offset > self._core.next_offset:
                self.counts.healed += await self._fold_to(entry.offset)
            self._after(Step.TAKEN)
            if entry.offset > self._core.next_offset:
                return  # a broker shows less than was delivered: nothing between is left out
            await self._take(entry)
            await self._snapshot_if_due()
        except BaseException as error:
            self._failure = error
            raise

    async def _fold_to(self, end: int) -> int:
        """Read and fold everything below an offset; gives how many messages there were."""
        count = 0
        while self._core.next_offset < end:
            start = self._core.next_offset
            wanted = min(self._settings.read_count, end - start)
            batch = await self._log.read(start, wanted)
            entries = batch.entries
            if entries and entries[-1].offset >= end:
                entries = [entry for entry in entries if entry.offset < end]
            await self._fold_batch(entries)
            count += len(entries)
            # Offsets without a message are stepped over.
            reached = min(max(batch.next_offset, self._core.next_offset), end)
            if reached == start:
                break  # the log has nothing there yet
            self._core.next_offset = reached
            await self._snapshot_if_due()
        return count

    async def _fold_batch(self, entries: Sequence[LogEntry]) -> None:
        for count, entry in enumerate(entries, 1):
            await self._fold_one(entry)
            if not count % _ROOM_EVERY:
                await self._outbox.make_room()
        await self._outbox.make_room()

    async def _take(self, entry: LogEntry) -> None:
        await self._fold_one(entry)
        await self._outbox.make_room()

    async def _fold_one(self, entry: LogEntry) -> None:
        try:
            outcome = self._core.absorb(entry)
        except NotAtHandError as needed:
            outcome = await self._absorb_with(entry, needed.offset)
        if outcome.amend_from is not None:
            outcome = await self._amend(entry, outcome)
        is_watched = self._is_watched  # two calls for each message are a hundredth of its cost
        if is_watched:
            self._after(Step.FOLDED)
        # 2. In fold order and not awaited; a failed delivery raises here or in the flush.
        self._outbox.put(entry, outcome.records, outcome.dead_letter, outcome.inputs)
        if outcome.dead_letter is not None:
            self.counts.dead_letters += 1
        self.counts.folded += 1
        self._core.next_offset = entry.offset + 1
        if is_watched:
            self._after(Step.PUT)

    async def _absorb_with(self, entry: LogEntry, needed: int) -> Outcome:
        """Fold a message that needs held ones which have left memory."""
        try:
            while True:
                self._core.lay_at_hand(needed, await self._held(needed))
                try:
                    return self._core.absorb(entry)
                except NotAtHandError as more:
                    needed = more.offset
        finally:
            self._core.clear_hand()

    async def _held(self, offset: int) -> bytes:
        """Read a held message again, which may have left the log since it was held."""
        if self._archive is not None and offset < await self._log.start_offset():
            for entry in await self._archive.read(offset, offset + 1, 1):
                return entry.raw
        return await self._log.read_one(offset)

    async def _amend(self, late: LogEntry, outcome: Outcome) -> Outcome:
        """Fold the shoe in play again, with the late message in its place."""
        source = outcome.source
        assert source is not None and outcome.amend_from is not None, "the fold just said so"
        entries = await entries_of(
            self._log, late, outcome.amend_from, read_count=self._settings.read_count
        )
        if entries is None:
            self.counts.left_to_reconciler += 1
            return Outcome(source)
        try:
            amended = await amend_source(
                self._fold, source.state, entries, (self._log, self._core.read_again)
            )
        except Exception as error:
            raise self._core.failed(source, late.offset, error) from error
        source.state = amended.state
        self.counts.amended += 1
        return Outcome(source, amended.records, inputs=amended.inputs)

    # Step 4: the tail.

    async def poll(self) -> int:
        """Look at the end of the log and fold what should have been delivered and was not.

        Returns:
            How many messages were found that way.
        """
        with self._stopping_on_failure():
            end = await self._end_offset()
            self._after(Step.PROBED)
            reached, self._probed_offset = self._probed_offset, self._core.next_offset
            if end <= self._core.next_offset or reached != self._core.next_offset:
                await self._snapshot_if_due()
                return 0
            found = await self._fold_to(end)
            self.counts.probed += found
            return found

    async def follow(self) -> int:
        """Fold to the end of the log, for a host that nobody delivers to.

        Returns:
            How many messages there were.
        """
        with self._stopping_on_failure():
            count = await self._fold_to(await self._end_offset())
            await self._snapshot_if_due()
            return count

    async def _end_offset(self) -> int:
        """Ask where the log ends, which is never before what was folded of it."""
        end = await self._log.end_offset()
        # Once may be a broker that is itself behind for a moment.
        self._short_ends = self._short_ends + 1 if end < self._core.next_offset else 0
        if self._short_ends >= SHORT_ENDS_MAX:
            raise log_replaced(self._core.next_offset, end)
        return end

    async def follow_tail(self, wait_s: float = 0.0) -> int:
        """Fold what the log has at hand, which is cheaper than :meth:`follow` and may be less.

        Args:
            wait_s: How long the first message may be waited for.

        Returns:
            How many messages there were.
        """
        with self._stopping_on_failure():
            start = self._core.next_offset
            batch = await self._log.read_tail(start, self._settings.read_count, wait_s)
            await self._fold_batch(batch.entries)
            # Offsets without a message are stepped over.
            self._core.next_offset = max(batch.next_offset, self._core.next_offset)
            await self._snapshot_if_due()
            return len(batch.entries)

    def rest(self) -> None:
        """Have nothing read in advance, while deliveries lead."""
        self._log.rest()

    async def deliver(self) -> None:
        """Wait until everything that was put is delivered."""
        with self._stopping_on_failure():
            await self._outbox.flush()

    # Step 3: snapshots.

    async def _snapshot_if_due(self) -> None:
        moved = self._core.next_offset - self._kept_offset
        if moved == 0:
            self._kept_at_s = self._clock.monotonic_s()
            return
        waited_s = self._clock.monotonic_s() - self._kept_at_s
        ratio = max(
            waited_s / self._settings.snapshot_every_s, moved / self._settings.snapshot_every
        )
        if ratio >= 1:
            await self._snapshot()

    async def _snapshot(self) -> None:
        # 3a. States never change, so the cut is a list of references.
        cut = take_cut(self._core.next_offset, tuple(self._core.sources.values()))
        self._after(Step.CUT)
        # 3b. Nothing below the cut may be lost once it is the place to go on from.
        await self._outbox.flush()
        self._after(Step.FLUSHED)
        # 3c.
        snapshot = encode_snapshot(cut, self._scope, self._fold, self._settings.snapshot_bytes_max)
        await self._snapshots.put(snapshot, (self._scope.audit_epoch, cut.next_offset))
        self._kept_offset = cut.next_offset
        self._kept_at_s = self._clock.monotonic_s()
        self.counts.snapshots += 1
        self.counts.snapshot_bytes = len(snapshot)
        self._after(Step.KEPT)

    # Step 6: revoke and stop.

    async def stop(self) -> None:
        """Deliver everything, take a last snapshot, and do nothing more."""
        with self._stopping_on_failure():
            if self._core.next_offset > self._kept_offset:
                await self._snapshot()
            else:
                await self._outbox.flush()
            self._after(Step.STOPPED)
            self._failure = HostStoppedError("it was told to")


def _nothing(_step: Step) -> None:
    """Do nothing after a step."""
