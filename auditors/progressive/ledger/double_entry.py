"""The liability of a progressive over a day: every movement twice, so that nothing is lost.

``opening + contributions - jackpots + reseeds + house_awards + adjustments + corrections`` is the
closing. What stands in a meter below one minor unit is shown by none and is an account of its own,
the residue.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from schemas.money import parse_exact
from schemas.progressive_rows import DayRow

NOTHING: Final = Fraction(0)


class Account(StrEnum):
    """Where money of a progressive comes from and goes to."""

    DISPLAY = "display"
    """Whole minor units that display and overflow show."""

    RESERVE = "reserve"
    """Whole minor units of the reserve."""

    RESIDUE = "residue"
    """What the meters hold below one minor unit."""

    STAKES = "stakes"
    """Part of the stakes that feeds meters."""

    JACKPOTS = "jackpots"
    """What was won."""

    HOUSE = "house"
    """What the house added to set a display back, or to jackpots beside the meter."""

    ADJUSTMENTS = "adjustments"
    """Documented changes and transfers."""

    CORRECTIONS = "corrections"
    """What became known of dates that were closed."""


@dataclass(frozen=True, slots=True)
class Posting:
    """An amount that moved from one account to another; negative: the other way."""

    out_of: Account
    into: Account
    amount: Fraction


@dataclass(frozen=True, slots=True)
class DayLiability:
    """One level over a gaming date, or many together: exact minor units."""

    opening: Fraction = NOTHING
    contributions: Fraction = NOTHING
    jackpots: Fraction = NOTHING
    reseeds: Fraction = NOTHING
    adjustments: Fraction = NOTHING
    corrections: Fraction = NOTHING
    closing: Fraction = NOTHING
    display: Fraction = NOTHING
    reserve: Fraction = NOTHING
    overflow: Fraction = NOTHING
    house_awards: Fraction = NOTHING
    """What the house paid of jackpots beside the meter (D3)."""

    @property
    def moved(self) -> Fraction:
        """By how much the liability moved over the date."""
        of_house = self.reseeds + self.house_awards
        return self.contributions - self.jackpots + of_house + self.adjustments + self.corrections

    @property
    def difference(self) -> Fraction:
        """What the closing has more than opening and movements; 0 where the day is in balance."""
        return self.closing - self.opening - self.moved

    @property
    def meter_difference(self) -> Fraction:
        """What the closing has more than the meters together; 0 where they agree."""
        return self.closing - self.display - self.reserve - self.overflow

    @property
    def residue(self) -> Fraction:
        """What lies below one minor unit in the meters."""
        return sum(
            (meter - meter // 1 for meter in (self.display, self.reserve, self.overflow)), NOTHING
        )

    @property
    def is_balanced(self) -> bool:
        """Whether movements and meters both come to the closing."""
        return not self.difference and not self.meter_difference

    def postings(self) -> tuple[Posting, ...]:
        """Give the movements of the date, each from one account to another, none of nothing."""
        moves = (
            Posting(Account.STAKES, Account.DISPLAY, self.contributions),
            Posting(Account.DISPLAY, Account.JACKPOTS, self.jackpots),
            Posting(Account.HOUSE, Account.DISPLAY, self.reseeds),
            Posting(Account.HOUSE, Account.DISPLAY, self.house_awards),
            Posting(Account.ADJUSTMENTS, Account.DISPLAY, self.adjustments),
            Posting(Account.CORRECTIONS, Account.DISPLAY, self.corrections),
        )
        return tuple(one for one in moves if one.amount)


def balances(day: DayLiability) -> dict[Account, Fraction]:
    """Post a day on its accounts.

    Returns:
        Balance of each account at the close, by which all together come to the opening: what the
        meters hold is split into whole minor units and the residue.
    """
    found = dict.fromkeys(Account, NOTHING)
    found[Account.DISPLAY] = day.opening
    for one in day.postings():
        found[one.out_of] -= one.amount
        found[one.into] += one.amount
    found[Account.DISPLAY] -= day.reserve
    found[Account.RESERVE] = Fraction(day.reserve // 1)
    found[Account.DISPLAY] -= day.residue - (day.reserve - day.reserve // 1)
    found[Account.RESIDUE] = day.residue
    return found


def day_liability(row: DayRow, currency: str) -> DayLiability:
    """Read what the fold said of a day."""

    def exact(text: str) -> Fraction:
        return parse_exact(text, currency)

    return DayLiability(
        opening=exact(row.opening),
        contributions=exact(row.contributions),
        jackpots=exact(row.jackpots),
        reseeds=exact(row.reseeds),
        adjustments=exact(row.adjustments),
        corrections=exact(row.corrections),
        closing=exact(row.closing),
        display=exact(row.display),
        reserve=exact(row.reserve),
        overflow=exact(row.overflow),
        house_awards=exact(row.house_awards),
    )


def together(days: Iterable[DayLiability]) -> DayLiability:
    """Add up days of several levels; the residue of the sum is that of its parts only where every
    meter of theirs is added by itself, so ask each for its own."""
    total = DayLiability()
    for one in days:
        total = DayLiability(
            total.opening + one.opening,
            total.contributions + one.contributions,
            total.jackpots + one.jackpots,
            total.reseeds + one.reseeds,
            total.adjustments + one.adjustments,
            total.corrections + one.corrections,
            total.closing + one.closing,
            total.display + one.display,
            total.reserve + one.reserve,
            total.overflow + one.overflow,
            total.house_awards + one.house_awards,
        )
    return total
