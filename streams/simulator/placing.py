"""Chooses the table and the time of day at which each fault is planted: seeded, or as asked for."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from schemas.words.suggestions import near_miss
from streams.simulator.filings import STAGES, filing_of, reports_of
from streams.simulator.plants import PLANTS
from streams.simulator.progressive_filings import progressive_id
from streams.simulator.tables.faults import Fault, OnMeter, Plant, Scope

_COUP_SECONDS: Final = 60
"""About how long a coup takes, to know how far a day goes."""

_SHOE_COUPS: Final = 80
"""About how many coups a shoe has."""

_SPREAD: Final = 0.6
"""Faults begin within this part of the day, so that each finds its place in time."""

_ENDLESS_COUPS: Final = 240
"""A day without end is planted within so many coups of a table."""


class UnknownPlantError(ValueError):
    """A plant that there is not, or that no table of the floor suits."""


class AskedFloor(Protocol):
    """What has to be known of a floor to find places in its day."""

    @property
    def tables(self) -> int:
        """How many tables it has."""
        ...

    @property
    def duration(self) -> datetime.timedelta | None:
        """After it no coup begins; None for no end."""
        ...

    @property
    def coups(self) -> int | None:
        """Coups over all tables; None for no limit."""
        ...

    @property
    def plants(self) -> tuple[PlantRequest, ...]:
        """What is to be planted."""
        ...


@dataclass(frozen=True, slots=True)
class PlantRequest:
    """A fault that is asked for."""

    name: str
    count: int = 1
    table: str | None = None
    """Where; None: at a table that suits it."""
    coup: int | None = None
    """Not before so many coups of the table; None: somewhere in the first part of the day."""
    at_us: int | None = None
    """When its deciding event is to happen, microseconds since 1970 UTC."""


def plant_named(name: str) -> Plant:
    """Find a plant.

    Raises:
        UnknownPlantError: There is none of that name.
    """
    found = PLANTS.get(name)
    if found is None:
        raise UnknownPlantError(f"no plant {name!r}{near_miss(name, PLANTS)}")
    return found


def place_faults(config: AskedFloor, rng: Random) -> dict[int, list[Fault]]:
    """Give every fault its table and its earliest coup.

    Raises:
        UnknownPlantError: A plant is unknown, or no table suits it.
    """
    placed: dict[int, list[Fault]] = {}
    on_meters: list[tuple[str | None, OnMeter]] = []
    load = [0] * config.tables
    for request in config.plants:
        plant = plant_named(request.name)
        for _ in range(request.count):
            fault = plant.make(plant.name, Random(rng.getrandbits(64)))
            number = _table(config, request, plant, load, rng, _bears(fault, on_meters))
            if fault.on_meter is not None:
                on_meters.append((progressive_id(number), fault.on_meter))
            fault.earliest = _earliest(config, request, fault, rng)
            fault.at_us = request.at_us
            placed.setdefault(number, []).append(fault)
            load[number] += fault.weight
    return {
        number: sorted(faults, key=lambda fault: fault.earliest)
        for number, faults in placed.items()
    }


def _bears(fault: Fault, on_meters: list[tuple[str | None, OnMeter]]) -> Callable[[int], bool]:
    """Say at which tables a fault is told apart from those of progressives placed before."""

    def at(number: int) -> bool:
        for name, other in on_meters if fault.on_meter is not None else ():
            both = {fault.on_meter, other}
            if OnMeter.LAST in both or (OnMeter.ALONE in both and name == progressive_id(number)):
                return False
        return True

    return at


def _table(
    config: AskedFloor,
    request: PlantRequest,
    plant: Plant,
    load: list[int],
    rng: Random,
    bears: Callable[[int], bool],
) -> int:
    """Choose the least burdened table that suits a plant all day."""
    suited = [number for number in range(config.tables) if _suits(plant, number)]
    if request.table is not None:
        suited = [number for number in suited if f"BAC-{number + 1:02}" == request.table]
    if not suited:
        where = request.table or f"the {config.tables} tables of this floor"
        raise UnknownPlantError(
            f"plant {plant.name} suits none of {where}; simulate at least 12 tables"
        )
    suited = [number for number in suited if bears(number)]
    if not suited:
        raise UnknownPlantError(
            f"plant {plant.name} and another fault of the same progressive would not be told "
            "apart; simulate them one after the other, or more tables: each 12 have three of them"
        )
    least = min(load[number] for number in suited)
    return rng.choice([number for number in suited if load[number] == least])


def _suits(plant: Plant, number: int) -> bool:
    reports = reports_of(number)
    return all(plant.suits(reports, filing_of(number, stage)) for stage in range(STAGES))


def _earliest(config: AskedFloor, request: PlantRequest, fault: Fault, rng: Random) -> int:
    if fault.scope is Scope.TABLE:
        return 0
    if request.coup is not None:
        return request.coup - 1
    coups = _coups_expected(config)
    if fault.scope is Scope.SHOE:
        shoes = max(1, int(coups * _SPREAD) // _SHOE_COUPS)
        return rng.randrange(shoes) * _SHOE_COUPS // 2
    return rng.randrange(1, max(2, int(coups * _SPREAD)))


def _coups_expected(config: AskedFloor) -> int:
    """Estimate how many coups a table plays."""
    limits = [_ENDLESS_COUPS]
    if config.duration is not None:
        limits = [int(config.duration.total_seconds()) // _COUP_SECONDS]
    if config.coups is not None:
        limits = [config.coups // config.tables, *(limits if config.duration else [])]
    return min(limits)
