"""What is wrong with the wagers of a coup: how they were placed, and what was paid on them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from auditors.asserting import Claim, Place, assert_finding
from auditors.checks import base_findings, offer_findings, payment_code, payment_sentence
from auditors.table.clock import local_time
from auditors.table.evaluation import CoupView
from auditors.table.state import Payment, PlacedWager
from auditors.table.wager_verdicts import JudgedWager, stands_when_void
from auditors.terms import WagerRef
from schemas.events import Capability
from schemas.findings import Finding, FindingCode, FindingStatus
from schemas.money import format_minor


def placing_findings(view: CoupView, judged: tuple[JudgedWager, ...]) -> Iterator[Finding]:
    """Judge how wagers were placed: in time, on offer, within limits, with a base wager."""
    if not view.can(Capability.WAGERS):
        return
    for one in judged:
        yield from _placing(view, one)
    if view.state.no_more_bets is not None or view.is_final:
        yield from _base(view, judged)


def _placing(view: CoupView, judged: JudgedWager) -> Iterator[Finding]:
    placed = judged.placed
    call = view.state.no_more_bets
    if placed.is_late and call is not None:
        after = _seconds(placed.placed_at_us - call.occurred_at_us)
        submission = view.rules.terms.submission
        grace_ms = submission.late_wager_grace_ms if submission else 0
        yield _finding(
            view, FindingCode.WAGER_LATE, judged, placed.sequence,
            f"{placed.name} at seat {placed.seat} was recorded {after} s after no more bets; "
            f"the filed grace is {_seconds(grace_ms * 1000)} s.",
        )  # fmt: skip
    if placed.late_changes:
        times = f"{len(placed.late_changes)} times" if len(placed.late_changes) > 1 else ""
        yield _finding(
            view, FindingCode.WAGER_CHANGED_LATE, judged, placed.late_changes[0],
            f"{placed.name} at seat {placed.seat} was changed or withdrawn {times} after no more "
            "bets; the change has no effect on what is due.",
        )  # fmt: skip
    if placed.is_withdrawn:
        return
    if judged.ref is None:
        yield _finding(
            view, FindingCode.WAGER_NOT_OFFERED, judged, placed.sequence,
            f"{placed.name} is no wager of the Rules Submission.",
        )  # fmt: skip
    elif placed.stake_minor is not None:
        place = view.at(placed.sequence, seat=placed.seat)
        yield from offer_findings(
            view.rules, judged.ref, placed.stake_minor, placed.wager_id, place
        )


def _base(view: CoupView, judged: tuple[JudgedWager, ...]) -> Iterator[Finding]:
    """Judge base wagers per patron, else per seat, at no more bets."""
    if view.state.is_unverified:
        return
    by_person: dict[str, list[JudgedWager]] = {}
    for one in judged:
        if one.ref is not None and not one.placed.is_withdrawn:
            by_person.setdefault(one.placed.patron or f"seat {one.placed.seat}", []).append(one)
    for wagers in by_person.values():
        first = wagers[0].placed
        place = view.at(first.sequence, seat=first.seat)
        standing: list[tuple[WagerRef, str]] = [
            (one.ref, one.placed.wager_id) for one in wagers if one.ref is not None
        ]
        yield from base_findings(view.rules, standing, place)


def _seconds(microseconds: int) -> str:
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000 // 100_000}"


def _finding(
    view: CoupView, code: FindingCode, judged: JudgedWager, sequence: int, sentence: str
) -> Finding:
    placed, ref = judged.placed, judged.ref
    return assert_finding(
        code,
        placed.wager_id,
        " ".join(sentence.split()),
        view.at(sequence, seat=placed.seat),
        Claim(wager=ref.id if ref else placed.name, hand=ref.hand if ref else None),
        submission=view.rules.terms.submission,
    )


def payment_findings(view: CoupView, judged: tuple[JudgedWager, ...]) -> Iterator[Finding]:
    """Judge what was paid, collected and refunded."""
    yield from _conflicts(view)
    yield from _corrections(view)
    if view.state.is_unverified:
        return
    if view.can(Capability.PAYMENTS):
        for one in judged:
            yield from _wager_payments(view, one)
    elif view.can(Capability.SEAT_TOTALS_ONLY):
        yield from _seat_payments(view, judged)
    if view.state.voided is not None and view.is_final and view.can(Capability.REFUNDS):
        for one in judged:
            yield from _refund(view, one)


def _conflicts(view: CoupView) -> Iterator[Finding]:
    for settlement_id, sequence, paid_minor in view.state.conflicts:
        paid = format_minor(paid_minor, view.place.currency)
        yield assert_finding(
            FindingCode.SETTLEMENT_CONFLICT,
            settlement_id,
            f"Settlement {settlement_id} was reported again with {paid} paid; the first report "
            "stays in force.",
            view.at(sequence),
            submission=view.rules.terms.submission,
        )


def _corrections(view: CoupView) -> Iterator[Finding]:
    for one in view.state.corrections:
        if not one.is_authorised:
            yield assert_finding(
                FindingCode.CORRECTION_UNAUTHORISED,
                one.correction_id,
                f"Correction {one.correction_id} of settlement {one.settlement_id} names no "
                "authoriser or no reason.",
                view.at(one.sequence),
                submission=view.rules.terms.submission,
            )


def _wager_payments(view: CoupView, judged: JudgedWager) -> Iterator[Finding]:
    placed = judged.placed
    if placed.is_withdrawn:
        return
    if not placed.payments:
        is_void = view.state.voided is not None
        if view.is_final and not is_void and placed.refunded_minor is None:
            yield _finding(
                view, FindingCode.WAGER_NOT_SETTLED, judged, placed.sequence,
                f"{placed.name} at seat {placed.seat} has no settlement by the end of the coup.",
            )  # fmt: skip
        return
    for repeat in placed.payments[1:]:
        paid = format_minor(repeat.paid_minor, view.place.currency)
        yield _finding(
            view, FindingCode.SETTLED_TWICE, judged, repeat.sequence,
            f"{placed.name} at seat {placed.seat} was settled before; settlement "
            f"{repeat.settlement_id} paid {paid} more.",
        )  # fmt: skip
    first = placed.payments[0]
    yield from _turn(view, judged, first)
    yield from _stake_taken(view, judged)
    if view.state.voided is None and _is_ripe(view, judged):
        yield from _amount(view, judged, first)


def _is_ripe(view: CoupView, judged: JudgedWager) -> bool:
    """Whether the cards that decide the wager are all known."""
    return judged.verdict is not None and judged.due_minor is not None


def _turn(view: CoupView, judged: JudgedWager, payment: Payment) -> Iterator[Finding]:
    """Judge whether the wager was settled in its turn."""
    state, settles = view.state, judged.settles
    thirds = [card.sequence for card in state.cards if card.position >= 3]
    problem = None
    if settles == "after_first_four":
        fourth = max((card.sequence for card in state.cards if card.position <= 2), default=0)
        if thirds and payment.sequence > min(thirds) and view.can(Capability.CARDS):
            problem = "after a third card was dealt; it is settled after the first four cards"
        elif fourth > payment.sequence:
            problem = "before its first four cards were dealt"
    elif settles == "after_result" and view.can(Capability.ANNOUNCEMENTS):
        if state.result is None:
            problem = "before the result was announced" if state.is_closed else None
        elif payment.sequence < state.result.sequence:
            problem = "before the result was announced"
    if problem is not None:
        yield _finding(
            view, FindingCode.SETTLED_OUT_OF_TURN, judged, payment.sequence,
            f"{judged.placed.name} at seat {judged.placed.seat} was settled {problem}.",
        )  # fmt: skip


def _stake_taken(view: CoupView, judged: JudgedWager) -> Iterator[Finding]:
    placed = judged.placed
    taken = sum((one.collected_minor or 0) + one.collected_change_minor for one in placed.payments)
    if placed.stake_minor is not None and taken > placed.stake_minor:
        money = view.place.currency
        yield _finding(
            view, FindingCode.STAKE_TAKEN_TWICE, judged, placed.payments[-1].sequence,
            f"{placed.name} at seat {placed.seat}: {format_minor(taken, money)} collected on a "
            f"stake of {format_minor(placed.stake_minor, money)}.",
        )  # fmt: skip


def _amount(view: CoupView, judged: JudgedWager, first: Payment) -> Iterator[Finding]:
    """Compare the first settlement, and what corrections made of it, with what was due."""
    verdict, due = judged.verdict, judged.due_minor
    assert verdict is not None
    assert due is not None
    at_first, at_last = _handed_over(judged, first)
    original = at_first if at_first != due else at_last
    code = _code(judged, first, original)
    if code is None:
        if due == at_last:
            yield from _vigorish(view, judged, first)
        return
    corrected = original - at_last
    yield _money_finding(view, judged, (code, original, corrected))


def _handed_over(judged: JudgedWager, first: Payment) -> tuple[int, int]:
    """Give what was handed over by the first settlement, and after its corrections.

    A losing stake that stayed with the patron counts as handed over, once: what was paid names a
    returned stake as well.
    """
    stake = judged.placed.stake_minor or 0
    is_loser = judged.verdict is not None and judged.verdict.outcome == "lose"
    at_first, at_last = first.paid_minor, first.paid_minor + first.paid_change_minor
    if is_loser and first.collected_minor is not None:
        at_first = max(at_first, stake - first.collected_minor)
        collected = first.collected_minor + first.collected_change_minor
        at_last = max(at_last, stake - collected)
    return at_first, at_last


def _code(judged: JudgedWager, first: Payment, paid_minor: int) -> FindingCode | None:
    verdict = judged.verdict
    assert verdict is not None
    if paid_minor == judged.due_minor:
        return None
    if verdict.outcome == "lose":
        left = first.collected_minor is not None and first.paid_minor == 0
        if left or paid_minor == judged.placed.stake_minor:
            return FindingCode.LOSER_NOT_COLLECTED
        return FindingCode.LOSER_PAID
    return payment_code(verdict, paid_minor - ((judged.due_minor or 0) - (verdict.due_minor or 0)))


def _money_finding(
    view: CoupView, judged: JudgedWager, money: tuple[FindingCode, int, int]
) -> Finding:
    code, original, corrected = money
    verdict, due = judged.verdict, judged.due_minor
    assert verdict is not None
    assert due is not None
    place = view.at(judged.placed.payments[0].sequence, seat=judged.placed.seat)
    residual = original - due - corrected
    sentence = payment_sentence(verdict, original, code, place.currency)
    if corrected:
        sentence = sentence[:-1] if sentence.endswith(".") else sentence
        sentence += f"; {_corrected_words(view, judged, corrected, residual)}."
    found = assert_finding(
        code,
        judged.placed.wager_id,
        sentence,
        _with_evidence(place, view, judged.placed),
        Claim(
            wager=verdict.ref.id,
            hand=verdict.ref.hand,
            due_minor=due,
            paid_minor=original,
            citation=verdict.citation,
            interpretations=verdict.interpretations,
        ),
        submission=view.rules.terms.submission,
    )
    status = FindingStatus.CORRECTED if residual == 0 else FindingStatus.STANDING
    return found.model_copy(
        update={"status": status, "corrected_minor": corrected, "residual_minor": residual}
    )


def _corrected_words(view: CoupView, judged: JudgedWager, corrected: int, residual: int) -> str:
    ids = {one.settlement_id for one in judged.placed.payments}
    last = max(
        (one for one in view.state.corrections if one.settlement_id in ids),
        key=lambda one: one.sequence,
        default=None,
    )
    at = f" {_clock(view, last.occurred_at_us)}" if last else ""
    money = view.place.currency
    return (
        f"corrected{at} by {format_minor(abs(corrected), money)}, "
        f"residual {format_minor(residual, money)}"
    )


def _clock(view: CoupView, occurred_at_us: int) -> str:
    """Give the local time of day at the property, as people at the table read it."""
    return local_time(view.rules.terms, occurred_at_us)


def _with_evidence(place: Place, view: CoupView, placed: PlacedWager) -> Place:
    ids = {one.settlement_id for one in placed.payments}
    sequences = {placed.sequence, *(one.sequence for one in placed.payments)}
    sequences |= {card.sequence for card in view.state.cards}
    sequences |= {one.sequence for one in view.state.corrections if one.settlement_id in ids}
    return replace(place, evidence=tuple(sorted(sequences)))


def _vigorish(view: CoupView, judged: JudgedWager, first: Payment) -> Iterator[Finding]:
    """Judge the vigorish that was reported, where the total paid is right."""
    verdict = judged.verdict
    if verdict is None or not view.can(Capability.VIGORISH):
        return
    is_marked = view.rules.terms.vigorish_timing.value == "marked"
    reported = first.marked_minor if is_marked else first.taken_minor
    change = first.marked_change_minor if is_marked else first.taken_change_minor
    other = first.taken_minor if is_marked else first.marked_minor
    due = verdict.vigorish_minor or 0
    if reported is None and not other:
        return
    said = (reported or 0) + change
    if said == due and not other:
        return
    money = view.place.currency
    word = "marked" if is_marked else "taken"
    extra = f" and {format_minor(other, money)} the other way" if other else ""
    yield _finding(
        view, FindingCode.VIGORISH_WRONG, judged, first.sequence,
        f"{verdict.sentence} Vigorish {format_minor(due, money)} is due; "
        f"{format_minor(said, money)} was {word}{extra}.",
    )  # fmt: skip


def _seat_payments(view: CoupView, judged: tuple[JudgedWager, ...]) -> Iterator[Finding]:
    """Compare what was paid at a seat in one sum with what was due there in all."""
    if not view.is_final or view.state.voided is not None:
        return
    for seat in dict.fromkeys(one.placed.seat for one in judged):
        wagers = [one for one in judged if one.placed.seat == seat and not one.placed.is_withdrawn]
        dues = [one.due_minor for one in wagers]
        known = [due for due in dues if due is not None]
        if len(known) < len(dues) or not wagers:
            continue
        yield from _seat_payment(view, seat, wagers, sum(known))


def _seat_payment(
    view: CoupView, seat: str, wagers: list[JudgedWager], due: int
) -> Iterator[Finding]:
    payments = [one.payment for one in view.state.seats if one.seat == seat]
    first = next((one for one in payments if not one.is_repeat), None)
    money = view.place.currency
    if first is None:
        if due > 0:
            yield _seat_finding(
                view, seat, FindingCode.WAGER_NOT_SETTLED, wagers,
                (f"Seat {seat}: {format_minor(due, money)} due; nothing was settled.", None, 0),
            )  # fmt: skip
        return
    paid, now = first.paid_minor, first.paid_minor + first.paid_change_minor
    original = paid if paid != due else now
    if original == due:
        return
    code = FindingCode.WAGER_OVERPAID if original > due else FindingCode.WAGER_UNDERPAID
    word = "overpaid" if original > due else "underpaid"
    dues = " + ".join(format_minor(one.due_minor or 0, money) for one in wagers)
    sentence = (
        f"Seat {seat}: {dues} = {format_minor(due, money)} due in all; "
        f"{format_minor(original, money)} paid; {word} {format_minor(abs(original - due), money)}."
    )
    found = _seat_finding(view, seat, code, wagers, (sentence, original, due))
    corrected = original - now
    residual = now - due
    yield found.model_copy(
        update={
            "corrected_minor": corrected,
            "residual_minor": residual,
            "status": FindingStatus.CORRECTED if residual == 0 else FindingStatus.STANDING,
        }
    )


def _seat_finding(
    view: CoupView,
    seat: str,
    code: FindingCode,
    wagers: list[JudgedWager],
    said: tuple[str, int | None, int],
) -> Finding:
    sentence, paid, due = said
    sequences = [one.placed.sequence for one in wagers]
    sequences += [one.payment.sequence for one in view.state.seats if one.seat == seat]
    place = replace(view.place, seat=seat, evidence=tuple(sorted(sequences)))
    claim = Claim() if paid is None else Claim(due_minor=due, paid_minor=paid)
    return assert_finding(
        code, f"{view.state.coup_id}/seat {seat}", sentence, place, claim,
        submission=view.rules.terms.submission,
    )  # fmt: skip


def _refund(view: CoupView, judged: JudgedWager) -> Iterator[Finding]:
    """Judge whether a voided coup gave the stake back."""
    placed = judged.placed
    if placed.is_withdrawn or placed.stake_minor is None or stands_when_void(view, judged):
        return
    returned = (placed.refunded_minor or 0) + sum(
        one.paid_minor + one.paid_change_minor for one in placed.payments
    )
    if returned >= placed.stake_minor:
        return
    money = view.place.currency
    voided = view.state.voided
    ref = judged.ref
    yield assert_finding(
        FindingCode.VOID_NOT_REFUNDED,
        placed.wager_id,
        f"Coup {view.state.coup_no} was voided: {placed.name} at seat {placed.seat} staked "
        f"{format_minor(placed.stake_minor, money)}; {format_minor(returned, money)} returned.",
        view.at(voided.sequence if voided else placed.sequence, seat=placed.seat),
        Claim(
            wager=ref.id if ref else placed.name,
            hand=ref.hand if ref else None,
            due_minor=placed.stake_minor,
            paid_minor=returned,
            interpretations={"D24": view.rules.terms.readings["D24"]},
        ),
        submission=view.rules.terms.submission,
    )
