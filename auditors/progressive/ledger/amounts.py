"""How is an exact amount said in a sentence? As a decimal text in currency units, all digits."""

from __future__ import annotations

from fractions import Fraction

from auditors.progressive.ledger.scaling import decimal_text, parts_of


def exact_text(minor: Fraction, currency: str) -> str:
    """Write an exact number of minor units in currency units, nothing rounded.

    >>> exact_text(Fraction(1_000_075, 10), "USD"), exact_text(Fraction(-75), "USD")
    ('1000.075', '-0.75')
    """
    return decimal_text(parts_of(minor), currency)


def effect_text(display: Fraction, reserve: Fraction, currency: str) -> str:
    """Say what something did to the meters.

    >>> effect_text(Fraction(-75), Fraction(0), "USD")
    'display 0.75 less, reserve right'
    """
    return f"display {_more(display, currency)}, reserve {_more(reserve, currency)}"


def _more(minor: Fraction, currency: str) -> str:
    if not minor:
        return "right"
    return f"{exact_text(abs(minor), currency)} {'more' if minor > 0 else 'less'}"
