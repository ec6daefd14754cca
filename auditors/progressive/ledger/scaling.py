"""Fractions of a cent, added fast and exactly as integers scaled by a power of ten.

Rates have at most twelve decimals of a per cent and stakes are whole minor units, so every
contribution is a whole number of these parts; so is every amount that a controller can say.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from auditors.law.interpretations import MeterCents
from schemas.money import minor_digits, parse_exact
from schemas.odds import parse_rate

SCALE: Final = 10**14
"""Parts of one minor unit."""

PLACES: Final = 14
"""Decimal places that the parts add to those of the currency."""


class UnscalableError(ValueError):
    """A rate or amount that has more decimals than any event can say."""


@lru_cache(maxsize=1024)
def rate_parts(text: str) -> int:
    """Give a rate in parts of a minor unit for each minor unit staked.

    >>> rate_parts("1.57%") * 100_000_000 == 1_570_000 * SCALE
    True

    Raises:
        UnscalableError: The rate has more than twelve decimals.
    """
    return parts_of(parse_rate(text))


@lru_cache(maxsize=4096)
def amount_parts(text: str, currency: str) -> int:
    """Give an exact amount of currency units in parts of a minor unit; a sign is allowed.

    Raises:
        UnscalableError: The amount has more decimals than an event can say.
    """
    return parts_of(parse_exact(text, currency))


def parts_of(minor: Fraction) -> int:
    """Give an exact number of minor units in parts.

    Raises:
        UnscalableError: It is no whole number of parts.
    """
    parts = minor * SCALE
    if parts.denominator != 1:
        raise UnscalableError(f"{minor} has more decimals than are kept")
    return parts.numerator


def fraction_of(parts: int) -> Fraction:
    """Give parts as an exact number of minor units."""
    return Fraction(parts, SCALE)


def decimal_text(parts: int, currency: str) -> str:
    """Write parts in currency units with every digit that they have.

    >>> decimal_text(10_000_75 * SCALE // 10, "USD"), decimal_text(0, "USD")
    ('1000.075', '0.00')
    """
    digits = minor_digits(currency)
    sign, magnitude = ("-" if parts < 0 else ""), abs(parts)
    whole, rest = divmod(magnitude, SCALE * 10**digits)
    decimals = f"{rest:0{PLACES + digits}d}"
    kept = decimals[:digits] + decimals[digits:].rstrip("0")
    return f"{sign}{whole}.{kept}" if kept else f"{sign}{whole}"


def shown_parts(display: int, policy: str) -> int:
    """Give what is shown of a display (D8): truncated to minor units, or rounded half up."""
    if policy == MeterCents.ROUNDED:
        display += SCALE // 2
    return display // SCALE * SCALE


def places_said(text: str, currency: str) -> int:
    """Say how many decimals of a currency unit an amount was said with, the currency's at least."""
    return max(len(text.partition(".")[2]), minor_digits(currency))


def parts_of_place(places: int, currency: str) -> int:
    """Give the worth of one unit in the last place of an amount said with so many decimals."""
    return int(SCALE * 10 ** minor_digits(currency) // 10**places)
