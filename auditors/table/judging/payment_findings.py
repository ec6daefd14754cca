"""Findings about the money of a coup: paid, collected, corrected, refunded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from auditors.clock import local_time
from auditors.law.interpretations import EarlySettlement, StakeOutsideLimits
from auditors.settlement.amounts import WagerVerdict
from auditors.settlement.asserting import Claim, Place, assert_finding, worded
from auditors.settlement.asserting import put_right as with_correction
from auditors.settlement.checks import payment_code, payment_facts
from auditors.table.judging.dues import (
    Judged,
    collected_at,
    collected_in_all,
    handed_over,
    refunded_of_excess,
    stake_left,
    stands_when_void,
    unpayable,
    verdict_of,
)
from auditors.table.judging.placing_findings import name_of, wager_finding, without_base
from auditors.table.known.state import CoupState, DealtCard, Payment, PlacedWager
from auditors.table.known.view import CoupView
from schemas.events import Capability
from schemas.finding_facts.parts import PutRight
from schemas.finding_facts.payment import (
    AmountNotPayable,
    CorrectionUnauthorised,
    NotSettled,
    RepeatedSettlement,
    SettledAgain,
    SettledOutOfTurn,
    SettlementConflict,
    StakeTakenTwice,
    VoidNotReturned,
    WithdrawnPaid,
)
from schemas.finding_facts.vigorish import VigorishReported
from schemas.findings import Finding, FindingCode, FindingStatus
from schemas.rules_submission import VigorishTiming

_Turn: TypeAlias = Literal["after_third_card", "before_first_four", "before_result"]
"""How a wager is settled out of its turn."""


def is_settled_well(view: CoupView, judged: Judged) -> bool:
    """Whether nothing is found about the money of a wager, as far as it has come."""
    if next(wager_payments(view, judged), None) is not None:
        return False
    return next(unpayable_findings(view, [judged]), None) is None


def wager_payments(view: CoupView, judged: Judged) -> Iterator[Finding]:
    """Judge what was paid on one wager, where payments per wager are reported."""
    placed = judged.placed
    if len(placed.payments) > 1:
        yield _settled_twice(view, placed)
    if not view.is_certainly_paid(placed):
        return
    yield from _stake_taken(view, placed)
    if placed.is_withdrawn:
        yield from _withdrawn(view, placed)
        return
    if not placed.payments:
        if view.is_final and view.state.voided is None and not _need_not_be_settled(view, judged):
            yield _not_settled(view, judged)
        return
    problem = _out_of_turn(view, judged, placed.payments[0])
    if problem is not None:
        first = placed.payments[0]
        facts = SettledOutOfTurn(wager_name=name_of(view, placed), when=problem)
        yield wager_finding(
            view, FindingCode.SETTLED_OUT_OF_TURN, placed, (first.sequence,), facts, of=first
        )
    is_void = view.state.voided is not None and not stands_when_void(view, placed, judged.named)
    if judged.due is not None and judged.due.due_minor is not None and not is_void:
        yield from _amount(view, judged)


def _need_not_be_settled(view: CoupView, judged: Judged) -> bool:
    """Whether a wager went back to the patron that did not stand, or that was due its stake."""
    placed, returned = judged.placed, judged.placed.refunded_minor
    if returned is None or returned < (placed.stake_minor or 0):
        return False
    if judged.owed_minor in (None, returned):
        return True
    return placed.is_late or not judged.named.is_offered or placed in without_base(view)


def _not_settled(view: CoupView, judged: Judged) -> Finding:
    """Assert that a wager which stands was not settled; what was refunded settles nothing."""
    placed, owed, returned = judged.placed, judged.owed_minor, judged.placed.refunded_minor
    money = None if returned is None or owed is None else (owed, returned)
    result = view.state.result
    return wager_finding(
        view,
        FindingCode.WAGER_NOT_SETTLED,
        placed,
        (placed.sequence,),
        NotSettled(wager_name=name_of(view, placed), refunded_minor=returned),
        money,
        at_us=placed.placed_at_us if result is None else result.occurred_at_us,
    )


def _withdrawn(view: CoupView, placed: PlacedWager) -> Iterator[Finding]:
    """Assert money that was paid on a wager which the patron had taken back in time."""
    if not placed.payments:
        return
    first = placed.payments[0]
    original = first.paid_minor or first.paid_minor + first.paid_change_minor
    if original <= 0:
        return
    found = wager_finding(
        view,
        FindingCode.WAGER_OVERPAID,
        placed,
        (placed.sequence, first.sequence),
        WithdrawnPaid(wager_name=name_of(view, placed)),
        (0, original),
        of=first,
    )
    at_last = first.paid_minor + first.paid_change_minor
    yield _put_right(view, found, placed, original - at_last)


def _settled_twice(view: CoupView, placed: PlacedWager) -> Finding:
    """Assert settlements of a wager that was settled before; their money was due to nobody."""
    repeats = placed.payments[1:]
    found = wager_finding(
        view,
        FindingCode.SETTLED_TWICE,
        placed,
        tuple(one.sequence for one in placed.payments),
        settled_again(name_of(view, placed), placed.payments),
        (0, sum(one.paid_minor for one in repeats)),
        of=repeats[0],
    )
    return _put_right(view, found, placed, -sum(one.paid_change_minor for one in repeats))


def settled_again(wager_name: str | None, payments: Sequence[Payment]) -> SettledAgain:
    """Name the settlements after the first, of a wager or of a seat."""
    return SettledAgain(
        wager_name=wager_name,
        first_settlement_id=payments[0].settlement_id,
        repeats=tuple(
            RepeatedSettlement(settlement_id=one.settlement_id, paid_minor=one.paid_minor)
            for one in payments[1:]
        ),
    )


def _out_of_turn(view: CoupView, judged: Judged, payment: Payment) -> _Turn | None:
    """Say how a wager was settled out of its turn; None where it was not."""
    state, settles = view.state, judged.named.settles
    if settles == "after_first_four" and Capability.CARDS in view.reports:
        lying = _cards_at(state, payment)
        if any(one.position >= 3 for one in lying):
            return "after_third_card"
        is_early = sum(one.position <= 2 for one in lying) < 4
        are_dealt = sum(one.position <= 2 for one in state.cards) >= 4
        if is_early and (are_dealt or state.voided is None):
            return "before_first_four"
    is_announced = Capability.ANNOUNCEMENTS in view.reports
    if settles == "after_result" and is_announced and not _had_result(state, payment):
        return "before_result"
    return None


def _had_result(state: CoupState, payment: Payment) -> bool:
    """Whether the result or a void had been told when something was paid."""
    if payment.had_result is not None:
        return payment.had_result
    marks = [one for one in (state.result, state.voided) if one is not None]
    return any((one.since or one.sequence) < payment.sequence for one in marks)


def _cards_at(state: CoupState, payment: Payment) -> Sequence[DealtCard]:
    """Give the cards that lay when something was paid; one drawn in error does not count."""
    if payment.card_count is not None:
        return state.cards[: payment.card_count]
    return [one for one in state.cards if one.sequence < payment.sequence]


def _stake_taken(view: CoupView, placed: PlacedWager) -> Iterator[Finding]:
    """Judge whether more was collected than the stake; a refund of the rest puts it right."""
    taken, stake = collected_in_all(view, placed), placed.stake_minor
    if placed.is_withdrawn:
        stake = 0
    changes = sum(one.collected_change_minor for one in placed.payments)
    most = max(taken, taken - changes)
    if stake is None or most <= stake:
        return
    found = wager_finding(
        view,
        FindingCode.STAKE_TAKEN_TWICE,
        placed,
        (placed.sequence, *(one.sequence for one in placed.payments)),
        StakeTakenTwice(
            wager_name=name_of(view, placed),
            staked_minor=stake,
            collected_minor=most,
            is_withdrawn=placed.is_withdrawn,
        ),
        (0, stake - most),
        of=placed.payments[-1] if placed.payments else None,
    )
    yield _put_right(view, found, placed, taken - most - refunded_of_excess(view, placed))


def _put_right(view: CoupView, found: Finding, placed: PlacedWager, corrected: int) -> Finding:
    ids = {one.settlement_id for one in placed.payments}
    return put_right(view, found, ids, corrected)


def put_right(view: CoupView, found: Finding, settlements: set[str], corrected: int) -> Finding:
    """Say beside a finding of money what was put right, when, and what is still outstanding.

    Args:
        view: The coup.
        found: The finding, with the difference as first found.
        settlements: The settlements that it is about.
        corrected: What was put right, minor units, with the sign of the difference.
    """
    if not corrected:
        return found
    corrections = [one for one in view.state.corrections if one.settlement_id in settlements]
    last = corrections[-1] if corrections else None  # they are kept in the order of telling
    how = PutRight()
    if last is not None:
        at = local_time(view.rules.terms, last.occurred_at_us)
        how = PutRight(at_us=last.occurred_at_us, local_time=at)
    evidence = {*found.evidence, *(one.sequence for one in corrections)}
    return with_correction(
        found, corrected, how, submission=view.submission, evidence=tuple(sorted(evidence))
    )


def _amount(view: CoupView, judged: Judged) -> Iterator[Finding]:
    """Compare the first settlement, and what corrections made of it, with what was due."""
    placed, due, owed = judged.placed, judged.due, judged.owed_minor
    assert due is not None
    assert owed is not None
    first = placed.payments[0]
    at_first, at_last = handed_over(view, judged)
    original = at_first
    payment = first._replace(paid_change_minor=0, collected_change_minor=0)
    if at_first == owed:
        original, payment = at_last, first
    is_due = original == owed or (
        not placed.refunded_minor and is_kept_otherwise(view, first, due.vigorish_minor or 0, owed)
    )
    if is_due:
        if not _has_vigorish_right(view, judged, first):
            yield from _vigorish(view, judged, first)
        return
    verdict = verdict_of(view, placed, judged.named)
    if verdict is None or _may_still_be_refunded(view, verdict, original):
        return
    code = _code(view, verdict, placed, payment, original)
    found = assert_finding(
        code,
        view.subject(placed.wager_id),
        payment_facts(verdict),
        _evidence(view, placed, first),
        Claim(
            wager=verdict.ref.id,
            hand=verdict.ref.hand,
            wager_id=placed.wager_id,
            settlement_id=first.settlement_id,
            patron=placed.patron,
            stake_minor=placed.stake_minor,
            due_minor=owed,
            paid_minor=original,
            citation=verdict.citation,
            interpretations=verdict.interpretations,
        ),
        submission=view.submission,
    )
    yield _put_right(view, found, placed, original - at_last)


def _may_still_be_refunded(view: CoupView, verdict: WagerVerdict, paid_minor: int) -> bool:
    """Whether what is missing may be the excess of the stake, which is refunded apart (D31)."""
    return (
        StakeOutsideLimits.ID in verdict.interpretations
        and not view.is_final
        and Capability.REFUNDS in view.reports
        and paid_minor < (verdict.due_minor or 0)
    )


def _code(
    view: CoupView, verdict: WagerVerdict, placed: PlacedWager, payment: Payment, original: int
) -> FindingCode:
    if verdict.outcome == "lose" and original > (verdict.due_minor or 0):
        left = stake_left(view, placed, payment, payment.collected_change_minor)
        paid = payment.paid_minor + payment.paid_change_minor
        if left and paid <= left:
            return FindingCode.LOSER_NOT_COLLECTED
        if collected_at(view, placed, payment) is not None:
            return FindingCode.LOSER_PAID
    return payment_code(verdict, original) or FindingCode.WAGER_OVERPAID


def _evidence(view: CoupView, placed: PlacedWager, first: Payment) -> Place:
    sequences = (placed.sequence, *(one.sequence for one in placed.payments), *view.card_sequences)
    return view.at(*sequences, seat=placed.seat, at_us=first.occurred_at_us)


def _has_vigorish_right(view: CoupView, judged: Judged, payment: Payment) -> bool:
    """Whether the vigorish was reported as due, from the first and in the filed way."""
    if Capability.VIGORISH not in view.reports or judged.due is None:
        return True
    reported, other = _reported(view, payment)
    due = judged.due.vigorish_minor or 0
    if reported is None and other is None and not _is_marked(view):
        return True  # what was kept back shows in the payment; what was to be marked does not
    change, other_change = _changes(view, payment)
    return (reported or 0) == due and not other and not change and not other_change


def is_kept_otherwise(
    view: CoupView, payment: Payment, vigorish_minor: int, owed_minor: int | None
) -> bool:
    """Whether all that differs is that vigorish was marked where it is taken, or taken for marked.

    Then nobody has more or less than is due: what was marked is owed, what was taken is not.

    Args:
        view: The coup.
        payment: The first settlement, of a wager or a seat of which nothing was refunded.
        vigorish_minor: The vigorish that is due.
        owed_minor: What is due in all.
    """
    if Capability.VIGORISH not in view.reports or not vigorish_minor:
        return False
    if any((payment.paid_change_minor, *_changes(view, payment))):
        return False
    reported, other = _reported(view, payment)
    if not other or (reported or 0) + other != vigorish_minor:
        return False
    return payment.paid_minor + (other if _is_marked(view) else -other) == owed_minor


def _is_marked(view: CoupView) -> bool:
    return view.rules.terms.vigorish_timing is VigorishTiming.MARKED


def _reported(view: CoupView, payment: Payment) -> tuple[int | None, int | None]:
    """Give the vigorish reported in the filed way, and in the other one."""
    taken, marked = payment.taken_minor, payment.marked_minor
    return (marked, taken) if _is_marked(view) else (taken, marked)


def _changes(view: CoupView, payment: Payment) -> tuple[int, int]:
    taken, marked = payment.taken_change_minor, payment.marked_change_minor
    return (marked, taken) if _is_marked(view) else (taken, marked)


def _vigorish(view: CoupView, judged: Judged, payment: Payment) -> Iterator[Finding]:
    """Assert vigorish that was reported wrongly, where the total paid is right."""
    due = judged.due.vigorish_minor or 0 if judged.due else 0
    reported, other = _reported(view, payment)
    change, other_change = _changes(view, payment)
    is_right_at_first = (reported or 0) == due and not other
    is_right_at_last = (reported or 0) + change == due and (other or 0) + other_change == 0
    verdict = verdict_of(view, judged.placed, judged.named)
    if verdict is None or (is_right_at_first and is_right_at_last):
        return
    said, elsewhere = reported or 0, other or 0
    if is_right_at_first:
        said, elsewhere = said + change, elsewhere + other_change
    found = wager_finding(
        view,
        FindingCode.VIGORISH_WRONG,
        judged.placed,
        (payment.sequence,),
        VigorishReported(
            wager_name=verdict.name,
            way="marked" if _is_marked(view) else "taken",
            due_minor=due,
            reported_minor=said,
            other_minor=elsewhere,
            reckoning=verdict.reckoning,
        ),
        of=payment,
    )
    status = FindingStatus.CORRECTED if is_right_at_last else FindingStatus.STANDING
    yield worded(found, citation=verdict.citation, status=status)


def unpayable_findings(view: CoupView, judged: list[Judged]) -> Iterator[Finding]:
    """Assert wagers on which no whole amount is due, because no rounding is filed."""
    for placed, named, due, _ in judged:
        problem = unpayable(view, placed, named) if due is None else None
        if problem is not None:
            yield assert_finding(
                # The number alone names what is wrong with the event in the feed.
                FindingCode.EVENT_REJECTED,
                f"{placed.sequence}/{placed.wager_id}",
                AmountNotPayable(
                    event_type="wager_placed",
                    sequence=placed.sequence,
                    wager_name=name_of(view, placed),
                    problem=problem,
                ),
                view.at(placed.sequence, seat=placed.seat, at_us=placed.placed_at_us),
                Claim(
                    wager=named.id,
                    hand=named.hand,
                    wager_id=placed.wager_id,
                    patron=placed.patron,
                    stake_minor=placed.stake_minor,
                ),
                submission=view.submission,
            )


def returned_of(stake_minor: int, returned_minor: int, payments: Iterable[Payment]) -> int:
    """Give what went back of a voided stake, in minor units.

    A collected stake may go back by a refund or by the correction of its collection: where both
    are told, the correction counts only as far as the stake is not made good without it.
    """
    given_back = max(0, -sum(one.collected_change_minor for one in payments))
    return returned_minor + min(given_back, max(0, stake_minor - returned_minor))


def refund_findings(view: CoupView, judged: Judged) -> Iterator[Finding]:
    """Judge whether a voided coup gave back what was staked, no less and no more."""
    placed, voided = judged.placed, view.state.voided
    stake = placed.stake_minor
    if voided is None or stake is None or placed.is_withdrawn:
        return
    if stands_when_void(view, placed, judged.named):
        return
    returned = (placed.refunded_minor or 0) + sum(
        one.paid_minor + one.paid_change_minor for one in placed.payments
    )
    returned = returned_of(stake, returned, placed.payments)
    if returned == stake:
        return
    found = wager_finding(
        view,
        FindingCode.VOID_NOT_REFUNDED if returned < stake else FindingCode.WAGER_OVERPAID,
        placed,
        (placed.sequence, voided.sequence),
        VoidNotReturned(wager_name=name_of(view, placed), coup_no=view.state.coup_no),
        (stake, returned),
        at_us=voided.occurred_at_us,
    )
    if judged.named.settles == "after_first_four":
        found = found.model_copy(
            update={"interpretations": {EarlySettlement.ID: view.reading(EarlySettlement.ID)}}
        )
    yield found


def conflict_findings(view: CoupView) -> Iterator[Finding]:
    """Assert settlements that came again with another amount."""
    for conflict in view.state.conflicts:
        settled = _settled_by(view, conflict.settlement_id)
        yield assert_finding(
            FindingCode.SETTLEMENT_CONFLICT,
            view.subject(conflict.settlement_id),
            SettlementConflict(
                settlement_id=conflict.settlement_id,
                paid_minor=conflict.paid_minor,
                first_paid_minor=settled.payment.paid_minor if settled.payment else None,
            ),
            view.at(
                conflict.sequence,
                seat=settled.placed.seat if settled.placed else None,
                at_us=conflict.occurred_at_us,
            ),
            settled.claim(view, conflict.settlement_id),
            submission=view.submission,
        )


class _Settled(NamedTuple):
    """What a settlement paid: a wager, or a seat in one sum."""

    placed: PlacedWager | None
    seat: str | None
    payment: Payment | None

    def claim(self, view: CoupView, settlement_id: str) -> Claim:
        """Name the wager and the payment in a finding about them."""
        placed = self.placed
        ref = view.named(placed).ref if placed is not None else None
        return Claim(
            wager=ref.id if ref else None,
            hand=ref.hand if ref else None,
            wager_id=placed.wager_id if placed else None,
            patron=placed.patron if placed else None,
            stake_minor=placed.stake_minor if placed else None,
            settlement_id=settlement_id,
        )


def _settled_by(view: CoupView, settlement_id: str) -> _Settled:
    """Find what a settlement paid."""
    for wager in view.state.wagers:
        for payment in wager.payments:
            if payment.settlement_id == settlement_id:
                return _Settled(wager, wager.seat, payment)
    for entry in view.state.seats:
        if entry.payment.settlement_id == settlement_id:
            return _Settled(None, entry.seat, entry.payment)
    return _Settled(None, None, None)


def correction_findings(view: CoupView) -> Iterator[Finding]:
    """Assert corrections that nobody allowed, or for no reason: of a payment, or a void."""
    voided = view.state.voided
    if voided is not None and voided.is_unauthorised and Capability.CORRECTIONS in view.reports:
        yield assert_finding(
            FindingCode.CORRECTION_UNAUTHORISED,
            f"{view.state.coup_id}/coup_voided",
            CorrectionUnauthorised(correction_id=None, lacks=voided.lacks),
            view.at(voided.sequence, at_us=voided.occurred_at_us),
            submission=view.submission,
        )
    for one in view.state.corrections:
        if not one.is_authorised and Capability.CORRECTIONS in view.reports:
            settled = _settled_by(view, one.settlement_id)
            yield assert_finding(
                FindingCode.CORRECTION_UNAUTHORISED,
                view.subject(one.correction_id),
                CorrectionUnauthorised(
                    correction_id=one.correction_id,
                    change_minor=one.paid_change_minor,
                    lacks=one.lacks,
                ),
                view.at(one.sequence, seat=settled.seat, at_us=one.occurred_at_us),
                settled.claim(view, one.settlement_id),
                submission=view.submission,
            )
