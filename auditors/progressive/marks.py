"""Do the displays that were seen in between allow a cause? At lock-outs the controller says one.

What a cause adds to the display by a moment is followed from one such mark to the next: an
explanation that comes to the right sum at the reading, and contradicts what was shown before it,
does not fit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from auditors.progressive.effort import Effort
from auditors.progressive.fitting import Added, Band, Guess, rounding_of
from auditors.progressive.interval import Cause, Interval, SeenDisplay

_LASTING: Final = (Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER)
_OF_WAGERS: Final = (Cause.WAGERS_NOT_COUNTED, Cause.COUNTED_TWICE)
_ONCE: Final = (Cause.STEP_UNKNOWN, Cause.VOID_KEPT, Cause.VOID_REVERSED)


@dataclass(frozen=True, slots=True)
class Mark:
    """A display that was seen, and by how much it can have been off then."""

    at: int
    """Its order, like that of wagers."""
    off: Band


@dataclass(frozen=True, slots=True)
class _Mover:
    """A cause that came about in one or several moves, each at a moment that is not known."""

    unit: int
    """What one move adds to the display."""
    count: int
    members: tuple[int, ...]
    """Where the moves can have been, in order; empty where that is anywhere."""

    def moved_by(self, at: int) -> int:
        """Give the most moves that there can be by a moment."""
        return min(self.count, bisect_right(self.members, at)) if self.members else self.count

    def moved_between(self, after: int, at: int) -> int:
        """Give the most moves that there can be between two moments."""
        if not self.members:
            return self.count
        return bisect_right(self.members, at) - bisect_right(self.members, after)

    def moved_at_least(self, at: int) -> int:
        """Give the fewest moves by a moment, all being made in the end."""
        if not self.members:
            return 0
        return max(0, self.count - (len(self.members) - bisect_right(self.members, at)))


def marks_of(interval: Interval, scale: int, since: int | None) -> tuple[Mark, ...]:
    """Give the marks of the present meter, those behind its reset where it has one."""
    is_half_up = interval.display_policy == "round_half_up"
    return tuple(
        Mark(seen.sequence, _off(seen, scale, is_half_up=is_half_up))
        for seen in interval.seen
        if since is None or seen.sequence > since
    )


def _off(seen: SeenDisplay, scale: int, *, is_half_up: bool) -> Band:
    off = ((seen.said - seen.expected) * scale).numerator
    if not seen.decimals and seen.said.denominator != 1:
        return Band(off, off)  # nothing was cut off it
    unit = scale // 10**seen.decimals
    half = unit // 2 if is_half_up else 0
    return Band(off - half, max(off, off - half + unit - 1))


def are_seen(marks: Sequence[Mark], scale: int, guesses: Sequence[Guess], effort: Effort) -> bool:
    """Say whether causes together allow every display that was seen."""
    if not marks:
        return True
    effort.spend(len(marks))
    if len(guesses) == 1 and not _is_moving(guesses[0]):
        added = _lasting(guesses[0], scale, marks)
        return all(mark.off.holds(one) for mark, one in zip(marks, added, strict=True))
    courses = _Courses(marks, scale, guesses, effort)
    return any(True for _ in courses.ends())


def moments_of(
    marks: Sequence[Mark], scale: int, guess: Guess, beside: Sequence[Guess]
) -> tuple[tuple[int, int | None], ...]:
    """Give the stretches between marks in which a cause can have moved the display.

    Args:
        marks: The displays that were seen.
        scale: Of all amounts.
        guess: Some wagers, or one step.
        beside: Other causes of the same explanation.

    Returns:
        Of each stretch the order of the mark before, 0 for none, and that of the mark behind it,
        None for the reading.
    """
    if not marks or not guess.display:
        return ((0, None),)
    courses = _Courses(marks, scale, (guess, *beside))
    ends = [0, *(one.at for one in marks)]
    return tuple(
        (start, marks[number].at if number < len(marks) else None)
        for number, start in enumerate(ends)
        if any(True for _ in courses.ends(moving_in=number))
    )


class _Courses:
    """Follows causes from mark to mark."""

    def __init__(
        self,
        marks: Sequence[Mark],
        scale: int,
        guesses: Sequence[Guess],
        effort: Effort | None = None,
    ) -> None:
        self._marks, self._effort = marks, effort
        self._movers = [_mover(one) for one in guesses if one.display and _is_moving(one)]
        lasting = [_lasting(one, scale, marks) for one in guesses if not _is_moving(one)]
        self._fixed = [sum(each) for each in zip(*lasting, strict=True)] or [0] * len(marks)

    def ends(self, *, moving_in: int | None = None) -> Iterator[tuple[int, ...]]:
        """Give how many moves of each there can be by the last mark, all marks being allowed.

        Args:
            moving_in: The first cause moves at least once before the mark of this number, and
                behind the one before it.
        """
        movers = self._movers
        if len(movers) == 1:
            yield from self._ends_of_one(movers[0], moving_in)
            return
        states = {(0,) * len(movers)}
        before = 0
        for number, mark in enumerate(self._marks):
            if self._effort is not None:
                self._effort.spend(4 * len(states))
            states = {
                moved
                for state in states
                for moved in product(
                    *(
                        _moves(mover, had, before, mark.at, must=number == moving_in and not place)
                        for place, (mover, had) in enumerate(zip(movers, state, strict=True))
                    )
                )
                if mark.off.holds(
                    self._fixed[number]
                    + sum(n * one.unit for n, one in zip(moved, movers, strict=True))
                )
            }
            before = mark.at
        for state in states:
            if moving_in != len(self._marks) or state[0] < movers[0].count:
                yield state

    def _ends_of_one(self, mover: _Mover, moving_in: int | None) -> Iterator[tuple[int, ...]]:
        """The same for one cause, of however many moves: each number between two can be."""
        fewest = most = before = 0
        for number, mark in enumerate(self._marks):
            low, high = _times(mark.off.less(self._fixed[number]), mover.unit)
            must = int(number == moving_in)
            fewest, most = (
                max(fewest + must, mover.moved_at_least(mark.at), low),
                min(
                    most + mover.moved_between(before, mark.at), mover.moved_by(mark.at), high,
                ),
            )  # fmt: skip
            if fewest > most:
                return
            before = mark.at
        if moving_in != len(self._marks) or fewest < mover.count:
            yield (fewest,)


def _moves(mover: _Mover, had: int, before: int, at: int, *, must: bool) -> range:
    most = min(mover.moved_by(at), had + mover.moved_between(before, at))
    return range(max(had + must, mover.moved_at_least(at)), most + 1)


def _times(band: Band, unit: int) -> tuple[int, int]:
    """Give how often an amount may and must be taken to lie in a band."""
    low, high = (band.low, band.high) if unit > 0 else (-band.high, -band.low)
    return -(-low // abs(unit)), high // abs(unit)


def _is_moving(guess: Guess) -> bool:
    return guess.cause in _OF_WAGERS or guess.cause in _ONCE


def _mover(guess: Guess) -> _Mover:
    if guess.cause in _ONCE:
        return _Mover(guess.display, 1, ())
    members = tuple(sorted(one.at for one in guess.members))
    return _Mover(guess.display // guess.count, guess.count, members)


def _lasting(guess: Guess, scale: int, marks: Sequence[Mark]) -> Iterator[int]:
    """Give what a cause adds by each mark: wager by wager, or all of it since the reset."""
    if guess.cause not in _LASTING or not guess.display:
        yield from [guess.display] * len(marks)
        return
    total, at, end = 0, guess.start, guess.start + guess.count
    for mark in marks:
        while at < end and guess.members[at].at <= mark.at:
            total += _added(guess, guess.members[at], scale)
            at += 1
        yield total


def _added(guess: Guess, wager: Added, scale: int) -> int:
    if guess.rates is None:
        return rounding_of(wager.display, scale, guess.detail)
    more = (guess.rates[0] - wager.rates[0]) * wager.stake_minor * wager.is_shown
    return (more * scale).numerator
