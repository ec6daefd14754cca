"""What is wrong with how wagers were placed? In time, offered, within limits, with a base."""

from __future__ import annotations

from collections.abc import Iterator

from auditors.settlement.asserting import Claim, assert_finding
from auditors.settlement.checks import base_findings, offer_findings
from auditors.settlement.progressive_unit import progressive_unit_finding
from auditors.settlement.terms import WagerRef
from auditors.table.known.state import Mark, PlacedWager
from auditors.table.known.view import CoupView, first_card
from schemas.events import Capability
from schemas.findings import Finding, FindingCode


def is_placed_well(view: CoupView, wager: PlacedWager) -> bool:
    """Whether nothing is wrong with how a wager was placed, a missing base wager aside."""
    if wager.is_late or wager.late_changes:
        return False
    if wager.is_withdrawn:
        return True
    named, stake = view.named(wager), wager.stake_minor
    return named.is_offered and (stake is None or named.is_within(stake))


def without_base(view: CoupView) -> list[PlacedWager]:
    """Give the wagers that need a base wager of the same patron, else seat, and have none.

    Base wagers count as they stand at no more bets: one that came later is none. Where either of
    two wagers at a seat names no patron, they may be of the same.
    """
    if not view.is_certain("call") or not view.can(Capability.WAGERS):
        return []
    needing: list[PlacedWager] = []
    bases: list[PlacedWager] = []
    for wager in view.state.wagers:
        named = view.named(wager)
        if wager.is_withdrawn:
            continue
        if named.is_base and not wager.is_late:
            bases.append(wager)
        elif named.needs_base:
            needing.append(wager)
    if not needing:
        return []
    patrons = {one.patron for one in bases if one.patron}
    seats = {one.seat for one in bases}
    unnamed = {one.seat for one in bases if not one.patron}
    return [
        one
        for one in needing
        if one.patron not in patrons and one.seat not in (unnamed if one.patron else seats)
    ]


def placing_findings(view: CoupView) -> Iterator[Finding]:
    """Judge how wagers were placed."""
    if not view.can(Capability.WAGERS):
        return
    for wager in view.state.wagers:
        if not is_placed_well(view, wager):
            yield from _placing(view, wager)
    is_over = view.is_final and view.state.voided is None
    if view.state.no_more_bets is None and not is_over:
        return
    for wager in without_base(view):
        ref = view.named(wager).ref
        if ref is not None:
            where = view.at(wager.sequence, seat=wager.seat)
            yield from base_findings(view.rules, [(ref, view.subject(wager.wager_id))], where)


def _placing(view: CoupView, wager: PlacedWager) -> Iterator[Finding]:
    call = view.state.no_more_bets
    if wager.is_late:
        limit = first_card(view.state)
        words = "after the first card; no more bets, which comes before it, had not been called"
        if call is not None and was_before(wager.was_called, call, wager.sequence):
            limit, words = call.sequence, _after_call(view, wager, call)
        evidence = (wager.sequence,) if limit is None else (limit, wager.sequence)
        yield wager_finding(
            view, FindingCode.WAGER_LATE, wager, evidence,
            f"{wager.name} at seat {wager.seat} was recorded {words}.",
        )  # fmt: skip
    if wager.late_changes:
        times = f" {len(wager.late_changes)} times" if len(wager.late_changes) > 1 else ""
        first = wager.late_changes[0]
        is_called = call is not None and was_before(wager.was_called_changing, call, first)
        before = (call.sequence,) if call is not None and is_called else ()
        what = "no more bets" if is_called else "the first card"
        yield wager_finding(
            view, FindingCode.WAGER_CHANGED_LATE, wager, (*before, *wager.late_changes),
            f"{wager.name} at seat {wager.seat} was changed or withdrawn{times} after {what}; "
            "the change has no effect on what is due.",
        )  # fmt: skip
    if not wager.is_withdrawn:
        yield from _offer(view, wager)


def was_before(known: bool | None, mark: Mark, sequence: int) -> bool:
    """Whether something was said before an event: as known then, else by the numbers of events."""
    return mark.sequence < sequence if known is None else known


def _after_call(view: CoupView, wager: PlacedWager, call: Mark) -> str:
    """Say how long after the call and the filed grace a wager was recorded."""
    grace_us = view.submission.late_wager_grace_ms * 1000
    after = seconds_beyond(max(0, wager.placed_at_us - call.occurred_at_us), grace_us)
    grace = seconds(grace_us, 3 if grace_us % 100_000 else 1)
    return f"{after} s after no more bets; the filed grace is {grace} s"


def _offer(view: CoupView, wager: PlacedWager) -> Iterator[Finding]:
    """Judge whether a wager is offered, and its stake within the limits."""
    named = view.named(wager)
    if named.ref is None:
        yield wager_finding(
            view, FindingCode.WAGER_NOT_OFFERED, wager, (wager.sequence,),
            f"{wager.name} is no wager of Rules Submission {view.submission.rules_version}.",
        )  # fmt: skip
        return
    # Where the stake is not reported only the offer itself can be judged.
    stake = wager.stake_minor or named.least_minor or named.most_minor or 1
    place = view.at(wager.sequence, seat=wager.seat)
    subject = view.subject(wager.wager_id)
    yield from offer_findings(view.rules, named.ref, stake, subject, place)
    if wager.stake_minor is not None:
        found = progressive_unit_finding(view.rules, named.ref, wager.stake_minor, subject, place)
        if found is not None:
            yield found


def seconds_beyond(microseconds: int, limit: int) -> str:
    """Write a while in seconds, with as many digits as show that it is beyond a limit."""
    units = (10**zeros for zeros in (5, 4, 3, 2, 1, 0))
    unit = next((one for one in units if microseconds // one > limit // one), 10**5)
    return seconds(microseconds, 7 - len(str(unit)))


def seconds(microseconds: int, digits: int = 1) -> str:
    """Write a while in seconds, cut to tenths or to more digits: ``1.2``."""
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06}"[: digits - 6 or None]


def wager_finding(
    view: CoupView,
    code: FindingCode,
    wager: PlacedWager,
    sequences: tuple[int, ...],
    sentence: str,
    money: tuple[int, int] | None = None,
) -> Finding:
    """Assert something about a wager that is no matter of its verdict.

    Args:
        view: The coup.
        code: The finding's code; one of it for each wager.
        wager: The wager.
        sequences: The events that it rests on.
        sentence: What it says.
        money: What was due and what was handed over, minor units, where that is the matter.
    """
    ref = view.named(wager).ref or WagerRef(wager.name)
    due, paid = money or (None, None)
    return assert_finding(
        code,
        view.subject(wager.wager_id),
        sentence,
        view.at(*sequences, seat=wager.seat),
        Claim(wager=ref.id, hand=ref.hand, due_minor=due, paid_minor=paid),
        submission=view.submission,
    )
