"""The catalogue of plants: one or more for every finding and every known incident."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from streams.simulator.plants.compositions import COMPOSITION_PLANTS
from streams.simulator.plants.deals import DEAL_PLANTS
from streams.simulator.plants.devices import DEVICE_PLANTS
from streams.simulator.plants.feeds import FEED_PLANTS
from streams.simulator.plants.incidents import INCIDENT_PLANTS
from streams.simulator.plants.payouts import PAYOUT_PLANTS
from streams.simulator.plants.progressive.counting import PROGRESSIVE_PLANTS
from streams.simulator.plants.progressive.ends import END_PLANTS
from streams.simulator.plants.progressive.hits import HIT_PLANTS
from streams.simulator.plants.progressive.meters import METER_PLANTS
from streams.simulator.plants.rules import RULE_PLANTS
from streams.simulator.plants.settlements import SETTLEMENT_PLANTS
from streams.simulator.plants.shoes import SHOE_PLANTS
from streams.simulator.plants.vigorish import VIGORISH_PLANTS
from streams.simulator.plants.wagers import WAGER_PLANTS
from streams.simulator.tables.faults import Plant

PLANTS: Final[Mapping[str, Plant]] = MappingProxyType(
    {
        plant.name: plant
        for plant in (
            *FEED_PLANTS,
            *DEVICE_PLANTS,
            *COMPOSITION_PLANTS,
            *SHOE_PLANTS,
            *DEAL_PLANTS,
            *WAGER_PLANTS,
            *PAYOUT_PLANTS,
            *SETTLEMENT_PLANTS,
            *VIGORISH_PLANTS,
            *RULE_PLANTS,
            *PROGRESSIVE_PLANTS,
            *METER_PLANTS,
            *HIT_PLANTS,
            *END_PLANTS,
            *INCIDENT_PLANTS,
        )
    }
)
"""Every plant by name, in the order of the catalogue of findings."""
