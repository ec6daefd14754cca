"""On which gaming date was a row played?"""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Sequence

from auditors.rounds.cells import Memory
from auditors.rounds.columns import RoundsReading
from auditors.rounds.notes import Notes
from auditors.rules import Rules
from auditors.terms import default_gaming_date

_Read = tuple[datetime.date | None, str | None]


class DateReader:
    """Reads the time column of rows into gaming dates."""

    def __init__(self, rules: Rules, reading: RoundsReading, notes: Notes) -> None:
        self._rules, self._position = rules, reading.columns.occurred_at
        self._column, self._notes = reading.name(reading.columns.occurred_at), notes
        submission = rules.terms.submission
        zone = reading.zone or (submission.time_zone if submission else None)
        self._zone = zoneinfo.ZoneInfo(zone) if zone else None
        self._fixed = reading.gaming_date
        self._memory: Memory[_Read] = Memory()

    def read(self, cells: Sequence[str]) -> _Read:
        """Give the gaming date of a row, or what is wrong with its time; None where not stated."""
        text = cells[self._position].strip() if self._position is not None else ""
        if not text:
            return self._fixed, None
        found = self._memory.get(text)
        return found if found is not None else self._memory.keep(text, self._parse(text))

    def _parse(self, text: str) -> _Read:
        try:
            instant = datetime.datetime.fromisoformat(text)
        except ValueError:
            return None, f"{text[:24]!r} is no time; write it like 2025-06-01T18:00:00-04:00"
        if instant.tzinfo is None:
            if self._zone is None:
                self._notes.off(
                    "dates",
                    f"times in column {self._column} state no offset; add --zone America/New_York",
                )
                return self._fixed, None
            instant = instant.replace(tzinfo=self._zone)
        return default_gaming_date(instant, self._rules.terms), None
