"""Checks that a source begins its feeds rightly, keeps its clock and sends what its kind sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from auditors.catalogue.sentences.wagers import seconds
from auditors.table.delivery.absorbing import CLOCK_BACK_US_MAX, SILENCE_US_MAX
from schemas.events import FeedStarted, Heartbeat, SentBy
from schemas.events.union import AnyEvent
from streams.conformance.controllers import ControllerTold
from streams.conformance.naming import WagerNames
from streams.conformance.numbering import Arrived, FeedOrder
from streams.conformance.problems import Level, Rule, Said
from streams.conformance.tables import TableTold

IDLE_US_MAX: Final = 6_000_000
"""A heartbeat is due after five seconds; a second more is allowed for timers."""


@dataclass(slots=True)
class SourceTold:
    """One source: its feeds, and what it told as a table or as a controller."""

    names: WagerNames
    feeds: dict[str, FeedOrder] = field(default_factory=dict)
    """By feed id, in the order in which they were first heard."""
    kind: str | None = None
    is_simulated: bool = False
    current: str | None = None
    """The feed that speaks."""
    _superseded: set[str] = field(default_factory=set)
    _has_beaten: bool = False
    """The source sends heartbeats: a pause is rather a start than a demand that is not met."""
    _table: TableTold = field(init=False)
    _controller: ControllerTold = field(default_factory=ControllerTold)

    def __post_init__(self) -> None:
        self._table = TableTold(self.names)

    def lose(self) -> None:
        """Take note that events are missing here, or cannot be read."""
        self._table.lose()
        self._controller.lose()

    def take(self, arrived: Arrived, order: FeedOrder) -> Iterator[Said]:
        """Judge an event whose turn it is.

        Args:
            arrived: The event.
            order: Its feed, as it stood before.
        """
        event, feed_id = arrived.event, arrived.envelope.feed_id
        if feed_id in self._superseded:
            yield Said(
                Rule.FEED,
                f"feed {feed_id} goes on after feed {self.current} had taken its place",
                "switch off the device that still writes the old feed",
                once="superseded",
            )
            return
        if feed_id != self.current:
            yield from self._begin(arrived)
        yield from self._clock(arrived, order)
        if event is None:
            self.lose()
            return
        self._has_beaten |= isinstance(event, Heartbeat)
        self.is_simulated |= bool(getattr(event, "simulated", False))
        yield from self._by_kind(event, arrived.line)

    def finish(self) -> Iterator[Said]:
        """Judge what is still open when the file ends."""
        return self._table.finish()

    def _begin(self, arrived: Arrived) -> Iterator[Said]:
        """Judge how a feed begins and which one it replaces."""
        event, feed_id = arrived.event, arrived.envelope.feed_id
        before, self.current = self.current, feed_id
        if before is not None:
            self._superseded.add(before)
        if isinstance(event, FeedStarted):
            self.kind = event.source_kind
            yield from self._predecessor(event, before)
        elif arrived.envelope.sequence == 1 and event is not None:
            yield Said(
                Rule.FEED,
                f"the feed begins with {event.type}",
                "send feed_started as the first event of every feed"
                if before is None
                else f"keep feed_id as long as the spool lasts: feed {before} came before; a new "
                "feed begins with feed_started",
            )

    def _predecessor(self, event: FeedStarted, before: str | None) -> Iterator[Said]:
        if before is None:
            return
        if event.predecessor_feed_id is None:
            yield Said(
                Rule.FEED,
                f"a new feed begins and names no predecessor, and feed {before} came before",
                "name predecessor_feed_id, and its last sequence where the source knows it",
            )
        elif event.predecessor_feed_id != before:
            yield Said(
                Rule.FEED,
                f"predecessor_feed_id is {event.predecessor_feed_id}, and feed {before} came "
                "before",
                "name the feed that this one replaces",
            )
        elif event.predecessor_sequence not in (None, self.feeds[before].last_sequence):
            last = self.feeds[before].last_sequence
            yield Said(
                Rule.FEED,
                f"predecessor_sequence is {event.predecessor_sequence}, and the last event that "
                f"came is {last}",
                "send what is missing of the old feed before the new one, or name its last event",
            )
            self.lose()

    def _clock(self, arrived: Arrived, order: FeedOrder) -> Iterator[Said]:
        if order.last is None:
            return
        step = arrived.occurred_at_us - order.last.occurred_at_us
        if step < -CLOCK_BACK_US_MAX:
            yield Said(
                Rule.CLOCK,
                f"occurred_at is {seconds(-step)} s before that of the event before it",
                "keep the clock on UTC by NTP or PTP; say when it happened, by one clock only",
            )
        if not (self._table.is_open or self.kind == "progressive_controller"):
            return
        if step > SILENCE_US_MAX:
            yield Said(
                Rule.HEARTBEAT,
                f"nothing was sent for {seconds(step)} s, which is a finding (TABLE_SILENT)",
                "send heartbeat after 5 seconds without an event",
            )
        elif step > IDLE_US_MAX and not self._has_beaten:
            yield Said(
                Rule.HEARTBEAT,
                f"nothing was sent for {seconds(step)} s",
                "send heartbeat after 5 seconds without an event",
            )
        elif step > IDLE_US_MAX:
            yield Said(
                Rule.HEARTBEAT,
                f"nothing was sent for {seconds(step)} s, and heartbeats came before",
                "nothing, where the device was restarted; else send heartbeat after 5 seconds "
                "without an event",
                Level.HINT,
                once="heartbeat",
            )

    def _by_kind(self, event: AnyEvent, line: int) -> Iterator[Said]:
        of_controller = event.sent_by is SentBy.CONTROLLER
        of_any_kind = event.sent_by is SentBy.ANY
        if self.kind is None and not of_any_kind:
            self.kind = "progressive_controller" if of_controller else "table"
        is_controller = self.kind == "progressive_controller"
        if not of_any_kind and of_controller != is_controller:
            kind = (self.kind or "table").replace("_", " ")
            yield Said(
                Rule.KIND,
                f"a {kind} sends {event.type}",
                "give the controller a source_id and feed of its own"
                if of_controller
                else "give the table a source_id and feed of its own",
                once=f"kind {event.type}",
            )
        elif is_controller:
            yield from self._controller.take(event)
        else:
            yield from self._table.take(event, line)
