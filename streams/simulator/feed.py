"""The feed of a simulated source: drafts of events become numbered, chained bytes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from schemas.events import GENESIS_HASH, Heartbeat, TableOpened
from schemas.events.envelope import EventBase
from schemas.wire import chain_hash, encode_event

EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""From here microseconds are counted."""

SECOND: Final = 1_000_000
"""Microseconds."""

HEARTBEAT_US: Final = 5 * SECOND
"""After so long without an event a source says that it is there."""

EVENT_COUNT: Final = object()
"""Stands for the number of events since the opening, which is known when bytes are written."""

NEW_FEED: Final = object()
"""Stands for the feed that a new one replaces: the numbering begins anew with this event."""


class Note:
    """Something that a progressive controller hears of a table, or that is done to a meter."""

    __slots__ = ()


@dataclass(slots=True)
class Draft:
    """An event before it has its envelope."""

    kind: type[EventBase]
    at_us: int
    fields: dict[str, object]
    note: Note | None = None
    """What the progressive controller hears of it."""
    skew_us: int = 0
    """By how much the source's clock is off in this event alone."""


class Message(NamedTuple):
    """The bytes of one event, and when they are delivered."""

    at_us: int
    raw: bytes
    note: Note | None = None


def instant(at_us: int) -> datetime.datetime:
    """Give the UTC instant of so many microseconds since 1970."""
    return EPOCH + datetime.timedelta(microseconds=at_us)


class FeedWriter:
    """Numbers and chains the events of one source, and fills idle time with heartbeats."""

    def __init__(self, source_id: str, rng: Random, start_us: int) -> None:
        """Begin a feed.

        Args:
            source_id: The source.
            rng: Gives the feed's random id.
            start_us: When the source begins to speak.
        """
        self.source_id, self._rng = source_id, rng
        self.last_us = start_us
        self.shift_us = 0
        """Added to the time of every event; delivery is not shifted."""
        self.is_silent = False
        """Whether heartbeats are left out."""
        self.restart()

    def restart(self) -> None:
        """Begin a new numbering under a new random id."""
        self.feed_id = f"{self._rng.getrandbits(64):016x}"
        self.sequence, self.previous_hash = 1, GENESIS_HASH
        self._counted_from = 1

    def write(self, drafts: Iterable[Draft]) -> list[Message]:
        """Write drafts in their order, with the heartbeats due before each."""
        written: list[Message] = []
        for draft in drafts:
            self.idle_until(draft.at_us, written)
            if draft.at_us < self.last_us:
                raise ValueError(f"{draft.kind.__name__} lies before the event before it")
            written.append(self._encoded(draft))
            self.last_us = draft.at_us
        return written

    def idle_until(self, at_us: int, written: list[Message]) -> None:
        """Add the heartbeats that are due before a moment."""
        if self.sequence == 1:
            return  # nothing is said before feed_started
        while not self.is_silent and at_us - self.last_us > HEARTBEAT_US:
            self.last_us += HEARTBEAT_US
            written.append(self._encoded(Draft(Heartbeat, self.last_us, {})))

    def _encoded(self, draft: Draft) -> Message:
        fields = draft.fields
        if draft.kind is TableOpened:
            self._counted_from = self.sequence
        if fields.get("predecessor_feed_id") is NEW_FEED:
            before = {
                "predecessor_feed_id": self.feed_id,
                "predecessor_sequence": self.sequence - 1,
            }
            self.restart()
            fields = {**fields, **before}
        elif fields.get("event_count") is EVENT_COUNT:
            fields = {**fields, "event_count": self.sequence - self._counted_from + 1}
        event = draft.kind(
            source_id=self.source_id,
            feed_id=self.feed_id,
            sequence=self.sequence,
            previous_hash=self.previous_hash,
            occurred_at=instant(draft.at_us + self.shift_us + draft.skew_us),
            **fields,  # type: ignore[arg-type]  # the event checks each of them
        )
        raw = encode_event(event)  # type: ignore[arg-type]  # a kind is a class of events
        return self.append(raw, draft.at_us, draft.note)

    def append(self, raw: bytes, at_us: int, note: Note | None = None) -> Message:
        """Take bytes as the feed's next event, whatever they say."""
        self.sequence += 1
        self.previous_hash = chain_hash(raw)
        return Message(at_us, raw, note)
