"""Faults of jackpots: amount, shares, reset, reserve, hits without cards and cards without hit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from schemas.events import Capability, CardDealt, NoMoreBets, ResultAnnounced, WagerSettled
from schemas.findings import FindingCode as Code
from streams.simulator.controllers.acts import open_hit, reset_meter, said_reset
from streams.simulator.plants.base import draft_of
from streams.simulator.plants.progressive.on_meters import (
    MeterFault,
    at_end,
    has_no_limit,
    tamper,
    tells_wagers,
)
from streams.simulator.plants.wagers import PLACED
from streams.simulator.tables.faults import OnMeter, Plant
from streams.simulator.tables.jackpots import award, can_win, win_meter
from streams.simulator.tables.notes import Accepted, CardsWon, SharePaid

if TYPE_CHECKING:
    from streams.simulator.controllers.meters import MeterState, OpenHit
    from streams.simulator.controllers.notes import IdSource
    from streams.simulator.feed import Draft
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_SHORT_MINOR: Final = 100_00
_WRONG_RESET: Final = Fraction(500_00)
_HALT_US: Final = 75_000_000
_HEARD_US: Final = 700_000
"""What happens at a table was heard by the controller after so long."""


class HitFault(MeterFault):
    """A fault about a hit, which is brought about for it."""

    on_meter = OnMeter.ALONE
    wagers = 2
    codes: ClassVar[tuple[Code, ...]] = (Code.JACKPOT_MISPAID,)

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have the coup win, as soon as the shoe allows."""
        super().plan(table, plan)
        if can_win(table):
            win_meter(table, plan, self.rng, self.wagers)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Plant it, once there is a hit."""
        if plan.wins_meter:
            super().script(table, plan, drafts)


def _paid(drafts: list[Draft]) -> list[tuple[Draft, SharePaid]]:
    """Give the settlements of winners, in order."""
    return [(draft, draft.note) for draft in drafts if isinstance(draft.note, SharePaid)]


def _pay(draft: Draft, note: SharePaid, minor: int) -> None:
    """Let a winner be paid another share."""
    said = draft.fields["paid_minor"]
    if isinstance(said, int):
        draft.fields["paid_minor"] = said + minor - note.paid_minor
    draft.note = replace(note, paid_minor=minor)


class PaidShort(HitFault):
    """One winner is paid 100.00 less than the share."""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Pay less."""
        draft, note = _paid(drafts)[0]
        _pay(draft, note, note.paid_minor - _SHORT_MINOR)
        self.tell_of_meter(
            table,
            *self.codes,
            coup=plan.coup_id,
            difference_minor=-_SHORT_MINOR,
            note=f"{note.bet.wager_id} paid 100.00 less than its share",
        )


class Misdivided(HitFault):
    """The first of two winners is paid the whole jackpot, the other one nothing."""

    codes: ClassVar[tuple[Code, ...]] = (Code.JACKPOT_MISPAID, Code.JACKPOT_MISPAID)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Give all to one."""
        paid = _paid(drafts)
        whole = sum(note.paid_minor for _, note in paid)
        for draft, note in paid:
            is_first = note.bet is plan.on_meter[0]
            _pay(draft, note, whole if is_first else 0)
        codes = (Code.JACKPOT_MISPAID,) * len(paid)
        self.tell_of_meter(
            table,
            *codes,
            coup=plan.coup_id,
            difference_minor=0,
            note=f"{plan.on_meter[0].wager_id} paid all of it",
        )


class ResetOtherwise(HitFault):
    """The meter is set back otherwise than filed."""

    codes: ClassVar[tuple[Code, ...]] = (Code.RESEED_MISMATCH,)
    words = ""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Take the reset out of the last payment, and do it otherwise."""
        for draft, note in _paid(drafts):
            draft.note = replace(note, is_last=False)
        self.edit_for(table, plan.coup_id, drafts)

    def edit_for(self, table: PlayingTable, coup_id: str, drafts: list[Draft]) -> None:
        """Set the meter back for the hit of a coup when this one ends."""
        source_id = table.source_id

        def act(_: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
            hit = open_hit(meter, source_id, coup_id)
            return () if hit is None else self.reset(meter, hit, at_us)

        at_end(table, drafts, act)
        self.tell_of_meter(table, *self.codes, coup=coup_id, note=f"{self.words}: {coup_id}")

    def reset(self, meter: MeterState, hit: OpenHit, at_us: int) -> Iterable[Draft]:
        """Set the meter back."""
        raise TypeError(f"{self.name} does nothing")


class ResetAmount(ResetOtherwise):
    """The meter is set back to 500.00 more than filed, all of it from the house."""

    words = "reset_amount: reset to 500.00 more than filed"

    def reset(self, meter: MeterState, hit: OpenHit, at_us: int) -> Iterable[Draft]:
        """Set it back to another amount."""
        yield meter.reading(at_us)
        before, reserve = meter.display, meter.reserve
        new = meter.reset_minor + _WRONG_RESET
        meter.open_hits.remove(hit)
        meter.reserve = Fraction(0)
        meter.display += new - hit.amount
        yield said_reset(meter, hit, at_us, before, (reserve, new - reserve))
        yield meter.reading(at_us)


class ReserveKept(ResetOtherwise):
    """The reserve is said to pay its part of the reset, and is not reduced by it."""

    words = "reset_amount: the reserve is not reduced by what it pays of the reset"

    def reset(self, meter: MeterState, hit: OpenHit, at_us: int) -> Iterable[Draft]:
        """Set it back and keep the reserve."""
        yield meter.reading(at_us)
        before, reserve = meter.display, meter.reserve
        meter.open_hits.remove(hit)
        meter.display += meter.reset_minor - hit.amount
        yield said_reset(meter, hit, at_us, before, (reserve, meter.reset_minor - reserve))
        yield meter.reading(at_us)


class FrozenOtherwise(HitFault):
    """The meter is frozen at another moment than the lock-out; hit, payment and reset follow it."""

    codes: ClassVar[tuple[Code, ...]] = (Code.JACKPOT_MISPAID, Code.RESEED_MISMATCH)
    words = ""

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Begin without an amount."""
        self._right = self._wrong = Fraction(0)
        super().plan(table, plan)

    def freeze(self, meter: MeterState, hit: OpenHit, amount: Fraction) -> None:
        """Let a hit take another amount than it should."""
        self._right, self._wrong = meter.shown(hit.amount), meter.shown(amount)
        hit.amount = amount

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Plant it, once it made a difference."""
        if self._wrong != self._right:
            super().script(table, plan, drafts)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down what is found: winners with another share, and the next meter."""
        paid = [bet.due_minor for bet in plan.on_meter]
        award(table, plan, self._right)
        apart = [minor - bet.due_minor for minor, bet in zip(paid, plan.on_meter, strict=True)]
        award(table, plan, self._wrong)
        mispaid = (Code.JACKPOT_MISPAID,) * sum(difference != 0 for difference in apart)
        self.tell_of_meter(
            table,
            *mispaid,
            Code.RESEED_MISMATCH,
            coup=plan.coup_id,
            difference_minor=sum(apart),
            note=f"{self.words}: {plan.coup_id}",
        )


class FrozenEarly(FrozenOtherwise):
    """The meter is frozen before the last wagers of the winning coup are placed."""

    words = "reset_early: the meter is frozen before the last wagers, they are in the next one"

    def called(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Remember the display before wagers, and freeze that."""
        source_id, coup_id = table.source_id, plan.coup_id
        shown: list[Fraction] = []

        def remember(_: IdSource, meter: MeterState, __: int) -> Iterable[Draft]:
            shown.append(meter.display)
            return ()

        def freeze(_: IdSource, meter: MeterState, __: int) -> Iterable[Draft]:
            hit = open_hit(meter, source_id, coup_id)
            if hit is not None and shown:
                self.freeze(meter, hit, shown[0])
            return ()

        last = max(at for at, draft in enumerate(drafts) if isinstance(draft.note, Accepted))
        before = next((draft for draft in drafts[:last] if draft.note is None), None)
        if before is not None:
            tamper(table, before, remember)
            tamper(table, draft_of(drafts, CardDealt), freeze)


class FrozenLate(FrozenOtherwise):
    """The meter is frozen when the last card lies; other tables' wagers since are won as well."""

    words = "reset_late: the meter is frozen with the last card, wagers since are in the won one"

    def called(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Freeze the display of that moment; the deal halts for a while before the first card."""
        source_id, coup_id = table.source_id, plan.coup_id

        def freeze(_: IdSource, meter: MeterState, __: int) -> Iterable[Draft]:
            hit = open_hit(meter, source_id, coup_id)
            if hit is not None and not hit.is_taken:
                self.freeze(meter, hit, meter.display)
            return ()

        call = next(at for at, draft in enumerate(drafts) if draft.kind is NoMoreBets)
        for draft in drafts[call + 1 :]:
            draft.at_us += _HALT_US
        last = drafts[-1].at_us - _HEARD_US
        cards = [draft for draft in drafts if draft.kind is CardDealt and draft.at_us < last]
        tamper(table, cards[-1], freeze)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let what comes after the result be as late as the halt made it."""
        if plan.wins_meter:
            for draft in drafts:
                draft.at_us += _HALT_US
        super().script(table, plan, drafts)


class ResetLate(ResetOtherwise):
    """The meter is set back a coup later, and what was accepted since the lock-out is lost."""

    coups = 2
    words = "reset_late: wagers after the lock-out are not in the next meter"

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have one coup win, and wagers placed on the next one."""
        if self.coups == ResetLate.coups:
            super().plan(table, plan)
        else:
            MeterFault.plan(self, table, plan)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Leave the reset out of the coup that wins; do it at the end of the next one."""
        if plan.wins_meter:
            self._won = plan.coup_id
            for draft, note in _paid(drafts):
                draft.note = replace(note, is_last=False)
            self.coups -= 1
        elif self.coups < ResetLate.coups:
            self.edit_for(table, self._won, drafts)
            self.finish()

    def reset(self, meter: MeterState, hit: OpenHit, at_us: int) -> Iterable[Draft]:
        """Set it back to the reset amount alone."""
        hit.amount = meter.display
        return reset_meter(meter, hit, at_us)


class HitUnsaid(HitFault):
    """Six of a kind lie on the table, and neither controller nor dealer pays the jackpot."""

    def called(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let the controller not hear of it."""
        draft_of(drafts, ResultAnnounced).note = None

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Pay nothing."""
        owed = 0
        for draft in drafts:
            if draft.kind is WagerSettled and isinstance(draft.note, SharePaid):
                owed += draft.note.paid_minor
                draft.note, draft.fields["paid_minor"] = None, 0
        codes = (Code.JACKPOT_MISPAID,) * len(plan.on_meter)
        self.tell_of_meter(
            table,
            *codes,
            coup=plan.coup_id,
            difference_minor=-owed,
            is_at_table=True,
            note=f"cards win and no hit is said: {plan.coup_id}",
        )


class HitWithoutCards(MeterFault):
    """The controller takes the progressive as won, and the cards do not win it."""

    on_meter = OnMeter.ALONE
    codes: ClassVar[tuple[Code, ...]] = (Code.JACKPOT_MISPAID,)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let the controller say that it is won."""
        won = CardsWon(plan.on_meter[:1], plan.coup_id, is_so=False)
        draft_of(drafts, ResultAnnounced).note = won
        self.tell_of_meter(
            table,
            *self.codes,
            coup=plan.coup_id,
            difference_minor=0,
            note=f"a hit is said and the cards do not win: {plan.coup_id}",
        )


_HIT: Final = PLACED | {Capability.METERS}

HIT_PLANTS: Final = (
    Plant(
        "jackpot_paid_short",
        PaidShort.codes,
        "one winner is paid less than the share",
        PaidShort,
        _HIT,
        has_no_limit,
    ),
    Plant(
        "jackpot_misdivided",
        Misdivided.codes,
        "one of two winners is paid the whole jackpot",
        Misdivided,
        _HIT,
        has_no_limit,
    ),
    Plant(
        "jackpot_reset_wrong",
        ResetAmount.codes,
        "the meter is reset to more than is filed",
        ResetAmount,
        _HIT,
        has_no_limit,
    ),
    Plant(
        "jackpot_reserve_kept",
        ReserveKept.codes,
        "the reserve is not reduced by what it pays of the reset",
        ReserveKept,
        _HIT,
        has_no_limit,
    ),
    Plant(
        "jackpot_reset_early",
        FrozenEarly.codes,
        "the meter is frozen before the lock-out: wagers of the won one are in the next one",
        FrozenEarly,
        _HIT,
        tells_wagers,
    ),
    Plant(
        "jackpot_reset_late",
        FrozenLate.codes,
        "the meter is frozen after the lock-out: wagers of the next one are in the won one",
        FrozenLate,
        _HIT,
        tells_wagers,
    ),
    Plant(
        "jackpot_since_lock_lost",
        ResetLate.codes,
        "wagers after the lock-out are not in the next meter",
        ResetLate,
        _HIT,
        tells_wagers,
    ),
    Plant(
        "jackpot_unsaid",
        HitUnsaid.codes,
        "six of a kind, and no hit is said nor paid",
        HitUnsaid,
        _HIT,
        has_no_limit,
    ),
    Plant(
        "jackpot_without_cards",
        HitWithoutCards.codes,
        "a hit is said and the cards do not win",
        HitWithoutCards,
        _HIT,
        tells_wagers,
    ),
)
