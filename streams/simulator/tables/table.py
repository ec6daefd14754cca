"""The day of one simulated table: it opens, plays shoe after shoe, and closes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

from auditors.settlement.coup import Coup
from streams.simulator.feed import Draft, Message
from streams.simulator.filings import SHOES_PER_STAGE, STAGES, filing_of
from streams.simulator.tables.coup import coup_drafts
from streams.simulator.tables.coup_plan import CoupPlan, ErrorStep
from streams.simulator.tables.dealing import Dealt, Shoe
from streams.simulator.tables.faults import Fault, Scope
from streams.simulator.tables.honest import between_coups, change_minds, cover_card, disturb
from streams.simulator.tables.jackpots import AFTER, Jackpots, award
from streams.simulator.tables.opening import (
    between_shoes,
    changed_drafts,
    closing_drafts,
    gaming_day_drafts,
    opening_drafts,
)
from streams.simulator.tables.playing import PlayingTable, TableRun
from streams.simulator.tables.recordings import video_drafts
from streams.simulator.tables.shoes import ended_drafts, loaded_drafts, new_shoe

_TRIES: Final = 3000
_ENOUGH: Final = 7
"""With fewer cards than this no coup is begun."""


class SimulatedTable(PlayingTable):
    """One table that plays its day, and the faults planted there."""

    def __init__(self, number: int, run: TableRun, faults: list[Fault]) -> None:
        """Prepare a table.

        Args:
            number: Number on the floor, from 0.
            run: How long it plays.
            faults: What is planted there, in order.
        """
        super().__init__(number, run)
        self.faults = faults
        self.active: Fault | None = None
        self.jackpots = Jackpots(Random(f"{run.seed}/{self.source_id}/hits"), run.hit_every)

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
        if self.active is None:
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
            self.tray.buy_in(patron, self.settler.offers.values())
        if self.active is None:
            drafts += between_coups(self, shoe)
        return drafts + cover_card(self, shoe)

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
