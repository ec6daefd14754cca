"""How is an exact amount written? As a decimal text in currency units with every digit it has."""

from __future__ import annotations

from fractions import Fraction

from schemas.money import format_minor, minor_digits


def exact_text(minor: Fraction, currency: str) -> str:
    """Write an exact number of minor units in currency units, nothing rounded.

    >>> exact_text(Fraction(1_000_075, 10), "USD"), exact_text(Fraction(75), "USD")
    ('1000.075', '0.75')

    Returns:
        A decimal text with at least the digits of the currency; a fraction such as ``100/3``
        where no decimal text is exact.
    """
    if minor.denominator == 1:
        return format_minor(minor.numerator, currency)
    rest, digits = minor.denominator, minor_digits(currency)
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(minor / 10**digits)
    more = 0
    while (minor * 10**more).denominator != 1:
        more += 1
    scaled, places = int(minor * 10**more), digits + more
    sign, magnitude = ("-" if scaled < 0 else ""), abs(scaled)
    return f"{sign}{magnitude // 10**places}.{magnitude % 10**places:0{places}d}"


def shown_minor(display: Fraction, policy: str) -> int:
    """Say what is shown of a display (D8): truncated to minor units, or rounded half up."""
    if policy == "round_half_up":
        return (2 * display.numerator + display.denominator) // (2 * display.denominator)
    return display.numerator // display.denominator
