"""What changed hands for a wager, a seat or a coup, and what was put right."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import CoupEvent, EventBase
from schemas.events.fields import Id, Minor, SignedMinor, Words

__all__ = [
    "PayoutCorrected",
    "SeatSettled",
    "StakeCollected",
    "VigorishCollected",
    "WagerRefunded",
    "WagerSettled",
]


class Settlement(CoupEvent):
    """What was paid and collected, once per settlement id."""

    settlement_id: Id = Field(description="This settlement, unique at the table for ever.")


class WagerSettled(Settlement):
    """A wager was settled: won, lost or pushed."""

    type: Literal["wager_settled"] = "wager_settled"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.PAYMENTS
    wager_id: Id = Field(description="The wager that was settled.")
    paid_minor: Minor = Field(
        description="Total handed to the patron for it, a returned stake included, after vigorish "
        "taken; 0 for a losing wager."
    )
    stake_collected_minor: Minor | None = Field(
        None,
        description="Stake taken into the tray; 0 where a losing stake stayed with the patron; "
        "left out where collections are not reported.",
    )
    vigorish_taken_minor: Minor | None = Field(
        None, description="Vigorish kept back at payment; left out where not reported."
    )
    vigorish_marked_minor: Minor | None = Field(
        None, description="Vigorish marked for later; left out where not reported."
    )


class StakeCollected(CoupEvent):
    """A stake was taken into the tray apart from a settlement, such as before the deal."""

    type: Literal["stake_collected"] = "stake_collected"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.COLLECTIONS
    collection_id: Id = Field(description="This collection, unique at the table for ever.")
    wager_id: Id = Field(description="The wager whose stake was taken.")
    collected_minor: Minor = Field(
        description="Amount taken; wager_settled then names only what it took besides."
    )


class SeatSettled(Settlement):
    """A seat was settled in one sum, from a table that reports seat totals only."""

    type: Literal["seat_settled"] = "seat_settled"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.SEAT_TOTALS_ONLY
    seat: Id = Field(description="The seat that was settled.")
    paid_minor: Minor = Field(
        description="Total handed over at the seat in this coup, returned stakes included, after "
        "vigorish taken."
    )
    stake_collected_minor: Minor | None = Field(
        None, description="Stakes taken into the tray; left out where not reported."
    )
    vigorish_taken_minor: Minor | None = Field(
        None, description="Vigorish kept back at payment; left out where not reported."
    )
    vigorish_marked_minor: Minor | None = Field(
        None, description="Vigorish marked for later; left out where not reported."
    )
    patron: Id | None = Field(None, description="Keyed pseudonym of the patron.")


class PayoutCorrected(CoupEvent):
    """A settlement was put right; the amounts are changes, with a sign."""

    type: Literal["payout_corrected"] = "payout_corrected"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CORRECTIONS
    may_come_while_closed: ClassVar = True
    correction_id: Id = Field(description="This correction, unique at the table for ever.")
    settlement_id: Id = Field(description="The settlement that it corrects.")
    paid_change_minor: SignedMinor = Field(
        description="Paid to the patron besides (positive) or taken back (negative)."
    )
    stake_collected_change_minor: SignedMinor = Field(
        0, description="Stake collected besides (positive) or returned (negative)."
    )
    vigorish_taken_change_minor: SignedMinor = Field(
        0, description="Vigorish taken besides (positive) or returned (negative)."
    )
    vigorish_marked_change_minor: SignedMinor = Field(
        0, description="Vigorish marked besides (positive) or unmarked (negative)."
    )
    reason: Words | None = Field(None, description="Why it was corrected.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who allowed it.")


class WagerRefunded(CoupEvent):
    """A stake, or part of it, went back to the patron because it did not stand."""

    type: Literal["wager_refunded"] = "wager_refunded"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.REFUNDS
    refund_id: Id = Field(description="This refund, unique at the table for ever.")
    wager_id: Id = Field(description="The wager that was refunded.")
    refunded_minor: Minor = Field(description="Amount returned.")
    reason: Literal["coup_voided", "excess_returned", "other"] = Field(
        description="Why it was returned."
    )
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who allowed it.")


class VigorishCollected(EventBase):
    """Vigorish that had been marked at a seat was collected, or given back."""

    type: Literal["vigorish_collected"] = "vigorish_collected"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.VIGORISH
    may_come_while_closed: ClassVar = True
    may_decide_verdicts: ClassVar = True
    collection_id: Id = Field(description="This collection, unique at the table for ever.")
    shoe_id: Id = Field(description="The shoe in which it had been marked.")
    seat: Id = Field(description="The seat at which it had been marked.")
    collected_minor: SignedMinor = Field(
        description="Amount collected; below 0 where vigorish that had been collected was given "
        "back."
    )
    patron: Id | None = Field(
        None, description="Keyed pseudonym of the patron for whom it had been marked."
    )


PaymentEvent: TypeAlias = (
    StakeCollected
    | WagerSettled
    | SeatSettled
    | PayoutCorrected
    | WagerRefunded
    | VigorishCollected
)
