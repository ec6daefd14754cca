"""Faults of counting on a progressive: wagers, chips, stakes, voids."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schemas.events import Capability, CoupVoided, NoMoreBets, WagerPlaced
from schemas.findings import FindingCode as Code
from streams.simulator.plants.base import draft_of, drop, put_after
from streams.simulator.plants.progressive.on_meters import (
    MeterFault,
    count_otherwise,
    counts_chips,
    has_meter,
    keeps_voids,
    reverses_voids,
    tells_counts,
    tells_wagers,
)
from streams.simulator.plants.wagers import PLACED
from streams.simulator.tables.faults import Plant
from streams.simulator.tables.notes import LockedOut, Voided

if TYPE_CHECKING:
    from streams.simulator.feed import Draft
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_LATE_US: Final = 1_500_000
_STRETCH: Final = 5


class NotCounted(MeterFault):
    """One wager that the table accepted and the controller did not count."""

    times = 0
    code = Code.CONTRIBUTION_MISSING
    words = "wagers_not_counted: not counted"
    is_at_table = True
    """Whether the first event at which both part is the table's."""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let the controller miss it, or count it again."""
        bet = plan.on_meter[0]
        count_otherwise(drafts, bet, self.times)
        note = f"wager {bet.wager_id}, {self.words}"
        self.tell_of_meter(table, self.code, note=note, is_at_table=self.is_at_table)


class CountedTwice(NotCounted):
    """One wager that the controller counted twice."""

    times = 2
    code = Code.CONTRIBUTION_DUPLICATED
    words = "counted_twice: counted twice"
    is_at_table = False


class OneOfEqualNotCounted(NotCounted):
    """One of several equal wagers is not counted, and the controller tells counts alone."""

    wagers = 4
    words = "wagers_not_counted: not counted, or another one that is equal to it"


class StretchNotCounted(MeterFault):
    """Every wager of a table over five coups is not counted, after one coup that is."""

    wagers = 2
    coups = 1 + _STRETCH
    # As long as a controller has told no wager by itself, a ledger goes by its counts alone.

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let the controller miss all of them."""
        if self.coups > _STRETCH:
            return
        for bet in plan.on_meter:
            count_otherwise(drafts, bet, 0)
        if self.coups == _STRETCH:
            first = plan.on_meter[0].wager_id
            note = f"wagers_not_counted: none of five coups of {table.source_id}, from {first} on"
            self.tell_of_meter(table, Code.CONTRIBUTION_MISSING, note=note, is_at_table=True)


class AfterLockOut(MeterFault):
    """A wager that table and controller accept after the lock-out; the dealer settles it."""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Place it after the call."""
        bet = plan.on_meter[0]
        placed = draft_of(drafts, WagerPlaced, wager_id=bet.wager_id)
        call = draft_of(drafts, NoMoreBets)
        drop(drafts, placed)
        after = drafts[next(n for n, draft in enumerate(drafts) if draft is call) + 1]
        placed.at_us = min(call.at_us + _LATE_US, after.at_us)
        put_after(drafts, call, placed)
        if isinstance(call.note, LockedOut):
            others = tuple(other for other in call.note.bets if other is not bet)
            call.note = replace(call.note, bets=others)
        self.tell(table, Code.WAGER_LATE, plan=plan, note=f"{bet.wager_id} after the call")
        self.tell(
            table,
            Code.PROGRESSIVE_WAGER_AFTER_LOCKOUT,
            plan=plan,
            note=f"{bet.wager_id} accepted after the lock-out",
        )


class ChipsMismatch(MeterFault):
    """One chip fewer is counted than wagers were accepted."""

    wagers = 2

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Miss a chip."""
        call = draft_of(drafts, NoMoreBets)
        if isinstance(call.note, LockedOut):
            call.note = replace(call.note, chips=len(plan.on_meter) - 1)
        self.tell_of_meter(
            table,
            Code.PROGRESSIVE_CHIPS_MISMATCH,
            coup=plan.coup_id,
            note="one chip fewer",
            is_at_table=True,
        )


class NotTheUnit(MeterFault):
    """A stake of two units on the progressive, which limits and unit forbid; it is counted so."""

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Double a stake."""
        super().plan(table, plan)
        self.wager_id = plan.on_meter[0].wager_id
        plan.on_meter[0].stake_minor *= 2

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down what is found."""
        codes = (Code.WAGER_OUT_OF_LIMITS, Code.PROGRESSIVE_STAKE_NOT_UNIT)
        self.tell(table, *codes, plan=plan, note=f"{self.wager_id} is of two units")


class VoidIgnored(MeterFault):
    """A coup is voided and its contributions stay, although they are to be reversed."""

    wagers = 2
    codes: tuple[Code, ...] = (Code.METER_DRIFT,)
    words = "contributions of a voided coup stayed, reversed is filed"

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have the coup voided."""
        super().plan(table, plan)
        plan.is_void = True

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let the controller do the opposite of what is filed."""
        voided = draft_of(drafts, CoupVoided)
        if isinstance(voided.note, Voided):
            voided.note = replace(voided.note, is_by_policy=False)
        self.tell_of_meter(table, *self.codes, note=f"{self.words}: {plan.coup_id}")


class VoidReversed(VoidIgnored):
    """Contributions of a voided coup are taken back, although they are to be kept."""

    words = "contributions of a voided coup taken back, kept is filed"


_COUNTED: Final = PLACED | {Capability.METERS}

PROGRESSIVE_PLANTS: Final = (
    Plant(
        "progressive_wager_not_counted",
        (Code.CONTRIBUTION_MISSING,),
        "a wager on the progressive that the controller does not count",
        NotCounted,
        _COUNTED,
        tells_wagers,
    ),
    Plant(
        "progressive_stretch_not_counted",
        (Code.CONTRIBUTION_MISSING,),
        "no wager of a table is counted for five coups",
        StretchNotCounted,
        _COUNTED,
        tells_wagers,
    ),
    Plant(
        "progressive_one_of_equal_not_counted",
        (Code.CONTRIBUTION_MISSING,),
        "one of several equal wagers is not counted; which one, nobody can tell",
        OneOfEqualNotCounted,
        _COUNTED,
        tells_counts,
    ),
    Plant(
        "progressive_counted_twice",
        (Code.CONTRIBUTION_DUPLICATED,),
        "a wager on the progressive that the controller counts twice",
        CountedTwice,
        _COUNTED,
        tells_wagers,
    ),
    Plant(
        "progressive_after_lock_out",
        (Code.WAGER_LATE, Code.PROGRESSIVE_WAGER_AFTER_LOCKOUT),
        "a wager on the progressive accepted after the lock-out",
        AfterLockOut,
        _COUNTED,
        tells_wagers,
    ),
    Plant(
        "progressive_chips_mismatch",
        (Code.PROGRESSIVE_CHIPS_MISMATCH,),
        "one progressive chip fewer counted than wagers accepted",
        ChipsMismatch,
        _COUNTED,
        counts_chips,
    ),
    Plant(
        "progressive_stake_not_unit",
        (Code.WAGER_OUT_OF_LIMITS, Code.PROGRESSIVE_STAKE_NOT_UNIT),
        "a stake of two units on the progressive",
        NotTheUnit,
        _COUNTED,
        has_meter,
    ),
    Plant(
        "progressive_void_ignored",
        VoidIgnored.codes,
        "a voided coup whose contributions are not reversed as filed",
        VoidIgnored,
        _COUNTED | {Capability.REFUNDS},
        reverses_voids,
    ),
    Plant(
        "progressive_void_reversed",
        VoidReversed.codes,
        "a voided coup whose contributions are not kept as filed",
        VoidReversed,
        _COUNTED | {Capability.REFUNDS},
        keeps_voids,
    ),
)
