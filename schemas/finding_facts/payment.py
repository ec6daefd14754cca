"""Facts about money that was paid, collected, corrected or returned at a table."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import (
    PARTS_MAX,
    FactsPart,
    Name,
    PutRight,
    Whole,
    Words,
)

Lacking: TypeAlias = Literal["supervisor", "reason", "both"]
"""What a correction or a void should name and does not."""


class Reckoning(FactsPart):
    """How what was due on a wager comes about."""

    player_cards: Name
    banker_cards: Name
    """Cards as they lie, such as ``6H 8S 3D``."""
    player_points: Whole | None = None
    banker_points: Whole | None = None
    """None where only the first four cards decide."""
    claim: Words
    """What the wager comes to, such as ``1 to 1 less 5 % vigorish`` or ``Player loses``."""
    workings: Words = ""
    """How the amount comes about, as far as the amount itself: ``100.00 + 95.00 =``."""
    remark: Words = ""
    """What is said after the amount: ``, vigorish 5.00 marked``."""
    void: Words = ""
    """Why the wager never stood; empty where it did."""
    printed: Words = ""
    """What is printed for the outcome of a losing wager: ``, Natural 9 is printed loss``."""
    review: Words = ""
    """What a person should look at before money is paid."""


class PaymentDiffers(FactsPart):
    """What was handed over for a wager is not what was due on it."""

    kind: Literal["payment_differs"] = "payment_differs"
    wager_name: Name
    outcome: Name | None
    """``win``, ``push`` or ``lose``; None where the wager never stood."""
    stake_minor: Whole
    reckoning: Reckoning
    put_right: PutRight | None = None


class WithdrawnPaid(FactsPart):
    """Money was paid on a wager that the patron had taken back in time."""

    kind: Literal["withdrawn_paid"] = "withdrawn_paid"
    wager_name: Name
    put_right: PutRight | None = None


class RepeatedSettlement(FactsPart):
    """A settlement after the first."""

    settlement_id: Name
    paid_minor: Whole


class SettledAgain(FactsPart):
    """A wager or a seat was settled more than once."""

    kind: Literal["settled_again"] = "settled_again"
    wager_name: Name | None
    """None where a seat was settled in one sum."""
    first_settlement_id: Name
    repeats: Annotated[tuple[RepeatedSettlement, ...], Field(max_length=PARTS_MAX)]
    put_right: PutRight | None = None


class StakeTakenTwice(FactsPart):
    """More was collected than was staked."""

    kind: Literal["stake_taken_twice"] = "stake_taken_twice"
    wager_name: Name | None
    """None where a seat was settled in one sum."""
    staked_minor: Whole
    collected_minor: Whole
    is_withdrawn: bool = False
    """The wager had been withdrawn, so nothing was to be collected."""
    put_right: PutRight | None = None


class NotSettled(FactsPart):
    """Nothing was paid or collected by the end of the coup."""

    kind: Literal["not_settled"] = "not_settled"
    wager_name: Name | None
    """None where a seat is settled in one sum."""
    refunded_minor: Whole | None = None


class SettledOutOfTurn(FactsPart):
    """A wager was settled before its cards lay, or after they should have been."""

    kind: Literal["settled_out_of_turn"] = "settled_out_of_turn"
    wager_name: Name
    when: Literal["after_third_card", "before_first_four", "before_result"]


class VoidNotReturned(FactsPart):
    """A voided coup did not give back what was staked, no less and no more."""

    kind: Literal["void_not_returned"] = "void_not_returned"
    wager_name: Name | None
    """None where it is about all wagers of a seat."""
    coup_no: Whole


class SettlementConflict(FactsPart):
    """A settlement id came again with other words."""

    kind: Literal["settlement_conflict"] = "settlement_conflict"
    settlement_id: Name
    paid_minor: Whole
    first_paid_minor: Whole | None
    """What it paid when it came first."""


class CorrectionUnauthorised(FactsPart):
    """A correction or a void names no supervisor, or no reason."""

    kind: Literal["correction_unauthorised"] = "correction_unauthorised"
    correction_id: Name | None
    """None for a void."""
    change_minor: Whole | None = None
    """By how much the correction changed what was paid; None where that is not known."""
    lacks: Lacking | None = None
    """None where an earlier build noted it, which did not keep which of the two."""


class CountUnauthorised(FactsPart):
    """A count that replaces another names no supervisor, or no reason."""

    kind: Literal["count_unauthorised"] = "count_unauthorised"
    count_id: Name
    replaced_count_id: Name
    lacks: Lacking


class AmountNotPayable(FactsPart):
    """No whole amount is due on a wager, because no rounding is filed."""

    kind: Literal["amount_not_payable"] = "amount_not_payable"
    event_type: Name
    sequence: Whole
    wager_name: Name
    problem: Words


class SeatTotal(FactsPart):
    """What a seat got in all is not what was due there in all."""

    kind: Literal["seat_total"] = "seat_total"
    dues_minor: Annotated[tuple[Whole, ...], Field(max_length=PARTS_MAX)]
    """Due on each wager of the seat."""
    put_right: PutRight | None = None


class SeatStakesLeft(FactsPart):
    """Losing stakes of a seat that is settled in one sum were not all collected."""

    kind: Literal["seat_stakes_left"] = "seat_stakes_left"
    lost_minor: Whole
    collected_minor: Whole
    put_right: PutRight | None = None


PaymentFacts: TypeAlias = (
    PaymentDiffers
    | WithdrawnPaid
    | SettledAgain
    | StakeTakenTwice
    | NotSettled
    | SettledOutOfTurn
    | VoidNotReturned
    | SettlementConflict
    | CorrectionUnauthorised
    | CountUnauthorised
    | AmountNotPayable
    | SeatTotal
    | SeatStakesLeft
)
"""Facts of findings about money paid and collected."""
