"""A simulated floor that plays live: paced events into whatever folds them.

Simulated time runs at a stated multiple of the clock. Whoever watches is told of every record as
it is folded; nothing else about the pipeline is special: a device's events take the same way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from schemas.findings import Finding
from schemas.records import Record, RecordKind
from streams.host.ports import LogEntry
from streams.process.clock import Clock
from streams.simulator.comparing import Comparison, compare
from streams.simulator.floor import Floor, FloorConfig, FloorEvent
from streams.simulator.truths import Truth

STEP_S: Final = 0.05
"""How often the floor is brought up to its own time, where it is paced."""

DELIVER_EVERY_S: Final = 1.0
"""How often what was folded is made readable in the history."""

GROUP_MAX: Final = 500
"""Events that are made durable at a time."""


@dataclass(slots=True)
class FloorFigures:
    """How much has been played so far."""

    events: int = 0
    coups: int = 0
    stake_minor: int = 0
    """Money staked on closed coups, minor units."""
    at_us: int = 0
    """Simulated time, microseconds since 1970 UTC."""


@dataclass(slots=True)
class Watch:
    """What stands so far, as the records say it."""

    on_finding: Callable[[Finding, Record], None]
    """Told of each finding when it is new."""
    figures: FloorFigures = field(default_factory=FloorFigures)
    _standing: dict[tuple[str, str, str], tuple[Finding, ...]] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)
    _closed: set[str] = field(default_factory=set)

    def observe(self, entry: LogEntry, records: Sequence[Record]) -> None:
        """Take the records of one message."""
        del entry
        for record in records:
            self._take(record)

    def _take(self, record: Record) -> None:
        if record.findings or record.key in self._standing:
            self._standing[record.key] = record.findings
        for finding in record.findings:
            if finding.id not in self._said:
                self._said.add(finding.id)
                self.on_finding(finding, record)
        coup = record.coup
        if record.kind is RecordKind.COUP and coup is not None and coup.state != "open":
            name = f"{record.table_id}/{record.subject}"
            if name not in self._closed:
                self._closed.add(name)
                self.figures.coups += 1
                self.figures.stake_minor += coup.stake_minor

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding that stands."""
        return tuple(finding for found in self._standing.values() for finding in found)


class Pipeline(Protocol):
    """What a floor plays into: :class:`streams.embedding.pipeline.EmbeddedPipeline` is one."""

    def extend(self, events: Iterable[tuple[bytes, bytes]]) -> int:
        """Put events with their keys into the log, durably."""
        ...

    def catch_up(self) -> int:
        """Show the watch what was folded by now; gives how much that was."""
        ...

    def deliver(self) -> None:
        """Make readable in the history what was folded by now."""
        ...


class LiveFloor:
    """A floor that plays into a pipeline."""

    def __init__(self, config: FloorConfig, pipeline: Pipeline, watch: Watch, clock: Clock) -> None:
        """Play nothing yet.

        Args:
            config: The floor; one without end plays until it is stopped.
            pipeline: Where its events go.
            watch: The watch that the pipeline's outbox shows everything to.
            clock: For the pace.
        """
        self.truths: list[Truth] = []
        self._floor = Floor(config, on_truth=self.truths.append)
        self._config, self._pipeline = config, pipeline
        self._watch, self._clock = watch, clock

    @property
    def unplaced(self) -> tuple[str, ...]:
        """Plants that are not in the stream yet."""
        return self._floor.unplaced()

    def compare(self) -> Comparison:
        """Hold what was planted so far against what was found."""
        return compare(self.truths, self._watch.findings)

    def play(self, speed: float | None, stop: threading.Event) -> Iterator[FloorFigures]:
        """Play, giving the figures after every step.

        Args:
            speed: Simulated seconds a second; None: as fast as it goes.
            stop: Ends the play when set.
        """
        start_us = int(self._config.start.timestamp()) * 1_000_000
        began_s = delivered_s = self._clock.monotonic_s()
        group: list[tuple[bytes, bytes]] = []
        for event in self._floor.events():
            while speed is not None and not stop.is_set():
                played_us = int((self._clock.monotonic_s() - began_s) * speed * 1_000_000)
                if event.at_us <= start_us + played_us:
                    break
                self._fold(group)
                yield self._watch.figures
                stop.wait(STEP_S)
            if stop.is_set():
                break
            self._note(event, group)
            if len(group) >= GROUP_MAX:
                self._fold(group)
                yield self._watch.figures
            if self._clock.monotonic_s() - delivered_s > DELIVER_EVERY_S:
                self._fold(group)
                self._pipeline.deliver()
                delivered_s = self._clock.monotonic_s()
        self._fold(group)
        self._pipeline.deliver()
        yield self._watch.figures

    def _note(self, event: FloorEvent, group: list[tuple[bytes, bytes]]) -> None:
        group.append((event.source_id.encode(), event.raw))
        self._watch.figures.events += 1
        self._watch.figures.at_us = event.at_us

    def _fold(self, group: list[tuple[bytes, bytes]]) -> None:
        if group:
            self._pipeline.extend(group)
            group.clear()
        self._pipeline.catch_up()
