"""Faults of wagering: too late, changed too late, not offered, without base, beyond limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from auditors.law import load_law
from auditors.settlement.terms import WagerRef
from schemas.events import (
    Capability,
    NoMoreBets,
    WagerChanged,
    WagerPlaced,
    WagerWithdrawn,
)
from schemas.findings import FindingCode as Code
from schemas.rules_submission import RulesSubmission
from streams.simulator.feed import Draft
from streams.simulator.plants.base import (
    WagerFault,
    draft_of,
    drop,
    put_after,
    settlement_of,
)
from streams.simulator.plants.payouts import PAID
from streams.simulator.tables.faults import Plant
from streams.simulator.tables.patrons import Bet
from streams.simulator.tables.settling import Offer

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_LATE_US: Final = 400_000
_BASED: Final = ("golden_talons@player", "five_treasures.golden_8", "eclipse.moon_8")


def _call(drafts: list[Draft]) -> Draft:
    return next(draft for draft in drafts if draft.kind is NoMoreBets)


class WagerLate(WagerFault):
    """A wager placed after the call; it is settled like the others."""

    wagers = ("player", "banker")
    outcome = None

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Place it after the call."""
        placed, call = draft_of(drafts, WagerPlaced, wager_id=bet.wager_id), _call(drafts)
        drop(drafts, placed)
        placed.at_us = call.at_us + _LATE_US
        put_after(drafts, call, placed)
        self.tell(table, Code.WAGER_LATE, plan=plan, note="placed 0.4 s after the call")

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Let a patron without other wagers come late: nothing else hangs on it."""
        super().plan(table, plan)
        if self.bet is not None:
            others = [bet for bet in plan.bets if bet.seat == self.bet.seat]
            plan.bets = [bet for bet in plan.bets if bet not in others or bet is self.bet]


class ChangedLate(WagerFault):
    """A stake raised after the call; what is due does not change, and no more is paid."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Raise it after the call."""
        self.change(plan, drafts, bet, stake_minor=2 * bet.stake_minor)
        self.tell(table, Code.WAGER_CHANGED_LATE, plan=plan, note="raised, paid as it stood")

    def change(self, plan: CoupPlan, drafts: list[Draft], bet: Bet, **fields: object) -> None:
        """Change the wager after the call."""
        call = _call(drafts)
        said = {**plan.fields, "wager_id": bet.wager_id, **fields}
        put_after(drafts, call, Draft(WagerChanged, call.at_us + _LATE_US, said))


class Capped(ChangedLate):
    """The stake of a winner raised after the call, and paid as raised: bet capping."""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Raise it, and pay the raised stake."""
        self.change(plan, drafts, bet, stake_minor=2 * bet.stake_minor)
        settlement_of(drafts, bet).fields["paid_minor"] = 2 * bet.due_minor
        self.tell(
            table,
            Code.WAGER_CHANGED_LATE,
            Code.WAGER_OVERPAID,
            plan=plan,
            difference_minor=bet.due_minor,
            note="raised after the call, paid as raised",
        )


class Pinched(ChangedLate):
    """A loser lowered after the call, and collected as lowered: bet pinching."""

    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Lower it, and collect the lowered stake."""
        kept = bet.stake_minor // 2
        self.change(plan, drafts, bet, stake_minor=bet.stake_minor - kept)
        settlement_of(drafts, bet).fields["stake_collected_minor"] = bet.stake_minor - kept
        self.tell(
            table,
            Code.WAGER_CHANGED_LATE,
            Code.LOSER_NOT_COLLECTED,
            plan=plan,
            difference_minor=kept,
            note="lowered after the call, collected as lowered",
        )


class SideSwitched(ChangedLate):
    """A losing wager moved to the other hand after the call, and paid there."""

    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Move it, and pay it as a Tie or Banker win."""
        other = f"{table.submission.game.value}.banker"
        self.change(plan, drafts, bet, wager=other)
        ref = table.settler.offers[other].ref
        due = table.settler.due(ref, plan.judged, bet.stake_minor).due_minor
        fields = settlement_of(drafts, bet).fields
        fields["paid_minor"], fields["stake_collected_minor"] = due, 0
        self.tell(
            table,
            Code.WAGER_CHANGED_LATE,
            Code.LOSER_PAID,
            plan=plan,
            difference_minor=due,
            note="moved from Player to Banker after the call, paid there",
        )


class WithdrawnLate(WagerFault):
    """A wager taken back after the call; the dealer collects it all the same."""

    wagers = ("player",)
    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Withdraw it after the call."""
        call = _call(drafts)
        said: dict[str, object] = {**plan.fields, "wager_id": bet.wager_id}
        put_after(drafts, call, Draft(WagerWithdrawn, call.at_us + _LATE_US, said))
        self.tell(table, Code.WAGER_CHANGED_LATE, plan=plan, note="taken back, collected anyway")


class NotOffered(WagerFault):
    """A wager that the filing does not offer, taken and settled by its usual odds."""

    outcome = None

    def offer(self, table: PlayingTable) -> Offer | None:
        """Take a house wager that is not on the list."""
        ref = WagerRef("house.dragon_7")
        if table.submission.offered(ref.id) is not None or ref.id not in load_law().wagers:
            return None
        plain = next(offer for offer in table.settler.offers.values() if offer.is_main)
        return replace(
            plain,
            ref=ref,
            letter=None,
            minimum_minor=500,
            maximum_minor=5000,
            needs_base=False,
            is_base=False,
            is_main=False,
        )

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have it placed although the table does not offer it."""
        offer = self.offer(table)
        if offer is None:
            return
        patron = self.rng.choice(sorted(table.seating.patrons.values(), key=lambda one: one.seat))
        self.bet = Bet(plan.next_wager_id(), patron.seat, patron.name, offer, 1000)
        plan.bets.append(self.bet)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_NOT_OFFERED, plan=plan, note=f"{bet.name} is not filed")


class WithoutBase(WagerFault):
    """A bonus wager of a patron who has no main wager."""

    wagers = _BASED
    outcome = None

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Take the patron's other wagers away."""
        super().plan(table, plan)
        if self.bet is not None:
            seat = self.bet.seat
            plan.bets = [bet for bet in plan.bets if bet.seat != seat or bet is self.bet]

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_WITHOUT_BASE, plan=plan, note=f"{bet.name} alone")


class AboveLimit(WagerFault):
    """A stake above the filed maximum, settled in full (D31)."""

    wagers = ("player",)
    outcome = None

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Raise the stake beyond the maximum."""
        super().plan(table, plan)
        if self.bet is not None:
            self.bet.stake_minor = self.stake(self.bet)

    def stake(self, bet: Bet) -> int:
        """Give a stake outside the limits."""
        return bet.offer.maximum_minor + 100_00

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_OUT_OF_LIMITS, plan=plan, note=f"staked {bet.stake_minor}")


class BelowLimit(AboveLimit):
    """A stake below the filed minimum."""

    def stake(self, bet: Bet) -> int:
        """Give half of the minimum."""
        return bet.offer.minimum_minor // 2


PLACED: Final = PAID | {Capability.WAGERS, Capability.NO_MORE_BETS, Capability.SUITS}
"""What a table has to report so that wagers can be judged."""


def _offers_based(submission: RulesSubmission) -> bool:
    ids = (name.partition("@")[0] for name in _BASED)
    return any(submission.offered(wager_id) is not None for wager_id in ids)


WAGER_PLANTS: Final = (
    Plant(
        "wager_late",
        (Code.WAGER_LATE,),
        "a wager placed after no more bets",
        WagerLate,
        PLACED,
    ),
    Plant(
        "wager_raised_late",
        (Code.WAGER_CHANGED_LATE,),
        "a stake raised after no more bets, paid as it stood",
        ChangedLate,
        PLACED,
    ),
    Plant(
        "bet_capping",
        (Code.WAGER_CHANGED_LATE, Code.WAGER_OVERPAID),
        "a winner raised after no more bets and paid as raised (Buono and Marcus)",
        Capped,
        PLACED,
    ),
    Plant(
        "bet_pinching",
        (Code.WAGER_CHANGED_LATE, Code.LOSER_NOT_COLLECTED),
        "a loser lowered after no more bets and collected as lowered (Buono and Marcus)",
        Pinched,
        PLACED,
    ),
    Plant(
        "side_switching",
        (Code.WAGER_CHANGED_LATE, Code.LOSER_PAID),
        "a loser moved to the winning hand after no more bets (Buono and Marcus)",
        SideSwitched,
        PLACED,
    ),
    Plant(
        "wager_withdrawn_late",
        (Code.WAGER_CHANGED_LATE,),
        "a wager taken back after no more bets, collected all the same",
        WithdrawnLate,
        PLACED,
    ),
    Plant(
        "wager_not_offered",
        (Code.WAGER_NOT_OFFERED,),
        "a wager that the table does not offer",
        NotOffered,
        PLACED,
        lambda one: one.offered("house.dragon_7") is None,
    ),
    Plant(
        "wager_without_base",
        (Code.WAGER_WITHOUT_BASE,),
        "a bonus wager without a main wager",
        WithoutBase,
        PLACED | {Capability.PATRONS},
        _offers_based,
    ),
    Plant(
        "stake_above_maximum",
        (Code.WAGER_OUT_OF_LIMITS,),
        "a stake above the filed maximum",
        AboveLimit,
        PLACED,
    ),
    Plant(
        "stake_below_minimum",
        (Code.WAGER_OUT_OF_LIMITS,),
        "a stake below the filed minimum",
        BelowLimit,
        PLACED,
    ),
)
