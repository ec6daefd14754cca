"""Folding lines of files into records: one state per source, late truth amended as in a host.

The offset of a line is its number over all files, so that several files are one log. Memory holds
the states and where the lines of the shoes in play stand, not the lines.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import orjson

from auditors.table import (
    Absorbed,
    DeadReason,
    Delivered,
    TableState,
    absorb,
    amend,
    give_up,
    new_state,
)
from schemas.events.fields import SEQUENCE_MAX
from schemas.findings import Finding
from schemas.records import Record
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.host.ledgers_in_memory import LedgerFolds

LINES_KEPT_MAX: Final = 50_000
"""Lines of one shoe that can be folded again; late truth of a longer one stays out."""

_ENVELOPE: Final = re.compile(
    rb'\{"type":"[a-z_]{1,64}","schema_version":[0-9]{1,4},"source_id":"([A-Za-z0-9._-]{1,64})",'
    rb'"feed_id":"[A-Za-z0-9._-]{1,64}","sequence":([0-9]{1,15}),'
)
_ENVELOPE_WITHIN: Final = 512
_PLACES_KEPT: Final = 1024
"""Places of the latest lines that are kept where a shoe is too long."""


class FoldedLine(NamedTuple):
    """What one line led to."""

    offset: int
    source_id: str | None
    """None where nobody can tell who spoke."""
    records: tuple[Record, ...] = ()
    dead: DeadReason | None = None
    """The line has no readable envelope; nothing was folded."""
    is_late: bool = False
    """Lines that had waited were folded with this one, or the shoe was folded again."""
    ledger_records: tuple[Record, ...] = ()
    """What came of it in the ledgers of progressives."""


class SourceFold:
    """One source: its state, and where the lines of its shoe in play stand."""

    def __init__(self, source_id: str, read_at: Callable[[int], bytes]) -> None:
        """Begin with nothing heard.

        Args:
            source_id: The source.
            read_at: Gives the bytes of a line by its position.
        """
        self.state: TableState = new_state(source_id)
        self._read_at = read_at
        self._offsets = array("Q")
        self._positions = array("Q")
        self._sequences = array("Q")
        self._is_whole = True
        """Every line of the shoe in play is known, so that it can be folded again."""

    @property
    def held_count(self) -> int:
        """Lines that wait for others before them."""
        feed, incoming = self.state.feed, self.state.incoming
        count = len(feed.held) if feed is not None else 0
        return count if incoming is None else count + len(incoming.held)

    def take(self, offset: int, position: int, said: Said) -> Absorbed:
        """Fold one line, amending the shoe in play where it is late truth about it."""
        raw = said.raw
        # Noted first: a line that ends the waiting for a gap is held, and read again at once.
        self.remember(offset, position, said)
        absorbed = absorb(self.state, Delivered(offset, raw), self._read_again)
        if absorbed.dead_letter is not None:
            del self._offsets[-1], self._positions[-1], self._sequences[-1]
            return absorbed
        if absorbed.amend_from is not None and self._is_whole:
            absorbed = amend(self.state, self._since(absorbed.amend_from, raw), self._read_again)
        self.state = absorbed.state
        self._forget()
        return absorbed

    def remember(self, offset: int, position: int, said: Said | None) -> None:
        """Note where a line stands, also one that was folded before this fold began."""
        self._offsets.append(offset)
        self._positions.append(position)
        self._sequences.append(said.sequence if said is not None else 0)

    def _read_again(self, offset: int) -> bytes:
        return self._read_at(self._positions[bisect_left(self._offsets, offset)])

    def offset_of(self, sequence: int) -> int | None:
        """Give the offset of the latest line with a sequence, as far as lines are remembered."""
        for at in range(len(self._sequences) - 1, -1, -1):
            if self._sequences[at] == sequence:
                return self._offsets[at]
        return None

    def _since(self, first: int, late: bytes) -> list[Delivered]:
        start = bisect_left(self._offsets, first)
        known = [Delivered(offset, self._read_again(offset)) for offset in self._offsets[start:-1]]
        return [*known, Delivered(self._offsets[-1], late)]

    def _forget(self) -> None:
        """Drop the places of lines that nobody will ask for again."""
        shoe = self.state.shoe
        if shoe is None or self.state.checkpoint is None:
            self._keep_latest(_PLACES_KEPT)
        elif self._offsets[0] < (first := self._first_needed(shoe.first_offset)):
            self._keep_latest(len(self._offsets) - bisect_left(self._offsets, first))
            self._is_whole = True
        elif len(self._offsets) > LINES_KEPT_MAX:
            self._keep_latest(_PLACES_KEPT)
            self._is_whole = False

    def _first_needed(self, shoe_offset: int) -> int:
        feeds = (self.state.feed, self.state.incoming)
        held = [message.offset for feed in feeds if feed is not None for message in feed.held]
        return min([shoe_offset, *held])

    def _keep_latest(self, count: int) -> None:
        if len(self._offsets) > count:
            del self._offsets[:-count], self._positions[:-count], self._sequences[:-count]

    def give_up_waiting(self, offset: int) -> Iterator[Absorbed]:
        """Take what is still missing for lost, because nothing more will come."""
        for feed in (self.state.feed, self.state.incoming):
            if feed is not None and feed.held:
                absorbed = give_up(self.state, feed.feed_id, offset, self._read_again)
                self.state = absorbed.state
                yield absorbed


class EventFolder:
    """Folds the lines of files of events, in the order in which they stand."""

    def __init__(self, read_at: Callable[[int], bytes]) -> None:
        """Begin with no source.

        Args:
            read_at: Gives the bytes of a line by its position.
        """
        self._read_at = read_at
        self._offset = 0
        self.sources: dict[str, SourceFold] = {}
        """By source, in the order in which they first spoke."""
        self.ledgers = LedgerFolds()
        """The progressives that they tell something."""

    def take(self, offset: int, position: int, raw: bytes) -> FoldedLine:
        """Fold one line.

        Args:
            offset: Its number over all files; higher than the one before.
            position: By which it is read again.
            raw: Its bytes, without the line end.
        """
        self._offset = offset
        said = who_says(raw)
        if said is None:
            return FoldedLine(offset, None, (), _dead_reason(raw))
        source = self.sources.get(said.source_id)
        if source is None:
            source = SourceFold(said.source_id, self._read_at)
        held = source.held_count
        absorbed = source.take(offset, position, said)
        if absorbed.dead_letter is not None:
            return FoldedLine(offset, said.source_id, (), absorbed.dead_letter)
        self.sources.setdefault(said.source_id, source)
        is_late = source.held_count < held or any(
            record.cause == "amended" for record in absorbed.records
        )
        of_ledgers = self.ledgers.take(absorbed.inputs) if absorbed.inputs else ()
        return FoldedLine(offset, said.source_id, absorbed.records, None, is_late, of_ledgers)

    def deciding_offset_of_ledger(self, folded: FoldedLine, finding: Finding) -> int:
        """Give the offset of the event that decided a finding about a progressive."""
        source = self.sources.get(finding.source or "")
        if source is None or not finding.evidence:
            return folded.offset
        known = source.offset_of(finding.evidence[-1])
        return folded.offset if known is None else known

    def deciding_offset(self, folded: FoldedLine, finding: Finding) -> int:
        """Give the offset of the event that decided a finding of a line's records."""
        if not folded.is_late or not finding.evidence or folded.source_id is None:
            return folded.offset
        known = self.sources[folded.source_id].offset_of(finding.evidence[-1])
        return folded.offset if known is None else known

    def finish(self) -> Iterator[FoldedLine]:
        """Fold what still waits for lines that never came."""
        for source_id, source in self.sources.items():
            for absorbed in source.give_up_waiting(self._offset):
                of_ledgers = self.ledgers.take(absorbed.inputs)
                yield FoldedLine(self._offset, source_id, absorbed.records, None, True, of_ledgers)


class Said(NamedTuple):
    """The source, the number and the bytes of a line."""

    source_id: str
    sequence: int
    """0 where it cannot be read."""
    raw: bytes


def who_says(raw: bytes) -> Said | None:
    """Say who speaks in a line, as far as can be read; None where it cannot."""
    # An envelope as the vectors write it; inside a text its quotes would be escaped.
    written = _ENVELOPE.match(raw, 0, _ENVELOPE_WITHIN)
    if written is not None:
        return Said(written[1].decode("ascii"), int(written[2]), raw)
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    source_id = document.get("source_id") if isinstance(document, dict) else None
    if not isinstance(source_id, str):
        return None
    sequence = document.get("sequence")
    is_number = type(sequence) is int and 0 <= sequence <= SEQUENCE_MAX
    return Said(source_id, sequence if is_number else 0, raw)


def _dead_reason(raw: bytes) -> DeadReason:
    try:
        parse_event(raw)
    except UnreadableEventError as error:
        return DeadReason(error.reason.value, str(error))
    raise AssertionError("an event that can be read names its source")
