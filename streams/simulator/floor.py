"""A whole simulated floor: tables and their progressive controller, merged in order of time."""

from __future__ import annotations

import datetime
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple

from streams.simulator.controllers.controller import CONTROLLER, Controller
from streams.simulator.feed import EPOCH, Message
from streams.simulator.placing import PlantRequest, place_faults
from streams.simulator.tables.jackpots import HIT_EVERY
from streams.simulator.tables.playing import CoupListener, TableRun
from streams.simulator.tables.table import SimulatedTable
from streams.simulator.truths import Truth

DEFAULT_START: Final = datetime.datetime.fromisoformat("2025-06-07T18:00:00-04:00")
"""A Saturday evening on which every section held was in force."""


@dataclass(frozen=True, slots=True)
class FloorConfig:
    """A floor to simulate."""

    tables: int = 12
    seed: int = 7
    start: datetime.datetime = DEFAULT_START
    duration: datetime.timedelta | None = None
    """No coup begins after it; None: no end, or as many coups as asked for."""
    coups: int | None = None
    """Coups over all tables; None: no limit."""
    plants: tuple[PlantRequest, ...] = ()
    hit_every: int = HIT_EVERY
    """Coups of a table between two hits of its progressive, on average; 0 for none."""
    video_every: int = 0
    """Coups of a table between two that are told to be on a recording; 0 for none."""


class FloorEvent(NamedTuple):
    """One event of the floor as it is delivered."""

    at_us: int
    source_id: str
    raw: bytes


def _ignore(_: Truth) -> None:
    """Do nothing with a truth that nobody asked for."""


@dataclass(slots=True)
class Floor:
    """A floor that plays; memory does not grow with the length of the day."""

    config: FloorConfig
    on_truth: Callable[[Truth], None] = _ignore
    """Hears of every planted fault when it is in the stream."""
    on_coup: CoupListener | None = None
    """Hears of every coup, once it is dealt."""
    tables: list[SimulatedTable] = field(init=False)
    controller: Controller = field(init=False)
    _at_fault: set[str] = field(init=False, default_factory=set)
    _meter_free_us: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        faults = place_faults(self.config, Random(f"{self.config.seed}/plants"))
        self.tables = [
            SimulatedTable(number, self._run(number), faults.get(number, []))
            for number in range(self.config.tables)
        ]
        linked = {table.source_id: table.submission for table in self.tables}
        start_us = _microseconds(self.config.start)
        self.controller = Controller(self.config.seed, start_us, linked)

    def _run(self, number: int) -> TableRun:
        config = self.config
        start_us = _microseconds(config.start)
        length = config.duration
        share = None
        if config.coups is not None:
            share = config.coups // config.tables + (number < config.coups % config.tables)
        return TableRun(
            seed=config.seed,
            start_us=start_us,
            end_us=None if length is None else _microseconds(config.start + length),
            coups=share,
            on_truth=self.on_truth,
            on_coup=self.on_coup,
            hit_every=config.hit_every,
            video_every=config.video_every,
            frozen=self._frozen,
            at_fault=self._at_fault,
            meter_free_us=self._meter_free_us,
        )

    def _frozen(self, table_id: str, coup_id: str) -> Fraction | None:
        return self.controller.award(table_id, coup_id)

    def events(self) -> Iterator[FloorEvent]:
        """Give every event of the floor in the order of delivery."""
        controller = self.controller
        if controller.is_needed:
            yield from _said(controller.begin())
        streams = [_numbered(table) for table in self.tables]
        for at_us, number, _, message in heapq.merge(*streams):
            table = self.tables[number]
            if controller.is_needed:
                yield from _said(controller.until(at_us))
            yield FloorEvent(at_us, table.source_id, message.raw)
            if message.note is not None and controller.is_needed:
                true_us = at_us + table.clock_offset_us
                yield from _said(
                    controller.hear(message.note, true_us, table.source_id, table.submission)
                )
        if controller.is_needed:
            yield from _said(controller.finish())

    def unplaced(self) -> tuple[str, ...]:
        """Name the plants that found no place in the day, or not enough of it to be found."""
        return tuple(
            fault.name
            for table in self.tables
            for fault in table.faults
            if not fault.is_done and not fault.is_told
        )


def floor_events(
    config: FloorConfig, on_truth: Callable[[Truth], None] = _ignore
) -> Iterator[tuple[str, bytes]]:
    """Give source and bytes of every event of a floor, in the order of delivery.

    Args:
        config: The floor.
        on_truth: Hears of every planted fault.
    """
    for event in Floor(config, on_truth).events():
        yield event.source_id, event.raw


def _microseconds(moment: datetime.datetime) -> int:
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def _numbered(table: SimulatedTable) -> Iterator[tuple[int, int, int, Message]]:
    """Give what a table delivers with its place in the order of the floor."""
    count = latest = 0
    for messages in table.messages():
        for message in messages:
            count += 1
            latest = max(latest, message.at_us)
            yield latest, table.number, count, message


def _said(messages: list[Message]) -> Iterator[FloorEvent]:
    for message in messages:
        yield FloorEvent(message.at_us, CONTROLLER, message.raw)
