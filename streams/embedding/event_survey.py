"""A first look at files of events, before a store is made or touched for them.

A file without any event makes no store, and simulated play is kept apart from real play: both must
be known before the first event is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from schemas.canary import CANARY_TABLE
from schemas.events import FeedStarted, TableOpened
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError

_OPENING_WORDS = (b"feed_started", b"table_opened")


@dataclass(slots=True)
class Survey:
    """What was seen in some lines."""

    is_whole: bool = True
    """Whether all lines were seen; a pipe can be read but once."""
    has_event: bool = False
    """Whether any line is an event."""
    _simulated_feeds: set[tuple[str, str]] = field(default_factory=set)
    _simulated_tables: set[str] = field(default_factory=set)
    _real_openings: set[tuple[str, str]] = field(default_factory=set)

    @property
    def simulated(self) -> set[str]:
        """Sources that said of themselves that they are simulated; never the canary."""
        return self._simulated_tables | {source_id for source_id, _ in self._simulated_feeds}

    @property
    def real(self) -> set[str]:
        """Tables that opened without a word that they, or their feeds, are simulated."""
        return {source_id for source_id, _ in self._real_openings - self._simulated_feeds}

    def look_at(self, lines: Iterable[bytes]) -> None:
        """Take notice of lines, each without its end."""
        for raw in lines:
            if not self.has_event or any(word in raw for word in _OPENING_WORDS):
                self._look_at(raw)

    def _look_at(self, raw: bytes) -> None:
        try:
            event = parse_event(raw)
        except UnreadableEventError:
            return
        self.has_event = True
        if not isinstance(event, FeedStarted | TableOpened) or event.source_id == CANARY_TABLE:
            return
        feed = (event.source_id, event.feed_id)
        if isinstance(event, FeedStarted):
            if event.simulated:
                self._simulated_feeds.add(feed)
        elif event.simulated:
            self._simulated_tables.add(event.source_id)
        else:
            self._real_openings.add(feed)

    @property
    def mixed_line(self) -> str | None:
        """Say that simulated and real play stand in the lines together; None where they do not."""
        if not self.simulated or not self.real:
            return None
        return (
            f"{min(self.simulated)} is simulated and {min(self.real)} is real; simulated play is "
            "kept apart from real play: give the files apart, each to a store of its own"
        )

    def refusal(self, place: str, *, has_simulated: bool, has_real: bool) -> str | None:
        """Say why this does not belong into a history that holds a kind of play; None: it does."""
        if self.simulated and has_real and not has_simulated:
            seen, held = f"{min(self.simulated)} is simulated", "real play"
        elif self.real and has_simulated:
            seen, held = f"{min(self.real)} is real", "simulated play"
        else:
            return None
        return (
            f"{seen} and {place} holds {held}; they are kept apart: name another --store; "
            "nothing was taken"
        )
