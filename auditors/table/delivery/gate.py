"""The gate of a feed: sees that every event of a feed is folded once, in order, or missed aloud.

The gate never looks at a clock: waiting is measured in events and in ``occurred_at``.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from auditors.table.known.state import (
    FEEDS_KEPT,
    GAPS_KEPT,
    HASH_KEPT,
    HASHES_KEPT,
    HELD_MAX,
    HELD_US_MAX,
    NO_HASH,
    FeedState,
    HeldEvent,
    TableState,
)
from auditors.values import evolve
from schemas.events.fields import SEQUENCE_MAX


class Turn(Enum):
    """What the gate says to a message."""

    FOLD = "fold"
    """It is the next event."""

    HOLD = "hold"
    """It is ahead: noted, and read again when its turn comes."""

    IGNORE = "ignore"
    """A repeat of what was folded, or of what is held."""

    CONFLICT = "conflict"
    """Its sequence was used for other bytes."""

    SPLIT = "split"
    """It is a further event of a feed that was superseded."""

    LATE = "late"
    """It fills a gap that was declared."""


class Arrival(NamedTuple):
    """What the gate needs to know of a message."""

    feed_id: str
    sequence: int
    previous_hash: str
    hash: str
    offset: int
    occurred_at_us: int


def turn_of(state: TableState, arrival: Arrival) -> Turn:
    """Say whose turn it is when a message arrives."""
    feed, is_superseded = feed_of(state, arrival.feed_id)
    if is_superseded:
        further = arrival.sequence >= feed.next_sequence
        if further or is_after_end(feed, arrival.sequence, arrival.occurred_at_us):
            return Turn.SPLIT
        return _turn_of_earlier(feed, arrival)
    if arrival.sequence == feed.next_sequence:
        return Turn.FOLD
    if arrival.sequence < feed.next_sequence:
        return _turn_of_earlier(feed, arrival)
    for one in feed.held:
        if one.sequence == arrival.sequence:
            return Turn.IGNORE if one.hash == arrival.hash else Turn.CONFLICT
    return Turn.HOLD


def _turn_of_earlier(feed: FeedState, arrival: Arrival) -> Turn:
    """Say what an event is whose number has passed."""
    if any(first <= arrival.sequence <= last for first, last in feed.gaps):
        return Turn.LATE
    back = feed.next_sequence - arrival.sequence
    known = feed.hash_back(back)
    if not known:
        return Turn.IGNORE
    return Turn.IGNORE if known == arrival.hash[:HASH_KEPT] else Turn.CONFLICT


def feed_of(state: TableState, feed_id: str) -> tuple[FeedState, bool]:
    """Find a feed, or begin it, and say whether it was superseded."""
    if state.feed is not None and state.feed.feed_id == feed_id:
        return state.feed, False
    if state.incoming is not None and state.incoming.feed_id == feed_id:
        return state.incoming, False
    for feed in state.superseded:
        if feed.feed_id == feed_id:
            return feed, True
    return FeedState(feed_id), False


def with_feed(state: TableState, feed: FeedState) -> TableState:
    """Put a feed in its place: the current one, or the one that is coming."""
    if state.feed is None or state.feed.feed_id == feed.feed_id:
        return evolve(state, feed=feed)
    return evolve(state, incoming=feed)


def hold(state: TableState, arrival: Arrival) -> TableState:
    """Note a message that came before its turn."""
    feed, _ = feed_of(state, arrival.feed_id)
    event = HeldEvent(arrival.sequence, arrival.offset, arrival.hash, arrival.occurred_at_us)
    held = tuple(sorted((*feed.held, event), key=lambda one: one.sequence))
    return with_feed(state, evolve(feed, held=held))


def waits_too_long(feed: FeedState, now_us: int) -> bool:
    """Whether so much is held that what is missing counts as lost.

    Waiting began with the first event that could not be folded. One that is far ahead, while
    others go on in their turn, keeps nobody waiting.

    Args:
        feed: The feed.
        now_us: When its latest arrival happened, microseconds since 1970 UTC.
    """
    if not feed.held:
        return False
    if len(feed.held) > HELD_MAX:
        return True
    since_us = max(feed.held[0].occurred_at_us, feed.last_occurred_us or 0)
    return now_us - since_us > HELD_US_MAX


def declare_gap(feed: FeedState, first_held: int) -> FeedState:
    """Give up waiting: go on at an event that is there, or behind all that are lost."""
    missing = first_held - feed.next_sequence
    hashes = feed.hashes + NO_HASH * min(missing, HASHES_KEPT)
    return evolve(
        feed,
        next_sequence=first_held,
        last_hash=None,
        hashes=hashes[-HASHES_KEPT * HASH_KEPT :],
        gaps=(*feed.gaps, (feed.next_sequence, first_held - 1))[-GAPS_KEPT:],
        last_occurred_us=None,
    )


def end_unknown(feed: FeedState, succeeded_at_us: int) -> FeedState:
    """Give up a feed of which nobody knows where it ended: all behind what came is missing.

    Args:
        feed: The feed.
        succeeded_at_us: When the feed in its place began, microseconds since 1970 UTC.
    """
    return evolve(
        feed,
        next_sequence=SEQUENCE_MAX + 1,
        last_hash=None,
        hashes="",
        gaps=(*feed.gaps, (feed.next_sequence, SEQUENCE_MAX))[-GAPS_KEPT:],
        last_occurred_us=succeeded_at_us,
    )


def is_after_end(feed: FeedState, sequence: int, occurred_at_us: int) -> bool:
    """Whether an event of a feed of unknown end happened after another feed took its place."""
    if not feed.gaps or feed.last_occurred_us is None:
        return False
    first, last = feed.gaps[-1]
    return last == SEQUENCE_MAX and sequence >= first and occurred_at_us > feed.last_occurred_us


def filled_gap(state: TableState, arrival: Arrival) -> TableState:
    """Take an event that came late out of what its feed misses."""
    sequence = arrival.sequence

    def filled(feed: FeedState) -> FeedState:
        if feed.feed_id != arrival.feed_id:
            return feed
        return evolve(feed, gaps=without(feed.gaps, sequence))

    superseded = tuple(filled(one) for one in state.superseded)
    feed = filled(state.feed) if state.feed is not None else None
    return evolve(state, feed=feed, superseded=superseded)


def without(gaps: tuple[tuple[int, int], ...], sequence: int) -> tuple[tuple[int, int], ...]:
    """Take one sequence out of what is missing."""
    rest = []
    for first, last in gaps:
        if first <= sequence <= last:
            rest += [(first, sequence - 1), (sequence + 1, last)]
        else:
            rest.append((first, last))
    return tuple((first, last) for first, last in rest if first <= last)


def pass_event(feed: FeedState, sequence: int, digest: str, occurred_at_us: int) -> FeedState:
    """Move past an event that is folded now.

    Args:
        feed: The feed, whose next event it is.
        sequence: The event's.
        digest: The hash of its bytes.
        occurred_at_us: When it happened, microseconds since 1970 UTC.
    """
    held = feed.held
    if held:
        held = tuple(event for event in held if event.sequence > sequence)
    return evolve(
        feed,
        next_sequence=sequence + 1,
        last_hash=digest,
        hashes=feed.hashes[(1 - HASHES_KEPT) * HASH_KEPT :] + digest[:HASH_KEPT],
        last_occurred_us=occurred_at_us,
        held=held,
    )


def supersede(state: TableState, feed: FeedState) -> TableState:
    """Let a new feed take the place of the one so far."""
    old = state.feed
    if old is None:
        return evolve(state, feed=feed, incoming=None)
    # Silence and the clock are judged from one event of the source to its next.
    following = evolve(feed, last_occurred_us=feed.last_occurred_us or old.last_occurred_us)
    earlier = tuple(evolve(one, hashes="") if one.hashes else one for one in state.superseded)
    incoming = state.incoming
    return evolve(
        state,
        feed=following,
        incoming=None if incoming and incoming.feed_id == feed.feed_id else incoming,
        superseded=(*earlier, evolve(old, held=()))[-FEEDS_KEPT:],
    )
