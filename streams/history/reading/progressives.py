"""Queries about progressives: ledgers, readings, hits, days, and the events behind them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record, RecordKind, decode_record
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader, Parameter

TIME_MAX: Final = 2**62
"""Later than any event."""

_LIMIT: Final = 100_000
_CONTROLLER_EVENTS: Final = 200_000
_Row = TypeVar("_Row", LedgerRow, ReadingRow, HitRow, DayRow)


class RawEvent(NamedTuple):
    """One event as it was received."""

    source_id: str
    feed_id: str
    sequence: int
    content_hash: str
    """SHA-256 of ``raw``."""
    occurred_at_us: int
    raw: bytes


class ProgressiveHistory:
    """What one history has about progressives."""

    def __init__(self, name: str, reader: HistoryReader) -> None:
        """Read a history.

        Args:
            name: How messages call it.
            reader: Answers the queries.
        """
        self.name = name
        self._reader = reader

    def ledgers(
        self, progressive_id: str = "", at_us: int | None = None
    ) -> tuple[tuple[Record, LedgerRow], ...]:
        """Give the ledgers, of one progressive or of all, now or at a moment of play."""
        if at_us is None:
            records = self._records((RecordKind.LEDGER,), progressive_id)
        else:
            asked: dict[str, Parameter] = {"progressive_id": progressive_id, "at_us": at_us}
            records = self._decoded("progressive_ledgers_at", asked)
        found = _rows_of(records, LedgerRow)
        return tuple(sorted(found, key=lambda one: (one[0].table_id, one[1].level)))

    def readings(
        self, progressive_id: str, *, until_us: int = TIME_MAX, limit: int = _LIMIT
    ) -> tuple[tuple[Record, ReadingRow], ...]:
        """Give the latest readings before a moment, in order of time."""
        records = self._records(
            (RecordKind.READING,), progressive_id, until_us=until_us, limit=limit
        )
        found = _rows_of(records, ReadingRow)
        return tuple(sorted(found, key=lambda one: (one[0].occurred_at_us, one[1].sequence)))

    def hits(
        self, progressive_id: str = "", *, until_us: int = TIME_MAX
    ) -> tuple[tuple[Record, HitRow], ...]:
        """Give the hits, of one progressive or of all, in order of time."""
        records = self._records((RecordKind.HIT,), progressive_id, until_us=until_us)
        return tuple(
            sorted(
                _rows_of(records, HitRow),
                key=lambda one: (one[1].locked_at_us or one[0].occurred_at_us, one[0].key),
            )
        )

    def as_of(
        self, progressive_id: str, kind: RecordKind, at_us: int, limit: int = _LIMIT
    ) -> tuple[Record, ...]:
        """Give what was known of a progressive at a moment of play, in order of time.

        Args:
            progressive_id: Which.
            kind: Of what kind: readings, hits, or findings that stand alone.
            at_us: The moment; what happened in it is in.
            limit: So many versions at most, the latest.
        """
        asked: dict[str, Parameter] = {
            "kinds": [kind.value],
            "progressive_id": progressive_id,
            "until_us": at_us + 1,
            "limit": limit,
        }
        found: dict[str, tuple[int, Record]] = {}
        for row in self._reader.query("progressive_versions", asked).dicts():
            record = decode_record(as_bytes(row["record_bytes"]))
            known_us = getattr(record.progressive, "known_us", 0) or record.occurred_at_us
            before = found.get(record.subject)
            if known_us <= at_us and (before is None or before[0] < row["version"]):
                found[record.subject] = row["version"], record
        records = (record for _, record in found.values())
        return tuple(sorted(records, key=lambda one: (one.occurred_at_us, one.key)))

    def days(self, gaming_date: datetime.date) -> tuple[tuple[Record, DayRow], ...]:
        """Give the liabilities of a gaming date."""
        records = self._decoded("progressive_days", {"gaming_date": gaming_date})
        found = _rows_of(records, DayRow)
        return tuple(sorted(found, key=lambda one: (one[0].table_id, one[1].level)))

    def dates(self, limit: int = 1_000) -> tuple[str, ...]:
        """Give the gaming dates that have a liability, the latest first."""
        rows = self._reader.query("progressive_days_known", {"limit": limit}).dicts()
        return tuple(row["gaming_date"].isoformat() for row in rows)

    def with_findings(self, progressive_id: str, until_us: int = TIME_MAX) -> tuple[Record, ...]:
        """Give the records of a progressive that list findings, in order of time."""
        asked: dict[str, Parameter] = {"progressive_id": progressive_id, "until_us": until_us}
        return tuple(self._decoded("progressive_findings", asked))

    def coup(self, table_id: str, coup_id: str) -> Record | None:
        """Give the record of a coup as it stands."""
        asked: dict[str, Parameter] = {
            "kind": RecordKind.COUP.value,
            "table_id": table_id,
            "subject": coup_id,
        }
        return next(iter(self._decoded("standing_record", asked)), None)

    def source_of_feed(self, feed_id: str) -> str | None:
        """Say which source began a feed."""
        for row in self._reader.query("feeds").dicts():
            if row["feed_id"] == feed_id:
                return str(row["source_id"])
        return None

    def raw_events(self, source_id: str, feed_id: str, first: int, last: int) -> list[RawEvent]:
        """Give the events of a feed from one sequence to another, both included."""
        asked: dict[str, Parameter] = {
            "source_id": source_id,
            "feed_id": feed_id,
            "first_sequence": first,
            "last_sequence": last,
        }
        rows = self._reader.query("raw_events", asked).dicts()
        return [_raw({"source_id": source_id, "feed_id": feed_id, **row}) for row in rows]

    def events_of_types(
        self, source_id: str, types: Sequence[str], from_us: int, until_us: int
    ) -> list[RawEvent]:
        """Give the events of some types that a source said between two moments, both included."""
        asked: dict[str, Parameter] = {
            "source_id": source_id,
            "types": list(types),
            "from_us": from_us,
            "until_us": until_us,
            "limit": _CONTROLLER_EVENTS,
        }
        return [_raw(row) for row in self._reader.query("events_of_types", asked).dicts()]

    def _records(
        self,
        kinds: Iterable[RecordKind],
        progressive_id: str,
        *,
        until_us: int = TIME_MAX,
        limit: int = _LIMIT,
    ) -> list[Record]:
        asked: dict[str, Parameter] = {
            "kinds": [kind.value for kind in kinds],
            "progressive_id": progressive_id,
            "from_us": 0,
            "until_us": until_us,
            "limit": limit,
        }
        return self._decoded("progressive_records", asked)

    def _decoded(self, query: str, asked: dict[str, Parameter]) -> list[Record]:
        rows = self._reader.query(query, asked).dicts()
        return [decode_record(as_bytes(row["record_bytes"])) for row in rows]


def _rows_of(records: Iterable[Record], shape: type[_Row]) -> list[tuple[Record, _Row]]:
    return [
        (record, record.progressive) for record in records if isinstance(record.progressive, shape)
    ]


def _raw(row: dict[str, Any]) -> RawEvent:
    return RawEvent(
        str(row["source_id"]),
        str(row["feed_id"]),
        row["sequence"],
        str(row["content_hash"]),
        row["occurred_at_us"],
        as_bytes(row["raw_bytes"]),
    )
