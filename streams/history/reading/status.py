"""The status of a history: rows, subjects, time span, size and the state of its schema."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from streams.history.migrations import schema_version
from streams.history.store import HistoryReader


@dataclass(frozen=True, slots=True)
class TableStatus:
    """One table on disk."""

    name: str
    row_count: int
    """Rows on disk: old versions, and repeats that no merge has removed yet, included."""
    byte_count: int
    part_count: int


@dataclass(frozen=True, slots=True)
class HistoryStatus:
    """A history as a whole."""

    schema_version: int
    tables: tuple[TableStatus, ...]
    coup_count: int
    """Coups that stand; the same for the next three."""
    wager_count: int
    finding_count: int
    other_subject_count: int
    table_count: int
    """Gaming tables with at least one coup."""
    first_gaming_date: datetime.date | None
    last_gaming_date: datetime.date | None
    first_occurred_at_us: int | None
    """Of the raw events, microseconds since 1970 UTC."""
    last_occurred_at_us: int | None
    has_simulated: bool
    """Whether any coup is simulated."""

    @property
    def byte_count(self) -> int:
        """Bytes of all tables on disk."""
        return sum(table.byte_count for table in self.tables)


def history_status(reader: HistoryReader) -> HistoryStatus:
    """Look into a history."""
    applied = reader.query("applied_migrations").rows()
    tables = tuple(TableStatus(*row) for row in reader.query("status_tables").rows())
    (current,) = reader.query("status_current").dicts()
    current["has_simulated"] = bool(current["has_simulated"])
    return HistoryStatus(
        schema_version=schema_version(name for name, _ in applied), tables=tables, **current
    )
