"""Rows that are written together: by table and partition, in an order that can be read.

The order is the promise on which the views rest: the wagers and findings of a version are there
before its coup or other subject is, and raw events before either. Killed anywhere in between, the
same rows are written again; repeats change nothing that is read.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from schemas.records import RecordKind
from streams.history.names import names_of
from streams.history.store import Columns
from streams.history.writing import rows
from streams.history.writing.entries import DeadLetter, ReceivedEvents, ToldRecord

TABLES: Final = (
    "dead_letters",
    "events",
    "wagers",
    "findings",
    "other_subjects",
    "coups",
    "checkpoints",
)
"""In the order of writing."""

_FEW_VALUES: Final = frozenset(
    names_of(
        """
        table_id feed_id shoe_id currency rules_version cause kind state coup_state wager hand seat
        patron status paytable outcome outcome_code pays citation player_cards banker_cards winner
        natural announced_winner dealer code severity source feed
        """
    )
)
"""Columns in which the same texts come again and again."""

_HOUR_US: Final = 3_600_000_000
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_ALL_TIME: Final = ""
"""Dead letters have one partition."""


class RowBatch:
    """Rows that wait to be written; each insert of them is for one partition of one table."""

    def __init__(self, *, is_from_bytes: bool = False) -> None:
        """Begin without rows.

        Args:
            is_from_bytes: Equal texts of the records are values of their own, as those that were
                read from bytes are. Each is kept once then: it takes less room, and a third off
                writing the columns.
        """
        self._kept: dict[str | None, str | None] | None = {} if is_from_bytes else None
        self._parts: dict[str, dict[str, dict[str, list[Any]]]] = {table: {} for table in TABLES}
        self._events: dict[str, ReceivedEvents] = {}

    def add_records(self, records: Iterable[ToldRecord]) -> None:
        """Take records of any kinds, in any order."""
        parts: dict[tuple[str, str], list[ToldRecord]] = defaultdict(list)
        for record in records:
            fields = record.fields
            parts[fields["kind"], (fields["gaming_date"] or "")[:7]].append(record)
        for (kind, month), part in parts.items():
            if kind == RecordKind.COUP:
                self._add("wagers", month, rows.wager_columns(part))
                self._add("coups", month, rows.coup_columns(part))
            elif kind == RecordKind.CHECKPOINT:
                self._add("checkpoints", month, rows.checkpoint_columns(part))
                continue
            else:
                self._add("other_subjects", month, rows.other_subject_columns(part))
            if any(record.fields["findings"] for record in part):
                self._add("findings", month, rows.finding_columns(part))

    def add_events(self, events: ReceivedEvents) -> None:
        """Take raw events."""
        if not events:
            return
        moments = events.occurred_at_us
        months = {_month_of(min(moments)), _month_of(max(moments))}
        if len(months) > 1:
            months = {_month_of(at) for at in moments}
        for month in sorted(months):
            some = events
            if len(months) > 1:
                some = events.at(
                    [at for at, moment in enumerate(moments) if _month_of(moment) == month]
                )
            waiting = self._events.get(month)
            if waiting is None:
                waiting = self._events[month] = ReceivedEvents()
            waiting.extend(some)

    def add_letters(self, letters: Sequence[DeadLetter]) -> None:
        """Take what could not be read."""
        if letters:
            self._add("dead_letters", _ALL_TIME, rows.dead_letter_columns(letters))

    def inserts(self) -> Iterator[tuple[str, Columns]]:
        """Give the inserts in their order, each for one partition of one table.

        Returns:
            Table and columns; never without rows. Repeats of an event's bytes are left out.
        """
        for table, parts in self._parts.items():
            if table == "events":
                for events in self._events.values():
                    yield table, rows.event_columns(_distinct(events))
            for columns in parts.values():
                if any(columns.values()):
                    yield table, columns

    def _add(self, table: str, month: str, columns: rows.Built) -> None:
        if self._kept is not None:
            columns = self._each_once(columns, self._kept.setdefault)
        part = self._parts[table].get(month)
        if part is None:
            self._parts[table][month] = {name: [*values] for name, values in columns.items()}
            return
        for name, values in columns.items():
            part[name] += values

    @staticmethod
    def _each_once(
        columns: rows.Built, kept: Callable[[str | None, str | None], str | None]
    ) -> rows.Built:
        return {
            name: [kept(value, value) for value in values] if name in _FEW_VALUES else values
            for name, values in columns.items()
        }


def _month_of(at_us: int) -> str:
    return _month_of_hour(at_us // _HOUR_US)


@lru_cache(maxsize=1024)
def _month_of_hour(hour: int) -> str:
    return (_EPOCH + datetime.timedelta(hours=hour)).strftime("%Y-%m")


def _distinct(events: ReceivedEvents) -> ReceivedEvents:
    """Drop repeats of the same bytes under the same sequence; other bytes are kept as evidence."""
    if len(set(events.content_hash)) == len(events):
        return events
    first: dict[tuple[Any, ...], int] = {}
    for at, key in enumerate(zip(*events.columns[:4], strict=True)):
        first.setdefault(key, at)
    return events.at([*first.values()])
