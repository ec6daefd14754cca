"""Faults of the feed: lost, doubled, forged, late, unreadable."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import orjson

from schemas.events import (
    Capability,
    Heartbeat,
)
from schemas.events.fields import format_instant
from schemas.findings import FindingCode as Code
from schemas.wire import chain_hash, encode_event
from streams.simulator.feed import SECOND, Draft, Message, instant
from streams.simulator.tables.faults import Fault, Plant
from streams.simulator.tables.opening import new_feed_drafts

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_COPIES: Final = 139
_SPARE: Final = 20
"""Cards before the cover card from which on the shoe is taken to end soon."""


class FeedFault(Fault):
    """A fault in what is delivered of one coup."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Note the coup, whose messages come next."""
        self.has_begun = True
        self._plan = plan

    def messages(self, table: PlayingTable, messages: list[Message]) -> None:
        """Edit the messages of the coup, once they are written."""
        if self.has_begun and not self.is_done and self.deliver(table, messages):
            self.finish()

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Edit what is delivered; False where nothing there lends itself."""
        return False


def place_of(messages: list[Message], tag: str, *needles: str) -> int | None:
    """Find the first message of a type that holds certain texts."""
    start = f'{{"type":"{tag}"'.encode()
    for number, message in enumerate(messages):
        if message.raw.startswith(start) and all(
            needle.encode() in message.raw for needle in needles
        ):
            return number
    return None


class HeartbeatLost(FeedFault):
    """One heartbeat never arrives."""

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Lose it."""
        place = place_of(messages, "heartbeat")
        if place is None:
            return False
        del messages[place]
        self.tell(table, Code.SEQUENCE_GAP, plan=self._plan, note="a heartbeat was lost")
        return True


class CardLost(FeedFault):
    """The sixth card of a coup never arrives (B31)."""

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have a coup with third cards."""
        plan.condition = lambda coup: len(coup.player) + len(coup.banker) == 6

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Lose the Banker's third card."""
        place = place_of(messages, "card_dealt", '"hand":"banker","position":3')
        if place is None:
            return False
        del messages[place]
        self.tell(table, Code.SEQUENCE_GAP, plan=self._plan, note="the sixth card was lost")
        return True


class SequenceConflict(FeedFault):
    """A number is used again for other bytes."""

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Say a wager again, with one more minor unit."""
        place = place_of(messages, "wager_placed")
        if place is None:
            return False
        document = orjson.loads(messages[place].raw)
        document["stake_minor"] = document.get("stake_minor", 0) + 100
        messages.insert(place + 1, Message(messages[place].at_us, orjson.dumps(document)))
        self.tell(
            table, Code.SEQUENCE_CONFLICT, plan=self._plan, note=f"event {document['sequence']}"
        )
        return True


class ChainBroken(Fault):
    """An event names another hash than that of the event before it."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Forget the hash before the coup's first event."""
        table.writer.previous_hash = "f" * 64
        self.tell(table, Code.CHAIN_BROKEN, plan=plan, note=f"event {table.writer.sequence}")
        self.finish()


class FeedSplit(Fault):
    """A new feed takes over, and the old one speaks again."""

    def between(self, table: PlayingTable) -> list[Draft]:
        """Begin the new feed."""
        writer = table.writer
        self._old = (writer.feed_id, writer.sequence, writer.previous_hash)
        self.has_begun = True
        return new_feed_drafts(table)

    def messages(self, table: PlayingTable, messages: list[Message]) -> None:
        """Let the old feed speak once more."""
        if not self.has_begun or self.is_done or place_of(messages, "feed_started") is None:
            return
        at_us = messages[-1].at_us
        feed_id, sequence, previous_hash = self._old
        # Heartbeats that were due before the new feed still went into the old one.
        for message in messages:
            if f'"feed_id":"{feed_id}"'.encode() in message.raw:
                sequence, previous_hash = sequence + 1, chain_hash(message.raw)
        event = Heartbeat(
            source_id=table.source_id,
            feed_id=feed_id,
            sequence=sequence,
            previous_hash=previous_hash,
            occurred_at=instant(at_us + table.writer.shift_us),
        )
        messages.append(Message(at_us, encode_event(event)))
        self.tell(table, Code.FEED_SPLIT, note=f"feed {feed_id} spoke again")
        self.finish()


class ClockBack(Fault):
    """The clock of the table goes back by seven seconds for one event."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Set one heartbeat back, between the coup and the next one."""
        last = drafts[-1]
        drafts.append(Draft(Heartbeat, last.at_us + SECOND, {}, skew_us=-8 * SECOND))
        self.tell(table, Code.CLOCK_REGRESSION, plan=plan, note="7 s back for one event")
        self.finish()


class Rejected(FeedFault):
    """An event whose envelope can be read and whose content cannot."""

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Say a fill with a broken amount."""
        writer = table.writer
        at_us = messages[-1].at_us
        document = {
            "type": "chips_filled",
            "schema_version": 1,
            "source_id": table.source_id,
            "feed_id": writer.feed_id,
            "sequence": writer.sequence,
            "previous_hash": writer.previous_hash,
            "occurred_at": format_instant(instant(at_us + writer.shift_us)),
            "fill_id": table.next_id("fill"),
            "amount_minor": "5000.00",
        }
        note = f"event {writer.sequence}: an amount written as text"
        messages.append(writer.append(orjson.dumps(document), at_us))
        self.tell(table, Code.EVENT_REJECTED, plan=self._plan, note=note)
        return True


class BrokenLine(FeedFault):
    """Bytes that are no event at all: everything else goes on.

    ``audit`` of a file says which line it is; in a stream it is a dead letter and no finding.
    """

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Deliver half an event besides."""
        last = messages[-1]
        messages.append(Message(last.at_us, last.raw[: len(last.raw) // 2]))
        self.tell(
            table,
            Code.EVENT_REJECTED,
            plan=self._plan,
            is_dead_letter=True,
            note="half an event: named by its line in a file, a dead letter in a stream",
        )
        return True


class Duplicated(FeedFault):
    """One wager is delivered 139 times (B23)."""

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Deliver it again, at once and at the end."""
        place = place_of(messages, "wager_placed")
        if place is None:
            return False
        first = messages[place]
        near, far = (_COPIES - 1) // 2, (_COPIES - 1) - (_COPIES - 1) // 2
        messages += [Message(messages[-1].at_us, first.raw)] * far
        messages[place + 1 : place + 1] = [Message(first.at_us, first.raw)] * near
        self.tell(table, plan=self._plan, note=f"one wager delivered {_COPIES} times: no finding")
        return True


class ArrivesLate(FeedFault):
    """A card arrives after the result, in its right number (B31)."""

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Let the Banker's second card come last."""
        place = place_of(messages, "card_dealt", '"hand":"banker","position":2')
        end = place_of(messages, "result_announced")
        if (
            place is None
            or end is None
            or messages[end].at_us - messages[place].at_us > 18 * SECOND
        ):
            return False
        late = messages.pop(place)
        messages.insert(end, Message(messages[end - 1].at_us, late.raw))
        self.tell(table, plan=self._plan, note="a card came after the result: no finding")
        return True


class ArrivesTooLate(FeedFault):
    """A card arrives a coup later, when its gap was declared: the shoe is folded again."""

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._late: bytes | None = None

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Begin where the next coup is of the same shoe for certain."""
        if self._late is None and plan.shoe.taken + _SPARE < plan.shoe.cover_at:
            super().script(table, plan, drafts)

    def deliver(self, table: PlayingTable, messages: list[Message]) -> bool:
        """Hold the Banker's second card back until the next coup is over."""
        if self._late is None:
            place = place_of(messages, "card_dealt", '"hand":"banker","position":2')
            if place is not None:
                self._late = messages.pop(place).raw
            return False
        if place_of(messages, "coup_closed") is None:
            return False
        messages.append(Message(messages[-1].at_us, self._late))
        self.tell(
            table, plan=self._plan, note="a card came a coup later: its gap is withdrawn again"
        )
        return True


_NONE: Final = frozenset[Capability]()

FEED_PLANTS: Final = (
    Plant(
        "event_lost",
        (Code.SEQUENCE_GAP,),
        "one event never arrives",
        HeartbeatLost,
        _NONE,
    ),
    Plant(
        "card_event_lost",
        (Code.SEQUENCE_GAP,),
        "the sixth card of a coup never arrives: the coup is unverified (B31)",
        CardLost,
        frozenset({Capability.CARDS}),
    ),
    Plant(
        "sequence_conflict",
        (Code.SEQUENCE_CONFLICT,),
        "one number for two events",
        SequenceConflict,
        _NONE,
    ),
    Plant(
        "chain_broken",
        (Code.CHAIN_BROKEN,),
        "an event with a wrong previous hash",
        ChainBroken,
        _NONE,
    ),
    Plant(
        "feed_split",
        (Code.FEED_SPLIT,),
        "a superseded feed speaks again",
        FeedSplit,
        _NONE,
    ),
    Plant(
        "clock_back",
        (Code.CLOCK_REGRESSION,),
        "the clock goes back for one event",
        ClockBack,
        _NONE,
    ),
    Plant(
        "event_rejected",
        (Code.EVENT_REJECTED,),
        "an event with an unusable amount",
        Rejected,
        _NONE,
    ),
    Plant(
        "broken_line",
        (Code.EVENT_REJECTED,),
        "half an event: found by its line in a file, a dead letter and no finding in a stream",
        BrokenLine,
        _NONE,
    ),
    Plant(
        "duplicates_139",
        (),
        "one wager delivered 139 times, to no effect (B23)",
        Duplicated,
        _NONE,
    ),
    Plant(
        "arrival_out_of_order",
        (),
        "a card arrives after the result, to no effect (B31)",
        ArrivesLate,
        frozenset({Capability.CARDS}),
    ),
    Plant(
        "arrival_after_gap",
        (),
        "a card arrives when its gap was declared: the shoe is folded again, the gap withdrawn",
        ArrivesTooLate,
        frozenset({Capability.CARDS}),
    ),
)
