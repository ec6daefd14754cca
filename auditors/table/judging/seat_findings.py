"""Findings about the money of a seat, where a table knows only what each seat got in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from auditors.law.interpretations import EarlySettlement
from auditors.settlement.asserting import Claim, assert_finding, worded
from auditors.table.judging.dues import Judged, is_after_void
from auditors.table.judging.payment_findings import (
    is_kept_otherwise,
    put_right,
    returned_of,
    settled_again,
)
from auditors.table.known.state import Mark, Payment
from auditors.table.known.view import CoupView
from schemas.events import Capability
from schemas.finding_facts import FindingFacts
from schemas.finding_facts.payment import (
    NotSettled,
    SeatStakesLeft,
    SeatTotal,
    StakeTakenTwice,
    VoidNotReturned,
)
from schemas.finding_facts.vigorish import VigorishReported
from schemas.findings import Finding, FindingCode, FindingStatus
from schemas.rules_submission import VigorishTiming


def seat_findings(view: CoupView, judged: list[Judged]) -> Iterator[Finding]:
    """Compare what each seat got with what was due there in all, once the coup is over."""
    settled: dict[str, list[Payment]] = {}
    for one in view.state.seats:
        settled.setdefault(one.seat, []).append(one.payment)
    for seat, payments in settled.items():
        if len(payments) > 1:
            yield _settled_twice(view, seat, payments)
    if not view.is_final or view.state.voided is not None:
        return
    wagers: dict[str, list[Judged]] = {seat: [] for seat in settled}
    for wager in judged:
        if not wager.placed.is_withdrawn:
            wagers.setdefault(wager.placed.seat, []).append(wager)
    for seat, here in wagers.items():
        yield from _seat(view, seat, here, settled.get(seat, []))


def voided_seats(view: CoupView, judged: list[Judged]) -> Iterator[Finding]:
    """Judge whether a voided coup left seats that had been settled with their stakes, and no more.

    What a seat was paid before the void, less what was taken back, counts with its refunds.
    """
    voided = view.state.voided
    for seat in settled_seats(view) if voided is not None else ():
        here = [one for one in judged if one.placed.seat == seat and not one.placed.is_withdrawn]
        payments = [one.payment for one in view.state.seats if one.seat == seat]
        if voided is None or any(one.placed.stake_minor is None for one in here):
            continue
        if not (here or Capability.WAGERS in view.reports):
            continue
        if _may_hold_what_stands(view, here, payments, voided):
            continue
        stakes = sum(one.placed.stake_minor or 0 for one in here)
        returned = sum(one.paid_minor + one.paid_change_minor for one in payments)
        returned += sum(one.placed.refunded_minor or 0 for one in here)
        returned = returned_of(stakes, returned, payments)
        if returned == stakes:
            continue
        yield _finding(
            view,
            FindingCode.VOID_NOT_REFUNDED if returned < stakes else FindingCode.WAGER_OVERPAID,
            seat,
            (
                *(one.placed.sequence for one in here),
                *(one.sequence for one in payments),
                voided.sequence,
            ),
            VoidNotReturned(wager_name=None, coup_no=view.state.coup_no),
            _Seat.of(here, (stakes, returned), at_us=voided.occurred_at_us),
        )


def _may_hold_what_stands(
    view: CoupView, wagers: list[Judged], payments: list[Payment], voided: Mark
) -> bool:
    """Whether a total may hold a wager settled before the void, which stands: nobody can tell."""
    is_early = any(one.named.settles == "after_first_four" for one in wagers)
    was_paid = any(not is_after_void(one, voided) for one in payments)
    return is_early and was_paid and view.reading(EarlySettlement.ID) == EarlySettlement.STANDS


def settled_seats(view: CoupView) -> tuple[str, ...]:
    """Give the seats that were settled in one sum, each once."""
    return tuple(dict.fromkeys(one.seat for one in view.state.seats))


def _seat(
    view: CoupView, seat: str, wagers: list[Judged], payments: list[Payment]
) -> Iterator[Finding]:
    if not payments:
        result = view.state.result
        yield _finding(
            view,
            FindingCode.WAGER_NOT_SETTLED,
            seat,
            tuple(one.placed.sequence for one in wagers),
            NotSettled(wager_name=None),
            _Seat.of(wagers, at_us=result.occurred_at_us if result else None),
        )
        return
    dues = [one.owed_minor for one in wagers]
    known = [due for due in dues if due is not None]
    if len(known) == len(dues) and (wagers or Capability.WAGERS in view.reports):
        yield from _amount(view, seat, wagers, payments[0])


def _amount(view: CoupView, seat: str, wagers: list[Judged], first: Payment) -> Iterator[Finding]:
    """Compare what a seat got at first, and after corrections, with what was due there."""
    dues = [one.owed_minor or 0 for one in wagers]
    refunded = sum(one.placed.refunded_minor or 0 for one in wagers)
    due, paid = sum(dues), first.paid_minor + refunded
    now = paid + first.paid_change_minor
    original = paid if paid != due else now
    vigorish = sum((one.due.vigorish_minor or 0) if one.due else 0 for one in wagers)
    if not refunded and is_kept_otherwise(view, first, vigorish, due):
        yield from _vigorish(view, seat, wagers, first)
        return
    if original == due:
        yield from _collected(view, seat, wagers, first)
        yield from _vigorish(view, seat, wagers, first)
        return
    found = _finding(
        view,
        FindingCode.WAGER_UNDERPAID if original < due else FindingCode.WAGER_OVERPAID,
        seat,
        (*(one.placed.sequence for one in wagers), first.sequence),
        SeatTotal(dues_minor=tuple(dues)),
        _Seat.of(wagers, (due, original), first),
    )
    yield put_right(view, found, {first.settlement_id}, original - now)


def _collected(
    view: CoupView, seat: str, wagers: list[Judged], first: Payment
) -> Iterator[Finding]:
    """Compare what was collected at a seat with its losing stakes, and with all that it staked."""
    if Capability.COLLECTIONS not in view.reports or first.collected_minor is None:
        return
    if any(one.placed.refunded_minor for one in wagers):
        return
    stakes = [one.placed.stake_minor or 0 for one in wagers]
    losers = [one for one in wagers if one.due is not None and one.due.outcome == "lose"]
    lost = sum((one.placed.stake_minor or 0) - (one.owed_minor or 0) for one in losers)
    taken = first.collected_minor + sum(one.placed.collected_minor or 0 for one in wagers)
    at_last = taken + first.collected_change_minor
    original = taken if not lost <= taken <= sum(stakes) else at_last
    sequences = (*(one.placed.sequence for one in wagers), first.sequence)
    if original < lost:
        found = _finding(
            view,
            FindingCode.LOSER_NOT_COLLECTED,
            seat,
            sequences,
            SeatStakesLeft(lost_minor=lost, collected_minor=original),
            _Seat.of(wagers, (0, lost - original), first),
        )
        yield put_right(view, found, {first.settlement_id}, at_last - original)
    elif original > sum(stakes):
        found = _finding(
            view,
            FindingCode.STAKE_TAKEN_TWICE,
            seat,
            sequences,
            StakeTakenTwice(wager_name=None, staked_minor=sum(stakes), collected_minor=original),
            _Seat.of(wagers, (0, sum(stakes) - original), first),
        )
        yield put_right(view, found, {first.settlement_id}, at_last - original)


def _vigorish(view: CoupView, seat: str, wagers: list[Judged], first: Payment) -> Iterator[Finding]:
    """Compare the vigorish reported for a seat, where the total paid is right."""
    if Capability.VIGORISH not in view.reports:
        return
    is_marked = view.rules.terms.vigorish_timing is VigorishTiming.MARKED
    reported = first.marked_minor if is_marked else first.taken_minor
    other = (first.taken_minor if is_marked else first.marked_minor) or 0
    change = first.marked_change_minor if is_marked else first.taken_change_minor
    other_change = first.taken_change_minor if is_marked else first.marked_change_minor
    due = sum((one.due.vigorish_minor or 0) if one.due else 0 for one in wagers)
    if reported is None and not other and not is_marked:
        return
    at_first = ((reported or 0) - due, other)
    at_last = (at_first[0] + change, other + other_change)
    if at_first == (0, 0) == at_last:
        return
    found = _finding(
        view,
        FindingCode.VIGORISH_WRONG,
        seat,
        (first.sequence,),
        VigorishReported(
            wager_name=None,
            way="marked" if is_marked else "taken",
            due_minor=due,
            reported_minor=reported or 0,
            other_minor=other,
        ),
        _Seat.of(wagers, of=first),
    )
    yield worded(found, status=FindingStatus.CORRECTED) if at_last == (0, 0) else found


def _settled_twice(view: CoupView, seat: str, payments: list[Payment]) -> Finding:
    repeats = payments[1:]
    found = _finding(
        view,
        FindingCode.SETTLED_TWICE,
        seat,
        tuple(one.sequence for one in payments),
        settled_again(None, payments),
        _Seat.of([], (0, sum(one.paid_minor for one in repeats)), repeats[0]),
    )
    ids = {one.settlement_id for one in repeats}
    return put_right(view, found, ids, -sum(one.paid_change_minor for one in repeats))


class _Seat(NamedTuple):
    """What a finding about a seat names beside its facts."""

    claim: Claim
    at_us: int | None

    @staticmethod
    def of(
        wagers: list[Judged],
        money: tuple[int, int] | None = None,
        of: Payment | None = None,
        at_us: int | None = None,
    ) -> _Seat:
        """Name the patron where all wagers are of one, the stakes in all, and the payment."""
        patrons = {one.placed.patron for one in wagers}
        stakes = [one.placed.stake_minor for one in wagers]
        due, paid = money or (None, None)
        claim = Claim(
            patron=patrons.pop() if len(patrons) == 1 else None,
            settlement_id=of.settlement_id if of else None,
            stake_minor=sum(one or 0 for one in stakes) if stakes and None not in stakes else None,
            due_minor=due,
            paid_minor=paid,
        )
        return _Seat(claim, of.occurred_at_us if of else at_us)


def _finding(
    view: CoupView,
    code: FindingCode,
    seat: str,
    sequences: tuple[int, ...],
    told: FindingFacts,
    about: _Seat,
) -> Finding:
    return assert_finding(
        code,
        f"{view.state.coup_id}/seat {seat}",
        told,
        view.at(*sequences, seat=seat, at_us=about.at_us),
        about.claim,
        submission=view.submission,
    )
