"""The events of a simulated coup, in order: wagers, call, cards, counts, result, payments."""

from __future__ import annotations

from collections.abc import Iterator

from auditors.settlement.coup import Coup
from schemas.events import (
    Capability,
    CardDealt,
    CardDrawnInError,
    CountsAnnounced,
    CoupClosed,
    CoupVoided,
    CoverCardDrawn,
    NoMoreBets,
    ResultAnnounced,
    SeatSettled,
    StakeCollected,
    WagerChanged,
    WagerPlaced,
    WagerRefunded,
    WagerSettled,
    WagerWithdrawn,
)
from schemas.events.envelope import EventBase
from streams.simulator.feed import Draft, Note
from streams.simulator.tables.coup_plan import CoupPlan, ErrorStep, Pace
from streams.simulator.tables.dealing import Dealt, as_read
from streams.simulator.tables.notes import Accepted, CardsWon, LockedOut, SharePaid, Voided
from streams.simulator.tables.patrons import Bet
from streams.simulator.tables.playing import PlayingTable


def coup_drafts(table: PlayingTable, plan: CoupPlan) -> Iterator[Draft]:
    """Tell a coup from its first wager to its close; what is paid is looked up when it is told."""
    return _Teller(table, plan).tell()


class _Teller:
    def __init__(self, table: PlayingTable, plan: CoupPlan) -> None:
        self.table, self.plan, self.rng = table, plan, table.rng
        self.reports = table.reports
        self.pace = Pace(plan.start_us, table.rng)

    def tell(self) -> Iterator[Draft]:
        yield from self._wagers()
        yield self._call()
        yield from self._collected_first()
        if self.plan.is_void:
            yield from self._voided()
            return
        yield from self._first_four()
        if Capability.COUNTS in self.reports:
            yield self._counts()
        early = [bet for bet in self.plan.standing if bet.offer.settles_early]
        yield from self._payments(early)
        yield from self._thirds()
        yield self._result()
        yield from self._payments([bet for bet in self.plan.standing if bet not in early])
        yield self._draft(CoupClosed, self.pace.step(1500, 3500))

    def _draft(
        self, kind: type[EventBase], at_us: int, note: Note | None = None, **fields: object
    ) -> Draft:
        return Draft(kind, at_us, {**self.plan.fields, **fields}, note)

    def _wagers(self) -> Iterator[Draft]:
        start = self.pace.at_us
        window = self.rng.randrange(15_000_000, 27_000_000)
        for bet in self.plan.bets:
            bet.at_us = start + self.rng.randrange(300_000, window - 2_000_000)
        self.plan.bets.sort(key=lambda bet: bet.at_us)
        drafts = [draft for bet in self.plan.bets for draft in self._wager(bet, start + window)]
        drafts.sort(key=lambda draft: draft.at_us)
        yield from drafts
        self.pace.at_us = start + window

    def _wager(self, bet: Bet, end_us: int) -> Iterator[Draft]:
        placed = bet.stake_minor if bet.first_stake_minor is None else bet.first_stake_minor
        note = Accepted(bet, self.plan.coup_id) if bet.offer.progressive_id else None
        yield self._draft(
            WagerPlaced,
            bet.at_us,
            note,
            wager_id=bet.wager_id,
            seat=bet.seat,
            wager=bet.name,
            stake_minor=placed if Capability.STAKES in self.reports else None,
            patron=bet.patron if Capability.PATRONS in self.reports else None,
        )
        later = bet.at_us + self.rng.randrange(400_000, 1_800_000)
        if bet.first_stake_minor is not None:
            yield self._draft(
                WagerChanged,
                min(later, end_us - 1000),
                wager_id=bet.wager_id,
                stake_minor=bet.stake_minor,
            )
        if bet.is_withdrawn:
            yield self._draft(WagerWithdrawn, min(later, end_us - 1000), wager_id=bet.wager_id)

    def _call(self) -> Draft:
        on_meter = tuple(bet for bet in self.plan.bets if bet.offer.progressive_id)
        wins = self.plan.wins_meter
        note = LockedOut(on_meter, self.plan.coup_id, wins) if self._has_meter() else None
        return self._draft(NoMoreBets, self.pace.step(300, 900), note)

    def _collected_first(self) -> Iterator[Draft]:
        """Tell that progressive chips are taken before the deal, where that is the procedure."""
        if Capability.COLLECTIONS not in self.reports:
            return
        for bet in self.plan.standing:
            if self.table.takes_first(bet):
                yield self._draft(
                    StakeCollected,
                    self.pace.step(400, 1200),
                    collection_id=f"{bet.wager_id}/k",
                    wager_id=bet.wager_id,
                    collected_minor=bet.stake_minor,
                )

    def _has_meter(self) -> bool:
        return any(offer.progressive_id for offer in self.table.settler.offers.values())

    def _first_four(self) -> Iterator[Draft]:
        """Tell the first four cards, hand by hand where the table knows no order."""
        first = [step for step in self.plan.steps if isinstance(step, Dealt) and step.position <= 2]
        if Capability.DEAL_ORDER not in self.reports:
            first.sort(key=lambda one: one.hand != "player")
        for step in first:
            yield from self._step(step)

    def _thirds(self) -> Iterator[Draft]:
        for step in self.plan.steps:
            if isinstance(step, ErrorStep) or step.position > 2:
                yield from self._step(step)

    def _step(self, step: Dealt | ErrorStep) -> Iterator[Draft]:
        if isinstance(step, ErrorStep):
            yield self._draft(
                CardDrawnInError,
                self.pace.step(4000, 15_000),
                error_id=step.error_id,
                hand=step.hand,
                position=step.position,
                disposition=step.disposition,
                card=as_read(step.card, self.reports) if step.card else None,
                authorised_by=self.table.supervisor,
            )
            return
        shoe, place = self.plan.shoe, step.place
        if place >= shoe.cover_at and not shoe.is_cover_drawn:
            yield from self._cover_card()
        yield self._draft(
            CardDealt,
            self.pace.step(1200, 2400),
            hand=step.hand,
            position=step.position,
            card=as_read(step.card, self.reports),
            card_id=shoe.card_id(place) if Capability.CARD_IDS in self.reports else None,
            back=shoe.back_of(place) if Capability.BACKS in self.reports else None,
            error_id=step.error_id,
        )

    def _cover_card(self) -> Iterator[Draft]:
        shoe = self.plan.shoe
        shoe.is_cover_drawn = True
        shoe.last_coup = self.plan.number + self.table.submission.hands_after_cover_card
        if Capability.COVER_CARD in self.reports:
            yield self._draft(CoverCardDrawn, self.pace.step(600, 1200), cover_card="first")

    def _counts(self) -> Draft:
        first = Coup(self.plan.judged.player[:2], self.plan.judged.banker[:2])
        return self._draft(
            CountsAnnounced,
            self.pace.step(1000, 2200),
            player_points=first.player_points,
            banker_points=first.banker_points,
        )

    def _result(self) -> Draft:
        coup, on_meter = self.plan.judged, self.plan.on_meter
        is_won = self.plan.wins_meter and bool(on_meter)
        note = CardsWon(on_meter, self.plan.coup_id) if is_won else None
        winning = None
        if Capability.WINNING_WAGERS in self.reports:
            winning = self.table.settler.winning(coup)
        return self._draft(
            ResultAnnounced,
            self.pace.step(1200, 2800),
            note,
            winner=coup.winner,
            player_points=coup.player_points,
            banker_points=coup.banker_points,
            winning_wagers=winning,
        )

    def _payments(self, bets: list[Bet]) -> Iterator[Draft]:
        """Settle wagers: losing ones are collected first, then winners are paid."""
        if Capability.SEAT_TOTALS_ONLY in self.reports:
            yield from self._seat_totals(bets)
            return
        for bet in sorted(bets, key=lambda one: (one.outcome != "lose", one.seat)):
            at_us = self.pace.step(700, 1900)
            if Capability.PAYMENTS in self.reports:
                yield self.settlement(bet, at_us)
            self._mark(bet)

    def _mark(self, bet: Bet) -> None:
        if self.table.settler.marks_vigorish and bet.vigorish_minor:
            marked = self.table.marked
            marked[bet.seat] = marked.get(bet.seat, 0) + bet.vigorish_minor

    def settlement(self, bet: Bet, at_us: int) -> Draft:
        """Tell the settlement of one wager."""
        takes_now = bet.outcome == "lose" and not self.table.takes_first(bet)
        collected = bet.stake_minor if takes_now else 0
        note = None
        if bet.wager_id in self.plan.shares:
            share = self.plan.shares.pop(bet.wager_id)
            note = SharePaid(bet, self.plan.coup_id, share, is_last=not self.plan.shares)
        return self._draft(
            WagerSettled,
            at_us,
            note,
            settlement_id=bet.settlement_id,
            wager_id=bet.wager_id,
            paid_minor=bet.due_minor,
            stake_collected_minor=collected if Capability.COLLECTIONS in self.reports else None,
            **self._vigorish(bet.vigorish_minor),
        )

    def _vigorish(self, minor: int) -> dict[str, object]:
        if not minor or Capability.VIGORISH not in self.reports:
            return {}
        how = "marked" if self.table.settler.marks_vigorish else "taken"
        return {f"vigorish_{how}_minor": minor}

    def _seat_totals(self, bets: list[Bet]) -> Iterator[Draft]:
        for seat in sorted({bet.seat for bet in bets}):
            here = [bet for bet in bets if bet.seat == seat]
            at_us = self.pace.step(1200, 3400)
            for bet in here:
                self._mark(bet)
            yield self._draft(
                SeatSettled,
                at_us,
                None,
                settlement_id=f"{self.plan.coup_id}/s{seat}",
                seat=seat,
                paid_minor=sum(bet.due_minor for bet in here),
                stake_collected_minor=sum(b.stake_minor for b in here if b.outcome == "lose"),
                patron=here[0].patron if Capability.PATRONS in self.reports else None,
                **self._vigorish(sum(bet.vigorish_minor for bet in here)),
            )

    def _voided(self) -> Iterator[Draft]:
        """Tell a coup that the floor voids after its second card: every stake goes back."""
        for step in self.plan.steps[:2]:
            yield from self._step(step)
        on_meter = tuple(bet for bet in self.plan.standing if bet.offer.progressive_id)
        yield self._draft(
            CoupVoided,
            self.pace.step(8000, 30_000),
            Voided(on_meter, self.plan.coup_id) if on_meter else None,
            reason="card torn while it was drawn",
            authorised_by=self.table.supervisor,
        )
        for bet in self.plan.standing:
            yield self._draft(
                WagerRefunded,
                self.pace.step(400, 1200),
                refund_id=f"{bet.wager_id}/r",
                wager_id=bet.wager_id,
                refunded_minor=bet.stake_minor,
                reason="coup_voided",
                authorised_by=self.table.supervisor,
            )
        yield self._draft(CoupClosed, self.pace.step(1500, 3500))
