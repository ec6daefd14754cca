"""Takes in one message; ``absorb`` is the one way in, for every path there is.

A message is read, waits at the gate for its turn, and is folded; held messages whose turn it
brings are folded behind it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final, NamedTuple, Protocol, TypeAlias

from auditors.table.delivery.doubting import leave_open, may_decide, reject_unreadable
from auditors.table.delivery.gate import (
    Arrival,
    Turn,
    declare_gap,
    end_unknown,
    feed_of,
    filled_gap,
    hold,
    pass_event,
    supersede,
    turn_of,
    waits_too_long,
    with_feed,
)
from auditors.table.folding import fold_event
from auditors.table.known.context import Folding, Inputs
from auditors.table.known.state import FEEDS_KEPT, FeedState, TableState
from auditors.table.progressive_inputs import (
    Before,
    in_order,
    may_say,
    say,
    say_controller_watermarks,
    say_of_controller,
)
from auditors.values import evolve
from schemas.events import GENESIS_HASH, Envelope, FeedStarted
from schemas.events.progressive import ProgressiveEvent
from schemas.events.union import AnyEvent
from schemas.finding_facts import FindingFacts
from schemas.finding_facts.feed import (
    ChainBroken,
    ClockBack,
    EventsMissing,
    FeedSplit,
    SequenceAgain,
    TableSilent,
)
from schemas.findings import FindingCode
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError

SILENCE_US_MAX: Final = 120_000_000
"""Two events of an open table that lie further apart than this are a silence."""

CLOCK_BACK_US_MAX: Final = 1_000_000
"""A clock may go back by so much without a finding."""

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)

Lost: TypeAlias = Mapping[str, tuple[tuple[int, int], ...]]
"""Feed to the stretches of sequences that are known to be missing."""


class Delivered(NamedTuple):
    """One message of the log."""

    offset: int
    raw: bytes


class Message(Protocol):
    """What is folded of a message: :class:`Delivered`, or an entry of a log as it is."""

    @property
    def offset(self) -> int:
        """Where it stands in the log."""
        ...

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        ...


class DeadReason(NamedTuple):
    """Why a message is a dead letter."""

    reason: str
    """Machine-readable."""
    message: str
    """One line for people."""


class Absorbed(NamedTuple):
    """What one message led to."""

    state: TableState
    records: tuple[Record, ...] = ()
    inputs: tuple[ProgressiveInput, ...] = ()
    """What the ledgers of progressives are told."""
    dead_letter: DeadReason | None = None
    """The message's envelope is unreadable, or belongs to another source; nothing was folded."""
    amend_from: int | None = None
    """A late event fills a declared gap of the shoe in play, whose first message has this
    offset: the shoe is folded again from its checkpoint (:func:`auditors.table.amend`)."""
    is_valid: bool = True
    """Whether the bytes were an event."""


class Parsed(NamedTuple):
    """A message that names its place in a feed."""

    head: Envelope | AnyEvent
    """What stands on every event."""
    event: AnyEvent | None
    """None where only the envelope can be read."""
    problem: str
    raw: bytes
    is_missed: bool = False
    """It cannot be read, and verdicts may depend on it."""
    event_type: str | None = None
    """The wire tag of an event that cannot be read, where that can."""


def absorb(state: TableState, delivered: Message, read_again: Callable[[int], bytes]) -> Absorbed:
    """Fold one message, and the held ones whose turn it brings.

    At most one record per subject comes out, so that version and subject name one record only.

    Args:
        state: The source so far.
        delivered: The message.
        read_again: Gives the bytes at an offset that was held; called for held messages only.
    """
    return absorb_knowing(state, delivered, read_again, None)


def absorb_knowing(
    state: TableState,
    delivered: Message,
    read_again: Callable[[int], bytes],
    lost: Lost | None,
) -> Absorbed:
    """Fold one message as :func:`absorb` does, or again, while a shoe is amended.

    Args:
        state: The source so far.
        delivered: The message.
        read_again: As for :func:`absorb`.
        lost: What is known to be missing, so that nothing waits for it; None where nothing is
            folded again.
    """
    raw = delivered.raw
    try:
        event = parse_event(raw)
    except UnreadableEventError as error:
        if error.envelope is None:
            reason = DeadReason(error.reason.value, str(error))
            return Absorbed(state, dead_letter=reason, is_valid=False)
        parsed = Parsed(error.envelope, None, str(error), raw, may_decide(error), error.event_type)
    else:
        feed = state.feed
        if (
            feed is not None
            and not feed.held
            and event.sequence == feed.next_sequence
            and event.feed_id == feed.feed_id
            and event.source_id == state.source_id
        ):
            return _absorb_next(state, feed, (event, delivered), is_amending=lost is not None)
        parsed = Parsed(event, event, "", raw)
    head = parsed.head
    if head.source_id != state.source_id:
        problem = f"source_id {head.source_id} came under the key {state.source_id}"
        return Absorbed(state, dead_letter=DeadReason("wrong_key", problem))
    passage = _Passage(state, delivered.offset, read_again, lost)
    amend_from = passage.take(_arrival(head, delivered), parsed)
    put_out, said = tuple(passage.records.values()), in_order(passage.inputs)
    return Absorbed(passage.state, put_out, said, None, amend_from, parsed.event is not None)


def give_up(
    state: TableState, feed_id: str, offset: int, read_again: Callable[[int], bytes]
) -> Absorbed:
    """Take what a feed still waits for as lost, because nothing more will come.

    Args:
        state: The source so far.
        feed_id: A feed that holds something.
        offset: Offset of the last message of the log.
        read_again: As for :func:`absorb`.
    """
    passage = _Passage(state, offset, read_again, None)
    passage.give_up(feed_id)
    return Absorbed(passage.state, tuple(passage.records.values()), in_order(passage.inputs))


def _absorb_next(
    state: TableState, feed: FeedState, said: tuple[AnyEvent, Message], *, is_amending: bool
) -> Absorbed:
    """Fold what nearly every message is: the next event of the feed, with none behind it.

    What :class:`_Passage` does with it, without looking for what it is not: a third of the way.
    """
    event, delivered = said
    offset, raw = delivered.offset, delivered.raw
    sequence, occurred_at_us = event.sequence, (event.occurred_at - _EPOCH) // _MICROSECOND
    digest = sha256(raw).hexdigest()
    passed = pass_event(feed, sequence, digest, occurred_at_us)
    records: dict[tuple[str, str], Record] = {}
    inputs: Inputs = {}
    folding = Folding(
        evolve(state, feed=passed),
        sequence,
        occurred_at_us,
        offset,
        offset,
        is_amending,
        records,
        inputs,
    )
    _check_place(folding, feed, event.previous_hash)
    fold_event(folding, event)
    if may_say(state, event):
        say(folding, event, raw, Before(state.coups, state.filings, feed.last_occurred_us))
    if not records and not inputs:
        return Absorbed(folding.state)
    return Absorbed(folding.state, tuple(records.values()), in_order(inputs))


def parse(raw: bytes) -> Parsed | DeadReason:
    """Read a message, or say why nobody can tell where it belongs."""
    try:
        event = parse_event(raw)
    except UnreadableEventError as error:
        if error.envelope is None:
            return DeadReason(error.reason.value, str(error))
        return Parsed(error.envelope, None, str(error), raw, may_decide(error), error.event_type)
    return Parsed(event, event, "", raw)


def _arrival(head: Envelope | AnyEvent, delivered: Message) -> Arrival:
    return Arrival(
        head.feed_id,
        head.sequence,
        head.previous_hash,
        sha256(delivered.raw).hexdigest(),
        delivered.offset,
        (head.occurred_at - _EPOCH) // _MICROSECOND,
    )


_Delivery: TypeAlias = tuple[int, bool, dict[tuple[str, str], Record], Inputs]
"""Offset of the delivered message, whether a shoe is amended, the records and what ledgers are
told so far."""


def _folding(state: TableState, arrival: Arrival, delivery: _Delivery) -> Folding:
    return Folding(
        evolve(state), arrival.sequence, arrival.occurred_at_us, arrival.offset, *delivery
    )


def _next(state: TableState, feed: FeedState, arrival: Arrival, delivery: _Delivery) -> Folding:
    """Begin to fold the next event of a feed, which moves past it."""
    past = pass_event(feed, arrival.sequence, arrival.hash, arrival.occurred_at_us)
    passed = with_feed(state, past)
    return Folding(passed, arrival.sequence, arrival.occurred_at_us, arrival.offset, *delivery)


def _fold(folding: Folding, feed: FeedState, previous_hash: str, parsed: Parsed) -> None:
    """Fold a message whose turn it is.

    Args:
        folding: The event on its way, the feed already past it.
        feed: The feed as it stood before.
        previous_hash: What it names as the hash of the event before it.
        parsed: What it says.
    """
    _check_place(folding, feed, previous_hash)
    before = Before(folding.state.coups, folding.state.filings, feed.last_occurred_us)
    if parsed.event is not None:
        fold_event(folding, parsed.event)
    else:
        reject_unreadable(folding, parsed.problem, parsed.event_type, is_missed=parsed.is_missed)
    say(folding, parsed.event, parsed.raw, before)


def _check_place(folding: Folding, feed: FeedState, previous_hash: str) -> None:
    """Judge the link of an event to the one before it in its feed, and the time between them."""
    expected = feed.last_hash if feed.next_sequence > 1 else GENESIS_HASH
    if expected is not None and expected != previous_hash:
        folding.assert_of_feed(
            FindingCode.CHAIN_BROKEN,
            str(folding.sequence),
            ChainBroken(
                sequence=folding.sequence,
                named_hash=previous_hash[:12],
                expected_hash=expected[:12],
            ),
        )
    if feed.last_occurred_us is not None:
        step_us = folding.occurred_at_us - feed.last_occurred_us
        if not -CLOCK_BACK_US_MAX <= step_us <= SILENCE_US_MAX:
            _assert_clock(folding, step_us)


class _Passage:
    """One message on its way through the gate, with the held ones behind it."""

    def __init__(
        self,
        state: TableState,
        offset: int,
        read_again: Callable[[int], bytes],
        lost: Lost | None,
    ) -> None:
        self.state = state
        self.records: dict[tuple[str, str], Record] = {}
        self.inputs: Inputs = {}
        self._delivery = (offset, lost is not None, self.records, self.inputs)
        self._read_again, self._lost = read_again, lost

    def take(self, arrival: Arrival, parsed: Parsed) -> int | None:
        """Let a message through, hold it, or say what is wrong; give where to amend from."""
        turn = turn_of(self.state, arrival)
        if turn is Turn.FOLD:
            self._fold(arrival, parsed)
        elif turn is Turn.HOLD:
            self._make_way(arrival)
            self.state = hold(self.state, arrival)
            self._give_up_waiting(arrival)
        elif turn is Turn.CONFLICT:
            self._assert(
                arrival,
                FindingCode.SEQUENCE_CONFLICT,
                str(arrival.sequence),
                SequenceAgain(sequence=arrival.sequence),
            )
        elif turn is Turn.SPLIT:
            self._split(arrival)
        elif turn is Turn.LATE:
            return self._late(arrival, parsed)
        self._fold_held()
        return None

    def _late(self, arrival: Arrival, parsed: Parsed) -> int | None:
        """Say whether a late event belongs to the shoe in play, so that it is folded again."""
        if isinstance(parsed.event, ProgressiveEvent):
            # Ledgers order by time, so nothing has to be folded again.
            self.state = filled_gap(self.state, arrival)
            folding = _folding(self.state, arrival, self._delivery)
            say_of_controller(folding, parsed.event, parsed.raw)
            self.state = folding.state
            return None
        state, shoe = self.state, self.state.shoe
        if shoe is None or state.checkpoint is None or self._lost is not None:
            return None
        if arrival.feed_id == shoe.first_feed_id:
            return shoe.first_offset if arrival.sequence > shoe.first_sequence else None
        feeds = [one.feed_id for one in (*state.superseded, state.feed) if one is not None]
        is_later = shoe.first_feed_id in feeds[: feeds.index(arrival.feed_id)]
        return shoe.first_offset if is_later else None

    def _assert(
        self, arrival: Arrival, code: FindingCode, subject: str, told: FindingFacts
    ) -> None:
        folding = _folding(self.state, arrival, self._delivery)
        folding.assert_of_feed(code, subject, told)
        self.state = folding.state

    def _split(self, arrival: Arrival) -> None:
        if arrival.feed_id in self.state.split_asserted:
            return
        asserted = (*self.state.split_asserted, arrival.feed_id)[-FEEDS_KEPT:]
        self.state = evolve(self.state, split_asserted=asserted)
        current = self.state.feed.feed_id if self.state.feed else ""
        self._assert(
            arrival,
            FindingCode.FEED_SPLIT,
            arrival.feed_id,
            FeedSplit(feed_id=arrival.feed_id, other_feed_id=current, how="sent_again"),
        )

    def _fold(self, arrival: Arrival, parsed: Parsed) -> None:
        """Fold an event whose turn it is."""
        feed, _ = feed_of(self.state, arrival.feed_id)
        if self.state.feed is None or self.state.feed.feed_id != arrival.feed_id:
            known = self.state
            self._end_feed(arrival, parsed.event)
            self.state = supersede(self.state, feed)
            self._assert_apart(arrival, parsed.event, known)
            feed, _ = feed_of(self.state, arrival.feed_id)
        folding = _next(self.state, feed, arrival, self._delivery)
        _fold(folding, feed, arrival.previous_hash, parsed)
        self.state = folding.state

    def _end_feed(self, arrival: Arrival, event: AnyEvent | None) -> None:
        """End the feed so far: fold what it holds; what it still owes is a gap."""
        old = self._fold_waiting(arrival)
        if old is None or not isinstance(event, FeedStarted):
            return
        named, last = event.predecessor_feed_id, event.predecessor_sequence
        is_heard = any(one.feed_id == named for one in self.state.superseded)
        if named is None or (is_heard and named != old.feed_id):
            if _speaks_on(self.state, event):
                self._declare_end(old, arrival)
            return
        if named != old.feed_id:
            # Nothing of that feed could be folded: its beginning is missing, or all of it.
            old, _ = feed_of(self.state, named)
            self.state = supersede(self.state, old)
            old = self._fold_waiting(arrival) or old
        if last is None:
            self._declare_end(old, arrival)
        elif last >= old.next_sequence:
            self._declare(old, last + 1, arrival)

    def _fold_waiting(self, arrival: Arrival) -> FeedState | None:
        """Fold all that the feed in force holds, gap by gap; give the feed as it is then."""
        while (feed := self.state.feed) is not None and feed.held:
            self._declare(feed, feed.held[0].sequence, arrival)
            self._fold_held()
        return feed

    def _make_way(self, arrival: Arrival) -> None:
        """Fold what an earlier feed holds that has not begun: only one is waited for."""
        current, incoming = self.state.feed, self.state.incoming
        if current is None or incoming is None or not incoming.held:
            return
        is_of_another = arrival.feed_id not in (current.feed_id, incoming.feed_id)
        if is_of_another and incoming.held[0].occurred_at_us <= arrival.occurred_at_us:
            self.give_up(incoming.feed_id)

    def _assert_apart(self, arrival: Arrival, event: AnyEvent | None, known: TableState) -> None:
        """Say that a feed took the place of one that was speaking, without naming it.

        Two devices speak for the table or controller, or one has forgotten all that it said. Which
        of both, and whether it tells again what was told, nobody can know: what was told stands.

        Args:
            arrival: The first event of the feed.
            event: What it says.
            known: The source before it.
        """
        if not isinstance(event, FeedStarted) or known.feed is None:
            return
        if not _speaks_on(known, event):
            return
        heard = [one.feed_id for one in (*known.superseded, known.feed)]
        named = event.predecessor_feed_id
        if named == known.feed.feed_id or (named is not None and named not in heard):
            return
        if known.is_open:
            others = dict.fromkeys((*known.other_feeds, *heard))
            self.state = evolve(
                self.state,
                other_feeds=tuple(one for one in others if one != named)[-FEEDS_KEPT:],
            )
        self._assert(
            arrival,
            FindingCode.FEED_SPLIT,
            arrival.feed_id,
            FeedSplit(
                feed_id=arrival.feed_id,
                other_feed_id=known.feed.feed_id,
                how="named_another" if named else "named_none",
                named_feed_id=named or None,
                was_open=known.is_open,
            ),
        )

    def _fold_held(self) -> None:
        """Fold the held events whose turn has come, reading their bytes again."""
        while (feed := self.state.feed) is not None and feed.held:
            held = feed.held[0]
            if held.sequence != feed.next_sequence:
                return
            delivered = Delivered(held.offset, self._read_again(held.offset))
            parsed = parse(delivered.raw)
            assert not isinstance(parsed, DeadReason), "a held event was read before"
            self._fold(_arrival(parsed.head, delivered), parsed)

    def give_up(self, feed_id: str) -> None:
        """Fold all that a feed holds; what it waited for is a gap."""
        feed, _ = feed_of(self.state, feed_id)
        last = feed.held[-1]
        arrival = Arrival(feed_id, last.sequence, "", last.hash, last.offset, last.occurred_at_us)
        self._give_up_waiting(arrival, is_end=True)

    def _give_up_waiting(self, arrival: Arrival, *, is_end: bool = False) -> None:
        """Declare what is missing a gap, once too much waits for it or it is known to be lost."""
        while True:
            feed, is_superseded = feed_of(self.state, arrival.feed_id)
            if is_superseded or not feed.held:
                return
            is_over = is_end or waits_too_long(feed, arrival.occurred_at_us)
            if not (is_over or self._is_lost(feed)):
                return
            if self.state.feed is None or self.state.feed.feed_id != feed.feed_id:
                self._end_feed(arrival, None)
                self.state = supersede(self.state, feed)
                feed, _ = feed_of(self.state, arrival.feed_id)
            self._declare(feed, feed.held[0].sequence, arrival)
            self._fold_held()

    def _is_lost(self, feed: FeedState) -> bool:
        first, last = feed.next_sequence, feed.held[0].sequence - 1
        lost = self._lost.get(feed.feed_id, ()) if self._lost else ()
        return any(one[0] <= first and last <= one[1] for one in lost)

    def _declare(self, feed: FeedState, first_there: int, arrival: Arrival) -> None:
        """Say that events are missing; the coups beside the gap cannot be verified."""
        self.state = with_feed(self.state, declare_gap(feed, first_there))
        if feed.held:
            there = feed.held[0]
            arrival = arrival._replace(
                sequence=there.sequence, occurred_at_us=there.occurred_at_us, offset=there.offset
            )
        else:
            arrival = arrival._replace(sequence=feed.next_sequence - 1)
        last = first_there - 1
        self._assert_gap(feed, last, arrival, (feed.next_sequence, last))

    def _declare_end(self, feed: FeedState, arrival: Arrival) -> None:
        """Say that nobody knows what a feed still said, now that another has its place."""
        self.state = with_feed(self.state, end_unknown(feed, arrival.occurred_at_us))
        last_there = arrival._replace(sequence=feed.next_sequence - 1)
        # For ledgers, something is missing before the first event of the feed that comes.
        self._assert_gap(feed, None, last_there, (1, 1))

    def _assert_gap(
        self, feed: FeedState, last: int | None, arrival: Arrival, lost: tuple[int, int]
    ) -> None:
        """Put out a gap, and mark what is beside it.

        Args:
            feed: The feed before the gap.
            last: Sequence of the last event that is missing; None where nobody knows how many are.
            arrival: The event beside it.
            lost: First and last sequence of what is missing, for ledgers.
        """
        folding = _folding(self.state, arrival, self._delivery)
        folding.assert_of_feed(
            FindingCode.SEQUENCE_GAP,
            str(feed.next_sequence),
            EventsMissing(
                feed_id=feed.feed_id, first_sequence=feed.next_sequence, last_sequence=last
            ),
        )
        before = Before(self.state.coups, self.state.filings, arrival.occurred_at_us)
        leave_open(folding)
        say(folding, None, b"", before)
        say_controller_watermarks(folding, (lost,))
        self.state = folding.state


def _speaks_on(state: TableState, event: FeedStarted) -> bool:
    """Say whether a source has not ended what it said when another feed of it begins.

    A table ends with its close. A controller never does: its meters go on from feed to feed.
    """
    return state.is_open or event.source_kind == "progressive_controller"


def _assert_clock(folding: Folding, step_us: int) -> None:
    """Assert that the clock went back, or that an open table was silent."""
    if step_us < 0:
        folding.assert_of_feed(
            FindingCode.CLOCK_REGRESSION,
            str(folding.sequence),
            ClockBack(sequence=folding.sequence, back_us=-step_us),
        )
    elif folding.state.is_open:
        folding.assert_of_feed(
            FindingCode.TABLE_SILENT,
            str(folding.sequence),
            TableSilent(sequence=folding.sequence, silent_us=step_us),
        )
