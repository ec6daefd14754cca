"""Writes records, events and dead letters into the history in bulk, in an order that reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from streams.history.store import HistoryStore
from streams.history.writing.entries import (
    DeadLetter,
    KnownRecord,
    ReceivedEvent,
    ReceivedEvents,
    told,
)
from streams.history.writing.row_batch import RowBatch

_TOGETHER: Final = 64
"""Records whose rows are made together: more would be out of the processor's reach by then."""


class HistoryWriter:
    """Writes to one history; one writer per history at a time."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store

    def write(
        self,
        records: Iterable[KnownRecord] = (),
        events: Iterable[ReceivedEvent] | ReceivedEvents = (),
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
        return self.write_rows(batch_of(records, events, dead_letters))

    def write_rows(self, batch: RowBatch) -> Mapping[str, int]:
        """Write rows that were made already; likewise."""
        written: Counter[str] = Counter()
        for table, columns in batch.inserts():
            written[table] += self._store.insert(table, columns)
        return written


def batch_of(
    records: Iterable[KnownRecord],
    events: Iterable[ReceivedEvent] | ReceivedEvents,
    dead_letters: Sequence[DeadLetter],
) -> RowBatch:
    """Make the rows of a batch."""
    batch = RowBatch()
    batch.add_letters(dead_letters)
    batch.add_events(events if isinstance(events, ReceivedEvents) else ReceivedEvents.of(events))
    waiting = iter(records)
    while some := [*islice(waiting, _TOGETHER)]:
        batch.add_records(map(told, some))
    return batch
