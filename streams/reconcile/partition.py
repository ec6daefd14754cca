"""Reconciles one partition: it is folded again, compared, and mended where rows are missing."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from typing import Final, NamedTuple

from schemas.canary import is_canary
from schemas.records import Record, RecordKind
from streams.history.store import HistoryReader
from streams.host.dead_letters import Origin
from streams.host.ports import Archive, Log
from streams.kafka.pending import Pending
from streams.process.logs import Said
from streams.reconcile.comparing import Difference, HistoryComparison
from streams.reconcile.coverage import Coverage, TableCoverage
from streams.reconcile.late_shoes import Amended, LateTruth, RecordKey
from streams.reconcile.mending import Mender
from streams.reconcile.refolding import (
    CHUNK_MESSAGES,
    BoundedLog,
    GatheringOutbox,
    NoticingFold,
    PassedBy,
    Refolded,
    refolding_host,
)

_PASSED_KEPT_MAX: Final = 10_000
"""Late messages that are looked at again in every round."""


class Place(NamedTuple):
    """A partition among others."""

    origin: Origin
    partitions: int
    owns: Callable[[bytes], bool] | None = None
    """Whether a key belongs to it; None where every key does."""


class PartitionReconciler:
    """Compares one partition of the log with the history, each message once.

    Rounds go on where the one before stopped; what was lacking is looked at again.
    """

    def __init__(
        self,
        place: Place,
        log: Log,
        reader: HistoryReader,
        mender: Mender,
        *,
        archive: Archive | None = None,
        chunk_messages: int = CHUNK_MESSAGES,
    ) -> None:
        """Compare nothing yet.

        Args:
            place: The partition.
            log: Its messages.
            reader: The history.
            mender: Puts onto the topics what is missing.
            archive: Where messages are found that the log no longer keeps.
            chunk_messages: So many messages are compared at a time.
        """
        self._place, self._whole_log, self._mender = place, log, mender
        self._log = BoundedLog(log)
        self._fold = NoticingFold()
        self._outbox = GatheringOutbox(self._take, chunk_messages)
        self._host = refolding_host(
            self._fold,
            self._log,
            self._outbox,
            (place.origin, place.partitions),
            owns=place.owns,
            archive=archive,
        )
        self._comparison = HistoryComparison(reader, place.origin, self._fold.audit_epoch)
        self._truth = LateTruth(reader, self._comparison)
        self._coups: dict[str, set[bytes]] = defaultdict(set)
        self._lacking: dict[tuple[str, str, str, int], Record] = {}
        self._awaited: list[Record] = []
        """On their way to the history when they were looked at; the sink may never get there."""
        self._outdated: dict[tuple[str, str, str], Record] = {}
        self._passed: dict[int, PassedBy] = {}
        self._has_recovered = False
        self._log_start = 0
        self._pending = Pending()
        self._coverage = Coverage()

    @property
    def compared_to(self) -> int:
        """Offset below which everything was compared."""
        return self._host.next_offset

    async def compare_to(self, limit: int, pending: Pending, coverage: Coverage) -> None:
        """Compare on to a limit, mend what lacks, and add up what was found.

        Args:
            limit: Offset below which the history should hold everything.
            pending: What is on its way to it.
            coverage: Told what was found and done.
        """
        self._pending, self._coverage = pending, coverage
        await self._look_again()
        self._log.end = limit
        if not self._has_recovered:
            self._log_start = await self._whole_log.start_offset()
            await self._host.recover()
            self._has_recovered = True
        await self._host.follow()
        await self._host.deliver()
        self._passed |= {noticed.offset: noticed for noticed in self._fold.take_noticed()}
        await self._amend()
        await self._mender.flush()
        self._add_up()

    async def _look_again(self) -> None:
        """Forget what lacked and is there now; publish again what is still missing."""
        records = [*self._lacking.values(), *self._awaited]
        found = await asyncio.to_thread(self._comparison.again, records, self._pending)
        self._lacking.clear()
        self._awaited = found.pending
        for record in (*found.records, *found.outdated):
            self._lack(record)
            await self._mender.emit(record)
            self._coverage.found("records_missing", _said(record, " still lacks; published again"))
        self._tell_conflicts(found.conflicts)

    async def _take(self, chunk: Sequence[Refolded]) -> None:
        found = await asyncio.to_thread(self._comparison.difference, chunk, self._pending)
        records = [record for refolded in chunk for record in refolded.records]
        self._coverage.events += sum(refolded.dead_letter is None for refolded in chunk)
        self._coverage.dead_letters += sum(refolded.dead_letter is not None for refolded in chunk)
        self._coverage.records += len(records)
        for record in records:
            if record.kind is RecordKind.COUP and not _is_of_canary(record):
                self._coups[record.table_id].add(_short(record.subject))
            self._outdated.pop(record.key, None)
        last = {record.key: record.offset for record in records}
        self._outdated |= {
            record.key: record for record in found.outdated if last[record.key] == record.offset
        }
        await self._mend(found)

    async def _mend(self, found: Difference) -> None:
        coverage, partition = self._coverage, self._place.origin.partition
        self._awaited += found.pending
        for entry in found.events:
            await self._mender.republish(entry)
            source = entry.key.decode("ascii", "replace")
            line = f"{source}: event at partition {partition}, offset {entry.offset}"
            about = {"source": source, "partition": partition, "offset": entry.offset}
            coverage.found("events_missing", Said(f"{line}; published again", **about))
        for record in found.records:
            self._lack(record)
            await self._mender.emit(record)
            coverage.found("records_missing", _said(record, "; published again"))
        for letter in found.letters:
            await self._mender.emit_letter(letter)
            line = f"dead letter {letter.letter_id}; published again"
            said = Said(
                line,
                partition=partition,
                source=letter.key.decode("ascii", "replace") or None,
                reason=letter.reason,
                offset=letter.offset,
            )
            coverage.found("dead_letters_missing", said)
        self._tell_conflicts(found.conflicts)
        for table, kind, subject, offset in found.unknown:
            if offset >= self._log_start:
                coverage.found(
                    "records_unknown",
                    Said(
                        f"{table}: {kind} {subject}, offset {offset}: the history has a version "
                        "that the log does not give; find out which build wrote it",
                        source=table,
                        coup=subject if kind == RecordKind.COUP.value else None,
                        offset=offset,
                    ),
                )

    def _tell_conflicts(self, conflicts: Sequence[Record]) -> None:
        """Tell of versions with other contents; put out, both would be mixed in the history."""
        for record in conflicts:
            self._lack(record)
            self._coverage.found(
                "records_conflicting",
                _said(
                    record,
                    ": the history has other bytes under this version; keep both, find out "
                    "which build wrote it, and raise the audit epoch",
                ),
            )

    def _lack(self, record: Record) -> None:
        self._lacking[(*record.key, record.offset)] = record

    async def _amend(self) -> None:
        """Put out what late truth, or a new audit epoch, changes about what stands."""
        passed = await asyncio.to_thread(self._truth.sorted_out, list(self._passed.values()))
        self._passed = {event.offset: event for some in passed for event in some[:_PASSED_KEPT_MAX]}
        # What stands is judged once the history has all of it.
        waiting = {record.table_id for record in self._lacking.values()}
        waiting |= {name[0] for name, _ in self._pending.records}
        renewed = await self._renew(waiting)
        by_feed: dict[tuple[str, str], list[PassedBy]] = defaultdict(list)
        for passed_by in passed.late:
            if passed_by.source_id not in waiting:
                by_feed[passed_by.source_id, passed_by.feed_id].append(passed_by)
        limit = self.compared_to
        for feed in by_feed.values():
            amended = await asyncio.to_thread(self._truth.amended, feed, limit, renewed)
            await self._tell_ledgers(amended)
            for amendment in amended:
                await self._put_amended(amendment.record, "late events")
        for conflict in passed.conflicts:
            if conflict.source_id not in waiting:
                await self._put_conflict(conflict)

    async def _tell_ledgers(self, amended: Sequence[Amended]) -> None:
        """Tell ledgers first: a record that stands is not amended again."""
        told = [said for amendment in amended for said in amendment.told]
        for said in told:
            await self._mender.tell(said)
        if told:
            await self._mender.flush()

    async def _renew(self, waiting: Set[str]) -> set[RecordKey]:
        """Put out what this audit epoch says otherwise, as the host would have; give subjects."""
        renewed = set()
        for record in [
            record for record in self._outdated.values() if record.table_id not in waiting
        ]:
            latest = await asyncio.to_thread(self._comparison.latest_offset, record)
            if latest >= self.compared_to:
                continue  # the host has gone on, which a later round compares
            del self._outdated[record.key]
            await self._put_amended(record, f"audit epoch {record.audit_epoch}")
            renewed.add(record.key)
        return renewed

    async def _put_conflict(self, conflict: PassedBy) -> None:
        record = await asyncio.to_thread(self._truth.conflict_record, conflict)
        if record is not None:
            self._coverage.found(
                "sequence_conflicts",
                Said(
                    f"{conflict.source_id}: event {conflict.sequence} came again with other bytes "
                    f"at offset {conflict.offset}",
                    source=conflict.source_id,
                    offset=conflict.offset,
                ),
            )
            await self._put_amended(record, "an old conflict")

    async def _put_amended(self, record: Record, why: str) -> None:
        before = await asyncio.to_thread(self._comparison.standing, record)
        await self._mender.emit_amended(record, before)
        self._coverage.found("records_amended", _said(record, f"; amended for {why}"))

    def _add_up(self) -> None:
        self._coverage.pending += len(self._awaited)
        lacking: dict[str, set[str]] = defaultdict(set)
        for table, kind, subject, _ in self._lacking:
            if kind == RecordKind.COUP.value:
                lacking[table].add(subject)
        for table, coups in self._coups.items():
            self._coverage.tables[table] = TableCoverage(len(coups), len(lacking[table]))


def _is_of_canary(record: Record) -> bool:
    """Whether a record is mended like all others and belongs into no figure of real tables."""
    return is_canary(record.table_id, is_simulated=record.is_simulated)


def _short(subject: str) -> bytes:
    """Give 8 bytes that stand for a coup: a million of them have to fit into memory."""
    return hashlib.blake2b(subject.encode(), digest_size=8).digest()


def _said(record: Record, words: str) -> Said:
    return Said(
        f"{record.table_id}: {record.kind.value} {record.subject}, offset {record.offset}{words}",
        source=record.table_id,
        shoe=record.shoe_id,
        coup=record.subject if record.kind is RecordKind.COUP else None,
        offset=record.offset,
    )
