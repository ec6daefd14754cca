"""Checks of numbering, hash chain and clock of a feed; gives its events in their order.

Events that stand ahead of others are held, as the pipeline holds them, so that everything else
can be judged in the order of the numbering.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import orjson

from auditors.table.known.state import HELD_MAX, HELD_US_MAX
from schemas.events import GENESIS_HASH, Envelope
from schemas.events.union import AnyEvent
from schemas.wire import chain_hash
from streams.conformance.problems import Level, Rule, Said

_RECENT_MAX: Final = 1024
"""Latest events of a feed whose repetition is told from a conflict."""

_GAPS_MAX: Final = 256
_LINE_ENDS: Final = (b"\n", b"\r\n", b"\r")


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event of a file with its line."""

    line: int
    raw: bytes
    envelope: Envelope
    occurred_at_us: int
    event: AnyEvent | None
    """None where only the envelope can be read."""
    tag: str | None = None


@dataclass(slots=True)
class FeedOrder:
    """One feed: what came, in which order, and with which links."""

    is_first: bool = True
    """No other feed of the source came before it."""
    next_sequence: int = 1
    first_sequence: int | None = None
    last_sequence: int = 0
    event_count: int = 0
    missing_count: int = 0
    last: Arrived | None = None
    """The event before the next; None at the beginning and behind a gap."""
    _held: dict[int, Arrived] = field(default_factory=dict)
    _recent: OrderedDict[int, bytes] = field(default_factory=OrderedDict)
    _gaps: list[tuple[int, int]] = field(default_factory=list)

    def place(self, arrived: Arrived) -> Said | None:
        """Put an event in its place in the numbering; say what is wrong with the place."""
        sequence = arrived.envelope.sequence
        digest = hashlib.sha256(arrived.raw).digest()
        known = self._recent.get(sequence)
        if known is not None:
            return self._repeated(arrived, known == digest)
        self._remember(sequence, digest)
        if sequence < self.next_sequence:
            return self._too_late(sequence)
        self.event_count += 1
        overtaken = [held for held in self._held if held > sequence]
        self._held[sequence] = arrived
        if not overtaken:
            return None
        first = self._held[min(overtaken)]
        return Said(
            Rule.ORDER,
            f"event {sequence} stands after event {first.envelope.sequence} (line {first.line})",
            "send in the order of the numbering",
        )

    def _remember(self, sequence: int, digest: bytes) -> None:
        self._recent[sequence] = digest
        if len(self._recent) > _RECENT_MAX:
            self._recent.popitem(last=False)

    def _repeated(self, arrived: Arrived, is_same: bool) -> Said:
        sequence = arrived.envelope.sequence
        if is_same:
            return Said(
                Rule.SENT_AGAIN,
                f"event {sequence} came again with the same bytes",
                "nothing to mend: sending again is always safe",
                Level.HINT,
                once="sent_again",
            )
        advice = "never use a number twice; what was wrong is put right by a new event"
        if sequence == 1:
            advice = "a device whose spool is new or lost makes a new random feed_id"
        return Said(Rule.CONFLICT, f"event {sequence} came again with other bytes", advice)

    def _too_late(self, sequence: int) -> Said:
        if any(first <= sequence <= last for first, last in self._gaps):
            self.missing_count -= 1
            self.event_count += 1
            return Said(
                Rule.ORDER,
                f"event {sequence} came after it had been given up",
                f"send in the order of the numbering: an event waits for at most {HELD_MAX} "
                f"others, or {HELD_US_MAX // 1_000_000} s",
            )
        return Said(
            Rule.SENT_AGAIN,
            f"event {sequence} is far behind the numbering, which stands at {self.next_sequence}",
            "send in the order of the numbering; a new or lost spool begins a new feed",
        )

    def ready(self, *, is_end: bool = False) -> Iterator[tuple[Arrived, Said | None]]:
        """Give the events whose turn has come, each with the gap before it where there is one.

        Args:
            is_end: Nothing more will come, so nothing waits any longer.
        """
        while self._held:
            first = min(self._held)
            gap = None
            if first != self.next_sequence:
                if not is_end and not self._waits_too_long():
                    return
                gap = self._give_up(first)
            arrived = self._held.pop(first)
            if self.first_sequence is None:
                self.first_sequence = first
            yield arrived, gap
            self.next_sequence, self.last_sequence = first + 1, first
            self.last = arrived

    def _waits_too_long(self) -> bool:
        times = [held.occurred_at_us for held in self._held.values()]
        return len(times) > HELD_MAX or max(times) - min(times) > HELD_US_MAX

    def _give_up(self, first: int) -> Said:
        missing = (self.next_sequence, first - 1)
        count = first - self.next_sequence
        self.missing_count += count
        self._gaps = [*self._gaps, missing][-_GAPS_MAX:]
        is_beginning = self.last is None and self.first_sequence is None
        self.last = None
        named = (
            f"event {missing[0]} is" if count == 1 else f"events {missing[0]} to {first - 1} are"
        )
        if is_beginning:
            return Said(
                Rule.GAP,
                f"the feed begins here with event {first}; {named} not in the file",
                "give the whole feed, from event 1 on"
                if self.is_first
                else "begin a new feed_id with feed_started as event 1; keep the old one as long "
                "as the numbering goes on",
            )
        return Said(
            Rule.GAP,
            f"{named} missing before this one",
            "send the missing events from the spool; a number is never left out",
        )


def chain_problem(order: FeedOrder, arrived: Arrived) -> Said | None:
    """Compare a link with the bytes of the event before, and say which bytes were hashed instead.

    Args:
        order: The feed, as it stood before this event.
        arrived: The event whose turn it is.
    """
    sequence, claimed = arrived.envelope.sequence, arrived.envelope.previous_hash
    last = order.last
    if sequence == 1:
        if claimed == GENESIS_HASH:
            return None
        return Said(
            Rule.CHAIN, "event 1 names a hash of an event before it", "write 64 zeros in event 1"
        )
    if last is None or (right := chain_hash(last.raw)) == claimed:
        return None
    before = f"event {sequence - 1} (line {last.line})"
    return Said(
        Rule.CHAIN,
        f"previous_hash {claimed[:12]}… is not the hash of {before}, which is {right[:12]}…",
        _hashed_instead(claimed, last, before),
    )


def _hashed_instead(claimed: str, last: Arrived, before: str) -> str:
    if claimed == GENESIS_HASH:
        return f"only event 1 has 64 zeros; write the SHA-256 of the bytes of {before}"
    if any(claimed == chain_hash(last.raw + end) for end in _LINE_ENDS):
        return "it is the hash of those bytes with their line end; leave the line end out"
    if claimed == last.envelope.previous_hash:
        return f"it is the hash of the event before that; hash {before}"
    if claimed in _rewritten(last.raw):
        return "it is the hash of the same object written again; hash the bytes as they were sent"
    if last.event is None:
        return "a refused event keeps its number and its bytes; hash those bytes as they were"
    return "hash the exact bytes as they were sent, and never change them afterwards"


def _rewritten(raw: bytes) -> set[str]:
    """Hash the object as other writers of JSON would have written it."""
    document = orjson.loads(raw)
    in_order = dict(sorted(document.items()))
    options = (0, orjson.OPT_SORT_KEYS, orjson.OPT_INDENT_2)
    written = [orjson.dumps(document, option=option) for option in options]
    spaced = orjson.dumps(document).replace(b'":', b'": ').replace(b',"', b', "')
    ascii_only = [json.dumps(document), json.dumps(document, separators=(",", ":"))]
    other = [spaced, orjson.dumps(in_order), *(part.encode() for part in ascii_only)]
    return {chain_hash(form) for form in (*written, *other)}
