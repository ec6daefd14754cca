"""The chips of a simulated table and its drop box."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from streams.simulator.tables.coup_plan import CoupPlan
from streams.simulator.tables.patrons import Patron
from streams.simulator.tables.settling import Offer


@dataclass(slots=True)
class Tray:
    """The chips of a table and its drop box, minor units."""

    minor: int = 40_000_000
    drop_minor: int = 0

    def buy_in(self, patron: Patron, offers: Iterable[Offer]) -> None:
        """Let a patron buy chips: cash goes into the drop box."""
        least = min(offer.minimum_minor for offer in offers if offer.is_main)
        amount = 20 * patron.multiple * least
        self.minor -= amount
        self.drop_minor += amount

    def settle(self, plan: CoupPlan) -> None:
        """Take losing stakes and pay winners."""
        if not plan.is_void:
            self.minor += sum(bet.stake_minor - bet.due_minor for bet in plan.standing)
