"""The floor of the demo: twelve tables, and fourteen faults in their first hour."""

from __future__ import annotations

from typing import Final

from streams.simulator.feed import EPOCH, SECOND
from streams.simulator.floor import DEFAULT_START, FloorConfig
from streams.simulator.placing import PlantRequest

_START_US: Final = int((DEFAULT_START - EPOCH).total_seconds()) * SECOND

DEMO_PLANTS: Final = (
    PlantRequest(
        "banker_overpaid", table="BAC-03", coup=1, at_us=_START_US + 41 * SECOND + 200_000
    ),
    PlantRequest("burn_wrong", table="BAC-04", coup=1),
    PlantRequest("rivers_odd_back", table="BAC-01", coup=1),
    PlantRequest("wager_late", table="BAC-09", coup=4),
    PlantRequest("loser_not_collected", table="BAC-02", coup=5),
    PlantRequest("winner_misannounced", table="BAC-07", coup=6),
    PlantRequest("winner_underpaid", table="BAC-11", coup=8),
    PlantRequest("device_fault_open", table="BAC-05", coup=9),
    PlantRequest("overpaid_and_corrected", table="BAC-03", coup=11),
    PlantRequest("banker_stands_wrongly", table="BAC-11", coup=13),
    PlantRequest("event_lost", table="BAC-06", coup=14),
    PlantRequest("progressive_wager_not_counted", table="BAC-02", coup=16),
    PlantRequest("vigorish_uncollected", table="BAC-09", coup=18),
    PlantRequest("void_not_refunded", table="BAC-04", coup=20),
)
"""Each of them one finding, all of them within the first half hour or so; one of a progressive."""


def demo_floor(seed: int = 7) -> FloorConfig:
    """Give the demo's floor: it plays without end."""
    return FloorConfig(tables=12, seed=seed, plants=DEMO_PLANTS)
