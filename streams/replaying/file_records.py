"""Files of events as a source: folded once, with records in memory and events read again."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Final

from auditors.incidents import TableTold, told_of
from auditors.table import Delivered
from auditors.table.known.shoe_names import BESIDE
from schemas.canary import is_canary
from schemas.records import Record, RecordKind, VideoRow
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.files.event_files import DamagedLine, EventFile
from streams.host.event_folding import EventFolder, FoldedLine
from streams.replaying.endings import ENDING_TYPES, EndingsFound
from streams.replaying.sources import CoupPlace
from streams.replaying.span import Span

_FILE_SHIFT: Final = 48
_ENDINGS: Final = tuple(f'"{tag}"'.encode() for tag in ENDING_TYPES)


class FileRecords:
    """What files of events say, as one log."""

    def __init__(self, files: Sequence[EventFile]) -> None:
        """Fold all lines.

        Args:
            files: Open files, read in this order; they stay open for replays.
        """
        self.name = ", ".join(file.name for file in files)
        self._files = files
        self._records: dict[tuple[str, str, str], Record] = {}
        self._of_ledgers: dict[tuple[str, str, str], Record] = {}
        self._ledgers: dict[tuple[str, str, str], Record] = {}
        """Of progressives, as far as something was found."""
        self._checkpoints: dict[str, list[Record]] = {}
        self._places: dict[str, tuple[array[int], array[int]]] = {}
        """Table to offsets and positions of its lines."""
        self._endings = EndingsFound()
        self.event_count = 0
        """Lines that are events."""
        self.last_offset: int | None = None
        """Offset of the last line: nothing more will come."""
        self._fold()

    def _fold(self) -> None:
        folder = EventFolder(self._read_at)
        offset = 0
        for number, file in enumerate(self._files):
            for line in file.lines():
                if isinstance(line, DamagedLine):
                    continue
                position = (number << _FILE_SHIFT) + line.position
                folded = folder.take(offset + line.line, position, line.raw)
                if folded.dead is None:
                    self._keep(folded, position, line.raw)
            offset += file.line_count
        for folded in folder.finish():
            self._put(folded.records)
            self._put_of_ledgers(folded.ledger_records)

    def _keep(self, folded: FoldedLine, position: int, raw: bytes) -> None:
        self.event_count += 1
        self.last_offset = folded.offset
        source_id = folded.source_id or ""
        offsets, positions = self._places.setdefault(source_id, (array("Q"), array("Q")))
        offsets.append(folded.offset)
        positions.append(position)
        if any(tag in raw for tag in _ENDINGS):
            with suppress(UnreadableEventError):  # its finding says so
                self._endings.hear(parse_event(raw))
        self._put(folded.records)
        self._put_of_ledgers(folded.ledger_records)

    def _put_of_ledgers(self, records: Sequence[Record]) -> None:
        for record in records:
            if record.findings or record.key in self._of_ledgers:
                self._of_ledgers[record.key] = record
            if record.kind is RecordKind.LEDGER:
                self._ledgers[record.key] = record

    def _put(self, records: Sequence[Record]) -> None:
        for record in records:
            if record.kind is RecordKind.CHECKPOINT:
                self._checkpoints.setdefault(record.table_id, []).append(record)
            else:
                self._records[record.key] = record

    def _read_at(self, position: int) -> bytes:
        file = self._files[position >> _FILE_SHIFT]
        return file.read_at(position & ((1 << _FILE_SHIFT) - 1))

    def tables(self) -> tuple[str, ...]:
        """Name every table, in order."""
        return tuple(sorted({key[0] for key in self._records} | set(self._checkpoints)))

    def told(
        self, span: Span, table_id: str | None = None, *, with_canary: bool = False
    ) -> tuple[TableTold, ...]:
        """Give what stands about each table, or about one, in a range; of the canary if asked."""
        records = [
            record
            for record in (*self._records.values(), *self._of_ledgers.values())
            if table_id in (None, record.table_id)
            and (with_canary or not is_canary(record.table_id, is_simulated=record.is_simulated))
            and (record.shoe is not None or span.holds(record.gaming_date, _moment(record)))
        ]
        return told_of(records, self._endings.by_table)

    def _coups(self) -> Iterator[Record]:
        return (record for record in self._records.values() if record.kind is RecordKind.COUP)

    def coups_named(self, coup_id: str) -> tuple[CoupPlace, ...]:
        """Find the coups with an id: one a table at most."""
        return _places(coup for coup in self._coups() if coup.subject == coup_id)

    def coup_ids(self, count_max: int) -> Sequence[str]:
        """Give some ids of coups."""
        return [coup.subject for coup in self._coups()][-count_max:]

    def coups_of_shoe(self, shoe_id: str) -> tuple[CoupPlace, ...]:
        """Give the coups of the shoes with an id, in their order."""
        return _places(coup for coup in self._coups() if coup.shoe_id == shoe_id)

    def shoe_ids(self) -> Sequence[str]:
        """Give the ids of all shoes."""
        return sorted({coup.shoe_id for coup in self._coups() if coup.shoe_id is not None})

    def names_beside(self, told: str, *, of_shoes: bool) -> Sequence[str]:
        """Give the names of later coups, or shoes, whose device used an id again, in order."""
        names = {coup.shoe_id if of_shoes else coup.subject for coup in self._coups()}
        return sorted(name for name in names if name is not None and name.startswith(told + BESIDE))

    def coups_in(self, table_id: str, span: Span) -> tuple[CoupPlace, ...]:
        """Give the coups of a table that began in a range, in their order."""
        return _places(
            coup
            for coup in self._coups()
            if coup.table_id == table_id and span.holds(coup.gaming_date, _moment(coup))
        )

    def checkpoints(self, table_id: str, offset: int) -> Iterator[Record]:
        """Give the checkpoints of a table at or before an offset, the latest first."""
        known = self._checkpoints.get(table_id, [])
        return (version for version in reversed(known) if version.offset <= offset)

    def messages(self, table_id: str, first: int, last: int) -> Iterator[Delivered]:
        """Give the messages of a table from one offset to another, both included, in order."""
        offsets, positions = self._places.get(table_id, (array("Q"), array("Q")))
        for at in range(bisect_left(offsets, first), bisect_right(offsets, last)):
            yield Delivered(offsets[at], self._read_at(positions[at]))

    def records_between(self, table_id: str, first: int, last: int) -> Sequence[Record]:
        """Give the standing records whose version was caused between two offsets."""
        return [
            record
            for record in self._records.values()
            if record.table_id == table_id and first <= record.offset <= last
        ]

    def videos(
        self, table_id: str, coup_ids: Collection[str], from_us: int, until_us: int
    ) -> Sequence[VideoRow]:
        """Give where recordings of some coups are, or of no coup and a stretch of time."""
        wanted = frozenset(coup_ids)
        return [
            row
            for record in self._records.values()
            if (row := record.video) is not None
            and record.table_id == table_id
            and (
                row.coup_id in wanted
                if row.coup_id is not None
                else row.from_us <= until_us and row.until_us >= from_us
            )
        ]

    def record_of(self, table_id: str, kind: str, subject: str) -> Record | None:
        """Give the record that stands about a subject."""
        key = (table_id, kind, subject)
        return self._records.get(key) or self._ledgers.get(key)


def _moment(record: Record) -> int:
    return record.coup.began_at_us if record.coup is not None else record.occurred_at_us


def _places(records: Iterator[Record]) -> tuple[CoupPlace, ...]:
    found = [place for record in records if (place := place_of(record)) is not None]
    return tuple(sorted(found, key=lambda one: (one.table_id, one.began_at_us, one.coup_no)))


def place_of(record: Record) -> CoupPlace | None:
    """Say where the coup of a record stands; None for other records."""
    coup = record.coup
    if coup is None:
        return None
    return CoupPlace(
        table_id=record.table_id,
        coup_id=record.subject,
        shoe_id=record.shoe_id,
        coup_no=coup.coup_no,
        feed_id=record.feed_id,
        gaming_date=record.gaming_date,
        began_at_us=coup.began_at_us,
        first_sequence=coup.first_sequence,
        last_sequence=coup.last_sequence,
        offset=record.offset,
        is_amended=record.cause == "amended",
    )
