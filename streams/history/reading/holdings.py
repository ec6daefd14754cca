"""What a history holds and what it lacks: gaming dates, kinds of play, files not ingested whole.

An answer without findings means something only where the history holds what was asked for. Commands
and the console say the same about that, because they say what stands here.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from schemas.words.counting import counted
from streams.history.embedded.ingest_marks import IngestMark, read_marks
from streams.history.embedded.owner import read_owner
from streams.history.store import HistoryReader, StoreFaultError

_DAY: Final = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Holdings:
    """What one history holds."""

    place: str
    """Its folder, or server and database, for people."""
    store: Path | None
    """The folder that ``--store`` names; None for a history on a server."""
    event_count: int
    """Raw events; repeats that no merge has removed yet are counted, too."""
    coup_count: int
    gaming_dates: tuple[datetime.date, ...]
    """Those with a coup, in order."""
    first_began_at_us: int | None
    """When the first coup began, microseconds since 1970 UTC."""
    last_began_at_us: int | None
    has_simulated: bool
    has_real: bool
    interrupted: tuple[IngestMark, ...] = ()
    """Files that are not in it to their end, and that nobody reads any more."""
    under_way: tuple[IngestMark, ...] = ()
    """Files that a process puts into it right now."""

    @property
    def is_mixed(self) -> bool:
        """Whether simulated and real play stand in it beside each other."""
        return self.has_simulated and self.has_real

    @property
    def lacks(self) -> tuple[str, ...]:
        """What it lacks whatever is asked for, one line each for people."""
        return tuple(self._lacks())

    def _lacks(self) -> Iterator[str]:
        for mark in self.interrupted:
            yield mark.interrupted_line(self.store or Path())
        for mark in self.under_way:
            yield mark.under_way_line()
        if self.is_mixed:
            yield (
                f"history {self.place} holds simulated play and real play; take no total of it for "
                "either"
            )
        if not self.event_count:
            yield f"history {self.place} holds no events"
        elif not self.coup_count:
            events = counted(self.event_count, "event")
            yield f"history {self.place} holds {events} and no coup"

    def lacks_of(
        self,
        first: datetime.date | None,
        last: datetime.date | None,
        from_us: int,
        until_us: int,
    ) -> tuple[str, ...]:
        """Say what it lacks of a range, one line each for people; nothing where it holds all.

        Args:
            first: First gaming date; None: open.
            last: Last gaming date, included; None: open.
            from_us: Instant, microseconds since 1970 UTC.
            until_us: Instant, not included.
        """
        if not self.gaming_dates or self.first_began_at_us is None:
            return ()
        first_held, last_held = self.gaming_dates[0], self.gaming_dates[-1]
        begin, end = first or first_held, last or last_held
        held = [day for day in self.gaming_dates if begin <= day <= end]
        began, ended = self.first_began_at_us, self.last_began_at_us or self.first_began_at_us
        if not held or from_us > ended or until_us <= began:
            return (f"the range holds no coup: {self._held()}",)
        missing = tuple(_missing(begin, end, self.gaming_dates))
        if missing and (first or last):
            return (f"no coup of gaming date {runs_of(missing)} is held: {self._held()}",)
        return ()

    def _held(self) -> str:
        word = "gaming date" if len(self.gaming_dates) == 1 else "gaming dates"
        return f"history {self.place} holds {word} {runs_of(self.gaming_dates)}"


def _missing(
    day: datetime.date, last: datetime.date, held: tuple[datetime.date, ...]
) -> Iterator[datetime.date]:
    known = set(held)
    while day <= last:
        if day not in known:
            yield day
        day += _DAY


def runs_of(days: tuple[datetime.date, ...]) -> str:
    """Write days in order with those that follow each other as one run."""
    runs: list[tuple[datetime.date, datetime.date]] = []
    for day in days:
        if runs and day - runs[-1][1] == _DAY:
            runs[-1] = (runs[-1][0], day)
        else:
            runs.append((day, day))
    return ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)


def holdings_of(reader: HistoryReader, place: str, path: Path | None) -> Holdings:
    """Look into a history.

    Args:
        reader: The history.
        place: Where it is, for people.
        path: Its folder; None for one on a server.
    """
    days = reader.query("held_dates").dicts()
    tables = {row["table"]: row["row_count"] for row in reader.query("status_tables").dicts()}
    marks = () if path is None else read_marks(path)
    writer = _writer_of(path) if marks and path is not None else None
    return Holdings(
        place=place,
        store=None if path is None else path.parent,
        event_count=tables.get("events", 0),
        coup_count=sum(row["coup_count"] for row in days),
        gaming_dates=tuple(row["gaming_date"] for row in days if row["gaming_date"] is not None),
        first_began_at_us=min((row["first_began_at_us"] for row in days), default=None),
        last_began_at_us=max((row["last_began_at_us"] for row in days), default=None),
        has_simulated=any(row["has_simulated"] for row in days),
        has_real=any(row["has_real"] for row in days),
        interrupted=tuple(mark for mark in marks if mark.pid != writer),
        under_way=tuple(mark for mark in marks if mark.pid == writer),
    )


def _writer_of(path: Path) -> int | None:
    try:
        owner = read_owner(path)
    except StoreFaultError:
        return None
    return None if owner is None or owner.is_reader else owner.pid
