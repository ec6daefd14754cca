"""Displays that were seen in between, as at lock-outs, and the causes that they allow.

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

from auditors.law.interpretations import MeterCents
from auditors.progressive.attribution.effort import Effort
from auditors.progressive.attribution.fitting import Added, Band, Guess, rounding_of
from auditors.progressive.attribution.interval import Cause, Interval, SeenDisplay

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
    return tuple(
        mark_of(interval, seen, scale)
        for seen in interval.seen
        if since is None or seen.sequence > since
    )


def mark_of(interval: Interval, seen: SeenDisplay, scale: int) -> Mark:
    """Give a display that was seen as a mark."""
    is_half_up = interval.display_policy == MeterCents.ROUNDED
    return Mark(seen.sequence, _off(seen, scale, is_half_up=is_half_up))


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
    return courses.are_allowed()


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
    can_move = _Courses(marks, scale, (guess, *beside)).moves_of_first()
    ends = [0, *(one.at for one in marks)]
    return tuple(
        (start, marks[number].at if number < len(marks) else None)
        for number, start in enumerate(ends)
        if can_move[number]
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

    def are_allowed(self) -> bool:
        """Whether the causes can have moved so that every mark is allowed."""
        if len(self._movers) == 1:
            return bool(self._ways_of_one(self._movers[0]))
        return bool(self._ways()[-1])

    def moves_of_first(self) -> list[bool]:
        """Say of each stretch before a mark, and of that behind the last, whether the first cause
        can have moved in it, all marks being allowed."""
        if len(self._movers) == 1:
            return self._moves_of_one(self._movers[0])
        ways = self._ways()
        alive = ways[-1]
        found = [any(state[0] < self._movers[0].count for state in alive)]
        for number in range(len(self._marks) - 1, -1, -1):
            steps = [
                (had, moved)
                for had in ways[number]
                for moved in self._steps(had, number)
                if moved in alive
            ]
            found.append(any(moved[0] > had[0] for had, moved in steps))
            alive = {had for had, _ in steps}
        return found[::-1]

    def _ways(self) -> list[set[tuple[int, ...]]]:
        """Give how many moves of each there can be by each mark, none before the first."""
        ways = [{(0,) * len(self._movers)}]
        for number in range(len(self._marks)):
            if self._effort is not None:
                self._effort.spend(4 * len(ways[-1]))
            ways.append({moved for had in ways[-1] for moved in self._steps(had, number)})
        return ways

    def _steps(self, had: tuple[int, ...], number: int) -> Iterator[tuple[int, ...]]:
        """Give how many moves there can be by a mark, that many being made by the one before."""
        mark, before = self._marks[number], self._marks[number - 1].at if number else 0
        each = (
            _moves(mover, done, before, mark.at)
            for mover, done in zip(self._movers, had, strict=True)
        )
        for moved in product(*each):
            added = sum(n * one.unit for n, one in zip(moved, self._movers, strict=True))
            if mark.off.holds(self._fixed[number] + added):
                yield moved

    def _ways_of_one(self, mover: _Mover) -> list[tuple[int, int]]:
        """The same for one cause, of however many moves: each number between two can be.

        Returns:
            Nothing where some mark is not allowed.
        """
        ways, before = [(0, 0)], 0
        for number, mark in enumerate(self._marks):
            fewest, most = ways[-1]
            low, high = self._allowed(mover, number)
            fewest = max(fewest, low)
            most = min(most + mover.moved_between(before, mark.at), high)
            if fewest > most:
                return []
            ways.append((fewest, most))
            before = mark.at
        return ways

    def _allowed(self, mover: _Mover, number: int) -> tuple[int, int]:
        """Give the fewest and the most moves by a mark, whatever was before."""
        mark = self._marks[number]
        low, high = _times(mark.off.less(self._fixed[number]), mover.unit)
        return max(mover.moved_at_least(mark.at), low), min(mover.moved_by(mark.at), high)

    def _moves_of_one(self, mover: _Mover) -> list[bool]:
        ways = self._ways_of_one(mover)
        if not ways:
            return [False] * (len(self._marks) + 1)
        found = [ways[-1][0] < mover.count]
        least, most = ways[-1]
        for number in range(len(self._marks) - 1, -1, -1):
            before = self._marks[number - 1].at if number else 0
            between = mover.moved_between(before, self._marks[number].at)
            fewest, many = ways[number]
            found.append(max(1, least - many) <= min(between, most - fewest))
            least, most = max(fewest, least - between), min(many, most)
        return found[::-1]


def _moves(mover: _Mover, had: int, before: int, at: int) -> range:
    most = min(mover.moved_by(at), had + mover.moved_between(before, at))
    return range(max(had, mover.moved_at_least(at)), most + 1)


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
