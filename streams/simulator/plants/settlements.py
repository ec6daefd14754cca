"""Faults of settling: not at all, twice, out of turn, or under one id with two amounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from auditors.settlement.coup import Coup
from schemas.events import CardDealt, ResultAnnounced
from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import (
    SOON_US,
    WagerFault,
    drop,
    move_before,
    put_after,
    settlement_of,
)
from streams.simulator.plants.payouts import JUDGED
from streams.simulator.tables.faults import Plant

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.patrons import Bet
    from streams.simulator.tables.playing import PlayingTable

_MAIN: Final = ("player", "banker")


class NotSettled(WagerFault):
    """A wager that nobody settled."""

    wagers = ("player",)
    outcome = None

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Leave the settlement out."""
        drop(drafts, settlement_of(drafts, bet))
        self.tell(table, Code.WAGER_NOT_SETTLED, plan=plan, note="no settlement was recorded")


class SettledBeforeResult(WagerFault):
    """A wager settled before the result was announced."""

    wagers = _MAIN
    outcome = None

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Settle it too early."""
        result = next(draft for draft in drafts if draft.kind is ResultAnnounced)
        move_before(drafts, settlement_of(drafts, bet), result)
        self.tell(table, Code.SETTLED_OUT_OF_TURN, plan=plan, note="settled before the result")


class MajesticTooLate(WagerFault):
    """Majestic Match settled after a third card."""

    wagers = ("majestic_match",)
    outcome = None

    def suits(self, table: PlayingTable, coup: Coup) -> bool:
        """Whether there is a third card."""
        return len(coup.player) + len(coup.banker) > 4

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Settle it right after the third card."""
        settled = settlement_of(drafts, bet)
        drop(drafts, settled)
        third = next(o for o in drafts if o.kind is CardDealt and o.fields["position"] == 3)
        settled.at_us = third.at_us
        put_after(drafts, third, settled)
        self.tell(
            table, Code.SETTLED_OUT_OF_TURN, plan=plan, note="Majestic Match after a third card"
        )


class SettledTwice(WagerFault):
    """A winner paid again under another settlement."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay it again."""
        settled = settlement_of(drafts, bet)
        again = {**settled.fields, "settlement_id": f"{bet.settlement_id}2"}
        put_after(drafts, settled, Draft(settled.kind, settled.at_us + SOON_US, again))
        self.tell(
            table,
            Code.SETTLED_TWICE,
            plan=plan,
            difference_minor=bet.due_minor,
            note="a winner was paid twice",
        )


class SettlementConflict(WagerFault):
    """One settlement id with two amounts."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Say it again with another amount."""
        settled = settlement_of(drafts, bet)
        other = {**settled.fields, "paid_minor": bet.due_minor + 500}
        put_after(drafts, settled, Draft(settled.kind, settled.at_us + SOON_US, other))
        self.tell(table, Code.SETTLEMENT_CONFLICT, plan=plan, note="one settlement, two amounts")


class StakeTakenTwice(WagerFault):
    """A losing stake collected twice over."""

    wagers: tuple[str, ...] = _MAIN
    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Collect it twice."""
        settlement_of(drafts, bet).fields["stake_collected_minor"] = 2 * bet.stake_minor
        self.tell(
            table,
            Code.STAKE_TAKEN_TWICE,
            plan=plan,
            difference_minor=-bet.stake_minor,
            note="the stake was taken twice",
        )


class ChipTakenAgain(StakeTakenTwice):
    """A progressive chip taken before the deal, and once more with the losing wagers."""

    wagers = ("harmony_big",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Collect it again."""
        settlement_of(drafts, bet).fields["stake_collected_minor"] = bet.stake_minor
        self.tell(
            table,
            Code.STAKE_TAKEN_TWICE,
            plan=plan,
            difference_minor=-bet.stake_minor,
            note="the chip was taken before the deal already",
        )


SETTLEMENT_PLANTS: Final = (
    Plant(
        "stake_taken_twice",
        (Code.STAKE_TAKEN_TWICE,),
        "a losing stake collected twice",
        StakeTakenTwice,
        JUDGED,
    ),
    Plant(
        "progressive_chip_taken_twice",
        (Code.STAKE_TAKEN_TWICE,),
        "a progressive chip taken before the deal and again after it",
        ChipTakenAgain,
        JUDGED,
        lambda one: one.offered("harmony_big") is not None,
    ),
    Plant(
        "wager_not_settled",
        (Code.WAGER_NOT_SETTLED,),
        "a wager without a settlement",
        NotSettled,
        JUDGED,
    ),
    Plant(
        "settled_before_result",
        (Code.SETTLED_OUT_OF_TURN,),
        "a wager settled before the result was announced",
        SettledBeforeResult,
        JUDGED,
    ),
    Plant(
        "majestic_after_third_card",
        (Code.SETTLED_OUT_OF_TURN,),
        "Majestic Match settled after a third card",
        MajesticTooLate,
        JUDGED,
        lambda one: one.offered("majestic_match") is not None,
    ),
    Plant(
        "settled_twice",
        (Code.SETTLED_TWICE,),
        "a winner paid again under another settlement",
        SettledTwice,
        JUDGED,
    ),
    Plant(
        "settlement_conflict",
        (Code.SETTLEMENT_CONFLICT,),
        "one settlement id with two amounts",
        SettlementConflict,
        JUDGED,
    ),
)
