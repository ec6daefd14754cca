"""Money as integer minor units of a named currency, read, kept and written, never a float.

An amount that is not a whole number of minor units is refused: cutting it silently is how
157/10000 became 0.015699 elsewhere.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

MINOR_DIGITS: Final = {
    "AUD": 2,
    "BHD": 3,
    "CAD": 2,
    "CHF": 2,
    "CLP": 0,
    "CNY": 2,
    "CZK": 2,
    "DKK": 2,
    "EUR": 2,
    "GBP": 2,
    "HKD": 2,
    "INR": 2,
    "JPY": 0,
    "KRW": 0,
    "KWD": 3,
    "MOP": 2,
    "MXN": 2,
    "MYR": 2,
    "NOK": 2,
    "NZD": 2,
    "PHP": 2,
    "SEK": 2,
    "SGD": 2,
    "THB": 2,
    "TWD": 2,
    "USD": 2,
    "VND": 0,
    "ZAR": 2,
}
"""Digits after the point of each currency that the product knows (ISO 4217)."""

DEFAULT_CURRENCY: Final = "USD"
"""The currency where nothing says otherwise."""

MINOR_MAX: Final = 10**15
"""No single amount may exceed this many minor units (ten trillion dollars)."""

BINARY_TAIL_MAX: Final = Fraction(1, 10**6)
"""A recorded amount this close to a whole minor unit is that unit, written by a binary float."""

_AMOUNT: Final = re.compile(r"([+-]?)\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.([0-9]*))?")
_POWER_OF_TEN: Final = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)[eE]([+-]?[0-9]{1,2})")
_MAX_LENGTH: Final = 40


class AmountError(ValueError):
    """A text or value that is no amount of the currency."""


def minor_digits(currency: str) -> int:
    """Say how many digits an amount of the currency has after the point.

    Raises:
        AmountError: The currency is not in :data:`MINOR_DIGITS`.
    """
    try:
        return MINOR_DIGITS[currency]
    except KeyError:
        known = ", ".join(sorted(MINOR_DIGITS))
        raise AmountError(f"unknown currency {currency!r}; known: {known}") from None


def parse_exact(text: str, currency: str = DEFAULT_CURRENCY) -> Fraction:
    """Read a decimal text as an exact number of minor units, whole or not.

    Raises:
        AmountError: The text is no decimal number, or too large.
    """
    stripped = text.strip()
    match = _AMOUNT.fullmatch(stripped) if len(stripped) <= _MAX_LENGTH else None
    if match is None or not (match[2] or match[3]):
        raise AmountError(f"{text[:24]!r} is no amount; write it like 100 or 100.00")
    whole, decimals = (match[2] or "0").replace(",", ""), match[3] or ""
    scaled = int(whole + decimals) * 10 ** minor_digits(currency)
    amount = Fraction(-scaled if match[1] == "-" else scaled, 10 ** len(decimals))
    return _bounded(amount, text)


def parse_amount(text: str, currency: str = DEFAULT_CURRENCY) -> int:
    """Read a decimal text as minor units.

    Raises:
        AmountError: The text is no decimal number, or has a remainder below one minor unit.

    >>> parse_amount("2.55")
    255
    """
    return _whole(parse_exact(text, currency), text, currency)


def _whole(amount: Fraction, text: str, currency: str) -> int:
    if amount.denominator != 1:
        digits = minor_digits(currency)
        raise AmountError(f"{text[:24]!r} has more than {digits} decimals; {currency} has {digits}")
    return amount.numerator


def _bounded(amount: Fraction, text: str) -> Fraction:
    if abs(amount) > MINOR_MAX:
        raise AmountError(f"{text[:24]!r} is larger than any amount that is accepted")
    return amount


def parse_recorded_amount(text: str, currency: str = DEFAULT_CURRENCY) -> tuple[int, bool]:
    """Read an amount that a program may have written from a binary float.

    Returns:
        Minor units, and whether a binary tail (at most :data:`BINARY_TAIL_MAX` of a minor unit)
        was read as the unit beside it: ``732.4499999999999`` is 732.45.

    Raises:
        AmountError: As for :func:`parse_amount`; ``1.005`` is refused.
    """
    amount = _recorded(text, currency)
    nearest = round(amount)
    if abs(amount - nearest) > BINARY_TAIL_MAX:
        return _whole(amount, text, currency), False
    return nearest, nearest != amount


def _recorded(text: str, currency: str) -> Fraction:
    """Read a recorded number, with a power of ten where a program printed a small float so."""
    match = _POWER_OF_TEN.fullmatch(text.strip()) if len(text) <= _MAX_LENGTH else None
    if match is None:
        return parse_exact(text, currency)
    scale = Fraction(10) ** (int(match[2]) + minor_digits(currency))
    return _bounded(Fraction(match[1]) * scale, text)


def format_minor(minor: int, currency: str = DEFAULT_CURRENCY) -> str:
    """Write minor units as a decimal string with the currency's digits.

    >>> format_minor(19500)
    '195.00'
    """
    digits = minor_digits(currency)
    sign, magnitude = ("-" if minor < 0 else ""), abs(minor)
    if digits == 0:
        return f"{sign}{magnitude}"
    return f"{sign}{magnitude // 10**digits}.{magnitude % 10**digits:0{digits}d}"


def grouped_minor(minor: int, currency: str = DEFAULT_CURRENCY) -> str:
    """Write minor units for people, with a comma between thousands.

    >>> grouped_minor(3_190_000)
    '31,900.00'
    """
    whole, dot, rest = format_minor(minor, currency).partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}{dot}{rest}"
