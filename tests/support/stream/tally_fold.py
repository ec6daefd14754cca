"""A fold so small that its every state can be checked by hand, with all that a host must bear.

A message is ``SEQUENCE WORD``: ``3 shoe`` begins a shoe, ``4 bad`` is an event that cannot be used,
``5 boom`` makes the fold fail, any other word is added to the tally. Other bytes are no event. More
than :data:`HELD_MAX` held messages declare what is missing a gap.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple, cast

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, RecordKind, decode_record, encode_record
from streams.host.ports import Folded, LogEntry

HELD_MAX = 3


class TallyReason(NamedTuple):
    """Why bytes are no message."""

    reason: str
    message: str


class TallyFolded(NamedTuple):
    """What one message gave."""

    state: TallyState
    records: tuple[Record, ...] = ()
    inputs: tuple[ProgressiveInput, ...] = ()
    dead_letter: TallyReason | None = None
    amend_from: int | None = None
    is_valid: bool = True


@dataclass(frozen=True)
class TallyState:
    """Words so far, in the order of the sequence."""

    source_id: str
    next_sequence: int = 1
    words: tuple[str, ...] = ()
    held: tuple[tuple[int, int], ...] = ()
    """Sequence and offset."""
    missing: tuple[int, ...] = ()
    shoe_offset: int | None = None
    checkpoint: str | None = None


@dataclass
class TallyFold:
    """The fold; it remembers what it had to read again."""

    audit_epoch: int = 1
    state_format: int = 1
    read_again_offsets: list[int] = field(default_factory=list)

    def new_state(self, source_id: str) -> object:
        """Begin with no words."""
        return TallyState(source_id)

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        before = cast(TallyState, state)
        parsed = _parse(entry.raw)
        if parsed is None:
            reason = TallyReason("not_a_tally", f"{len(entry.raw)} bytes are no message")
            return TallyFolded(before, dead_letter=reason, is_valid=False)
        sequence, word = parsed
        if sequence in before.missing and before.shoe_offset is not None:
            return TallyFolded(before, amend_from=before.shoe_offset)
        if sequence < before.next_sequence or any(sequence == one for one, _ in before.held):
            return TallyFolded(before)
        tally = _Tally(self, before, entry.offset, read_again)
        tally.hold(sequence, entry.offset, entry.raw)
        return TallyFolded(tally.state, tuple(tally.records.values()), is_valid=word != "bad")

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Fold the shoe again in sequence order and put out all of it."""
        before = cast(TallyState, state)
        assert before.checkpoint is not None
        start = replace(self._decoded(before.checkpoint), checkpoint=before.checkpoint)
        amended, records = cast(object, start), dict[tuple[str, str, str], Record]()
        ordered = sorted(entries, key=lambda one: (_parse(one.raw) or (0, ""))[0])
        for entry in ordered:
            folded = self.absorb(amended, entry, read_again)
            amended = folded.state
            records.update((record.key, record) for record in folded.records)
        stamp = {"offset": entries[-1].offset, "cause": "amended"}
        return TallyFolded(
            cast(TallyState, amended),
            tuple(one.model_copy(update=stamp) for one in records.values()),
        )

    def encode_state(self, state: object) -> bytes:
        """Give the state as JSON."""
        return json.dumps(asdict(cast(TallyState, state))).encode()

    def decode_state(self, raw: bytes, audit_epoch: int) -> object:
        """Read it back; a state of a lower epoch says so in its words."""
        state = self._decoded(raw.decode())
        if audit_epoch < self.audit_epoch:
            return replace(state, words=(*state.words, f"upcast-from-{audit_epoch}"))
        return state

    @staticmethod
    def _decoded(text: str) -> TallyState:
        content = json.loads(text)
        for name in ("words", "missing"):
            content[name] = tuple(content[name])
        content["held"] = tuple((sequence, offset) for sequence, offset in content["held"])
        return TallyState(**content)


class _Tally:
    """One message on its way."""

    def __init__(
        self, fold: TallyFold, state: TallyState, offset: int, read_again: Callable[[int], bytes]
    ) -> None:
        self.state, self.offset, self.read_again = state, offset, read_again
        self.fold = fold
        self.records: dict[str, Record] = {}

    def hold(self, sequence: int, offset: int, raw: bytes) -> None:
        held = tuple(sorted((*self.state.held, (sequence, offset))))
        self.state = replace(self.state, held=held)
        self._drain({offset: raw})
        if len(self.state.held) > HELD_MAX:
            first = self.state.held[0][0]
            gap = tuple(range(self.state.next_sequence, first))
            missing = (*self.state.missing, *gap)
            self.state = replace(self.state, missing=missing, next_sequence=first)
            self._put_out(RecordKind.FEED, f"GAP/{gap[0]}", f"{len(gap)} missing")
            self._drain({offset: raw})

    def _drain(self, at_hand: dict[int, bytes]) -> None:
        while self.state.held and self.state.held[0][0] == self.state.next_sequence:
            (sequence, offset), *rest = self.state.held
            if offset not in at_hand:
                at_hand[offset] = self.read_again(offset)
                self.fold.read_again_offsets.append(offset)
            parsed = _parse(at_hand[offset])
            assert parsed is not None
            self.state = replace(self.state, held=tuple(rest), next_sequence=sequence + 1)
            self._fold(sequence, parsed[1], offset)

    def _fold(self, sequence: int, word: str, own_offset: int) -> None:
        if word == "boom":
            raise ZeroDivisionError("boom")
        self.state = replace(self.state, words=(*self.state.words, word)[-50:])
        if word == "shoe":
            bare = replace(self.state, checkpoint=None, shoe_offset=own_offset)
            text = json.dumps(asdict(bare))
            self.state = replace(self.state, checkpoint=text, shoe_offset=own_offset)
        self._put_out(RecordKind.TABLE, f"TALLY/{sequence // 4}", " ".join(self.state.words[-4:]))

    def _put_out(self, kind: RecordKind, subject: str, text: str) -> None:
        self.records[subject] = Record.model_construct(
            kind=kind,
            table_id=self.state.source_id,
            feed_id="feed",
            subject=subject,
            shoe_id=None,
            gaming_date=None,
            currency="USD",
            rules_version=text,
            audit_epoch=self.fold.audit_epoch,
            offset=self.offset,
            cause="event",
            occurred_at_us=0,
            is_simulated=True,
        )


def _parse(raw: bytes) -> tuple[int, str] | None:
    number, _, word = raw.partition(b" ")
    return (int(number), word.decode()) if number.isdigit() and word.isalnum() else None


def same_after_reading(record: Record) -> bool:
    """Whether a record survives being written and read."""
    return decode_record(encode_record(record)) == record
