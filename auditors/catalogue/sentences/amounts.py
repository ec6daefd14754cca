"""Exact amounts and what the meters of a progressive have too much or too little, in words."""

from __future__ import annotations

from auditors.catalogue.sentences.shared import capital
from schemas.finding_facts.meter import MeterEffect


def exact(text: str) -> str:
    """Write an exact amount with a comma between thousands and every digit that it has.

    >>> exact("-12500.375")
    '-12,500.375'
    """
    whole, dot, rest = text.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}{dot}{rest}"


def is_nothing(text: str) -> bool:
    """Whether an exact amount is 0."""
    return not text.strip("-0.")


def size(text: str) -> str:
    """Write an exact amount without its sign."""
    return exact(text.removeprefix("-"))


def meters_now(effect: MeterEffect) -> str:
    """Say how far meter and reserve are off, as a clause: ``the meter is 1.80 short``."""
    display, reserve = effect.display, effect.reserve
    if is_nothing(display) and is_nothing(reserve):
        return "the meter and the reserve are correct"
    if is_nothing(reserve):
        return f"the meter is {size(display)} {_side(display)}. The reserve is correct"
    if is_nothing(display):
        return f"the reserve is {size(reserve)} {_side(reserve)}. The meter is correct"
    if _side(display) == _side(reserve):
        return f"the meter is {size(display)} and the reserve {size(reserve)} {_side(reserve)}"
    return (
        f"the meter is {size(display)} {_side(display)} and the reserve {size(reserve)} "
        f"{_side(reserve)}"
    )


def meters_now_sentence(effect: MeterEffect) -> str:
    """Say how far meter and reserve are off, as a sentence."""
    return f"{capital(meters_now(effect))}."


def _side(text: str) -> str:
    return "short" if text.startswith("-") else "too high"


def both_moved(effect: MeterEffect) -> str:
    """Name an amount of each meter: ``5.00 of the display and 1.00 of the reserve``."""
    return f"{exact(effect.display)} of the display and {exact(effect.reserve)} of the reserve"


def moved(effect: MeterEffect) -> str:
    """Say by how much the meters moved: ``The meter rose 12.34``."""
    parts = [
        f"the {name} {'fell' if text.startswith('-') else 'rose'} {size(text)}"
        for name, text in (("meter", effect.display), ("reserve", effect.reserve))
        if not is_nothing(text)
    ]
    return capital(" and ".join(parts) or "the meters moved")


def other_correct(effect: MeterEffect) -> str:
    """Say which meter is correct where the other moved, with a space before it."""
    if is_nothing(effect.reserve):
        return " The reserve is correct."
    return " The meter is correct." if is_nothing(effect.display) else ""
