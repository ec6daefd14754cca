"""What plants share: asking for a wager with a certain outcome, and editing drafts."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from auditors.settlement.coup import Coup
from schemas.events import WagerSettled
from schemas.events.envelope import EventBase
from schemas.rules_submission import CommissionForm, RulesSubmission, VigorishTiming
from streams.simulator.feed import Draft
from streams.simulator.tables.faults import Fault
from streams.simulator.tables.patrons import Bet

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable
    from streams.simulator.tables.settling import Offer

SOON_US: Final = 1000
"""A moment after another event."""


def draft_of(drafts: list[Draft], kind: type[EventBase], **fields: object) -> Draft:
    """Find the first draft of a kind with these fields.

    Raises:
        LookupError: There is none.
    """
    for draft in drafts:
        if draft.kind is kind and all(draft.fields.get(k) == v for k, v in fields.items()):
            return draft
    raise LookupError(f"no {kind.__name__} with {fields}")


def settlement_of(drafts: list[Draft], bet: Bet) -> Draft:
    """Find the settlement of a wager."""
    return draft_of(drafts, WagerSettled, wager_id=bet.wager_id)


def put_after(drafts: list[Draft], before: Draft, added: Draft) -> None:
    """Put a draft right after another one."""
    drafts.insert(next(n for n, draft in enumerate(drafts) if draft is before) + 1, added)


def drop(drafts: list[Draft], gone: Draft) -> None:
    """Take one draft out."""
    drafts[:] = [draft for draft in drafts if draft is not gone]


def move_before(drafts: list[Draft], moved: Draft, target: Draft) -> None:
    """Let something happen right before something else."""
    drop(drafts, moved)
    place = next(n for n, draft in enumerate(drafts) if draft is target)
    moved.at_us = target.at_us - SOON_US
    if place:
        moved.at_us = max(moved.at_us, drafts[place - 1].at_us)
    drafts.insert(place, moved)


def takes_vigorish(submission: RulesSubmission) -> bool:
    """Whether Banker wins are charged at payment."""
    commission = submission.commission
    return (
        commission is not None
        and commission.form is CommissionForm.STANDARD
        and commission.timing is VigorishTiming.TAKEN
    )


def marks_vigorish(submission: RulesSubmission) -> bool:
    """Whether vigorish is marked and collected later."""
    commission = submission.commission
    return (
        commission is not None
        and commission.form is CommissionForm.STANDARD
        and commission.timing is VigorishTiming.MARKED
    )


class WagerFault(Fault):
    """A fault about one wager, which is placed if nobody does, and comes out as asked for."""

    wagers: tuple[str, ...] = ("banker",)
    """Codes of the wagers that will do, the first that is offered is taken."""
    outcome: str | None = "win"
    """How it has to come out; None: as it does."""
    seat: str | None = None
    """The seat, where that matters."""
    stake_minor: int | None = None
    """The stake, where that matters; it is kept within the filed limits."""

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self.bet: Bet | None = None

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have the wager placed, and the coup come to what is asked for."""
        offer = self.offer(table)
        if offer is None:
            return
        self.bet = self._placed(table, plan, offer)
        plan.condition = lambda coup: self.suits(table, coup)

    def offer(self, table: PlayingTable) -> Offer | None:
        """Choose the wager among those on offer."""
        for code in self.wagers:
            for name, offer in table.settler.offers.items():
                if code in (name, offer.ref.id, offer.ref.id.rpartition(".")[2]):
                    return offer
        return None

    def _placed(self, table: PlayingTable, plan: CoupPlan, offer: Offer) -> Bet:
        seat = self.seat or self.rng.choice(sorted(table.seating.patrons))
        patron = table.seating.patrons.get(seat) or table.seating.seat_at(seat)
        here = [bet for bet in plan.bets if bet.seat == seat]
        if offer.needs_base and not any(bet.offer.is_base for bet in here):
            main = table.settler.offers[f"{table.submission.game.value}.player"]
            table.add_bet(plan, seat, patron.name, str(main.ref), main.minimum_minor)
        stake = offer.minimum_minor if self.stake_minor is None else self.stake_minor
        stake = max(offer.minimum_minor, min(stake, offer.maximum_minor))
        for bet in here:
            if bet.offer.ref == offer.ref:
                if self.stake_minor is not None:
                    bet.stake_minor = stake
                return bet
        return table.add_bet(plan, seat, patron.name, str(offer.ref), stake)

    def suits(self, table: PlayingTable, coup: Coup) -> bool:
        """Whether a coup comes to what is asked for."""
        if self.bet is None or self.outcome is None:
            return True
        due = table.settler.due(self.bet.offer.ref, coup, self.bet.stake_minor)
        return due.outcome == self.outcome

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Edit the coup if it came to what was asked for."""
        bet = self.bet
        self.bet = None
        if bet is None or not self._came(table, plan, bet):
            return
        self.edit(table, plan, drafts, bet)
        self.finish()

    def _came(self, table: PlayingTable, plan: CoupPlan, bet: Bet) -> bool:
        self.bet = bet
        try:
            return self.suits(table, plan.judged)
        finally:
            self.bet = None

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Plant the fault into what is told of the coup."""
