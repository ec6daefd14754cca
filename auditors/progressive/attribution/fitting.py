"""Amounts that would explain a difference: exact whole numbers on a common scale, and searches.

Everything is scaled by one common denominator, so that nothing is rounded and every comparison is
one of whole numbers. Searches are bounded: equal wagers are one group, and sums of different
amounts are tried two at a time at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, Literal, TypeAlias

from auditors.progressive.attribution.effort import Effort
from auditors.progressive.attribution.interval import Cause, EventPlace, MeterChange, VoidedThere

GUESSES_MAX: Final = 16_384
"""At most so many single causes are combined two by two."""

TOGETHER_MAX: Final = 8
"""At most so many equal wagers are one part of a combination."""

_PAIRS_MAX: Final = 1_024

Rounding: TypeAlias = Literal["truncated", "rounded half up", "rounded up"]

TRUNCATED: Final = "truncated"
HALF_UP: Final = "rounded half up"
ROUNDED_UP: Final = "rounded up"
"""How contributions may be rounded one by one."""


@dataclass(frozen=True, slots=True)
class Band:
    """The whole numbers that a meter's difference may be, both ends included."""

    low: int
    high: int
    below: int = 0
    """So much of it lies below the difference to what was said: that may have been rounded up."""

    def holds(self, value: int) -> bool:
        """Whether a difference lies in it."""
        return self.low <= value <= self.high

    def is_said(self, value: int) -> bool:
        """Whether a difference is the one to just what was said, no digit let go of."""
        return value == self.low + self.below

    def less(self, value: int) -> Band:
        """Give what is left of it once a part is explained."""
        return Band(self.low - value, self.high - value, self.below)


@dataclass(frozen=True, slots=True)
class Gap:
    """What the meters have more than the ledger, display and overflow as one."""

    display: Band
    reserve: Band

    def holds(self, display: int, reserve: int) -> bool:
        """Whether a pair of effects explains it."""
        return self.display.holds(display) and self.reserve.holds(reserve)

    def is_said(self, display: int, reserve: int) -> bool:
        """Whether a pair of effects comes to just what was said."""
        return self.display.is_said(display) and self.reserve.is_said(reserve)

    def less(self, display: int, reserve: int) -> Gap:
        """Give what is left of it once a part is explained."""
        return Gap(self.display.less(display), self.reserve.less(reserve))


@dataclass(frozen=True, slots=True)
class Added:
    """One wager as it went into the meters, amounts on the common scale."""

    at: int
    """Its order: the controller's sequence, or the time where it has none."""
    place: EventPlace
    table_id: str
    wager_id: str
    coup_id: str | None
    stake_minor: int
    rates: tuple[Fraction, Fraction]
    is_shown: bool
    """Its contribution is in the present display, not in one that was won since."""
    display: int
    """What it added to the present display; 0 where that meter was won since."""
    reserve: int


@dataclass(frozen=True, slots=True)
class CountGap:
    """By how much a table's meters differ from the ledger: positive where they lack something."""

    table_id: str
    count: int
    coin_in_minor: int


@dataclass(frozen=True, slots=True)
class Guess:
    """One cause with what it would have done to the meters."""

    cause: Cause
    display: int
    reserve: int
    size: int
    """How much has to be assumed; the smallest that fits is what is said."""
    members: tuple[Added, ...] = ()
    """Wagers concerned are among these, from ``start`` on."""
    start: int = 0
    count: int = 0
    """So many of them."""
    rates: tuple[Fraction, Fraction] | None = None
    """Rates applied, for another rate."""
    change: MeterChange | None = None
    void: VoidedThere | None = None
    by_count: CountGap | None = None
    """By the counts of a table."""
    detail: str = ""
    """Words that only this cause needs."""

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells it from other guesses, however it was come by."""
        first = self.members[self.start].place if self.members else None
        reset = self.change.place if self.change and self.rates is None else None
        return (self.cause, first, self.count, self.rates, reset, self.void, self.detail)

    @property
    def family(self) -> tuple[object, ...]:
        """What two parts of a combination must not share."""
        first = self.members[0] if self.members else None
        group = (first.table_id, first.stake_minor, first.rates) if first else None
        return (self.cause, group, self.void)


def common_scale(amounts: Iterator[Fraction]) -> int:
    """Give a number by which all amounts become whole."""
    scale = 10_000  # hundredths of a per cent of a minor unit
    for one in amounts:
        scale = lcm(scale, one.denominator)
    return scale


def rounding_word(detail: str) -> Rounding:
    """Give how contributions were rounded from what a guess says of it."""
    words: tuple[Rounding, ...] = (TRUNCATED, HALF_UP, ROUNDED_UP)
    return next(word for word in words if word == detail)


def rounding_of(amount: int, scale: int, how: str) -> int:
    """Give what an amount gains by being rounded to whole minor units."""
    more = {TRUNCATED: 0, HALF_UP: scale, ROUNDED_UP: 2 * (scale - 1)}[how]
    return (2 * amount + more) // (2 * scale) * scale - amount


def groups_of_equals(wagers: Sequence[Added], *, by_table: bool) -> tuple[tuple[Added, ...], ...]:
    """Put wagers together that nothing but their place tells apart."""
    found: dict[tuple[object, ...], list[Added]] = {}
    for one in wagers:
        key = (one.display, one.reserve, one.stake_minor, one.table_id if by_table else None)
        found.setdefault(key, []).append(one)
    return tuple(tuple(group) for group in found.values())


def multiples_within(gap: Gap, display: int, reserve: int, most: int) -> int | None:
    """Say how often a pair of effects has to be taken to explain a gap.

    Returns:
        The smallest number from 1 to ``most``, or None.
    """
    if display:
        first, last = _times(gap.display, display)
    elif reserve:
        first, last = _times(gap.reserve, reserve)
    else:
        return None
    for times in range(max(1, first), min(most, last) + 1):
        if gap.holds(times * display, times * reserve):
            return times
    return None


def _times(band: Band, amount: int) -> tuple[int, int]:
    """Give the fewest and the most times that an amount may be taken to lie in a band."""
    low, high = (band.low, band.high) if amount > 0 else (-band.high, -band.low)
    return -(-low // abs(amount)), high // abs(amount)


def pairs_within(
    gap: Gap,
    guesses: Sequence[Guess],
    is_allowed: Callable[[tuple[Guess, Guess]], bool],
    effort: Effort,
) -> list[tuple[Guess, Guess]]:
    """Find two causes that explain a gap together: those that assume least, at most a thousand."""
    if len(guesses) > GUESSES_MAX:
        return []
    ordered = sorted(guesses, key=lambda one: one.display)
    displays = [one.display for one in ordered]
    best: list[tuple[Guess, Guess]] = []
    least = None
    for at, one in enumerate(ordered):
        rest = gap.less(one.display, one.reserve)
        begin = max(at + 1, bisect_left(displays, rest.display.low))
        end = max(begin, bisect_right(displays, rest.display.high))
        effort.spend(1 + end - begin)
        for other in ordered[begin:end]:
            size = one.size + other.size
            if (
                rest.reserve.holds(other.reserve)
                and (least is None or size <= least)
                and one.family != other.family
                and is_allowed((one, other))
            ):
                best = [*best, (one, other)][:_PAIRS_MAX] if size == least else [(one, other)]
                least = size
    return best
