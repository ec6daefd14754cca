"""Folds a closed shoe again when events of it come late, and gives the amended records.

The host amends the shoe in play by itself. Here the events of a feed are taken from the history,
from the checkpoint before the first late one to the end of the shoe behind the last, and folded in
the order of sequence twice, without the late ones and with them, as
:func:`auditors.table.amend` does it for the shoe in play.

A version that comes out of this has the offset of the latest late event, which the host has let
pass without a word, or one that the host has left behind for that subject: never one that the host
may still use, so that no version gets two contents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from auditors.table import Delivered, TableState, absorb, decode_state
from auditors.table.delivery.absorbing import absorb_knowing
from auditors.table.delivery.gate import feed_of
from auditors.table.known.state import HASH_KEPT
from auditors.table.progressive_inputs import Noted, note, say_amended
from schemas.progressive_inputs import CoupOnProgressive, ProgressiveInput
from schemas.records import Record, RecordKind, decode_record
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader
from streams.reconcile.comparing import HistoryComparison, says_the_same
from streams.reconcile.refolding import PassedBy

RecordKey: TypeAlias = tuple[str, str, str]
"""Table, kind and subject."""

_CHECKPOINTS_A_PAGE: Final = 20
_SEQUENCE_END: Final = 1 << 62


class _Span(NamedTuple):
    """Part of a feed that is folded again."""

    start: TableState
    """At the checkpoint before it."""
    first_sequence: int
    end_sequence: int
    """Sequence behind the last event."""


class _Event(NamedTuple):
    """One event of the history."""

    sequence: int
    message: Delivered


class Amended(NamedTuple):
    """A record that late truth changes, and what ledgers are told with it."""

    record: Record
    told: tuple[CoupOnProgressive, ...] = ()
    """Of the same version; tells the coup once more as it is, so a repeat changes nothing."""


class SortedOut(NamedTuple):
    """Messages that the gate let pass, by what they are; plain repeats are left out."""

    late: list[PassedBy]
    conflicts: list[PassedBy]
    open_ones: list[PassedBy]
    """Of which the history knows nothing yet."""


class LateTruth:
    """Finds what late events and forgotten conflicts change, as the history has them now."""

    def __init__(self, reader: HistoryReader, comparison: HistoryComparison) -> None:
        """Look into a history.

        Args:
            reader: The history.
            comparison: Compares with it.
        """
        self._reader, self._comparison = reader, comparison

    def sorted_out(self, passed: Sequence[PassedBy]) -> SortedOut:
        """Say which messages are late, and which contradict an event of the same sequence.

        An old repeat whose hash the fold has forgotten is mostly just that. It is late where the
        history has nothing else of its sequence, and a conflict where it has other bytes before.
        """
        late = [event for event in passed if event.is_late]
        conflicts: list[PassedBy] = []
        open_ones: list[PassedBy] = []
        for event in passed:
            if event.is_late:
                continue
            kept = self._comparison.hashes_of(event.source_id, event.feed_id, [event.sequence])
            pairs = kept.get(event.sequence, [])
            if not pairs:
                open_ones.append(event)
            elif pairs[0] == (event.content_hash, event.offset):
                late.append(event)
            elif pairs[0][0] != event.content_hash:
                conflicts.append(event)
        return SortedOut(late, conflicts, open_ones)

    def conflict_record(self, conflict: PassedBy) -> Record | None:
        """Give the finding about bytes that contradict an event; None where it stands already.

        Its version is that of the message, which the host has let pass.
        """
        first, _ = self._comparison.hashes_of(
            conflict.source_id, conflict.feed_id, [conflict.sequence]
        )[conflict.sequence][0]
        state = _remembering(conflict.state, conflict, first)
        message = Delivered(conflict.offset, conflict.raw)
        held: dict[int, bytes] = {}  # none: what contradicts an event waits for nothing
        absorbed = absorb(state, message, held.__getitem__)
        changed = [
            record
            for record in self._changed(absorbed.records)
            # A later conflict about the same event has been told since.
            if self._comparison.latest_offset(record) < conflict.offset
        ]
        return changed[0] if changed else None

    def amended(
        self, late: Sequence[PassedBy], limit: int, renewed: Set[RecordKey] = frozenset()
    ) -> list[Amended]:
        """Fold the shoes of late events of one feed again, and give what differs from what stands.

        Args:
            late: Messages of one feed.
            limit: Offset below which everything was compared: the host uses none of those any more.
            renewed: Subjects that were just put out as they are without the late events.
        """
        span = self._span(late)
        if span is None:
            return []
        events = self._events(late, span)
        offsets = {event.offset for event in late}
        lates = {event.sequence for event in events if event.message.offset in offsets}
        if not lates:
            return []  # the history does not have them yet
        raws = {event.message.offset: event.message.raw for event in events}
        told = [event for event in events if event.message.offset not in offsets]
        before, said_before = _final_records(span, told, raws.__getitem__)
        after, said_after = _final_records(span, events, raws.__getitem__)
        changed = [record for key, record in after.items() if _differs(before.get(key), record)]
        gone = [
            record.model_copy(update={"findings": ()})
            for key, record in before.items()
            if key not in after and record.findings
        ]
        latest = max(event.offset for event in late)
        told_of = _coups_told(say_amended(said_before, said_after, latest))
        versioned = []
        for record in self._changed([*changed, *gone], renewed):
            # What the host said of the subject after the late event did not know of it either.
            offset = max(latest, self._comparison.latest_offset(record) + 1)
            if offset < limit:  # else the host may still use it: a later round amends
                versioned.append(_amended(record.model_copy(update={"offset": offset}), told_of))
        return versioned

    def _changed(
        self, records: Sequence[Record], renewed: Set[RecordKey] = frozenset()
    ) -> list[Record]:
        changed = []
        for record in records:
            if record.kind is RecordKind.CHECKPOINT:
                continue
            standing = self._comparison.standing(record)
            is_told = standing is not None and says_the_same(standing, record)
            if not is_told or record.key in renewed:
                changed.append(record.model_copy(update={"cause": "amended"}))
        return changed

    def _span(self, late: Sequence[PassedBy]) -> _Span | None:
        """Find the checkpoint before the first late event, and the end behind the last.

        The shoe behind the last one is folded too: it may hold corrections of the one before.
        """
        first = min(event.sequence for event in late)
        last = max(event.sequence for event in late)
        begins: list[int] = []
        source_id, feed_id = late[0].source_id, late[0].feed_id
        for text in self._checkpoints(source_id):
            state = decode_state(text.encode())
            if state.feed is None or state.feed.feed_id != feed_id:
                continue
            passed = state.feed.next_sequence - 1
            if passed < first:
                behind = sorted(begin for begin in begins if begin > last)
                end = behind[1] if len(behind) > 1 else _SEQUENCE_END
                return _Span(state, passed + 1, end)
            begins.append(passed)
        return None

    def _checkpoints(self, source_id: str) -> Iterator[str]:
        """Give the states at the checkpoints of a table, latest first."""
        offset = _SEQUENCE_END
        while True:
            answer = self._reader.query(
                "checkpoints_of_table",
                {"table_id": source_id, "log_offset": offset, "limit": _CHECKPOINTS_A_PAGE},
            )
            rows = answer.dicts()
            for row in rows:
                state = decode_record(as_bytes(row["record_bytes"])).state
                if state is not None:
                    yield state
            if len(rows) < _CHECKPOINTS_A_PAGE or rows[-1]["log_offset"] == 0:
                return
            offset = rows[-1]["log_offset"] - 1

    def _events(self, late: Sequence[PassedBy], span: _Span) -> list[_Event]:
        """Read the events of a span in the order of sequence; of a conflict the first counts."""
        answer = self._reader.query(
            "raw_events",
            {
                "source_id": late[0].source_id,
                "feed_id": late[0].feed_id,
                "first_sequence": span.first_sequence,
                "last_sequence": span.end_sequence - 1,
            },
        )
        events = [
            _Event(row["sequence"], Delivered(row["log_offset"], as_bytes(row["raw_bytes"])))
            for row in answer.dicts()
        ]
        return sorted(events, key=lambda one: (one.sequence, one.message.offset))


def _final_records(
    span: _Span, events: Sequence[_Event], read_again: Callable[[int], bytes]
) -> tuple[dict[RecordKey, Record], Noted]:
    """Fold events in the order of sequence; what is missing between them is known to be.

    Returns:
        The last record of each subject, and the last word to ledgers on each coup.
    """
    assert span.start.feed is not None, "a span begins in a feed"
    lost = {span.start.feed.feed_id: _missing(span.first_sequence, events)}
    state = span.start
    records: dict[RecordKey, Record] = {}
    said: Noted = {}
    for event in events:
        absorbed = absorb_knowing(state, event.message, read_again, lost)
        state = absorbed.state
        records.update((record.key, record) for record in absorbed.records)
        note(said, absorbed.inputs)
    return records, said


def _coups_told(told: Iterable[ProgressiveInput]) -> dict[str, list[CoupOnProgressive]]:
    """Sort what ledgers are told by coup; how a table was linked in a closed shoe is past."""
    of_coups: dict[str, list[CoupOnProgressive]] = defaultdict(list)
    for statement in told:
        if isinstance(statement, CoupOnProgressive):
            of_coups[statement.coup_id].append(statement)
    return of_coups


def _amended(record: Record, told_of: Mapping[str, list[CoupOnProgressive]]) -> Amended:
    told = told_of.get(record.subject, []) if record.kind is RecordKind.COUP else []
    version = {"version": record.version}
    return Amended(record, tuple(statement.model_copy(update=version) for statement in told))


def _missing(first: int, events: Sequence[_Event]) -> tuple[tuple[int, int], ...]:
    """Give the stretches of sequences that no event has."""
    missing = []
    for event in events:
        if event.sequence > first:
            missing.append((first, event.sequence - 1))
        first = max(first, event.sequence + 1)
    return tuple(missing)


def _differs(before: Record | None, after: Record) -> bool:
    return before is None or not says_the_same(before, after)


def _remembering(state: TableState, passed: PassedBy, first_hash: str) -> TableState:
    """Give a state whose feed stands right behind an event and remembers its hash."""
    feed, _ = feed_of(state, passed.feed_id)
    behind = replace(
        feed,
        next_sequence=passed.sequence + 1,
        hashes=first_hash[:HASH_KEPT],
        held=(),
        gaps=(),
    )
    return replace(state, feed=behind, incoming=None)
