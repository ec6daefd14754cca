"""What faults of a progressive share: wagers on it, and acts of its controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schemas.events import CoupClosed, WagerPlaced
from schemas.findings import FindingCode as Code
from schemas.rules_submission import RulesSubmission
from streams.simulator.controllers.notes import Tampered
from streams.simulator.feed import SECOND
from streams.simulator.plants.base import draft_of
from streams.simulator.progressive_filings import reports_wagers
from streams.simulator.tables.faults import Fault, OnMeter
from streams.simulator.tables.jackpots import meter_offer, place_on_meter
from streams.simulator.tables.notes import Accepted
from streams.simulator.truths import Truth

if TYPE_CHECKING:
    from streams.simulator.controllers.meters import MeterState
    from streams.simulator.controllers.notes import IdSource
    from streams.simulator.feed import Draft
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.patrons import Bet
    from streams.simulator.tables.playing import PlayingTable

CONTROLLER = "PRG-01"

_APART_US: Final = 240 * SECOND
"""After its last coup began, a fault keeps its progressive to itself for so long."""

Act = Callable[["IdSource", "MeterState", int], "Iterable[Draft]"]


def has_meter(submission: RulesSubmission) -> bool:
    """Whether a filing has a progressive."""
    return bool(submission.progressives)


def tells_wagers(submission: RulesSubmission) -> bool:
    """Whether the controller of the filed progressive tells each wager."""
    return any(reports_wagers(progressive.id) for progressive in submission.progressives)


def tells_counts(submission: RulesSubmission) -> bool:
    """Whether it tells counts alone."""
    return any(not reports_wagers(progressive.id) for progressive in submission.progressives)


def is_linked(submission: RulesSubmission) -> bool:
    """Whether several tables feed it."""
    return any(progressive.linked for progressive in submission.progressives)


def has_limit(submission: RulesSubmission) -> bool:
    """Whether it has a limit."""
    return any(progressive.limit is not None for progressive in submission.progressives)


def has_no_limit(submission: RulesSubmission) -> bool:
    """Whether it has a progressive without a limit."""
    return has_meter(submission) and not has_limit(submission)


def counts_chips(submission: RulesSubmission) -> bool:
    """Whether the chips of each coup are counted."""
    return any(progressive.chips_counted for progressive in submission.progressives)


def reverses_voids(submission: RulesSubmission) -> bool:
    """Whether contributions of voided coups are taken back."""
    return any(progressive.void_policy == "reversed" for progressive in submission.progressives)


def keeps_voids(submission: RulesSubmission) -> bool:
    """Whether contributions of voided coups stay."""
    return any(progressive.void_policy == "kept" for progressive in submission.progressives)


def pays_in_parts(submission: RulesSubmission) -> bool:
    """Whether a unit's contribution is no whole number of cents."""
    return any(not float(progressive.unit).is_integer() for progressive in submission.progressives)


class MeterFault(Fault):
    """A fault about the progressive that a table feeds; so many patrons wager on it."""

    on_meter = OnMeter.BESIDE
    wagers = 1
    coups = 1
    """The number of coups that it takes."""

    def may_begin(self, table: PlayingTable) -> bool:
        """Whether readings have shown what an earlier fault of the progressive came to."""
        return table.run.meter_free_us.get(meter_id(table), 0) <= table.pace.at_us

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have wagers placed on the progressive."""
        self.has_begun = True
        table.run.at_fault.add(meter_id(table))
        # As long as it goes on, and then until readings have shown it, no other one begins.
        table.run.meter_free_us[meter_id(table)] = table.pace.at_us + _APART_US
        offer = meter_offer(table)
        free = [
            seat
            for seat in sorted(table.seating.patrons)
            if not any(bet.seat == seat and bet.offer.progressive_id for bet in plan.bets)
        ]
        while len(plan.on_meter) < self.wagers:
            if not free:
                taken = table.seating.patrons
                free.append(next(seat for seat in "12345678" if seat not in taken))
                table.seating.seat_at(free[0])
            place_on_meter(table, plan, free.pop(0), offer)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Plant it, coup after coup."""
        self.edit(table, plan, drafts)
        self.coups -= 1
        if self.coups <= 0:
            self.end(table, plan, drafts)
            self.finish()

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Plant it into one coup."""

    def end(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Bring it to its end with the last of its coups."""

    def tell_of_meter(
        self,
        table: PlayingTable,
        *codes: Code,
        difference_minor: int | None = None,
        note: str = "",
        coup: str | None = None,
        is_at_table: bool = False,
    ) -> None:
        """Write down what is found about the controller, or about what the table said of it."""
        self.is_told = True
        table.tell(
            Truth(
                plant=self.name,
                source=table.source_id if is_at_table else CONTROLLER,
                shoe=None,
                coup=coup,
                codes=codes,
                difference_minor=difference_minor,
                currency=table.submission.currency,
                note=f"{meter_id(table)}: {note}",
            )
        )


def meter_id(table: PlayingTable) -> str:
    """Name the progressive of a table."""
    return table.submission.progressives[0].id


def count_otherwise(drafts: list[Draft], bet: Bet, times: int) -> None:
    """Let the controller count a wager so many times."""
    draft = draft_of(drafts, WagerPlaced, wager_id=bet.wager_id)
    if not isinstance(draft.note, Accepted):
        raise TypeError(f"no controller hears of {bet.wager_id}")
    draft.note = replace(draft.note, times=times)


def tamper(table: PlayingTable, draft: Draft, act: Act) -> None:
    """Let something be done to the meter when an event happens that nobody else hears of."""
    if draft.note is not None:
        raise ValueError(f"the controller hears of this {draft.kind.__name__} already")
    draft.note = Tampered(meter_id(table), act)


def at_end(table: PlayingTable, drafts: list[Draft], act: Act) -> None:
    """Let something be done to the meter when the coup is over."""
    tamper(table, draft_of(drafts, CoupClosed), act)
