"""The sources of incidents and replays: a history, or files of events folded on the spot."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from auditors.incidents import TableTold
from auditors.table import Delivered
from schemas.records import Record, VideoRow
from streams.replaying.span import Span


@dataclass(frozen=True, slots=True)
class CoupPlace:
    """Where a coup stands in what is kept."""

    table_id: str
    coup_id: str
    shoe_id: str | None
    coup_no: int
    feed_id: str
    gaming_date: str | None
    began_at_us: int
    first_sequence: int
    last_sequence: int
    offset: int
    """Offset of the message that caused the version that stands."""
    is_amended: bool
    """Late truth changed it after it had been told."""


class RecordSource(Protocol):
    """What is kept of some tables: records that stand, checkpoints, and the events themselves."""

    name: str
    """How messages call it."""
    last_offset: int | None
    """Offset of the very last message, where nothing more will come; None where it may."""

    def tables(self) -> tuple[str, ...]:
        """Name every table, in order."""
        ...

    def told(
        self, span: Span, table_id: str | None = None, *, with_canary: bool = False
    ) -> tuple[TableTold, ...]:
        """Give what stands about each table, or about one, in a range; of the canary if asked."""
        ...

    def coups_named(self, coup_id: str) -> tuple[CoupPlace, ...]:
        """Find the coups with an id: one a table at most."""
        ...

    def coup_ids(self, count_max: int) -> Sequence[str]:
        """Give some ids of coups, to suggest a near one; the latest where they are many."""
        ...

    def coups_of_shoe(self, shoe_id: str) -> tuple[CoupPlace, ...]:
        """Give the coups of the shoes with an id, in their order."""
        ...

    def shoe_ids(self) -> Sequence[str]:
        """Give the ids of all shoes, to suggest a near one."""
        ...

    def names_beside(self, told: str, *, of_shoes: bool) -> Sequence[str]:
        """Give the names of later coups, or shoes, whose device used an id again, in order."""
        ...

    def coups_in(self, table_id: str, span: Span) -> tuple[CoupPlace, ...]:
        """Give the coups of a table that began in a range, in their order."""
        ...

    def checkpoints(self, table_id: str, offset: int) -> Iterator[Record]:
        """Give the checkpoints of a table at or before an offset, the latest first."""
        ...

    def messages(self, table_id: str, first: int, last: int) -> Iterator[Delivered]:
        """Give the messages of a table from one offset to another, both included, in order."""
        ...

    def records_between(self, table_id: str, first: int, last: int) -> Sequence[Record]:
        """Give the standing records whose version was caused between two offsets, both included;
        checkpoints are left out."""
        ...

    def videos(
        self, table_id: str, coup_ids: Collection[str], from_us: int, until_us: int
    ) -> Sequence[VideoRow]:
        """Give where recordings of some coups of a table are, and those of no coup that overlap a
        stretch of the table's own time, both ends included."""
        ...

    def record_of(self, table_id: str, kind: str, subject: str) -> Record | None:
        """Give the record that stands about a subject."""
        ...
