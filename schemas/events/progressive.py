"""What a progressive controller says of play: wagers accepted, readings, hits, payments.

The controller is a source of its own with its own feed. Amounts that can have fractions of a
cent are exact decimal texts in currency units; stakes and payments are integer minor units.
Names of meters follow N.J.A.C. 13:69E-1.39A.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.envelope import EventBase, Said, SentBy
from schemas.events.fields import (
    Count,
    ExactAmount,
    Id,
    Minor,
    People,
    RateText,
    SignedExactAmount,
    SourceId,
    Stake,
    Words,
)

__all__ = [
    "ProgressiveHit",
    "ProgressiveLockedOut",
    "ProgressivePaid",
    "ProgressiveReading",
    "ProgressiveReset",
    "ProgressiveWagerAccepted",
    "TableMeter",
]

LINKED_TABLES_MAX = 64
"""At most so many tables feed one progressive."""

WINNERS_MAX = 64
"""At most so many wagers win one hit."""


class ProgressiveEvent(EventBase):
    """An event of one progressive meter."""

    sent_by: ClassVar = SentBy.CONTROLLER
    progressive_id: Id = Field(description="The progressive, as the Rules Submission names it.")
    level: int = Field(
        1, ge=1, le=16, description="Which of its meters, where the progressive has several."
    )


class ProgressiveWagerAccepted(ProgressiveEvent):
    """The controller accepted a wager and added its contribution."""

    type: Literal["progressive_wager_accepted"] = "progressive_wager_accepted"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table: its source_id.")
    wager_id: Id = Field(description="The wager, with the id that the table's own feed uses.")
    stake_minor: Stake = Field(description="Stake accepted.")
    in_count: Count = Field(
        description="The controller's in-meter of this progressive after this wager: all wagers "
        "that it ever accepted, of all tables; it never falls."
    )
    coup_id: Id | None = Field(None, description="The coup, where the controller knows it.")
    seat: Id | None = Field(None, description="The seat, where the controller knows it.")


class TableMeter(Said):
    """What the controller counted for one table, and the rates that it uses there."""

    table_id: SourceId = Field(description="The table: its source_id.")
    in_count: Count = Field(description="Wagers accepted from this table; never falls.")
    coin_in_minor: Minor = Field(description="Their stakes; never falls.")
    increment_rate: RateText | None = Field(
        None, description="Rate at which stakes of this table feed the display, as configured."
    )
    reserve_rate: RateText | None = Field(
        None, description="Rate at which they feed the reserve, as configured."
    )


class ProgressiveReading(ProgressiveEvent):
    """All meters of one progressive level at one moment, as the controller itself has them."""

    type: Literal["progressive_reading"] = "progressive_reading"
    schema_version: Literal[1] = 1
    display: ExactAmount = Field(description="Amount shown, in currency units.")
    reserve: SignedExactAmount = Field(
        description=(
            "Reserve for the next reset, in currency units; below 0 where wagers were voided "
            "after it had paid a reset."
        )
    )
    overflow: ExactAmount = Field(
        "0", description="What lies above the limit, in currency units; 0 without a limit."
    )
    in_count: Count = Field(description="In-meter: wagers ever accepted; never falls.")
    coin_in_minor: Minor = Field(description="Their stakes; never falls.")
    hits_count: Count = Field(description="Hits ever; a shared jackpot is one hit.")
    wins_minor: Minor = Field(description="Amount ever paid; never falls.")
    voided_count: Count = Field(0, description="Accepted wagers that were voided later, ever.")
    voided_minor: Minor = Field(0, description="Their stakes.")
    tables: Annotated[tuple[TableMeter, ...], Field(max_length=LINKED_TABLES_MAX)] = Field(
        description="Every linked table."
    )
    reset: ExactAmount | None = Field(
        None, description="Display after the next hit, as configured, in currency units."
    )
    limit: ExactAmount | None = Field(
        None, description="Highest display, as configured; left out where there is none."
    )
    showing_table_id: SourceId | None = Field(
        None,
        description="Table on whose sign display was read; left out for the controller's own.",
    )


class ProgressiveLockedOut(ProgressiveEvent):
    """The lock-out at a table: it accepts no more wagers for this coup, the meter is frozen."""

    type: Literal["progressive_locked_out"] = "progressive_locked_out"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table that was locked.")
    coup_id: Id = Field(description="The coup for which it was locked.")
    display: ExactAmount = Field(description="Amount shown at that moment, in currency units.")
    accepted_count: Count = Field(description="Wagers accepted at this table for this coup.")


class ProgressiveHit(ProgressiveEvent):
    """The controller took the progressive as won."""

    type: Literal["progressive_hit"] = "progressive_hit"
    schema_version: Literal[1] = 1
    hit_id: Id = Field(description="This hit, unique at the controller for ever.")
    table_id: SourceId = Field(description="The winning table.")
    coup_id: Id = Field(description="The winning coup.")
    wager_ids: Annotated[tuple[Id, ...], Field(max_length=WINNERS_MAX)] = Field(
        description="Winning wagers in the order in which they were accepted."
    )
    amount: ExactAmount = Field(description="Amount won, as at the lock-out, in currency units.")


class ProgressivePaid(ProgressiveEvent):
    """A share of a hit was paid."""

    type: Literal["progressive_paid"] = "progressive_paid"
    schema_version: Literal[1] = 1
    payment_id: Id = Field(description="This payment, unique at the controller for ever.")
    hit_id: Id = Field(description="The hit that was paid.")
    wager_id: Id = Field(description="The winning wager that was paid.")
    paid_minor: Minor = Field(description="Amount paid.")
    slip: Id | None = Field(None, description="Serial number of the payment slip.")
    method: Words | None = Field(None, description="How it was paid, such as chips or cheque.")
    signed_by: People = Field((), description="Keyed pseudonyms of who signed the slip.")


class ProgressiveReset(ProgressiveEvent):
    """The display was set back after a hit."""

    type: Literal["progressive_reset"] = "progressive_reset"
    schema_version: Literal[1] = 1
    hit_id: Id = Field(description="The hit that caused it.")
    display_before: ExactAmount = Field(description="Display before, in currency units.")
    display_after: ExactAmount = Field(description="Display after, in currency units.")
    reserve_funded: ExactAmount = Field(
        description="Part of the new display taken from the reserve, in currency units."
    )
    house_funded: ExactAmount = Field(
        description="Part of the new display that the house added, in currency units."
    )


MeterEvent: TypeAlias = (
    ProgressiveWagerAccepted
    | ProgressiveReading
    | ProgressiveLockedOut
    | ProgressiveHit
    | ProgressivePaid
    | ProgressiveReset
)
