"""Gaming date of a row, and whether its section was in force then."""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Iterator, Sequence

from auditors.rounds.cells import Unusable
from auditors.rounds.columns import RoundsMapping
from auditors.rounds.notes import Notes
from auditors.rounds.places import RowPlaces
from auditors.settlement.checks import date_findings
from auditors.settlement.rules import Rules
from auditors.settlement.terms import gaming_date_of, gaming_day
from schemas.findings import Finding


class DateChecks:
    """Reads the time column of rows into gaming dates, and checks sections on them."""

    def __init__(
        self, rules: Rules, mapping: RoundsMapping, notes: Notes, places: RowPlaces
    ) -> None:
        """Prepare to read.

        Args:
            rules: Their submission gives the zone and the start of the gaming day.
            mapping: Which column states the time, and which date holds where none is stated.
            notes: What is said once about the file.
            places: Where rows stand.
        """
        self._rules, self._position = rules, mapping.columns.occurred_at
        self._column, self._notes, self._places = mapping.name(self._position), notes, places
        self._gaming_day = gaming_day(rules.terms)
        self._is_zone_given = bool(mapping.zone or rules.terms.submission)
        self._zone = zoneinfo.ZoneInfo(mapping.zone) if mapping.zone else self._gaming_day[0]
        self._fixed = mapping.gaming_date
        self._table = mapping.columns.table
        self._text: str | None = None
        """The time as the row before states it, and the date that it reads as."""
        self._date: datetime.date | Unusable | None = None
        self._instant: datetime.datetime | None = None
        """The time itself, where the row states more than a date."""
        self._day: tuple[datetime.datetime, datetime.datetime, datetime.date] | None = None
        """Begin and end of the gaming day that was read last, and its date."""
        self._checked: set[tuple[str, str, object]] = set()

    def instant_of(self, cells: Sequence[str]) -> datetime.datetime | None:
        """Give the time of a row: the beginning of the day where it states a date alone."""
        date = self._date_of(cells)
        if self._instant is not None or not isinstance(date, datetime.date) or not self._text:
            return self._instant
        return datetime.datetime.combine(date, datetime.time(), datetime.UTC)

    def _date_of(self, cells: Sequence[str]) -> datetime.date | Unusable | None:
        text = cells[self._position] if self._position is not None else ""
        if text != self._text:
            # Rows of one coup state one time; other repetitions are rare and read again.
            self._instant = None
            self._text, self._date = text, self._read(text.strip())
        return self._date

    def is_checked(self, section_id: str | None, cells: Sequence[str]) -> bool:
        """Whether a row states a time or none, and its section is checked on that date."""
        date = self._date_of(cells)
        if date is None or date.__class__ is Unusable:
            return date is None
        table = cells[self._table] if self._table is not None else ""
        return section_id is None or (table, section_id, date) in self._checked

    def audit(self, section_id: str | None, line: int, cells: Sequence[str]) -> Iterator[Finding]:
        """Check the section of a row's wager on its gaming date; None: it names no wager."""
        if self.is_checked(section_id, cells):
            return
        date = self._date
        if isinstance(date, Unusable):
            yield self._places.rejected(line, cells, self._position, date.message)
        elif date is not None and section_id is not None:
            table = cells[self._table] if self._table is not None else ""
            self._checked.add((table, section_id, date))
            place = self._places.of(line, cells, self._position)
            yield from date_findings(self._rules, [section_id], date, place)

    def _read(self, text: str) -> datetime.date | Unusable | None:
        return self._parse(text) if text else self._fixed

    def _parse(self, text: str) -> datetime.date | Unusable | None:
        try:
            if ":" not in text and "T" not in text:  # a date alone is the gaming date itself
                return datetime.date.fromisoformat(text)
            instant = datetime.datetime.fromisoformat(text)
            has_offset = instant.tzinfo is not None
            if not has_offset:
                if not self._is_zone_given:
                    self._say_default_zone()
                instant = instant.replace(tzinfo=self._zone)
            self._instant = instant
            if has_offset and self._day is not None and self._day[0] <= instant < self._day[1]:
                return self._day[2]  # rows stand by time, so most are of the day before them
            date = gaming_date_of(instant, *self._gaming_day)
            self._day = self._whole_day(date)
            return date
        except (ValueError, OverflowError):
            return Unusable(f"{text[:24]!r} is no time; write it like 2025-06-01T18:00:00-04:00")

    def _whole_day(
        self, date: datetime.date
    ) -> tuple[datetime.datetime, datetime.datetime, datetime.date] | None:
        """Give where a gaming day begins and ends; None where its clock is turned meanwhile."""
        zone, start = self._gaming_day
        begin = datetime.datetime.combine(date, start, zone)
        end = begin + datetime.timedelta(days=1)
        first, last = begin.astimezone(datetime.UTC), end.astimezone(datetime.UTC)
        is_told = last.astimezone(zone).replace(tzinfo=None) == end.replace(tzinfo=None)
        if begin.utcoffset() != end.utcoffset() or not is_told:
            return None
        return first, last, date

    def _say_default_zone(self) -> None:
        self._notes.say(
            "zone",
            f"column {self._column}: times without an offset are read as {self._zone}, the "
            "default; choose another with --zone",
        )
