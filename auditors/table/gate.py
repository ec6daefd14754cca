"""Whose turn is it? Sees that every event of a feed is folded once, in order, or missed aloud.

The gate never looks at a clock: waiting is measured in events and in ``occurred_at``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from auditors.table.state import (
    FEEDS_KEPT,
    GAPS_KEPT,
    HASH_KEPT,
    HASHES_KEPT,
    HELD_MAX,
    HELD_US_MAX,
    FeedState,
    HeldEvent,
    TableState,
)


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
    """It belongs to a feed that was superseded."""

    LATE = "late"
    """It fills a gap that was declared."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the gate needs to know of a message."""

    feed_id: str
    sequence: int
    previous_hash: str
    hash: str
    offset: int
    occurred_at_us: int
    starts_feed: bool


def turn_of(state: TableState, arrival: Arrival) -> Turn:
    """Say whose turn it is when a message arrives."""
    feed = _feed_of(state, arrival)
    if feed is None:
        return Turn.SPLIT
    if arrival.sequence == feed.next_sequence:
        return Turn.FOLD
    if arrival.sequence > feed.next_sequence:
        for one in feed.held:
            if one.sequence == arrival.sequence:
                return Turn.IGNORE if one.hash == arrival.hash else Turn.CONFLICT
        return Turn.HOLD
    if any(first <= arrival.sequence <= last for first, last in feed.gaps):
        return Turn.LATE
    back = feed.next_sequence - arrival.sequence
    if back > len(feed.hashes):
        return Turn.IGNORE
    return Turn.IGNORE if feed.hashes[-back] == arrival.hash[:HASH_KEPT] else Turn.CONFLICT


def _feed_of(state: TableState, arrival: Arrival) -> FeedState | None:
    """Find the feed that a message belongs to; None where it was superseded."""
    if arrival.feed_id in state.superseded:
        return None
    if state.feed is not None and state.feed.feed_id == arrival.feed_id:
        return state.feed
    if state.incoming is not None and state.incoming.feed_id == arrival.feed_id:
        return state.incoming
    return FeedState(arrival.feed_id)


def hold(state: TableState, arrival: Arrival) -> TableState:
    """Note a message that came before its turn."""
    feed = _feed_of(state, arrival)
    assert feed is not None
    event = HeldEvent(arrival.sequence, arrival.offset, arrival.hash, arrival.occurred_at_us)
    held = tuple(sorted((*feed.held, event), key=lambda one: one.sequence))
    return with_feed(state, replace(feed, held=held))


def with_feed(state: TableState, feed: FeedState) -> TableState:
    """Put a feed in its place: the current one, or the one that is coming."""
    if state.feed is None or state.feed.feed_id == feed.feed_id:
        return replace(state, feed=feed)
    return replace(state, incoming=feed)


def waits_too_long(feed: FeedState) -> bool:
    """Whether so much is held that what is missing counts as lost."""
    if not feed.held:
        return False
    times = [one.occurred_at_us for one in feed.held]
    return len(feed.held) > HELD_MAX or max(times) - min(times) > HELD_US_MAX


def declare_gap(feed: FeedState, first_held: int) -> FeedState:
    """Give up waiting: go on at the first event that is held."""
    missing = first_held - feed.next_sequence
    hashes = (*feed.hashes, *("",) * min(missing, HASHES_KEPT))[-HASHES_KEPT:]
    return replace(
        feed,
        next_sequence=first_held,
        last_hash=None,
        hashes=hashes,
        gaps=(*feed.gaps, (feed.next_sequence, first_held - 1))[-GAPS_KEPT:],
    )


def pass_event(feed: FeedState, sequence: int, content_hash: str, occurred_at_us: int) -> FeedState:
    """Move past an event that is folded now."""
    return FeedState(
        feed.feed_id,
        sequence + 1,
        content_hash,
        (*feed.hashes[1 - HASHES_KEPT :], content_hash[:HASH_KEPT]),
        feed.held and tuple(one for one in feed.held if one.sequence > sequence),
        feed.gaps,
        occurred_at_us,
    )


def supersede(state: TableState, feed: FeedState) -> TableState:
    """Let a new feed take the place of the one so far."""
    old = (state.feed.feed_id,) if state.feed is not None else ()
    return replace(
        state,
        feed=feed,
        incoming=None,
        superseded=(*state.superseded, *old)[-FEEDS_KEPT:],
    )
