"""Rows that are put out about a progressive: its ledger, its readings, its hits and its days.

Amounts that can have fractions of a minor unit are exact decimal texts in currency units; paid and
staked amounts are integer minor units. Names of meters follow N.J.A.C. 13:69E-1.39A.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.progressive_inputs import AcceptedWager


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ReceiptRow(_Row):
    """What another progressive gave to this one, taken in exactly."""

    transfer_id: str
    from_progressive_id: str
    from_level: int
    at_us: int
    display: str
    """What lay above the limit there included."""
    reserve: str


class LedgerRow(_Row):
    """One level of a progressive as its exact ledger has it, up to a moment."""

    level: int
    as_of_us: int
    """Everything up to this moment is in; microseconds since 1970 UTC."""
    display: str
    """The running value, exact; what is shown of it is ``display_shown``."""
    display_shown: str
    """Rounded as filed (D8)."""
    reserve: str
    overflow: str
    base: str
    reset: str
    limit: str | None
    in_count: int
    coin_in_minor: int
    hits_count: int
    wins_minor: int
    voided_count: int
    voided_minor: int
    house_funded: str
    """What the house added to reset it, ever."""
    tables: tuple[tuple[str, str, str], ...]
    """Linked tables with their increment and reserve rate."""
    pending_count: int
    """Readings that were not judged yet when this was put out."""
    checks_on: tuple[str, ...] = ()
    checks_off: tuple[tuple[str, str], ...] = ()
    """Each with the reason why it is off."""
    received: tuple[ReceiptRow, ...] = ()
    """The latest transfers from other progressives; what they gave is an adjustment of its day."""


class MeterComparison(_Row):
    """One meter of a reading beside what the ledger has."""

    meter: str
    """``display``, ``reserve``, ``overflow``, ``in``, ``coin_in``, ``hits``, ``wins`` or
    ``voided``; counts and coin-in of one table as ``in@TABLE`` and ``coin_in@TABLE``."""
    read: str
    for_counted: str
    """What it should show for what the controller counted."""
    for_accepted: str
    """What it should show for what the tables accepted."""


class ReadingRow(_Row):
    """One reading of a controller, and what became of it."""

    level: int
    sequence: int
    state: Literal["pending", "judged"]
    showing_table_id: str | None
    display: str
    reserve: str
    overflow: str
    in_count: int
    hits_count: int
    wins_minor: int
    is_arithmetic_right: bool | None
    """The meters are right for what the controller counted; None while pending."""
    is_complete: bool | None
    """The controller counted what the tables accepted; None while pending."""
    compared: tuple[MeterComparison, ...]
    """What differs, nothing else; empty where all agrees or nothing is judged yet."""
    left_out: tuple[str, ...]
    """Tables that were silent too long to be waited for."""
    known_us: int = 0
    """When all had happened that this says; microseconds since 1970 UTC, 0 where nobody said."""


class ShareRow(_Row):
    """What one winning wager of a hit was due and was paid."""

    table_id: str
    wager: AcceptedWager
    due_minor: int | None
    paid_minor: int | None
    slip: str | None


class HitRow(_Row):
    """One hit: cards, lock-out, amount, shares, reset."""

    hit_id: str | None
    """The controller's; None where it said nothing of a hit."""
    level: int
    table_id: str
    coup_id: str
    cards: str | None
    """None where no cards that win the meter are on record."""
    locked_at_us: int | None
    amount: str | None
    """The ledger's display when the winning table was locked."""
    amount_said: str | None
    """The controller's."""
    policy: str | None
    """How several winners share (D3)."""
    close_order: str | None = None
    """By what hits within the lag of each other are ordered (D33); None where none is near."""
    needs_review: bool
    """Several wagers won, hits fell within the lag of each other, only cards or only the controller
    have spoken of it so far, or the controller says another amount than the ledger."""
    state: Literal["open", "paid", "reset"]
    shares: tuple[ShareRow, ...]
    known_us: int = 0
    """When all had happened that this says; microseconds since 1970 UTC, 0 where nobody said."""
    display_after: str | None
    reserve_funded: str | None
    house_funded: str | None


class DayRow(_Row):
    """The liability of one level over a gaming date, in double entry."""

    level: int
    opening: str
    contributions: str
    """Display and reserve together; likewise for all lines."""
    jackpots: str
    """As paid or owed; leaves the liability. What the house pays beside the meter is in it."""
    reseeds: str
    """What the house added; what the reserve paid moves within the liability."""
    adjustments: str
    """Signed; transfers included."""
    closing: str
    display: str
    reserve: str
    overflow: str
    residue: str
    """Part of ``closing`` below one minor unit that no meter shows: an account of its own."""
    last_reading_sequence: int | None
    """The reading that the closing is tied to; None where none was judged on that date."""
    is_tied: bool
    """That reading agrees with the ledger."""
    is_closed: bool
    """The date is over; what moves it from now on is a correction entry."""
    corrections: str
    """Moved after it was closed; booked on the date on which it became known."""
    house_awards: str = "0.00"
    """What the house paid of jackpots beside the meter (D3); comes in as it is paid."""
