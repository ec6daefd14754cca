"""Replays a coup, a shoe or a shift, message by message from the checkpoint before it.

The same fold, from a state that was kept, over the bytes that were received: the records that come
out must be those that stand. Their digests are compared, subject by subject.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from auditors.table import Delivered, TableState, decode_state, new_state
from schemas.events.union import AnyEvent
from schemas.findings import Finding
from schemas.records import Record, RecordKind, encode_record
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.host.event_folding import SourceFold, who_says
from streams.replaying.sources import CoupPlace, RecordSource

EVENTS_BEHIND: Final = 2_000
"""Events behind an amended coup that are folded too, as they may close or correct it."""

_OF_SHOES: Final = "shoe_loaded/"


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One message, and what the fold made of it."""

    offset: int
    event: AnyEvent | None
    """None where it cannot be read, or where nothing came and the waiting ended."""
    problem: str
    """Why it cannot be read."""
    before: TableState
    after: TableState
    decided: tuple[Finding, ...]
    """Findings that are new, or say something new."""
    withdrawn: tuple[Finding, ...]
    """Findings that no longer stand."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One subject: what came out of the replay, and what stands."""

    kind: str
    subject: str
    replayed: Record | None
    stored: Record | None

    @property
    def is_identical(self) -> bool:
        """Whether both say the same."""
        if self.replayed is None or self.stored is None:
            return False
        return content_of(self.replayed) == content_of(self.stored)


@dataclass(slots=True)
class Replay:
    """A replay of coups of one table that follow each other."""

    source: RecordSource
    coups: Sequence[CoupPlace]
    """At least one, in their order."""
    is_whole: bool = False
    """Everything that the range says is compared, not only the coups."""
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    """Kind and subject to the last record that came out."""
    started_at: str = ""
    """The checkpoint from which it was folded, for people."""
    _start_offset: int = -1
    _end_offset: int = field(init=False)

    def __post_init__(self) -> None:
        self._end_offset = max(coup.offset for coup in self.coups)
        if self.is_whole:
            shoes = {coup.shoe_id for coup in self.coups if coup.shoe_id is not None}
            for shoe_id in shoes:
                record = self.source.record_of(self.table_id, RecordKind.SHOE.value, shoe_id)
                if record is not None:
                    self._end_offset = max(self._end_offset, record.offset)

    @property
    def table_id(self) -> str:
        """The table."""
        return self.coups[0].table_id

    @property
    def is_amended(self) -> bool:
        """Whether late truth changed it, so that it is told in the order of the numbering."""
        return any(coup.is_amended for coup in self.coups)

    def steps(self) -> Iterator[ReplayStep]:
        """Fold from the checkpoint to the end, step by step, what lies before the coups too."""
        start = self._start()
        raws: dict[int, bytes] = {}
        fold = SourceFold(self.table_id, raws.__getitem__)
        fold.state = start
        for message in self._messages(start):
            raws[message.offset] = message.raw
            said = who_says(message.raw)
            if message.offset <= self._start_offset:
                fold.remember(message.offset, message.offset, said)
            elif said is not None:
                before = fold.state
                absorbed = fold.take(message.offset, message.offset, said)
                yield self._step(message, (before, fold.state), absorbed.records)
        if fold.held_count and self._end_offset == self.source.last_offset:
            before = fold.state
            given_up = fold.give_up_waiting(self._end_offset)
            records = [record for absorbed in given_up for record in absorbed.records]
            yield self._step(Delivered(self._end_offset, b""), (before, fold.state), records)

    def _start(self) -> TableState:
        """Find the latest checkpoint before the first coup, or begin with nothing heard."""
        for record in self.source.checkpoints(self.table_id, self.coups[0].offset):
            if record.state is None or record.occurred_at_us > self.coups[0].began_at_us:
                continue
            state = decode_state(record.state.encode())
            if not self._is_before(state):
                continue
            self.started_at = record.subject
            self._start_offset = record.offset
            if record.subject.startswith(_OF_SHOES):
                return replace(state, checkpoint=record.state)
            return state
        self.started_at = "the first event that is kept"
        self._start_offset = -1
        return new_state(self.table_id)

    def _is_before(self, state: TableState) -> bool:
        first, feed = self.coups[0], state.feed
        if feed is None or first.coup_id in {coup.coup_id for coup in state.coups}:
            return False
        return feed.feed_id != first.feed_id or feed.next_sequence <= first.first_sequence

    def _messages(self, start: TableState) -> Iterator[Delivered]:
        if self.is_amended:
            return self._in_sequence(start)
        feeds = (start.feed, start.incoming)
        needed = [message.offset for feed in feeds if feed is not None for message in feed.held]
        if start.shoe is not None and start.checkpoint is not None:
            needed.append(start.shoe.first_offset)
        first = max(0, min([self._start_offset, *needed]))
        return self.source.messages(self.table_id, first, self._end_offset)

    def _in_sequence(self, start: TableState) -> Iterator[Delivered]:
        """Give the messages in the order of their numbers, as amending folds them."""
        feed = start.feed
        next_sequence = feed.next_sequence if feed is not None else 1
        last = self.coups[-1].last_sequence + EVENTS_BEHIND
        placed = []
        first = max(0, self._start_offset)
        for message in self.source.messages(self.table_id, first, self._end_offset):
            said = who_says(message.raw)
            if said is not None and next_sequence <= said.sequence <= last:
                placed.append((said.sequence, message.offset, message.raw))
        for number, (_, _, raw) in enumerate(sorted(placed), start=1):
            yield Delivered(self._start_offset + number, raw)

    def _step(
        self,
        message: Delivered,
        states: tuple[TableState, TableState],
        records: Iterable[Record],
    ) -> ReplayStep:
        event, problem = None, ""
        if message.raw:
            try:
                event = parse_event(message.raw)
            except UnreadableEventError as error:
                problem = str(error)
        decided: list[Finding] = []
        withdrawn: list[Finding] = []
        for record in records:
            if record.kind is RecordKind.CHECKPOINT:
                continue
            key = (record.kind.value, record.subject)
            known = self.records.get(key)
            earlier = (
                {finding.id: finding for finding in known.findings} if known is not None else {}
            )
            decided += [
                finding for finding in record.findings if earlier.pop(finding.id, None) != finding
            ]
            withdrawn += earlier.values()
            self.records[key] = record
        return ReplayStep(message.offset, event, problem, *states, tuple(decided), tuple(withdrawn))

    def comparison(self) -> tuple[Compared, ...]:
        """Compare what came out with what stands, once all steps were taken."""
        keys = [(RecordKind.COUP.value, coup.coup_id) for coup in self.coups]
        if self.is_whole:
            shoes = dict.fromkeys(coup.shoe_id for coup in self.coups if coup.shoe_id is not None)
            keys += [(RecordKind.SHOE.value, shoe_id) for shoe_id in shoes]
            keys += [] if self.is_amended else self._others(set(keys))
        found = [self._compared(*key) for key in keys]
        # Of a shoe that is still dealt nothing may have been said yet, here and there.
        return tuple(coup for coup in found if coup.replayed is not None or coup.stored is not None)

    def _others(self, keys: set[tuple[str, str]]) -> list[tuple[str, str]]:
        """Name what else the range says: matters of feed and table that it decides itself."""
        kinds = (RecordKind.FEED.value, RecordKind.TABLE.value)
        stored = self.source.records_between(
            self.table_id, self._start_offset + 1, self._end_offset
        )
        found = {(record.kind.value, record.subject) for record in stored}
        for key in self.records.keys() - found:
            # A later message said it again: that one is not of this range.
            known = self.source.record_of(self.table_id, *key)
            if known is None or known.offset <= self._end_offset:
                found.add(key)
        return sorted(key for key in found - keys if key[0] in kinds)

    def _compared(self, kind: str, subject: str) -> Compared:
        stored = self.source.record_of(self.table_id, kind, subject)
        return Compared(kind, subject, self.records.get((kind, subject)), stored)


def content_of(record: Record) -> bytes:
    """Give what a record says, apart from which message and epoch put it out and why."""
    bare = record.model_copy(update={"offset": 0, "cause": "event", "audit_epoch": 0})
    return encode_record(bare)


def digest_of(records: Iterable[Record | None]) -> str:
    """Digest what records say, in the order of their subjects: SHA-256, 64 hexadecimal digits."""
    known = sorted((record for record in records if record is not None), key=lambda one: one.key)
    digest = hashlib.sha256()
    for record in known:
        raw = content_of(record)
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.hexdigest()
