"""Patterns over many coups: what people do who know something, and dealers who look away."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import WagerFault, settlement_of
from streams.simulator.plants.payouts import PAID
from streams.simulator.tables.faults import Fault, Plant

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.patrons import Bet
    from streams.simulator.tables.playing import PlayingTable

_LATE: Final = 0.8
"""From this part of the shoe on the stakes rise."""


class Dumping(WagerFault):
    """A dealer leaves five losing stakes of one seat alone, coup after coup."""

    wagers = ("player", "banker")
    outcome = "lose"
    seat = "2"
    times = 5
    weight = 2

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._left = self.times

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Do not collect."""
        settlement_of(drafts, bet).fields["stake_collected_minor"] = 0
        self.tell(
            table,
            Code.LOSER_NOT_COLLECTED,
            plan=plan,
            difference_minor=bet.stake_minor,
            note=f"seat {bet.seat}, dealer {table.dealer}",
        )
        self._left -= 1
        self.has_begun = True

    def finish(self) -> None:
        """Go on until it has happened often enough."""
        if self._left == 0:
            super().finish()


class LateMaximum(Fault):
    """Three patrons stake little, then the maximum together, late in the shoe (Zender)."""

    seats = ("1", "5", "7")
    coups = 5
    weight = 3

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._left = self.coups

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Let them stake together on the Banker hand."""
        shoe = plan.shoe
        if not self.has_begun and shoe.taken < _LATE * shoe.cover_at:
            return
        self.has_begun = True
        name = f"{table.submission.game.value}.banker"
        plan.bets = [bet for bet in plan.bets if bet.seat not in self.seats]
        for seat in self.seats:
            patron = table.seating.patrons.get(seat) or table.seating.seat_at(seat)
            offer = table.settler.offers[name]
            table.add_bet(plan, seat, patron.name, name, offer.maximum_minor)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down that there is nothing to find, but a lead."""
        if not self.has_begun:
            return
        self._left -= 1
        if self._left == 0:
            self.tell(table, plan=plan, note="no finding; a lead on a pattern of wagers")
            self.finish()


INCIDENT_PLANTS: Final = (
    Plant(
        "allison_dumping",
        (Code.LOSER_NOT_COLLECTED,),
        "Allison: five losing stakes of one seat left alone by one dealer, a finding each",
        Dumping,
        PAID,
    ),
    Plant(
        "zender_late_maximum",
        (),
        "Zender: three patrons stake the maximum together, late in the shoe: no finding, a lead",
        LateMaximum,
        frozenset(),
    ),
)
