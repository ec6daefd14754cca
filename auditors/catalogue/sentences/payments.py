"""Sentences about money that was paid, collected, corrected or returned at a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.hands import result_sentence
from auditors.catalogue.sentences.shared import (
    Words,
    basis,
    corrected_title,
    correction,
    money,
    whose,
)
from schemas.finding_facts import payment as facts
from schemas.findings import Finding, FindingCode

_DIFFERENCES: Final = {
    FindingCode.WAGER_OVERPAID: "overpaid",
    FindingCode.WAGER_UNDERPAID: "underpaid",
}


def reckoning_words(told: facts.Reckoning) -> str:
    """Say the cards and the result that decide a wager."""
    words = f"Player {told.player_cards}, Banker {told.banker_cards}."
    if told.void:
        return f"{words} {told.void}: the coup is void."
    if told.player_points is None or told.banker_points is None:
        return words
    return f"{words} {result_sentence(told.player_points, told.banker_points)}."


def payment_differs(found: Finding, told: facts.PaymentDiffers) -> Words:
    """Say what a wager came to, what was due and what the dealer did."""
    money_words = _LOST.get(found.code) if told.outcome == "lose" else None
    if money_words is None:
        sentence, title = _arithmetic(found, told)
    else:
        sentence, title = money_words(found, told)
    lead = reckoning_words(told.reckoning)
    after = correction(found, told.put_right)
    review = told.reckoning.review
    return Words(
        f"{lead} {sentence}{basis(found)}.{after}{review}", f"{title}{corrected_title(found)}"
    )


def _arithmetic(found: Finding, told: facts.PaymentDiffers) -> tuple[str, str]:
    name, difference = told.wager_name, money(found, abs(found.difference_minor or 0))
    due, paid = money(found, found.due_minor), money(found, found.paid_minor)
    reckoned = told.reckoning
    if found.code is FindingCode.VOID_NOT_REFUNDED:
        stake = money(found, told.stake_minor)
        return (
            f"{name}: the {stake} stake should have been returned; {paid} was",
            f"{name} stake not returned in full, {difference} missing",
        )
    word = _DIFFERENCES.get(found.code, "differs by")
    return (
        f"{reckoned.claim}: {reckoned.workings} {due} due{reckoned.remark}; {paid} paid; "
        f"{word} {difference}",
        f"{name} {word} {difference}",
    )


def _not_collected(found: Finding, told: facts.PaymentDiffers) -> tuple[str, str]:
    name, left = told.wager_name, found.paid_minor or 0
    stake = money(found, told.stake_minor)
    sentence = (
        f"{name} lost{told.reckoning.printed}. The {stake} stake should have been collected; it "
        "was left with the patron"
    )
    if left < told.stake_minor:
        taken = money(found, told.stake_minor - left)
        sentence = (
            f"{name} lost{told.reckoning.printed} with {stake} staked; only {taken} was collected"
        )
    return sentence, f"{name} lost and {money(found, left)} was not collected"


def _loser_paid(found: Finding, told: facts.PaymentDiffers) -> tuple[str, str]:
    paid, name = money(found, found.paid_minor), told.wager_name
    return (
        f"{name} lost{told.reckoning.printed}, nothing due; the dealer paid {paid}",
        f"{name} lost and was paid {paid}",
    )


def _taken_beyond(found: Finding, told: facts.PaymentDiffers) -> tuple[str, str]:
    stake, name = money(found, told.stake_minor), told.wager_name
    beyond = money(found, abs(found.difference_minor or 0))
    return (
        f"{name} lost{told.reckoning.printed} with {stake} staked; {beyond} more than the stake "
        "was taken",
        f"{name}: {beyond} more than the stake taken",
    )


_LOST: Final = {
    FindingCode.LOSER_NOT_COLLECTED: _not_collected,
    FindingCode.LOSER_PAID: _loser_paid,
    FindingCode.STAKE_TAKEN_TWICE: _taken_beyond,
}


def withdrawn_paid(found: Finding, told: facts.WithdrawnPaid) -> Words:
    """Say that the dealer paid a wager which the patron had taken back."""
    paid = money(found, found.paid_minor)
    return Words(
        f"{whose(found, told.wager_name)}: withdrawn before no more bets, nothing due; the dealer "
        f"paid {paid}.{correction(found, told.put_right)}",
        f"Withdrawn {told.wager_name} paid {paid}{corrected_title(found)}",
    )


def settled_again(found: Finding, told: facts.SettledAgain) -> Words:
    """Say which settlements came after the first, and what they paid too much."""
    paid = money(found, found.paid_minor)
    if len(told.repeats) == 1:
        again = f"settlement {told.repeats[0].settlement_id}"
        times = "a second time"
    else:
        again = "settlements " + " and ".join(
            f"{repeat.settlement_id} ({money(found, repeat.paid_minor)})" for repeat in told.repeats
        )
        times = f"{len(told.repeats)} more times"
    did, amount = ("paid", f", {paid} too much") if found.paid_minor else ("settled", "")
    return Words(
        f"{whose(found, told.wager_name)}: {did} {times}{amount} ({again} after "
        f"{told.first_settlement_id}).{correction(found, told.put_right)}",
        f"{told.wager_name or 'Seat'} {did} {times}{amount}{corrected_title(found)}",
    )


def stake_taken_twice(found: Finding, told: facts.StakeTakenTwice) -> Words:
    """Say how much more was collected than was staked."""
    taken = money(found, told.collected_minor)
    beyond = money(found, abs(found.difference_minor or 0))
    what = "stakes" if told.wager_name is None else "a stake"
    on = f"on {what} of {money(found, told.staked_minor)}"
    if told.is_withdrawn:
        on = "although the wager was withdrawn before no more bets"
    return Words(
        f"{whose(found, told.wager_name)}: {taken} was collected {on}; {beyond} too much."
        f"{correction(found, told.put_right)}",
        f"{told.wager_name or 'Seat'}: {beyond} too much collected{corrected_title(found)}",
    )


def not_settled(found: Finding, told: facts.NotSettled) -> Words:
    """Say that nothing was paid or collected by the end of the coup, and what is still open."""
    who = whose(found, told.wager_name)
    open_words = ""
    if told.refunded_minor is not None and found.due_minor is not None:
        back, due = money(found, told.refunded_minor), money(found, found.due_minor)
        open_words = f"; {back} was refunded, {due} is due"
    return Words(
        f"{who}: neither paid nor collected by the end of the coup{open_words}.",
        f"{told.wager_name or 'Seat'} not settled",
    )


_TURNS: Final = {
    "after_third_card": "after a third card was dealt; it is settled on the first four cards",
    "before_first_four": "before its first four cards were dealt",
    "before_result": "before the result was announced",
}


def settled_out_of_turn(found: Finding, told: facts.SettledOutOfTurn) -> Words:
    """Say that a wager was settled too early or too late."""
    return Words(
        f"{whose(found, told.wager_name)}: settled {_TURNS[told.when]}.",
        f"{told.wager_name} settled out of turn",
    )


def void_not_returned(found: Finding, told: facts.VoidNotReturned) -> Words:
    """Say what a voided coup should have given back, and what it did."""
    staked, returned = money(found, found.due_minor), money(found, found.paid_minor)
    difference = found.difference_minor or 0
    what = f"the {staked} stake" if told.wager_name else f"stakes of {staked}"
    amount = money(found, abs(difference))
    still = f"{amount} is still owed" if difference < 0 else f"{amount} too much"
    title = f"{told.wager_name or 'Seat'}: {amount} "
    title += "of a voided coup not returned" if difference < 0 else "too much returned"
    return Words(
        f"{whose(found, told.wager_name)}: coup {told.coup_no} was voided, {what} should have been "
        f"returned; {returned} was, {still}.",
        title,
    )


def settlement_conflict(found: Finding, told: facts.SettlementConflict) -> Words:
    """Say that a settlement id came again, and what holds."""
    came = f"came again with {money(found, told.paid_minor)}"
    if told.first_paid_minor == told.paid_minor:
        came += ", for another wager or seat or with another collection or vigorish"
    elif told.first_paid_minor is not None:
        came += f" instead of {money(found, told.first_paid_minor)}"
    return Words(
        f"Settlement {told.settlement_id} {came}; the first one stays in force.",
        "One settlement id with two amounts"
        if told.first_paid_minor != told.paid_minor
        else "One settlement id for two settlements",
    )


_LACKS: Final = {
    "supervisor": "no supervisor",
    "reason": "no reason",
    "both": "no supervisor and no reason",
    None: "no supervisor or no reason",
}


def correction_unauthorised(found: Finding, told: facts.CorrectionUnauthorised) -> Words:
    """Say which of the two a correction or a void does not name."""
    lacks = _LACKS[told.lacks]
    if told.correction_id is None:
        return Words(f"The void of coup {found.coup_no} has {lacks}.", f"Void with {lacks}")
    amount = "" if not told.change_minor else f"{money(found, abs(told.change_minor))} "
    seat = f" at seat {found.seat}" if found.seat else ""
    return Words(
        f"The {amount}correction{seat} has {lacks} (correction {told.correction_id}).",
        f"Correction with {lacks}",
    )


def count_unauthorised(found: Finding, told: facts.CountUnauthorised) -> Words:
    """Say that a count replaced another without a supervisor or a reason."""
    lacks = _LACKS[told.lacks]
    return Words(
        f"Count {told.count_id} replaced count {told.replaced_count_id} with {lacks}.",
        f"Replaced count with {lacks}",
    )


def amount_not_payable(found: Finding, told: facts.AmountNotPayable) -> Words:
    """Say why no whole amount is due."""
    return Words(
        f"{whose(found, told.wager_name)}: {told.problem}; what is due stays open (event "
        f"{told.sequence}, {told.event_type}).",
        f"{told.wager_name} cannot be paid exactly",
    )


def seat_total(found: Finding, told: facts.SeatTotal) -> Words:
    """Say what was due at a seat wager by wager, and what it got."""
    parts = " + ".join(money(found, due) for due in told.dues_minor) or "nothing"
    total = f" = {money(found, found.due_minor)}" if len(told.dues_minor) > 1 else ""
    word = _DIFFERENCES.get(found.code, "differs by")
    difference = money(found, abs(found.difference_minor or 0))
    return Words(
        f"Seat {found.seat}: {parts}{total} due in all; {money(found, found.paid_minor)} paid; "
        f"{word} {difference}.{correction(found, told.put_right)}",
        f"Seat {word} {difference}{corrected_title(found)}",
    )


def seat_stakes_left(found: Finding, told: facts.SeatStakesLeft) -> Words:
    """Say how much of the losing stakes of a seat was left."""
    left = money(found, told.lost_minor - told.collected_minor)
    return Words(
        f"Seat {found.seat}: losing stakes of {money(found, told.lost_minor)} should have been "
        f"collected; {money(found, told.collected_minor)} was, {left} was left with the patron."
        f"{correction(found, told.put_right)}",
        f"Seat lost and {left} was not collected{corrected_title(found)}",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.AmountNotPayable: amount_not_payable,
    facts.CorrectionUnauthorised: correction_unauthorised,
    facts.CountUnauthorised: count_unauthorised,
    facts.NotSettled: not_settled,
    facts.PaymentDiffers: payment_differs,
    facts.SeatStakesLeft: seat_stakes_left,
    facts.SeatTotal: seat_total,
    facts.SettledAgain: settled_again,
    facts.SettledOutOfTurn: settled_out_of_turn,
    facts.SettlementConflict: settlement_conflict,
    facts.StakeTakenTwice: stake_taken_twice,
    facts.VoidNotReturned: void_not_returned,
    facts.WithdrawnPaid: withdrawn_paid,
}
