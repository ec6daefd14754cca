"""What does one simulated table do all day? Opens, plays shoe after shoe, closes."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Final
from zoneinfo import ZoneInfo

from auditors.settlement.coup import Coup
from auditors.settlement.terms import gaming_date_of, gaming_day_begins
from schemas.events import Capability, SeatVacated, VigorishCollected
from schemas.rules_submission import Game, RulesSubmission
from streams.simulator.faults import Fault, Scope, Truth
from streams.simulator.feed import EPOCH, SECOND, Draft, FeedWriter, Message, instant
from streams.simulator.filings import SHOES_PER_STAGE, STAGES, filing_of, reports_of
from streams.simulator.recordings import video_drafts
from streams.simulator.tables.coup import CarriedCard, CoupPlan, ErrorStep, Pace, coup_drafts
from streams.simulator.tables.dealing import CARDS_MAX, Dealt, Shoe, dealing_order, dealt_by_rules
from streams.simulator.tables.honest import between_coups, change_minds, cover_card, disturb
from streams.simulator.tables.jackpots import AFTER, Jackpots, award
from streams.simulator.tables.opening import (
    Tray,
    between_shoes,
    changed_drafts,
    closing_drafts,
    gaming_day_drafts,
    opening_drafts,
)
from streams.simulator.tables.patrons import Bet, Seating
from streams.simulator.tables.settling import Settler
from streams.simulator.tables.shoes import ended_drafts, loaded_drafts, new_shoe

_TRIES: Final = 3000
_ENOUGH: Final = 7
"""With fewer cards than this no coup is begun."""


CoupListener = Callable[["SimulatedTable", CoupPlan], None]
"""Hears of a coup that was dealt."""


def no_meter(_table_id: str, _coup_id: str) -> Fraction | None:
    """Know of no controller."""
    return None


@dataclass(frozen=True, slots=True)
class TableRun:
    """How long a table plays, and who listens."""

    seed: int
    start_us: int
    end_us: int | None
    """No coup begins after it; None: the table never closes."""
    coups: int | None
    """After so many coups it closes; None: no limit."""
    on_truth: Callable[[Truth], None]
    on_coup: CoupListener | None = None
    hit_every: int = 0
    """Coups between two hits of a progressive, on average; 0 for none."""
    video_every: int = 0
    """Coups between two that are told to be on a recording; 0 for none."""
    frozen: Callable[[str, str], Fraction | None] = no_meter
    """Gives the jackpot that was frozen for a table and a coup."""
    at_fault: set[str] = field(default_factory=set)
    """Progressives of the floor into which something was planted: no honest hit follows there,
    since what it pays would be wrong for the same cause."""
    meter_free_us: dict[str, int] = field(default_factory=dict)
    """Progressive of the floor to when the next fault may begin there."""


class SimulatedTable:
    """One table: its filing, shoe, patrons and tray, and the faults planted there."""

    def __init__(self, number: int, run: TableRun, faults: list[Fault]) -> None:
        """Prepare a table.

        Args:
            number: Number on the floor, from 0.
            run: How long it plays.
            faults: What is planted there, in order.
        """
        self.number, self.run, self.faults = number, run, faults
        self.source_id = source_of(number)
        self.rng = Random(f"{run.seed}/{self.source_id}")
        start = run.start_us + (number % 12) * 400_000 + self.rng.randrange(SECOND)
        self.writer = FeedWriter(self.source_id, self.rng, start)
        self.pace = Pace(start, self.rng)
        self.reports = reports_of(number)
        self.stage = 0
        self.shoe_count = self.coup_count = self.day_coups = 0
        self.shoe: Shoe | None = None
        self.carried: CarriedCard | None = None
        """A card drawn in error that begins the next coup."""
        self.marked: dict[str, int] = {}
        """Seat to vigorish marked in this shoe."""
        self.is_open = False
        self.active: Fault | None = None
        self.seating = Seating(self.rng)
        self.clock_offset_us = (number % 5) * 1500
        """What its own clock lacks to true time."""
        self.jackpots = Jackpots(Random(f"{run.seed}/{self.source_id}/hits"), run.hit_every)
        self.tray = Tray()
        self._ids = 0
        self.supervisor = self.pseudonym("su")
        self.dealer: str | None = None
        self.dealer_until = 0
        self.file(filing_of(number, 0))
        self.day_ends_us = 0
        self.begin_day()

    def pseudonym(self, kind: str) -> str:
        """Make a keyed pseudonym of somebody."""
        return f"{kind}-{self.rng.getrandbits(40):010x}"

    def next_id(self, kind: str) -> str:
        """Make an id that is used once at this table."""
        self._ids += 1
        return f"{self.source_id}/{kind}{self._ids}"

    def file(self, submission: RulesSubmission) -> None:
        """Play under another filing from now on."""
        self.submission = submission
        self.settler = Settler(submission)
        self.zone = ZoneInfo(submission.time_zone)
        self.seating.change_offers(self.settler.offers)

    def gaming_date(self, at_us: int) -> datetime.date:
        """Give the gaming date of a moment."""
        at = instant(at_us + self.writer.shift_us)
        return gaming_date_of(at, self.zone, self.submission.gaming_day_start)

    def begin_day(self) -> None:
        """Note when the gaming day ends."""
        day = self.gaming_date(self.pace.at_us) + datetime.timedelta(days=1)
        ends = gaming_day_begins(day, self.zone, self.submission.gaming_day_start)
        self.day_ends_us = (ends - EPOCH) // datetime.timedelta(microseconds=1)
        self.day_ends_us -= self.writer.shift_us

    def tell(self, truth: Truth) -> None:
        """Pass on what an audit has to find."""
        self.run.on_truth(truth)

    @property
    def is_over(self) -> bool:
        """Whether the table closes before its next coup."""
        if self.run.coups is not None and self.coup_count >= self.run.coups:
            return True
        return self.run.end_us is not None and self.pace.at_us >= self.run.end_us

    def messages(self) -> Iterator[list[Message]]:
        """Play the day; gives what is delivered, coup by coup."""
        for fault in self.faults:
            if fault.scope is Scope.TABLE:
                fault.opening(self, [])
        yield self._write(opening_drafts(self))
        while not self.is_over:
            yield from self._play_shoe()
        yield self._write(closing_drafts(self))

    def _write(self, drafts: list[Draft]) -> list[Message]:
        messages = self.writer.write(drafts)
        if drafts:
            self.pace.at_us = max(self.pace.at_us, drafts[-1].at_us)
        if self.active is not None:
            self.active.messages(self, messages)
        return messages

    def _play_shoe(self) -> Iterator[list[Message]]:
        yield self._write(between_shoes(self))
        # By itself: a controller hears each event under the filing that is in force then.
        yield self._write(self._change_stage())
        shoe = new_shoe(self)
        self._activate(Scope.SHOE)
        if self.active is not None:
            self.active.shoe(self, shoe)
        drafts = loaded_drafts(self, shoe)
        self.shoe = shoe
        if self.active is not None:
            self.active.loaded(self, shoe, drafts)
        yield self._write(drafts)
        while not self.is_over and not self._is_dealt_out(shoe):
            yield from self._play_coup(shoe)
        drafts = self._collect_all() + ended_drafts(self, shoe)
        self.marked.clear()
        if self.active is not None:
            self.active.shoe_ended(self, shoe, drafts)
        self.shoe = None
        yield self._write(drafts)
        self._deactivate(Scope.SHOE)

    def _is_dealt_out(self, shoe: Shoe) -> bool:
        if shoe.last_coup is not None and shoe.coup_count >= shoe.last_coup:
            return True
        return len(shoe.cards) - shoe.taken < _ENOUGH and shoe.is_cover_drawn

    def _change_stage(self) -> list[Draft]:
        """Change to the next filing after some shoes."""
        stage = self.shoe_count // SHOES_PER_STAGE % STAGES
        if stage == self.stage or self.shoe_count == 0:
            return []
        self.stage = stage
        self.file(filing_of(self.number, stage))
        return changed_drafts(self)

    def _activate(self, scope: Scope) -> None:
        """Let the next fault of a kind begin, where none is on its way."""
        if self.active is not None:
            return
        for fault in self.faults:
            due = fault.earliest <= self.coup_count
            if fault.scope is scope and not fault.is_done and due and fault.may_begin(self):
                self.active = fault
                return

    def _deactivate(self, scope: Scope) -> None:
        """Let go of a fault that is in the day, or that has found no place yet."""
        fault = self.active
        if fault is None:
            return
        waits = fault.scope is scope and not fault.has_begun
        if fault.is_done or waits:
            self.active = None

    def _play_coup(self, shoe: Shoe) -> Iterator[list[Message]]:
        self._activate(Scope.COUP)
        fault = self.active
        messages = self._write(self._between(shoe))
        if fault is not None:
            messages += self._write(fault.between(self))
        began_us = self.pace.at_us
        wins = fault is None and self.jackpots.is_due(self)
        plan = self._plan(shoe, fault)
        if fault is not None:
            fault.plan(self, plan)
        elif wins:
            self.jackpots.arrange(self, plan)
        else:
            change_minds(self, plan)
        self._deal(plan)
        if fault is not None:
            fault.deal(self, plan)
        elif not wins:
            disturb(self, plan)
        self._commit(plan)
        told = coup_drafts(self, plan)
        if plan.wins_meter:
            # What winners are paid is known once the controller has frozen the meter.
            called = self._until_cards_are_final(told)
            if fault is not None:
                fault.called(self, plan, called)
            yield messages + self._write(called)
            messages = []
            award(self, plan, self.run.frozen(self.source_id, plan.coup_id))
        drafts = list(told)
        if fault is not None:
            fault.script(self, plan, drafts)
        self.tray.settle(plan)
        messages += self._write(drafts)
        messages += self._write(video_drafts(self, plan.coup_id, began_us))
        if self.run.on_coup is not None:
            self.run.on_coup(self, plan)
        self._deactivate(Scope.COUP)
        yield messages

    def _until_cards_are_final(self, told: Iterator[Draft]) -> list[Draft]:
        drafts = []
        for draft in told:
            drafts.append(draft)
            if draft.kind is AFTER:
                break
        return drafts

    def _between(self, shoe: Shoe) -> list[Draft]:
        """Tell what happens between two coups."""
        drafts = gaming_day_drafts(self)
        for patron in self.seating.leaving():
            drafts += self.vacate(patron.seat)
        for patron in list(self.seating.arriving()):
            self.tray.buy_in(self, patron)
        if self.active is None:
            drafts += between_coups(self, shoe)
        return drafts + cover_card(self, shoe)

    def vacate(self, seat: str) -> list[Draft]:
        """Let a patron leave; marked vigorish is collected first."""
        patron = self.seating.patrons.pop(seat)
        drafts = self.collect(seat, patron.name)
        if Capability.SEATS_VACATED in self.reports:
            named = patron.name if Capability.PATRONS in self.reports else None
            fields: dict[str, object] = {
                "seat": seat,
                "patron": named,
                "shoe_id": self.shoe_id,
            }
            drafts.append(Draft(SeatVacated, self.pace.step(300, 1500), fields))
        return drafts

    @property
    def shoe_id(self) -> str | None:
        """The shoe in play."""
        return self.shoe.shoe_id if self.shoe else None

    def collect(self, seat: str, patron: str | None) -> list[Draft]:
        """Collect the vigorish that was marked at a seat."""
        minor = self.marked.pop(seat, 0)
        if not minor or Capability.VIGORISH not in self.reports:
            return []
        return [self.collection(self.pace.step(900, 2500), seat, patron, minor)]

    def collection(self, at_us: int, seat: str, patron: str | None, minor: int) -> Draft:
        """Tell that vigorish of the shoe in play was collected at a seat."""
        fields: dict[str, object] = {
            "collection_id": self.next_id("v"),
            "shoe_id": self.shoe_id,
            "seat": seat,
            "collected_minor": minor,
            "patron": patron if Capability.PATRONS in self.reports else None,
        }
        return Draft(VigorishCollected, at_us, fields)

    def _collect_all(self) -> list[Draft]:
        drafts = []
        for seat in sorted(self.marked):
            patron = self.seating.patrons.get(seat)
            drafts += self.collect(seat, patron.name if patron else None)
        return drafts

    def _plan(self, shoe: Shoe, fault: Fault | None) -> CoupPlan:
        shoe.coup_count += 1
        self.coup_count += 1
        self.day_coups += 1
        plan = CoupPlan(
            coup_id=f"{shoe.shoe_id}/{shoe.coup_count}",
            number=shoe.coup_count,
            shoe=shoe,
            start_us=self.pace.step(3500, 8500),
            is_plain=fault is None,
        )
        for patron in list(self.seating.patrons.values()):
            for offer, stake in self.seating.stakes_of(patron):
                self.add_bet(plan, patron.seat, patron.name, str(offer.ref), stake)
        if not plan.bets:
            patron = next(iter(self.seating.patrons.values()))
            name = f"{self.submission.game.value}.banker"
            stake = self.settler.offers[name].minimum_minor
            self.add_bet(plan, patron.seat, patron.name, name, stake)
        return plan

    def takes_first(self, bet: Bet) -> bool:
        """Whether a stake is collected before the deal: progressive chips, at the big table."""
        return bet.offer.progressive_id is not None and self.submission.game is Game.BACCARAT

    def add_bet(self, plan: CoupPlan, seat: str, patron: str, name: str, stake: int) -> Bet:
        """Add a wager to a coup."""
        offer = self.settler.offers[name]
        bet = Bet(plan.next_wager_id(), seat, patron, offer, stake)
        plan.bets.append(bet)
        return bet

    def _deal(self, plan: CoupPlan) -> None:
        """Find the cards of the coup; what a fault asks for is shuffled to."""
        shoe = plan.shoe
        if plan.front:
            shoe.bring(plan.front)
        for _ in range(_TRIES):
            coup = self.next_coup(shoe)
            if self._is_wanted(plan, coup):
                break
            shoe.shuffle_left(self.rng)
        self.redeal(plan, coup)

    def next_coup(self, shoe: Shoe) -> Coup:
        """Look at the coup that the next cards of the shoe make by the rules."""
        carried = [self.carried.card] if self.carried else []
        texts = carried + shoe.next_cards(CARDS_MAX - len(carried))
        return dealt_by_rules(texts, self.settler.game)

    def _is_wanted(self, plan: CoupPlan, coup: Coup) -> bool:
        if plan.condition is not None and not plan.condition(coup):
            return False
        if plan.wins_meter:
            return True
        # Hits come as often as the floor is told to have them, and not by chance.
        return not coup.facts.common_rank or not any(
            bet.offer.progressive_id and self.settler.wins_meter(bet.offer.ref, coup)
            for bet in plan.bets
        )

    def redeal(self, plan: CoupPlan, coup: Coup) -> None:
        """Let the coup be dealt so: the cards come out of the shoe in dealing order."""
        plan.judged = coup
        plan.steps = [
            Dealt(hand, position, card)
            for hand, position, card in dealing_order(coup.player, coup.banker)
        ]
        if self.carried and plan.steps:
            plan.steps[0].error_id = self.carried.error_id

    def _commit(self, plan: CoupPlan) -> None:
        """Take the cards out of the shoe and settle the wagers."""
        shoe = plan.shoe
        place = self.carried.place if self.carried else 0
        for step in plan.steps[:2] if plan.is_void else plan.steps:
            if step.takes_card:
                place = shoe.taken
                card = shoe.take()
                if card != (step.drawn if isinstance(step, ErrorStep) else step.card):
                    raise AssertionError(f"{card} of {shoe.shoe_id} was not expected here")
            if isinstance(step, Dealt):
                step.place = place
        self.carried = replace(plan.carries, place=place) if plan.carries else None
        self.settler.begin_coup()
        if plan.is_void:
            return
        for bet in plan.bets:
            if plan.wins_meter and bet.offer.progressive_id:
                bet.outcome = "win"  # its due is known once the meter is frozen
                continue
            due = self.settler.due(bet.offer.ref, plan.judged, bet.stake_minor)
            bet.outcome, bet.due_minor = due.outcome, due.due_minor
            bet.vigorish_minor = due.vigorish_minor


def source_of(number: int) -> str:
    """Name a table of the floor: ``BAC-01`` is the first."""
    return f"BAC-{number + 1:02}"
