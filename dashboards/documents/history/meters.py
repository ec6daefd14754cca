"""Progressives of a history: all meters, one progressive, the liability of a day, one hit."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from auditors.progressive.ledger.double_entry import day_liability
from auditors.progressive.ledger.state import READINGS_MAX
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.document import Document
from dashboards.documents.errors import NAMES_SHOWN, AmbiguousError, NotThereError, TooEarlyError
from dashboards.documents.history.hit_pack import hit_name, is_named
from dashboards.documents.history.progressives import (
    LIABILITY_COLUMNS,
    PROGRESSIVE_COLUMNS,
    READING_COLUMNS,
    csv_row,
    hit_json,
    liability_json,
    progressive_json,
    reading_json,
    total_json,
)
from dashboards.documents.history.tables import latest_state, zone_of
from dashboards.documents.instants import utc
from schemas.findings import Finding
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record, RecordKind
from schemas.words.suggestions import near_miss
from streams.history.opening import AnyHistory
from streams.history.reading.progressives import ProgressiveHistory
from streams.replaying.history_records import HistoryRecords

PROGRESSIVES_SCHEMA: Final = "ladderman.progressives/1"
PROGRESSIVE_PAGE_SCHEMA: Final = "ladderman.progressive-shown/1"
LIABILITIES_SCHEMA: Final = "ladderman.liabilities/1"

_READINGS_SHOWN: Final = 20


@dataclass(frozen=True)
class MeterList(Document):
    """Every meter as it stands: ``ladderman.progressives/1``."""

    columns = PROGRESSIVE_COLUMNS

    read_from: str
    levels: tuple[tuple[Record, LedgerRow], ...]
    zones: Mapping[str, str]
    """Progressive to the time zone of its tables."""

    @property
    def is_simulated(self) -> bool:
        """Whether any of it was played by the simulator."""
        return any(record.is_simulated for record, _ in self.levels)

    def as_json(self) -> dict[str, object]:
        """Give the whole list."""
        return {
            "schema": PROGRESSIVES_SCHEMA,
            "read_from": self.read_from,
            "simulated": self.is_simulated,
            "advisory": ADVISORY,
            "progressives": list(self.lines()),
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one meter a line."""
        return [progressive_json(record, row) for record, row in self.levels]

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one meter a row."""
        return [csv_row(one) for one in self.lines()]


@dataclass(frozen=True)
class ProgressivePage(Document):
    """All about one progressive: ``ladderman.progressive-shown/1``."""

    columns = READING_COLUMNS

    read_from: str
    progressive_id: str
    zone: str
    at_us: int | None
    """The moment that was asked for; None: now."""
    levels: tuple[tuple[Record, LedgerRow], ...]
    readings: tuple[tuple[Record, ReadingRow], ...]
    """The newest, oldest first."""
    hits: tuple[tuple[Record, HitRow], ...]
    findings: tuple[Finding, ...]

    @property
    def is_simulated(self) -> bool:
        """Whether any of it was played by the simulator."""
        return any(record.is_simulated for record, _ in self.levels)

    def as_json(self) -> dict[str, object]:
        """Give the whole page."""
        return {
            "schema": PROGRESSIVE_PAGE_SCHEMA,
            "read_from": self.read_from,
            "at": utc(self.at_us),
            "simulated": self.is_simulated,
            "advisory": ADVISORY,
            "progressives": self._meters(),
            "readings": self._readings(),
            "hits": self._hits(),
            "findings": self._findings(),
        }

    def _meters(self) -> list[dict[str, object]]:
        return [progressive_json(record, row) for record, row in self.levels]

    def _readings(self) -> list[dict[str, object]]:
        return [reading_json(record, row) for record, row in self.readings]

    def _hits(self) -> list[dict[str, object]]:
        return [hit_json(record, row) for record, row in self.hits]

    def _findings(self) -> list[dict[str, object]]:
        return [one.as_json() for one in self.findings]

    def lines(self) -> Iterable[dict[str, object]]:
        """Give meters, readings, hits and findings, one a line."""
        return (*self._meters(), *self._readings(), *self._hits(), *self._findings())

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one reading a row."""
        return [csv_row(one) for one in self._readings()]


@dataclass(frozen=True)
class LiabilityPage(Document):
    """Liability of every meter over a gaming date, double entry: ``ladderman.liabilities/1``."""

    columns = LIABILITY_COLUMNS

    read_from: str
    gaming_date: datetime.date
    days: tuple[tuple[Record, DayRow], ...]

    @property
    def is_simulated(self) -> bool:
        """Whether any of it was played by the simulator."""
        return any(record.is_simulated for record, _ in self.days)

    def as_json(self) -> dict[str, object]:
        """Give every meter, and all of a currency together."""
        return {
            "schema": LIABILITIES_SCHEMA,
            "read_from": self.read_from,
            "gaming_date": self.gaming_date.isoformat(),
            "simulated": self.is_simulated,
            "advisory": ADVISORY,
            "liabilities": self._meters(),
            "totals": self._totals(),
        }

    def _meters(self) -> list[dict[str, object]]:
        return [liability_json(record, row) for record, row in self.days]

    def _totals(self) -> list[dict[str, object]]:
        return _totals_of(self.gaming_date.isoformat(), self.days)

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one meter a line, then one currency a line."""
        return (*self._meters(), *self._totals())

    def rows(self) -> Iterable[dict[str, object]]:
        """Give the same as rows."""
        return [csv_row(one) for one in self.lines()]


def meter_list(progressives: ProgressiveHistory, history: AnyHistory) -> MeterList:
    """List every meter of a history."""
    levels = _with_pending(progressives, progressives.ledgers())
    zones = {record.table_id: _zone_of_progressive(history, row) for record, row in levels}
    return MeterList(progressives.name, levels, zones)


def liability_page(progressives: ProgressiveHistory, date: datetime.date) -> LiabilityPage:
    """Give the liabilities of a gaming date.

    Raises:
        NotThereError: No progressive was played on it.
    """
    days = progressives.days(date)
    if not days:
        known = progressives.dates()
        hint = f"there are {_some_of(known)}" if known else "no progressive was played there"
        raise NotThereError(
            "liability of gaming date", date.isoformat(), progressives.name, f"; {hint}"
        )
    return LiabilityPage(progressives.name, date, tuple(days))


def progressive_page(
    progressives: ProgressiveHistory, history: AnyHistory, wanted: str, at_us: int | None
) -> ProgressivePage:
    """Give all about one progressive, now or as it was known at a moment.

    Args:
        progressives: The ledgers of a history.
        history: The history itself, for time zones.
        wanted: Id of the progressive.
        at_us: The moment, in microseconds; None: now.

    Raises:
        NotThereError: There is no such progressive.
        TooEarlyError: It had no ledger then.
    """
    levels = progressives.ledgers(wanted, at_us)
    if not levels:
        _refuse_unknown(progressives, wanted, at_us)
    if at_us is not None:
        return _shown_at(progressives, history, wanted, levels, at_us)
    levels = _with_pending(progressives, levels)
    findings: list[Finding] = []
    for record in progressives.with_findings(wanted):
        findings.extend(record.findings)
    return ProgressivePage(
        read_from=progressives.name,
        progressive_id=wanted,
        zone=_zone_of_progressive(history, levels[0][1]),
        at_us=None,
        levels=levels,
        readings=tuple(progressives.readings(wanted, limit=_READINGS_SHOWN)),
        hits=tuple(progressives.hits(wanted)),
        findings=tuple(findings),
    )


def _shown_at(
    progressives: ProgressiveHistory,
    history: AnyHistory,
    wanted: str,
    levels: Sequence[tuple[Record, LedgerRow]],
    at_us: int,
) -> ProgressivePage:
    """Give a progressive as it was known at a moment: what came to light later is not in it."""
    readings, hits, alone = (
        progressives.as_of(wanted, kind, at_us)
        for kind in (RecordKind.READING, RecordKind.HIT, RecordKind.PROGRESSIVE)
    )
    told = sorted((*readings, *hits, *alone), key=lambda one: one.occurred_at_us)
    of_readings = [
        (one, one.progressive) for one in readings if isinstance(one.progressive, ReadingRow)
    ]
    pending = Counter(row.level for _, row in of_readings if row.state == "pending")
    return ProgressivePage(
        read_from=progressives.name,
        progressive_id=wanted,
        zone=_zone_of_progressive(history, levels[0][1]),
        at_us=at_us,
        levels=tuple(
            (record, row.model_copy(update={"pending_count": pending[row.level]}))
            for record, row in levels
        ),
        readings=tuple(of_readings[-_READINGS_SHOWN:]),
        hits=tuple((one, one.progressive) for one in hits if isinstance(one.progressive, HitRow)),
        findings=tuple(finding for one in told for finding in one.findings),
    )


def _with_pending(
    progressives: ProgressiveHistory, levels: Sequence[tuple[Record, LedgerRow]]
) -> tuple[tuple[Record, LedgerRow], ...]:
    """Count the readings that are pending now: a ledger that stands still is not put out again."""
    pending: Counter[tuple[str, int]] = Counter()
    for name in dict.fromkeys(record.table_id for record, _ in levels):
        for _, reading in progressives.readings(name, limit=READINGS_MAX):
            pending[name, reading.level] += reading.state == "pending"
    return tuple(
        (record, row.model_copy(update={"pending_count": pending[record.table_id, row.level]}))
        for record, row in levels
    )


def _refuse_unknown(progressives: ProgressiveHistory, wanted: str, at_us: int | None) -> None:
    known = list(dict.fromkeys(record.table_id for record, _ in progressives.ledgers()))
    if wanted in known:
        raise TooEarlyError(
            f"progressive {wanted} had no ledger yet at {utc(at_us)} in {progressives.name}"
        )
    hint = near_miss(wanted, known) or f"; there are {_some_of(known)}"
    raise NotThereError("progressive", wanted, progressives.name, hint)


def _some_of(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES_SHOWN]) or "none"


def _zone_of_progressive(history: AnyHistory, row: LedgerRow) -> str:
    """Give the time zone that a linked table has filed."""
    records = HistoryRecords("", history)
    for table, _, _ in row.tables:
        if (state := latest_state(records, table)) is not None:
            return zone_of(state)
    return zone_of(None)


def _totals_of(gaming_date: str, days: Sequence[tuple[Record, DayRow]]) -> list[dict[str, object]]:
    """Add up each currency by itself."""
    totals = []
    for currency in dict.fromkeys(record.currency for record, _ in days):
        of_it = [(record, row) for record, row in days if record.currency == currency]
        totals.append(
            total_json(
                gaming_date,
                currency,
                [day_liability(row, currency) for _, row in of_it],
                simulated=any(record.is_simulated for record, _ in of_it),
            )
        )
    return totals


def pick_hit(progressives: ProgressiveHistory, wanted: str) -> tuple[Record, HitRow]:
    """Give the hit that a person names, by its id or by table and coup.

    Raises:
        NotThereError: There is none.
        AmbiguousError: There are several.
    """
    hits = progressives.hits()
    found = [one for one in hits if is_named(one[1], wanted.strip())]
    if len(found) == 1:
        return found[0]
    if not found:
        names = [hit_name(row) for _, row in hits]
        hint = near_miss(wanted, names) or f"; there are {_some_of(names)}"
        raise NotThereError("hit", wanted, progressives.name, hint)
    places = [f"{row.table_id}/{row.coup_id}/{row.level}" for _, row in found]
    raise AmbiguousError(f"hit {wanted} is ambiguous; write one of {', '.join(places)}", places)
