"""Faults of wagering: too late, changed too late, not offered, without base, beyond limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from auditors.law import load_law
from auditors.terms import WagerRef
from schemas.events import (
    Capability,
    CoupVoided,
    NoMoreBets,
    SeatVacated,
    VigorishCollected,
    WagerChanged,
    WagerPlaced,
    WagerRefunded,
    WagerWithdrawn,
)
from schemas.findings import FindingCode as Code
from schemas.rules_submission import RulesSubmission
from streams.simulator.dealing import Shoe
from streams.simulator.faults import Fault, Plant, Scope
from streams.simulator.feed import Draft
from streams.simulator.patrons import Bet
from streams.simulator.plants.base import (
    WagerFault,
    draft_of,
    drop,
    marks_vigorish,
    put_after,
    settlement_of,
    takes_vigorish,
)
from streams.simulator.plants.payouts import PAID
from streams.simulator.settling import Offer

if TYPE_CHECKING:
    from streams.simulator.coup import CoupPlan
    from streams.simulator.table import SimulatedTable

_LATE_US: Final = 400_000
_BASED: Final = ("golden_talons@player", "five_treasures.golden_8", "eclipse.moon_8")


def _call(drafts: list[Draft]) -> Draft:
    return next(one for one in drafts if one.kind is NoMoreBets)


class WagerLate(WagerFault):
    """A wager placed after the call; it is settled like the others."""

    wagers = ("player", "banker")
    outcome = None

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Place it after the call."""
        placed, call = draft_of(drafts, WagerPlaced, wager_id=bet.wager_id), _call(drafts)
        drop(drafts, placed)
        placed.at_us = call.at_us + _LATE_US
        put_after(drafts, call, placed)
        self.tell(table, Code.WAGER_LATE, plan=plan, note="placed 0.4 s after the call")

    def plan(self, table: SimulatedTable, plan: CoupPlan) -> None:
        """Let a patron without other wagers come late: nothing else hangs on it."""
        super().plan(table, plan)
        if self.bet is not None:
            others = [one for one in plan.bets if one.seat == self.bet.seat]
            plan.bets = [one for one in plan.bets if one not in others or one is self.bet]


class ChangedLate(WagerFault):
    """A stake raised after the call; what is due does not change, and no more is paid."""

    wagers = ("player",)

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
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

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Raise it, and pay the raised stake."""
        self.change(plan, drafts, bet, stake_minor=2 * bet.stake_minor)
        settlement_of(drafts, bet).fields["paid_minor"] = 2 * bet.due_minor
        self.tell(
            table, Code.WAGER_CHANGED_LATE, Code.WAGER_OVERPAID, plan=plan,
            difference_minor=bet.due_minor, note="raised after the call, paid as raised",
        )  # fmt: skip


class Pinched(ChangedLate):
    """A loser lowered after the call, and collected as lowered: bet pinching."""

    outcome = "lose"

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Lower it, and collect the lowered stake."""
        kept = bet.stake_minor // 2
        self.change(plan, drafts, bet, stake_minor=bet.stake_minor - kept)
        settlement_of(drafts, bet).fields["stake_collected_minor"] = bet.stake_minor - kept
        self.tell(
            table, Code.WAGER_CHANGED_LATE, Code.LOSER_NOT_COLLECTED, plan=plan,
            difference_minor=kept, note="lowered after the call, collected as lowered",
        )  # fmt: skip


class SideSwitched(ChangedLate):
    """A losing wager moved to the other hand after the call, and paid there."""

    outcome = "lose"

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Move it, and pay it as a Tie or Banker win."""
        other = f"{table.submission.game.value}.banker"
        self.change(plan, drafts, bet, wager=other)
        ref = table.settler.offers[other].ref
        due = table.settler.due(ref, plan.judged, bet.stake_minor).due_minor
        fields = settlement_of(drafts, bet).fields
        fields["paid_minor"], fields["stake_collected_minor"] = due, 0
        self.tell(
            table, Code.WAGER_CHANGED_LATE, Code.LOSER_PAID, plan=plan, difference_minor=due,
            note="moved from Player to Banker after the call, paid there",
        )  # fmt: skip


class WithdrawnLate(WagerFault):
    """A wager taken back after the call; the dealer collects it all the same."""

    wagers = ("player",)
    outcome = "lose"

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Withdraw it after the call."""
        call = _call(drafts)
        said: dict[str, object] = {**plan.fields, "wager_id": bet.wager_id}
        put_after(drafts, call, Draft(WagerWithdrawn, call.at_us + _LATE_US, said))
        self.tell(table, Code.WAGER_CHANGED_LATE, plan=plan, note="taken back, collected anyway")


class NotOffered(WagerFault):
    """A wager that the filing does not offer, taken and settled by its usual odds."""

    outcome = None

    def offer(self, table: SimulatedTable) -> Offer | None:
        """Take a house wager that is not on the list."""
        ref = WagerRef("house.dragon_7")
        if table.submission.offered(ref.id) is not None or ref.id not in load_law().wagers:
            return None
        plain = next(one for one in table.settler.offers.values() if one.is_main)
        return replace(
            plain, ref=ref, letter=None, minimum_minor=500, maximum_minor=5000,
            needs_base=False, is_base=False, is_main=False,
        )  # fmt: skip

    def plan(self, table: SimulatedTable, plan: CoupPlan) -> None:
        """Have it placed although the table does not offer it."""
        offer = self.offer(table)
        if offer is None:
            return
        patron = self.rng.choice(sorted(table.seating.patrons.values(), key=lambda one: one.seat))
        self.bet = Bet(plan.next_wager_id(), patron.seat, patron.name, offer, 1000)
        plan.bets.append(self.bet)

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_NOT_OFFERED, plan=plan, note=f"{bet.name} is not filed")


class WithoutBase(WagerFault):
    """A bonus wager of a patron who has no main wager."""

    wagers = _BASED
    outcome = None

    def plan(self, table: SimulatedTable, plan: CoupPlan) -> None:
        """Take the patron's other wagers away."""
        super().plan(table, plan)
        if self.bet is not None:
            seat = self.bet.seat
            plan.bets = [one for one in plan.bets if one.seat != seat or one is self.bet]

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_WITHOUT_BASE, plan=plan, note=f"{bet.name} alone")


class AboveLimit(WagerFault):
    """A stake above the filed maximum, settled in full (D31)."""

    wagers = ("player",)
    outcome = None

    def plan(self, table: SimulatedTable, plan: CoupPlan) -> None:
        """Raise the stake beyond the maximum."""
        super().plan(table, plan)
        if self.bet is not None:
            self.bet.stake_minor = self.stake(self.bet)

    def stake(self, bet: Bet) -> int:
        """Give a stake outside the limits."""
        return bet.offer.maximum_minor + 100_00

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Write down what is found."""
        self.tell(table, Code.WAGER_OUT_OF_LIMITS, plan=plan, note=f"staked {bet.stake_minor}")


class BelowLimit(AboveLimit):
    """A stake below the filed minimum."""

    def stake(self, bet: Bet) -> int:
        """Give half of the minimum."""
        return bet.offer.minimum_minor // 2


class VigorishWrong(WagerFault):
    """The total paid is right, the vigorish that was reported is not."""

    wagers = ("banker",)
    stake_minor = 20_000

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Report a little less."""
        fields = settlement_of(drafts, bet).fields
        fields["vigorish_taken_minor"] = bet.vigorish_minor - 100
        self.tell(table, Code.VIGORISH_WRONG, plan=plan, note="vigorish reported 1.00 too low")


class VigorishMarkedWrong(WagerFault):
    """Vigorish marked too low, and collected as marked."""

    wagers = ("banker",)
    stake_minor = 20_000

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Mark a little less."""
        fields = settlement_of(drafts, bet).fields
        fields["vigorish_marked_minor"] = bet.vigorish_minor - 100
        table.marked[bet.seat] -= 100
        self.tell(table, Code.VIGORISH_WRONG, plan=plan, note="vigorish marked 1.00 too low")


class VigorishUncollected(WagerFault):
    """A patron leaves with vigorish marked at the seat."""

    wagers = ("banker",)

    def edit(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Let the patron leave right after the coup."""
        patron = table.seating.patrons.pop(bet.seat)
        minor = table.marked.pop(bet.seat)
        gone: dict[str, object] = {
            "seat": bet.seat,
            "patron": patron.name,
            "shoe_id": plan.shoe.shoe_id,
        }
        drafts.append(Draft(SeatVacated, drafts[-1].at_us + 1_500_000, gone))
        self.tell(
            table, Code.VIGORISH_OUTSTANDING, shoe=plan.shoe, difference_minor=-minor,
            note=f"seat {bet.seat} was left with marked vigorish",
        )  # fmt: skip


class VigorishLeft(Fault):
    """A shoe ends with vigorish marked at one seat."""

    scope = Scope.SHOE

    def shoe_ended(self, table: SimulatedTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Leave one collection out."""
        found = [one for one in drafts if one.kind is VigorishCollected]
        if not found:
            return
        gone = found[0]
        drop(drafts, gone)
        minor = gone.fields["collected_minor"]
        self.tell(
            table, Code.VIGORISH_OUTSTANDING, shoe=shoe, difference_minor=-int(str(minor)),
            note=f"seat {gone.fields['seat']} was not asked at the end of the shoe",
        )  # fmt: skip
        self.finish()


class VoidNotRefunded(Fault):
    """A voided coup in which one stake was kept."""

    def plan(self, table: SimulatedTable, plan: CoupPlan) -> None:
        """Void the coup."""
        plan.is_void = table.carried is None

    def script(self, table: SimulatedTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Keep a stake, whole or in part."""
        if not any(one.kind is CoupVoided for one in drafts):
            return
        refund = next(one for one in drafts if one.kind is WagerRefunded)
        short = self.keep(drafts, refund)
        self.tell(
            table, Code.VOID_NOT_REFUNDED, plan=plan, difference_minor=-short,
            note="a stake of a voided coup was kept",
        )  # fmt: skip
        self.finish()

    def keep(self, drafts: list[Draft], refund: Draft) -> int:
        """Leave a refund out; give what is missing."""
        drop(drafts, refund)
        return int(str(refund.fields["refunded_minor"]))


class VoidPartlyRefunded(VoidNotRefunded):
    """A voided coup in which a stake went back in part."""

    def keep(self, drafts: list[Draft], refund: Draft) -> int:
        """Give a part back; give what is missing."""
        stake = int(str(refund.fields["refunded_minor"]))
        refund.fields["refunded_minor"] = stake - stake // 2
        return stake // 2


_PLACED: Final = PAID | {Capability.WAGERS, Capability.NO_MORE_BETS, Capability.SUITS}
_VIGORISH: Final = _PLACED | {Capability.VIGORISH}


def _offers_based(submission: RulesSubmission) -> bool:
    ids = (name.partition("@")[0] for name in _BASED)
    return any(submission.offered(one) is not None for one in ids)


WAGER_PLANTS: Final = (
    Plant(
        "wager_late", (Code.WAGER_LATE,), "a wager placed after no more bets", WagerLate, _PLACED,
    ),
    Plant(
        "wager_raised_late", (Code.WAGER_CHANGED_LATE,),
        "a stake raised after no more bets, paid as it stood", ChangedLate, _PLACED,
    ),
    Plant(
        "bet_capping", (Code.WAGER_CHANGED_LATE, Code.WAGER_OVERPAID),
        "a winner raised after no more bets and paid as raised (Buono and Marcus)", Capped,
        _PLACED,
    ),
    Plant(
        "bet_pinching", (Code.WAGER_CHANGED_LATE, Code.LOSER_NOT_COLLECTED),
        "a loser lowered after no more bets and collected as lowered (Buono and Marcus)", Pinched,
        _PLACED,
    ),
    Plant(
        "side_switching", (Code.WAGER_CHANGED_LATE, Code.LOSER_PAID),
        "a loser moved to the winning hand after no more bets (Buono and Marcus)", SideSwitched,
        _PLACED,
    ),
    Plant(
        "wager_withdrawn_late", (Code.WAGER_CHANGED_LATE,),
        "a wager taken back after no more bets, collected all the same", WithdrawnLate, _PLACED,
    ),
    Plant(
        "wager_not_offered", (Code.WAGER_NOT_OFFERED,), "a wager that the table does not offer",
        NotOffered, _PLACED, lambda one: one.offered("house.dragon_7") is None,
    ),
    Plant(
        "wager_without_base", (Code.WAGER_WITHOUT_BASE,), "a bonus wager without a main wager",
        WithoutBase, _PLACED | {Capability.PATRONS}, _offers_based,
    ),
    Plant(
        "stake_above_maximum", (Code.WAGER_OUT_OF_LIMITS,), "a stake above the filed maximum",
        AboveLimit, _PLACED,
    ),
    Plant(
        "stake_below_minimum", (Code.WAGER_OUT_OF_LIMITS,), "a stake below the filed minimum",
        BelowLimit, _PLACED,
    ),
    Plant(
        "vigorish_wrong", (Code.VIGORISH_WRONG,),
        "the payment is right, the reported vigorish is not", VigorishWrong, _VIGORISH,
        takes_vigorish,
    ),
    Plant(
        "vigorish_marked_wrong", (Code.VIGORISH_WRONG,),
        "vigorish marked too low, and collected as marked", VigorishMarkedWrong, _VIGORISH,
        marks_vigorish,
    ),
    Plant(
        "vigorish_uncollected", (Code.VIGORISH_OUTSTANDING,),
        "a patron leaves with marked vigorish", VigorishUncollected,
        _VIGORISH | {Capability.SEATS_VACATED, Capability.PATRONS}, marks_vigorish,
    ),
    Plant(
        "vigorish_left_at_shoe_end", (Code.VIGORISH_OUTSTANDING,),
        "a shoe ends with marked vigorish", VigorishLeft, _VIGORISH, marks_vigorish,
    ),
    Plant(
        "void_not_refunded", (Code.VOID_NOT_REFUNDED,), "a stake of a voided coup kept",
        VoidNotRefunded, _PLACED | {Capability.REFUNDS},
    ),
    Plant(
        "void_partly_refunded", (Code.VOID_NOT_REFUNDED,),
        "a stake of a voided coup given back in part", VoidPartlyRefunded,
        _PLACED | {Capability.REFUNDS},
    ),
)  # fmt: skip
