"""How do records, events and dead letters get into the history? In bulk, in an order that reads.

The order is the promise on which the views rest: the wagers and findings of a version are there
before its coup or other subject is, and raw events before either. Killed anywhere in between, the
same batch is written again; repeats change nothing that is read.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from schemas.records import RecordKind
from streams.history import rows
from streams.history.entries import DeadLetter, KnownRecord, ReceivedEvent
from streams.history.store import HistoryStore

_Entry = TypeVar("_Entry")

_HOUR_US: Final = 3_600_000_000
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_OTHER_KINDS: Final = tuple(
    kind for kind in RecordKind if kind not in (RecordKind.COUP, RecordKind.CHECKPOINT)
)


class HistoryWriter:
    """Writes to one history; one writer per history at a time."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store

    def write(
        self,
        records: Sequence[KnownRecord] = (),
        events: Iterable[ReceivedEvent] = (),
        dead_letters: Sequence[DeadLetter] = (),
    ) -> Mapping[str, int]:
        """Write a batch; all of it is on disk when this returns.

        Args:
            records: Records of any kinds, in any order.
            events: Raw events; repeats of the same bytes are dropped.
            dead_letters: What could not be read.

        Returns:
            Table to the number of rows written.

        Raises:
            HistoryError: The store failed; write the same batch again when it is back.
        """
        written: Counter[str] = Counter()
        for table, columns in inserts_of(records, events, dead_letters):
            written[table] += self._store.insert(table, columns)
        return written


def inserts_of(
    records: Sequence[KnownRecord],
    events: Iterable[ReceivedEvent],
    dead_letters: Sequence[DeadLetter],
) -> Iterator[tuple[str, rows.Built]]:
    """Give the inserts of a batch in their order, each for one partition of one table.

    Returns:
        Table and columns; never without rows.
    """
    by_kind: dict[RecordKind, list[KnownRecord]] = defaultdict(list)
    for entry in records:
        by_kind[entry.record.kind].append(entry)
    coups = _by_month(by_kind[RecordKind.COUP], _gaming_month)
    others = _by_month([one for kind in _OTHER_KINDS for one in by_kind[kind]], _gaming_month)
    checkpoints = _by_month(by_kind[RecordKind.CHECKPOINT], _gaming_month)

    if dead_letters:
        yield "dead_letters", rows.dead_letter_columns(dead_letters)
    for received in _events_by_month(_distinct(events)):
        yield "events", rows.event_columns(received)
    for part in coups:
        if any(entry.record.wagers for entry in part):
            yield "wagers", rows.wager_columns(part)
    for part in (*coups, *others):
        if any(entry.record.findings for entry in part):
            yield "findings", rows.finding_columns(part)
    for part in others:
        yield "other_subjects", rows.other_subject_columns(part)
    for part in coups:
        yield "coups", rows.coup_columns(part)
    for part in checkpoints:
        yield "checkpoints", rows.checkpoint_columns(part)


def _by_month(
    entries: Iterable[_Entry], month: Callable[[_Entry], str]
) -> tuple[Sequence[_Entry], ...]:
    """Split entries by partition: an insert into one partition is all or nothing."""
    parts: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        parts[month(entry)].append(entry)
    return tuple(parts.values())


def _events_by_month(events: Sequence[ReceivedEvent]) -> tuple[Sequence[ReceivedEvent], ...]:
    """Split raw events by partition; nearly every batch lies within one month, which is seen by its
    few hours."""
    hours = {one.occurred_at_us // _HOUR_US for one in events}
    if len({_month_of_hour(hour) for hour in hours}) == 1:
        return (events,)
    return _by_month(events, _month_of_event)


def _gaming_month(entry: KnownRecord) -> str:
    return (entry.record.gaming_date or "")[:7]


def _month_of_event(event: ReceivedEvent) -> str:
    return _month_of_hour(event.occurred_at_us // _HOUR_US)


@lru_cache(maxsize=1024)
def _month_of_hour(hour: int) -> str:
    return (_EPOCH + datetime.timedelta(hours=hour)).strftime("%Y-%m")


def _distinct(events: Iterable[ReceivedEvent]) -> Sequence[ReceivedEvent]:
    """Drop repeats of the same bytes under the same sequence; other bytes are kept as evidence."""
    seen: dict[tuple[str, str, int, str], ReceivedEvent] = {}
    for event in events:
        seen.setdefault(event[:4], event)
    return list(seen.values())
