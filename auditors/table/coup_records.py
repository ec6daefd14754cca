"""The record of a coup: written whole whenever anything about it has changed.

The judgement is made anew each time, so a correction, a late settlement or a void needs no undoing:
a finding that no longer follows is no longer listed. Whether an event can have changed anything is
asked first, by comparing it with what is right; only then the coup is judged whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from auditors.settlement.coup import winner_of
from auditors.table.judging.card_findings import card_findings
from auditors.table.judging.dues import Judged, due_of, judge
from auditors.table.judging.payment_findings import (
    conflict_findings,
    correction_findings,
    refund_findings,
    unpayable_findings,
    wager_payments,
)
from auditors.table.judging.placing_findings import placing_findings
from auditors.table.judging.seat_findings import seat_findings, settled_seats, voided_seats
from auditors.table.judging.vigorish_findings import judge_closed, mark_vigorish
from auditors.table.known.context import Belonging, Folding
from auditors.table.known.state import STANDING_MAX, CoupState, PlacedWager, TableState
from auditors.table.known.view import CoupView
from auditors.values import evolve
from schemas.events import Capability
from schemas.findings import Finding
from schemas.records import CoupRow, Record, RecordKind, WagerRow, WagerStatus


def is_plain(coup: CoupState) -> bool:
    """Whether nothing stands about a coup that is still going on.

    Then an event changes what stands only by what is wrong with itself.
    """
    return coup.emitted is None and not coup.is_closed and not coup.is_overrun


def put_out(folding: Folding, coup: CoupState, *, at_end: bool = False) -> None:
    """Judge a coup whole, and put it out where something new stands or it has ended.

    Args:
        folding: The event on its way.
        coup: The coup, as the event left it.
        at_end: The coup has just ended, so its record is due whatever stands.
    """
    view = CoupView(folding, coup)
    judged = [judge(view, placed) for placed in coup.wagers]
    found = tuple(_standing(view, judged))
    digest = _digest(found) if found else None
    if digest == coup.emitted and not at_end and not coup.is_closed:
        return
    standing = tuple(one.id for one in found)
    folding.put_coup(evolve(coup, emitted=digest, standing=standing[:STANDING_MAX]))
    record = _record(folding, view, judged, found)
    if coup.standing:
        withdrawn = tuple(one for one in coup.standing if one not in standing)
        record = record.model_copy(update={"withdrawn": withdrawn})
    folding.emit(record)


def _standing(view: CoupView, judged: list[Judged]) -> Iterator[Finding]:
    """Give all findings that stand, each once."""
    state = view.state
    yield from card_findings(view)
    yield from placing_findings(view)
    yield from conflict_findings(view)
    yield from correction_findings(view)
    yield from unpayable_findings(view, judged)
    if view.can(Capability.PAYMENTS):
        for one in judged:
            yield from wager_payments(view, one)
    elif view.can(Capability.SEAT_TOTALS_ONLY) and not state.is_unverified:
        yield from seat_findings(view, judged)
    if state.is_unverified:
        return
    if state.voided is not None and view.is_final and view.can(Capability.REFUNDS):
        by_seat = settled_seats(view)
        for one in judged:
            if one.placed.seat not in by_seat:
                yield from refund_findings(view, one)
        yield from voided_seats(view, judged)


def _digest(found: tuple[Finding, ...]) -> str:
    text = "|".join(f"{one.id}{one.status}{one.sentence}" for one in found)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def made_unverified(folding: Folding) -> tuple[CoupState, ...]:
    """Mark the coups that go on as unverified, now that events are missing.

    What was decided by then stays decided, and is judged on: whatever was lost came later.

    Returns:
        All coups of the state.
    """
    return tuple(
        one if one.is_closed else _made_unverified(folding, one) for one in folding.state.coups
    )


def _made_unverified(folding: Folding, coup: CoupState) -> CoupState:
    if coup.is_unverified:
        return coup
    view = CoupView(folding, coup)
    paid = [one for one in coup.wagers if one.payments]
    certain = [one.wager_no for one in paid if due_of(view, one, view.named(one)) is not None]
    return evolve(
        coup,
        is_unverified=True,
        certain=tuple(word for word, is_told in _told(view) if is_told),
        certain_wagers=tuple(certain),
    )


def _told(view: CoupView) -> tuple[tuple[str, bool], ...]:
    state = view.state
    return (
        ("call", state.no_more_bets is not None),
        ("counts", state.counts is not None and view.hands.has_first_four),
        ("cards", view.cards_are_final),
    )


def close_coup(folding: Folding, coup: CoupState) -> None:
    """End a coup: what has not been reported by now is absent."""
    if coup.is_closed:
        return
    closed = evolve(coup, is_closed=True)
    folding.put_coup(closed)
    if coup.result is None and not coup.voided:
        mark_vigorish(folding, coup, closed)
    put_out(folding, closed, at_end=True)
    judge_closed(folding, closed)


def close_all(folding: Folding) -> None:
    """End every coup that goes on."""
    for coup in folding.state.coups:
        close_coup(folding, coup)


def _record(
    folding: Folding, view: CoupView, judged: list[Judged], found: tuple[Finding, ...]
) -> Record:
    state = view.state
    is_void = state.voided is not None
    rows = []
    stakes = dues = paid = 0
    for one in judged:
        placed = one.placed
        status, handed_over = _status(placed, is_void=is_void), _paid(placed)
        rows.append(_wager_row(one, status, handed_over))
        if status is not WagerStatus.WITHDRAWN:
            stakes += placed.stake_minor or 0
            dues += one.owed_minor or 0
            paid += handed_over or 0
    for seat in state.seats:
        paid += seat.payment.paid_minor + seat.payment.paid_change_minor
    return folding.record(
        RecordKind.COUP,
        state.coup_id,
        Belonging(
            state.feed_id,
            state.shoe_id,
            state.gaming_date,
            view.currency,
            view.rules.terms.rules_version,
        ),
        coup=_coup_row(view, (stakes, dues, paid)),
        wagers=tuple(rows),
        findings=found,
    )


def _coup_row(view: CoupView, sums: tuple[int, int, int]) -> CoupRow:
    state, hands = view.state, view.hands
    is_known = hands.has_first_four and hands.is_readable
    points = winner = natural = None
    if is_known:
        coup = hands.coup
        points, natural = (coup.player_points, coup.banker_points), coup.natural
        winner = winner_of(*points) if view.cards_are_final else None
    return CoupRow(
        coup_no=state.coup_no,
        state="voided" if state.voided else "closed" if state.is_closed else "open",
        is_determined=view.cards_are_final and hands.is_clean,
        is_unverified=state.is_unverified,
        player_cards=hands.player_text,
        banker_cards=hands.banker_text,
        player_points=points[0] if points else None,
        banker_points=points[1] if points else None,
        winner=winner,
        natural=natural,
        announced_winner=state.result.winner if state.result else None,
        dealer=state.dealer,
        first_sequence=state.first_sequence,
        last_sequence=state.last_sequence,
        began_at_us=state.began_at_us,
        stake_minor=sums[0],
        due_minor=sums[1],
        paid_minor=sums[2],
    )


def _wager_row(judged: Judged, status: WagerStatus, paid_minor: int | None) -> WagerRow:
    """Write a wager as a row of the record."""
    placed, named, due, owed = judged
    outcome = code = pays = vigorish = citation = None
    interpretations: dict[str, str] = {}
    if due is not None:
        outcome, code, pays, _, vigorish, citation, interpretations = due
    return WagerRow(
        wager_no=placed.wager_no,
        wager_id=placed.wager_id,
        wager=named.id,
        hand=named.hand,
        seat=placed.seat,
        patron=placed.patron,
        status=status,
        paytable=named.letter,
        outcome=outcome,
        outcome_code=code,
        pays=pays,
        stake_minor=placed.stake_minor,
        due_minor=owed,
        paid_minor=paid_minor,
        vigorish_due_minor=vigorish,
        vigorish_paid_minor=_vigorish_paid(placed),
        citation=citation,
        interpretations={**interpretations},
    )


def _paid(placed: PlacedWager) -> int | None:
    """Give what was handed over for a wager; None where nothing was told."""
    if not placed.payments and placed.refunded_minor is None:
        return None
    paid = placed.refunded_minor or 0
    for one in placed.payments:
        paid += one.paid_minor + one.paid_change_minor
    return paid


def _vigorish_paid(placed: PlacedWager) -> int | None:
    told = None
    for one in placed.payments:
        if one.taken_minor is not None or one.marked_minor is not None:
            told = (told or 0) + (one.taken_minor or 0) + (one.marked_minor or 0)
            told += one.taken_change_minor + one.marked_change_minor
    return told


def _status(placed: PlacedWager, *, is_void: bool) -> WagerStatus:
    if placed.is_withdrawn:
        return WagerStatus.WITHDRAWN
    if placed.refunded_minor is not None and (is_void or not placed.payments):
        return WagerStatus.REFUNDED
    return WagerStatus.SETTLED if placed.payments else WagerStatus.PLACED


def coups_to_drop(state: TableState, kept: int, wagers_kept: int) -> tuple[CoupState, ...]:
    """Give the oldest coups, as many as have to go so that a further one fits.

    Args:
        state: The table.
        kept: Coups that may stay.
        wagers_kept: Wagers that may stay, over all of them.
    """
    coups = state.coups
    first, wagers = 0, sum(len(one.wagers) for one in coups)
    while len(coups) - first > kept or wagers > wagers_kept:
        wagers -= len(coups[first].wagers)
        first += 1
    return coups[:first]
