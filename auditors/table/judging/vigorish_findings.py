"""Vigorish that was marked at a seat: collected in time or not, and nothing that was not due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from auditors.settlement.asserting import Claim, put_right
from auditors.table.judging.dues import due_of
from auditors.table.judging.vigorish_accounts import (
    account_of,
    collect,
    judged,
    leave,
    mark,
    with_accounts,
)
from auditors.table.known.context import Folding
from auditors.table.known.rejections import reject, reject_unknown
from auditors.table.known.shoe_names import is_in_play, is_known_shoe, told_id
from auditors.table.known.shoe_records import emit_shoe, shoe_finding, shoe_in_play, with_finding
from auditors.table.known.state import (
    HASHES_KEPT,
    OWING_FINDINGS_MAX,
    SHOES_KEPT,
    CoupState,
    ShoeState,
    VigorishAccount,
)
from auditors.table.known.view import CoupView
from auditors.table.steps import folds
from auditors.values import evolve
from schemas.events import Capability, VigorishCollected
from schemas.finding_facts.vigorish import VigorishLeft, VigorishNotDue
from schemas.findings import Finding, FindingCode
from schemas.rules_submission import VigorishTiming

SHOE_ENDED: Final = "the shoe ended"
SEAT_VACATED: Final = "the seat was vacated"
"""When marked vigorish should have been collected, as accounts keep it."""

_Marks = dict[tuple[str, str | None], tuple[int, int]]
"""Seat and patron to what was marked there, and to what was due besides."""


def mark_vigorish(folding: Folding, before: CoupState, after: CoupState) -> None:
    """Add what an event changed of the vigorish that a coup marked at each seat."""
    shoe = _shoe_of(folding, after.shoe_id)
    if shoe is None or Capability.VIGORISH not in folding.state.reports:
        return
    old, new = marks_of(CoupView(folding, before)), marks_of(CoupView(folding, after))
    if old == new:
        return
    changed = []
    for seat, patron in {**old, **new}:
        was, now = old.get((seat, patron), (0, 0)), new.get((seat, patron), (0, 0))
        account = account_of(shoe.vigorish, seat, patron)
        changed.append(mark(account, now[0] - was[0], now[1] - was[1]))
    if shoe.is_ended:
        changed = [_left(one) for one in changed]
    shoe = evolve(shoe, vigorish=with_accounts(shoe.vigorish, changed))
    _put(folding, shoe)
    if not shoe.is_unverified and any(one.late_minor or one.over_minor for one in changed):
        _say(folding, shoe, {one.seat for one in changed})


def marks_of(view: CoupView) -> _Marks:
    """Give the vigorish that a coup marked; of a voided one nothing is due, since nobody won."""
    marks: _Marks = {}
    if view.state.voided is not None:
        return marks
    is_marked = view.rules.terms.vigorish_timing is VigorishTiming.MARKED
    for placed in view.state.wagers:
        if placed.payments and not placed.is_withdrawn:
            payments = placed.payments
            told = sum((one.marked_minor or 0) + one.marked_change_minor for one in payments)
            due = due_of(view, placed, view.named(placed)) if is_marked else None
            besides = 0
            if due is not None and due.vigorish_minor:
                taken = sum((one.taken_minor or 0) + one.taken_change_minor for one in payments)
                besides = max(0, due.vigorish_minor - told - taken)
            _add(marks, placed.seat, placed.patron, told, besides)
    for entry in view.state.seats:
        here = [one for one in view.state.wagers if one.seat == entry.seat]
        patrons = {one.patron for one in here}
        patron = patrons.pop() if len(patrons) == 1 else None
        told = (entry.payment.marked_minor or 0) + entry.payment.marked_change_minor
        _add(marks, entry.seat, patron, told, _besides(view, entry.seat, told) if is_marked else 0)
    return marks


def _besides(view: CoupView, seat: str, told: int) -> int:
    """Give what is due at a seat that is settled in one sum, and was not marked."""
    here = [one for one in view.state.wagers if one.seat == seat and not one.is_withdrawn]
    dues = (due_of(view, one, view.named(one)) for one in here)
    return max(0, sum((due.vigorish_minor or 0) if due else 0 for due in dues) - told)


def _add(marks: _Marks, seat: str, patron: str | None, told: int, besides: int) -> None:
    if told or besides:
        before = marks.get((seat, patron), (0, 0))
        marks[seat, patron] = (before[0] + told, before[1] + besides)


@folds(VigorishCollected)
def collect_vigorish(folding: Folding, event: VigorishCollected) -> None:
    """Note marked vigorish that was collected or given back, also where it comes too late."""
    shoe = _shoe_told_as(folding, event.shoe_id)
    if shoe is None:
        if not is_known_shoe(folding.state, event.shoe_id):
            reject_unknown(folding, event.type, f"shoe {event.shoe_id}")
        return
    entry = f"{event.collection_id} {event.seat} {event.patron or '-'} {event.collected_minor}"
    for known in shoe.collection_ids:
        if known.partition(" ")[0] == event.collection_id:
            if known not in (entry, event.collection_id):  # states before this kept the id alone
                words = f"collection {event.collection_id} was told before, with other words"
                reject(folding, event.type, words)
            return
    ids = (*shoe.collection_ids, entry)[-HASHES_KEPT:]
    accounts = collect(shoe.vigorish, event.seat, event.patron, event.collected_minor)
    shoe = evolve(shoe, collection_ids=ids, vigorish=accounts)
    step = _left if shoe.is_ended else judged
    _judge(folding, shoe, lambda one: step(one) if one.seat == event.seat else one)


def judge_vacated(folding: Folding, seat: str, patron: str | None) -> None:
    """Judge whether a seat that is left still has marked vigorish, of the patron who leaves."""
    shoe = folding.state.shoe
    if shoe is None or shoe.is_ended:
        return

    def left(one: VigorishAccount) -> VigorishAccount:
        is_left = one.seat == seat and (patron is None or one.patron in (patron, None))
        return leave(judged(one), SEAT_VACATED) if is_left else one

    _judge(folding, shoe, left)


def judge_ended(folding: Folding) -> None:
    """Judge whether any seat still has marked vigorish when the shoe ends."""
    _judge(folding, shoe_in_play(folding), _left)


def _left(account: VigorishAccount) -> VigorishAccount:
    return leave(judged(account), SHOE_ENDED)


def judge_closed(folding: Folding, coup: CoupState) -> None:
    """Judge, when a coup is over, whether more is collected by now than is due.

    A void and a correction make vigorish undue that was collected; until then it can be given back.
    """
    shoe = _shoe_of(folding, coup.shoe_id)
    if shoe is not None and any(one.over_minor or one.over_now_minor for one in shoe.vigorish):
        _judge(folding, shoe, judged)


def keep_owing(folding: Folding) -> None:
    """Keep the shoe that goes out of play, and earlier ones whose vigorish is not settled.

    What became of their cards is told by then, so only their number is kept.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return
    kept = [one for one in folding.state.owing_shoes if one.vigorish]
    if Capability.VIGORISH in folding.state.reports and len(shoe.findings) <= OWING_FINDINGS_MAX:
        out = shoe.cards_out
        bare = evolve(shoe, order="", others="", unseen_count=out, run=None, removed=())
        kept.append(bare)
    folding.state.owing_shoes = tuple(kept[-SHOES_KEPT:])


def _shoe_told_as(folding: Folding, shoe_id: str) -> ShoeState | None:
    """Find the shoe that a device means by an id: the latest that it told by it."""
    if is_in_play(folding.state, shoe_id):
        return folding.state.shoe
    earlier = reversed(folding.state.owing_shoes)
    return next((one for one in earlier if told_id(one.shoe_id) == shoe_id), None)


def _shoe_of(folding: Folding, shoe_id: str | None) -> ShoeState | None:
    """Find the shoe in play, or an earlier one of which vigorish can still be put right."""
    shoe = folding.state.shoe
    if shoe is not None and shoe.shoe_id == shoe_id:
        return shoe
    return next((one for one in folding.state.owing_shoes if one.shoe_id == shoe_id), None)


def _put(folding: Folding, shoe: ShoeState) -> None:
    state = folding.state
    if state.shoe is not None and state.shoe.shoe_id == shoe.shoe_id:
        folding.put_shoe(shoe)
        return
    kept = (shoe if one.shoe_id == shoe.shoe_id else one for one in state.owing_shoes)
    folding.state.owing_shoes = tuple(kept)


def _judge(
    folding: Folding, shoe: ShoeState, step: Callable[[VigorishAccount], VigorishAccount]
) -> None:
    """Take a step with every account of a shoe, and say what stands then."""
    is_judged = Capability.VIGORISH in folding.state.reports and not shoe.is_unverified
    if is_judged:
        accounts = with_accounts(shoe.vigorish, map(step, shoe.vigorish))
        shoe = evolve(shoe, vigorish=accounts)
    _put(folding, shoe)
    if is_judged:
        _say(folding, shoe, {one.seat for one in shoe.vigorish})


def _say(folding: Folding, shoe: ShoeState, seats: set[str]) -> None:
    """Put out what was not collected in time or was not due, where that stands otherwise now."""
    after = shoe
    for seat in sorted(seats):
        here = [one for one in shoe.vigorish if one.seat == seat]
        for found in (_outstanding(folding, shoe, here), _collected(folding, shoe, here)):
            if found is not None and _is_news(after, found):
                after = with_finding(after, found)
    if after is not shoe:
        _put(folding, after)
        emit_shoe(folding, after)


def _is_news(shoe: ShoeState, found: Finding) -> bool:
    known = next((one for one in shoe.findings if one.id == found.id), None)
    return known is None or known.facts != found.facts


def _outstanding(folding: Folding, shoe: ShoeState, here: list[VigorishAccount]) -> Finding | None:
    """Say what was marked at a seat and not collected in time, and what became of it since."""
    due = sum(one.late_minor for one in here)
    if not due:
        return None
    collected = sum(one.late_collected_minor for one in here)
    unmarked = sum(one.late_unmarked_minor for one in here)
    seat = here[0].seat
    whens = [one.late_when for one in here if one.late_when]
    found = shoe_finding(
        folding,
        FindingCode.VIGORISH_OUTSTANDING,
        f"{seat}/{shoe.shoe_id}",
        VigorishLeft(
            marked_minor=due,
            when="seat_vacated" if whens[-1] == SEAT_VACATED else "shoe_ended",
            collected_minor=collected,
            unmarked_minor=unmarked,
        ),
        Claim(due_minor=due, paid_minor=0, patron=_one_patron(here, "late_minor")),
        seat,
        shoe,
    )
    since = collected or unmarked
    if not since:
        return found
    return put_right(found, -collected - unmarked, submission=folding.submission)


def _collected(folding: Folding, shoe: ShoeState, here: list[VigorishAccount]) -> Finding | None:
    """Say what was collected at a seat without being due, and what was given back of it."""
    over = sum(one.over_minor for one in here)
    if not over or not _is_known(folding, shoe):
        return None
    due = sum(one.over_due_minor for one in here)
    back = over - sum(one.over_now_minor for one in here if one.over_minor)
    seat = here[0].seat
    found = shoe_finding(
        folding,
        FindingCode.VIGORISH_WRONG,
        f"{seat}/{shoe.shoe_id}",
        VigorishNotDue(due_minor=due, collected_minor=due + over, given_back_minor=back),
        Claim(due_minor=due, paid_minor=due + over, patron=_one_patron(here, "over_minor")),
        seat,
        shoe,
    )
    return put_right(found, back, submission=folding.submission) if back else found


def _one_patron(here: list[VigorishAccount], amount: str) -> str | None:
    """Give the patron whose vigorish it is; None for several, or where nobody knows."""
    patrons = {one.patron for one in here if getattr(one, amount)}
    return patrons.pop() if len(patrons) == 1 else None


def _is_known(folding: Folding, shoe: ShoeState) -> bool:
    """Whether all marks of a shoe were told, so that what goes beyond them was not due."""
    reports = folding.state.reports
    by_wager = {Capability.PAYMENTS, Capability.WAGERS} <= reports
    is_whole = shoe.is_told and not folding.state.other_feeds
    return is_whole and (by_wager or Capability.SEAT_TOTALS_ONLY in reports)
