"""The regulator's words for odds, as money.

"a to b" is a profit with the stake returned; "a for 1" is the total handed over, the stake
included. The words are kept beside their meaning, because a verdict quotes them.

Source:
    regulation texts as held; "for" and "to" are used side by side in 58 Pa. Code § 655a.12.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final


class OddsKind(StrEnum):
    """What sort of payment a cell of a paytable prints."""

    TO = "to"
    """A profit per unit staked; the stake is returned as well."""

    FOR = "for"
    """The total handed over per unit staked; the stake is not returned besides."""

    PUSH = "push"
    """The stake is returned, nothing more."""

    LOSS = "loss"
    """The cell says that the outcome loses."""

    NOT_APPLICABLE = "n/a"
    """The cell says that the outcome is not part of the paytable."""

    METER = "meter"
    """A share of the progressive meter."""

    UNPRICED = "unpriced"
    """Won, lost or pushed can be said, but no odds are filed."""


class OddsError(ValueError):
    """A text that prints no odds."""


@dataclass(frozen=True, slots=True)
class Odds:
    """One cell of a paytable."""

    text: str
    """The cell in the regulator's words."""

    kind: OddsKind
    ratio: Fraction
    """Profit or total per unit staked, or the share of the meter; 0 for the other kinds."""

    less_vigorish: bool = False
    """Whether vigorish is due on the amount won."""

    @property
    def is_win(self) -> bool:
        """Whether the cell prices its outcome as a win."""
        return self.kind in (OddsKind.TO, OddsKind.FOR, OddsKind.METER, OddsKind.UNPRICED)

    def __str__(self) -> str:
        """The cell in the regulator's words."""
        return self.text


ODDS_LENGTH_MAX: Final = 64
"""Odds are at most so many characters long; every event may print other ones."""

RATE_LENGTH_MAX: Final = 24
"""A rate is at most so many characters long."""

# A comma stands between thousands only: "2,5 to 1" must not be read as 25 to 1.
_NUMBER: Final = r"((?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)"
_PERCENT: Final = r"([0-9]+(?:\.[0-9]+)?)"
_RATIO: Final = re.compile(rf"{_NUMBER} (to|for) {_NUMBER}( less vigorish)?")
_METER: Final = re.compile(rf"{_PERCENT}% of progressive", re.IGNORECASE)
_WORDS: Final = {
    "push": OddsKind.PUSH,
    "loss": OddsKind.LOSS,
    "n/a": OddsKind.NOT_APPLICABLE,
    "unpriced": OddsKind.UNPRICED,
}


@lru_cache(maxsize=4096)
def parse_odds(text: str) -> Odds:
    """Read odds as a regulation prints them.

    Args:
        text: ``40 to 1``, ``2.5 to 1``, ``1,000 for 1``, ``1 to 1 less vigorish``, ``push``,
            ``loss``, ``N/A``, ``100% of progressive`` or ``unpriced``.

    Raises:
        OddsError: Anything else, such as ``8:1`` or ``2,5 to 1``.
    """
    if len(text) > ODDS_LENGTH_MAX:
        raise OddsError(f"odds of {len(text)} characters; write at most {ODDS_LENGTH_MAX}")
    stripped = " ".join(text.split())
    if kind := _WORDS.get(stripped.lower()):
        return Odds(stripped, kind, Fraction(0))
    if match := _METER.fullmatch(stripped):
        return Odds(stripped, OddsKind.METER, _fraction(match[1]) / 100)
    match = _RATIO.fullmatch(stripped)
    if match is None or not _fraction(match[3]):
        raise OddsError(
            f'{text[:40]!r} prints no odds; write "8 to 1", "1,000 for 1", "push", "loss" or "N/A"'
        )
    kind = OddsKind(match[2])
    if match[4] and kind is OddsKind.FOR:
        raise OddsError(f"{text!r}: vigorish is taken from a profit, so from odds written with to")
    return Odds(stripped, kind, _fraction(match[1]) / _fraction(match[3]), bool(match[4]))


def _fraction(number: str) -> Fraction:
    return Fraction(number.replace(",", ""))


def parse_rate(text: str) -> Fraction:
    """Read a rate written in per cent: ``15%``, ``5 %`` or ``4``.

    Raises:
        OddsError: The text is no percentage between 0 and 100.
    """
    short = text[:RATE_LENGTH_MAX]
    match = re.fullmatch(rf"{_PERCENT} ?%?", short.strip()) if short == text else None
    if match is None or not 0 <= _fraction(match[1]) <= 100:
        raise OddsError(f"{short[:24]!r} is no percentage of 0 to 100; write it like 5% or 1.5%")
    return _fraction(match[1]) / 100


def format_fraction(value: Fraction) -> str:
    """Write a fraction as ``n/d`` in lowest terms, whole numbers included (``1/1``)."""
    return f"{value.numerator}/{value.denominator}"


def format_percent(rate: Fraction) -> str:
    """Write a rate in per cent with as many decimals as it has: ``5 %``, ``4.5 %``."""
    percent = rate * 100
    if percent.denominator == 1:
        return f"{percent.numerator} %"
    digits = 1
    while (percent * 10**digits).denominator != 1 and digits < 12:
        digits += 1
    scaled = int(percent * 10**digits)
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d} %"
