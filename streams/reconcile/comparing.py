"""Compares a chunk of the log with the history: asked in bulk, compared by hash.

Everything here only reads. Answers are of one partition, whose number the asker names.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from schemas.records import Record, RecordKind, decode_record, encode_record
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader, Parameters
from streams.host.dead_letters import DeadLetter, Origin
from streams.host.ports import LogEntry
from streams.kafka.pending import Pending, RecordId, record_id
from streams.reconcile.refolding import Refolded

_NEAR_OFFSETS: Final = 10_000
"""Records of offsets that are so near to each other are asked for together."""


@dataclass(slots=True)
class Difference:
    """What of a chunk is not in the history as the log gives it."""

    events: list[LogEntry] = field(default_factory=list)
    """Not there."""
    records: list[Record] = field(default_factory=list)
    """Not there."""
    letters: list[DeadLetter] = field(default_factory=list)
    """Not there."""
    conflicts: list[Record] = field(default_factory=list)
    """There, with other bytes."""
    outdated: list[Record] = field(default_factory=list)
    """There as an earlier audit epoch had it, which said something else."""
    pending: list[Record] = field(default_factory=list)
    """On their way."""
    unknown: list[RecordId] = field(default_factory=list)
    """There, though the log gives no such version."""


class _Kept(NamedTuple):
    digest: str
    audit_epoch: int
    state_format: int | None


class HistoryComparison:
    """Compares chunks of one partition with a history."""

    def __init__(self, reader: HistoryReader, origin: Origin, audit_epoch: int) -> None:
        """Compare nothing yet.

        Args:
            reader: The history.
            origin: The partition.
            audit_epoch: Of this build.
        """
        self._reader, self._origin, self._epoch = reader, origin, audit_epoch

    def difference(self, chunk: Sequence[Refolded], pending: Pending) -> Difference:
        """Compare a chunk of messages in log order."""
        found = Difference()
        span = {"first_offset": chunk[0].entry.offset, "end_offset": chunk[-1].entry.offset + 1}
        self._compare_events(
            [refolded.entry for refolded in chunk if refolded.dead_letter is None], span, found
        )
        letters = [refolded.dead_letter for refolded in chunk if refolded.dead_letter is not None]
        self._compare_letters(letters, span, pending, found)
        records = [record for refolded in chunk for record in refolded.records]
        self._compare_records(records, span, pending, found)
        return found

    def again(self, records: Iterable[Record], pending: Pending) -> Difference:
        """Say how the history has some records of any offsets now; nothing else is looked at."""
        found = Difference()
        near: dict[int, list[Record]] = defaultdict(list)
        for record in records:
            near[record.offset // _NEAR_OFFSETS].append(record)
        for some in near.values():
            offsets = [record.offset for record in some]
            span = {"first_offset": min(offsets), "end_offset": max(offsets) + 1}
            self._compare_records(some, span, pending, found)
        found.unknown.clear()  # others that messages between them caused
        return found

    def _compare_events(
        self, entries: Sequence[LogEntry], span: Mapping[str, int], found: Difference
    ) -> None:
        if not entries:
            return
        answer = self._reader.query(
            "event_hashes_of_log", {"log_partition": self._origin.partition, **span}
        )
        kept = set(answer.rows())
        hashed = [(entry, hashlib.sha256(entry.raw).hexdigest()) for entry in entries]
        others = [(entry, digest) for entry, digest in hashed if (entry.offset, digest) not in kept]
        found.events += self._not_kept_elsewhere(others)

    def _not_kept_elsewhere(self, others: Sequence[tuple[LogEntry, str]]) -> list[LogEntry]:
        """Leave out repeats of events that became known at another offset."""
        by_feed: dict[tuple[str, str], list[tuple[int, str, LogEntry]]] = defaultdict(list)
        for entry, digest in others:
            document = orjson.loads(entry.raw)
            feed = (document["source_id"], document["feed_id"])
            by_feed[feed].append((document["sequence"], digest, entry))
        missing: dict[str, LogEntry] = {}
        for (source_id, feed_id), wanted in by_feed.items():
            kept = self.hashes_of(source_id, feed_id, [sequence for sequence, _, _ in wanted])
            for sequence, digest, entry in wanted:
                if digest not in (content_hash for content_hash, _ in kept.get(sequence, ())):
                    missing.setdefault(digest, entry)
        return sorted(missing.values(), key=lambda one: one.offset)

    def hashes_of(
        self, source_id: str, feed_id: str, sequences: Sequence[int]
    ) -> dict[int, list[tuple[str, int]]]:
        """Give the hashes kept under sequences of a feed, each with its offset, lowest first."""
        answer = self._reader.query(
            "event_sequences",
            {
                "source_id": source_id,
                "feed_id": feed_id,
                "first_sequence": min(sequences),
                "last_sequence": max(sequences),
            },
        )
        wanted, kept = set(sequences), defaultdict(list)
        for row in answer.dicts():
            if row["sequence"] in wanted:
                kept[row["sequence"]].append((row["content_hash"], row["log_offset"]))
        return {
            sequence: sorted(pairs, key=lambda pair: pair[1]) for sequence, pairs in kept.items()
        }

    def _compare_letters(
        self,
        letters: Sequence[DeadLetter],
        span: Mapping[str, int],
        pending: Pending,
        found: Difference,
    ) -> None:
        if not letters:
            return
        origin: Parameters = {
            "origin_topic": self._origin.log_id,
            "origin_partition": self._origin.partition,
        }
        kept = set(self._reader.query("dead_letter_offsets", {**origin, **span}).rows())
        found.letters += [
            letter
            for letter in letters
            if (letter.offset, letter.sha256) not in kept
            and letter.letter_id not in pending.letters
        ]

    def _compare_records(
        self,
        records: Sequence[Record],
        span: Mapping[str, int],
        pending: Pending,
        found: Difference,
    ) -> None:
        tables = sorted({record.table_id for record in records})
        if not tables:
            return
        answer = self._reader.query("record_digests", {"tables": tables, **span})
        kept: dict[RecordId, list[_Kept]] = defaultdict(list)
        own: set[RecordId] = set()
        for row in answer.dicts():
            one = (row["table_id"], row["kind"], row["subject"], row["log_offset"])
            kept[one].append(_Kept(row["digest"], row["audit_epoch"], row["state_format"]))
            if row["cause"] == "event" and row["audit_epoch"] == self._epoch:
                own.add(one)
        for record in records:
            name = record_id(record)
            self._sort_in(record, kept.get(name, ()), (name, record.audit_epoch), pending, found)
            own.discard(name)
        found.unknown += sorted(own)

    @staticmethod
    def _sort_in(
        record: Record,
        kept: Iterable[_Kept],
        version: tuple[RecordId, int],
        pending: Pending,
        found: Difference,
    ) -> None:
        """Say of one record how the history has it."""
        same = [version for version in kept if version.audit_epoch == record.audit_epoch]
        if same:
            # A checkpoint in which a build with other states put the same is no contradiction.
            digests = {
                version.digest for version in same if version.state_format == record.state_format
            }
            if digests and digests != {_digest(record)}:
                found.conflicts.append(record)
            return
        if version in pending.records:
            found.pending.append(record)
            return
        earlier = [version for version in kept if version.audit_epoch < record.audit_epoch]
        if not earlier:
            found.records.append(record)
            return
        last = max(earlier, key=lambda one: one.audit_epoch)
        if last.digest != _digest(record.model_copy(update={"audit_epoch": last.audit_epoch})):
            found.outdated.append(record)

    def standing(self, record: Record) -> Record | None:
        """Give what stands about the subject of a record; None where nothing does."""
        if record.kind is RecordKind.CHECKPOINT:
            return None
        table_id, kind, subject = record.key
        answer = self._reader.query(
            "standing_record", {"kind": kind, "table_id": table_id, "subject": subject}
        )
        rows = answer.dicts()
        return decode_record(as_bytes(rows[0]["record_bytes"])) if rows else None

    def latest_offset(self, record: Record) -> int:
        """Give the highest offset of any version about the subject of a record; -1: none is."""
        table_id, kind, subject = record.key
        answer = self._reader.query(
            "latest_offset", {"kind": kind, "table_id": table_id, "subject": subject}
        )
        return int(answer.column("log_offset")[0]) if answer else -1


def says_the_same(one: Record, other: Record) -> bool:
    """Tell whether two versions differ in nothing but when and why they were put out."""
    return _said(one) == _said(other)


def _said(record: Record) -> bytes:
    plain = {"offset": 0, "cause": "event", "audit_epoch": 0, "occurred_at_us": 0}
    return encode_record(record.model_copy(update=plain))


def _digest(record: Record) -> str:
    return hashlib.sha256(encode_record(record)).hexdigest()
