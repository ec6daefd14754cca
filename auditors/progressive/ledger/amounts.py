"""Exact amounts as decimal text in currency units, every digit kept."""

from __future__ import annotations

from fractions import Fraction

from auditors.progressive.ledger.scaling import amount_parts, decimal_text, parts_of
from schemas.finding_facts.meter import MeterEffect


def exact_text(minor: Fraction, currency: str) -> str:
    """Write an exact number of minor units in currency units, nothing rounded.

    >>> exact_text(Fraction(1_000_075, 10), "USD"), exact_text(Fraction(-75), "USD")
    ('1000.075', '-0.75')
    """
    return decimal_text(parts_of(minor), currency)


def effect_of(display: Fraction, reserve: Fraction, currency: str) -> MeterEffect:
    """Give what something did to the meters as a fact.

    >>> effect_of(Fraction(-75), Fraction(0), "USD").display
    '-0.75'
    """
    return MeterEffect(display=exact_text(display, currency), reserve=exact_text(reserve, currency))


def effect_of_parts(display: int, reserve: int, currency: str) -> MeterEffect:
    """Give the same of amounts in parts."""
    return MeterEffect(
        display=decimal_text(display, currency), reserve=decimal_text(reserve, currency)
    )


def said_exactly(text: str, currency: str) -> str:
    """Write an amount as an event says it with the digits of the currency at least."""
    return decimal_text(amount_parts(text, currency), currency)
