"""Faults of vigorish and of voided coups: reported wrongly, not collected, not given back."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from schemas.events import Capability, CoupVoided, SeatVacated, VigorishCollected, WagerRefunded
from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import (
    WagerFault,
    drop,
    marks_vigorish,
    settlement_of,
    takes_vigorish,
)
from streams.simulator.plants.wagers import PLACED
from streams.simulator.tables.dealing import Shoe
from streams.simulator.tables.faults import Fault, Plant, Scope
from streams.simulator.tables.patrons import Bet

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable


class VigorishWrong(WagerFault):
    """The total paid is right, the vigorish that was reported is not."""

    wagers = ("banker",)
    stake_minor = 20_000

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Report a little less."""
        fields = settlement_of(drafts, bet).fields
        fields["vigorish_taken_minor"] = bet.vigorish_minor - 100
        self.tell(table, Code.VIGORISH_WRONG, plan=plan, note="vigorish reported 1.00 too low")


class VigorishMarkedWrong(WagerFault):
    """Vigorish marked too low, and collected as marked."""

    wagers = ("banker",)
    stake_minor = 20_000

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Mark a little less."""
        fields = settlement_of(drafts, bet).fields
        fields["vigorish_marked_minor"] = bet.vigorish_minor - 100
        table.marked[bet.seat] -= 100
        self.tell(table, Code.VIGORISH_WRONG, plan=plan, note="vigorish marked 1.00 too low")


class VigorishUncollected(WagerFault):
    """A patron leaves with vigorish marked at the seat."""

    wagers = ("banker",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
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
            table,
            Code.VIGORISH_OUTSTANDING,
            shoe=plan.shoe,
            difference_minor=-minor,
            note=f"seat {bet.seat} was left with marked vigorish",
        )


class VigorishOvercollected(WagerFault):
    """More vigorish is collected than was marked."""

    wagers = ("banker",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Collect 1.00 more than lies at the seat, right after the coup."""
        minor = table.marked.pop(bet.seat) + 100
        at_us = drafts[-1].at_us + 1_500_000
        drafts.append(table.collection(at_us, bet.seat, bet.patron, minor))
        self.tell(
            table,
            Code.VIGORISH_WRONG,
            shoe=plan.shoe,
            difference_minor=100,
            note=f"seat {bet.seat}: 1.00 more collected than was marked",
        )


class VigorishLeft(Fault):
    """A shoe ends with vigorish marked at one seat."""

    scope = Scope.SHOE

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Leave one collection out."""
        found = [draft for draft in drafts if draft.kind is VigorishCollected]
        if not found:
            return
        gone = found[0]
        drop(drafts, gone)
        minor = gone.fields["collected_minor"]
        self.tell(
            table,
            Code.VIGORISH_OUTSTANDING,
            shoe=shoe,
            difference_minor=-int(str(minor)),
            note=f"seat {gone.fields['seat']} was not asked at the end of the shoe",
        )
        self.finish()


class VigorishPaidLate(VigorishLeft):
    """Vigorish of a shoe that is collected after the next one was loaded."""

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._late: dict[str, object] | None = None

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Leave one collection out, where a further shoe follows."""
        if table.is_over or self._late is not None:
            return
        found = [draft for draft in drafts if draft.kind is VigorishCollected]
        super().shoe_ended(table, shoe, drafts)
        if self.is_done:
            self._late, self.has_begun, self.is_done = found[0].fields, True, False

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Collect it with the next shoe."""
        if self._late is not None:
            drafts.append(Draft(VigorishCollected, drafts[-1].at_us + 1_000_000, self._late))
            self.finish()


class VoidNotRefunded(Fault):
    """A voided coup in which one stake was kept."""

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Void the coup."""
        plan.is_void = table.carried is None

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Keep a stake, whole or in part."""
        if not any(draft.kind is CoupVoided for draft in drafts):
            return
        refund = next(draft for draft in drafts if draft.kind is WagerRefunded)
        short = self.keep(drafts, refund)
        self.tell(
            table,
            Code.VOID_NOT_REFUNDED,
            plan=plan,
            difference_minor=-short,
            note="a stake of a voided coup was kept",
        )
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


class VoidUnauthorised(VoidNotRefunded):
    """A coup that somebody voided without a name or a reason; every stake goes back."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Leave out who allowed it, and why."""
        voided = next((draft for draft in drafts if draft.kind is CoupVoided), None)
        if voided is None:
            return
        voided.fields["reason"] = voided.fields["authorised_by"] = None
        self.tell(
            table, Code.CORRECTION_UNAUTHORISED, plan=plan, note="voided by nobody, for no reason"
        )
        self.finish()


_VIGORISH: Final = PLACED | {Capability.VIGORISH}

VIGORISH_PLANTS: Final = (
    Plant(
        "vigorish_wrong",
        (Code.VIGORISH_WRONG,),
        "the payment is right, the reported vigorish is not",
        VigorishWrong,
        _VIGORISH,
        takes_vigorish,
    ),
    Plant(
        "vigorish_marked_wrong",
        (Code.VIGORISH_WRONG,),
        "vigorish marked too low, and collected as marked",
        VigorishMarkedWrong,
        _VIGORISH,
        marks_vigorish,
    ),
    Plant(
        "vigorish_uncollected",
        (Code.VIGORISH_OUTSTANDING,),
        "a patron leaves with marked vigorish",
        VigorishUncollected,
        _VIGORISH | {Capability.SEATS_VACATED, Capability.PATRONS},
        marks_vigorish,
    ),
    Plant(
        "vigorish_left_at_shoe_end",
        (Code.VIGORISH_OUTSTANDING,),
        "a shoe ends with marked vigorish",
        VigorishLeft,
        _VIGORISH,
        marks_vigorish,
    ),
    Plant(
        "vigorish_overcollected",
        (Code.VIGORISH_WRONG,),
        "more vigorish is collected than was marked",
        VigorishOvercollected,
        _VIGORISH | {Capability.PATRONS},
        marks_vigorish,
    ),
    Plant(
        "vigorish_paid_late",
        (Code.VIGORISH_OUTSTANDING,),
        "vigorish of a shoe is collected after the next one was loaded: residual 0.00",
        VigorishPaidLate,
        _VIGORISH,
        marks_vigorish,
    ),
    Plant(
        "void_not_refunded",
        (Code.VOID_NOT_REFUNDED,),
        "a stake of a voided coup kept",
        VoidNotRefunded,
        PLACED | {Capability.REFUNDS},
    ),
    Plant(
        "void_partly_refunded",
        (Code.VOID_NOT_REFUNDED,),
        "a stake of a voided coup given back in part",
        VoidPartlyRefunded,
        PLACED | {Capability.REFUNDS},
    ),
    Plant(
        "void_unauthorised",
        (Code.CORRECTION_UNAUTHORISED,),
        "a coup voided without authoriser or reason, its stakes given back",
        VoidUnauthorised,
        PLACED | {Capability.REFUNDS, Capability.CORRECTIONS},
    ),
)
