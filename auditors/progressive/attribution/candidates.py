"""Single causes that there can be, and what each would have done to the meters.

Sizes say how much a cause assumes: 8 is what the controller itself says of a reset, 10 one named
event or a rule without any choice, 20 and more
need an amount or a number that nothing on record names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from auditors.progressive.attribution.fitting import (
    HALF_UP,
    ROUNDED_UP,
    TOGETHER_MAX,
    TRUNCATED,
    Added,
    Band,
    Gap,
    Guess,
    groups_of_equals,
    multiples_within,
    rounding_of,
)
from auditors.progressive.attribution.interval import Cause, MeterChange
from auditors.progressive.attribution.problem import Problem, position_of
from auditors.progressive.attribution.scopes import Scope, sums_of

STATED_RESET: Final = 8
ONE_EVENT: Final = 10
STATED_RATE: Final = 12
LETTER_RATES: Final = 13
SEVERAL_EQUALS: Final = 20
FREE_AMOUNT: Final = 24
ROUNDING_SINCE: Final = FREE_AMOUNT
TWO_FREE_RATES: Final = 30

RESERVE_KEPT: Final = "reserve_kept"
"""The reserve was said to pay its part of a reset, and still has it."""

_HALF_PER_CENT: Final = Fraction(1, 200)
_BASIS_POINT: Final = Fraction(1, 10_000)
_RATE_WAGERS_MIN: Final = 2
_MARKS_MIN: Final = 2
_STEPS_MAX: Final = 4
_MIDDLES_MAX: Final = 32


def wagers_left_out_or_repeated(problem: Problem, gap: Gap) -> Iterator[Guess]:
    """Some of a group of equal wagers are not in the meter, or are in it twice."""
    for group in possible_groups(problem):
        first = group[0]
        for cause, sign in ((Cause.WAGERS_NOT_COUNTED, -1), (Cause.COUNTED_TWICE, 1)):
            display, reserve = sign * first.display, sign * first.reserve
            times = multiples_within(gap, display, reserve, len(group))
            if times is not None:
                yield _of_group(cause, group, times, sign)


def few_of_a_group(problem: Problem) -> Iterator[Guess]:
    """The same for a few wagers, whatever the gap: parts of a combination."""
    for group in possible_groups(problem):
        for times in range(1, min(TOGETHER_MAX, len(group)) + 1):
            yield _of_group(Cause.WAGERS_NOT_COUNTED, group, times, -1)
            yield _of_group(Cause.COUNTED_TWICE, group, times, 1)


def _of_group(cause: Cause, group: tuple[Added, ...], times: int, sign: int) -> Guess:
    return Guess(
        cause,
        sign * times * group[0].display,
        sign * times * group[0].reserve,
        ONE_EVENT if times == 1 else SEVERAL_EQUALS,
        group,
        count=times,
    )


def possible_groups(problem: Problem) -> tuple[tuple[Added, ...], ...]:
    """Give the groups of equal wagers at which the meters can have parted."""
    possible = [one for one in problem.wagers if problem.can_begin_at(one, one.display)]
    return groups_of_equals(possible, by_table=not problem.interval.has_wager_events)


def rounded_contributions(problem: Problem, gap: Gap) -> Iterator[Guess]:
    """Each contribution was rounded to minor units by itself, in one meter or in both.

    For a while only where the reserve allows it: such a cause is no part of a combination.
    """
    wagers = problem.wagers
    for word in (TRUNCATED, HALF_UP, ROUNDED_UP):
        problem.effort.spend(6 * len(wagers))
        display, reserve = (
            sums_of(rounding_of(one, problem.scale, word) for one in amounts)
            for amounts in ([one.display for one in wagers], [one.reserve for one in wagers])
        )
        for start, stop in _stretches(wagers, has_middles=False):
            is_whole = stop - start == len(wagers)
            by_display = display[stop] - display[start]
            by_reserve = reserve[stop] - reserve[start]
            for effect in ((by_display, by_reserve), (by_display, 0), (0, by_reserve)):
                if effect == (0, 0) or not (is_whole or gap.reserve.holds(effect[1])):
                    continue
                size = ONE_EVENT if is_whole else ROUNDING_SINCE
                yield Guess(
                    Cause.ROUNDING_PER_WAGER,
                    *effect,
                    size,
                    wagers,
                    start,
                    stop - start,
                    detail=word,
                )


def _stretches(wagers: Sequence[Added], *, has_middles: bool) -> Iterator[tuple[int, int]]:
    """Give where something lasting can have begun and ended: first index, and that behind the last.

    Up to the reading first, then from the beginning on; what began and ended in between only where
    there are few wagers.
    """
    count = len(wagers)
    yield from ((start, count) for start in range(count))
    yield from ((0, stop) for stop in range(1, count))
    if has_middles and count <= _MIDDLES_MAX:
        for start in range(1, count):
            yield from ((start, stop) for stop in range(start + 1, count))


def resets(problem: Problem) -> Iterator[Guess]:
    """The meter was set back to another amount, or at another moment than the lock-out."""
    for number, reset in enumerate(problem.resets):
        is_last = number == len(problem.resets) - 1
        if is_last:
            yield from _at_another_moment(problem, reset)
        said, due = reset.after_said, reset.after_expected
        display = 0
        if is_last and said is not None and due is not None:
            display = problem.scaled(said - due)
        funded, funding = reset.reserve_said, reset.reserve_expected
        reserve = 0 if funded is None or funding is None else problem.scaled(funding - funded)
        if display or reserve:
            # Where the won meter has just what this one lacks, both were parted at another moment.
            is_parted = display != 0 and _is_parted(problem, reset, display)
            size = STATED_RATE if is_parted else STATED_RESET
            yield Guess(Cause.RESET_AMOUNT, display, reserve, size, change=reset)
        kept = problem.scaled(funded) if funded is not None else 0
        if kept:
            yield Guess(Cause.RESET_AMOUNT, 0, kept, ONE_EVENT, change=reset, detail=RESERVE_KEPT)


def _at_another_moment(problem: Problem, reset: MeterChange) -> Iterator[Guess]:
    lock = problem.last_lock
    end = position_of(problem.by_sequence, reset.place.sequence, reset.at_us)
    before = tuple(one for one in problem.around if lock is not None and one.at <= lock)
    behind = tuple(one for one in problem.around if one.is_shown and one.at <= end)
    stated = _stated(problem, reset.after_said, reset.after_expected)
    for cause, wagers, sign in (
        (Cause.RESET_EARLY, before[::-1], 1),
        (Cause.RESET_LATE, behind, -1),
    ):
        total = 0
        for count, one in enumerate(wagers, 1):
            total += sign * (one.stake_minor * one.rates[0] * problem.scale).numerator
            if _may_be_parted(problem, reset, total):
                is_stated = stated is not None and abs(stated - total) < problem.scale
                size = STATED_RESET if is_stated else ONE_EVENT
                yield Guess(cause, total, 0, size, wagers, 0, count, change=reset)


def _won_otherwise(problem: Problem, reset: MeterChange) -> Iterator[int]:
    """Give by how much the meter that was won is said to differ, where it is said."""
    for said, due in (
        (reset.before_said, reset.before_expected),
        (reset.won_said, reset.won_expected),
    ):
        moved = _stated(problem, said, due)
        if moved is not None:
            yield moved


def _is_parted(problem: Problem, reset: MeterChange, more: int) -> bool:
    """Whether the meter that was won has too little what the next one has too much."""
    return any(abs(one + more) < problem.scale for one in _won_otherwise(problem, reset) if one)


def _may_be_parted(problem: Problem, reset: MeterChange, more: int) -> bool:
    """The same, or the wagers are in both meters, or in neither: the won one is as it should be."""
    others = [one for one in _won_otherwise(problem, reset) if abs(one) >= problem.scale]
    return all(abs(one + more) < problem.scale for one in others)


def _stated(problem: Problem, said: Fraction | None, due: Fraction | None) -> int | None:
    return None if said is None or due is None else problem.scaled(said - due)


def voids(problem: Problem) -> Iterator[Guess]:
    """What a voided coup had added was taken back and nobody said so, or the other way round."""
    for one in problem.interval.voids:
        display, reserve = problem.scaled(one.display), problem.scaled(one.reserve)
        sign, cause = (1, Cause.VOID_KEPT) if one.is_reversed else (-1, Cause.VOID_REVERSED)
        if display or reserve:
            yield Guess(cause, sign * display, sign * reserve, ONE_EVENT, void=one)


def stated_rates(problem: Problem, gap: Gap) -> Iterator[Guess]:
    """A rate that the controller states, or that belongs to another letter, was used."""
    tables = {one.table_id: one for one in problem.interval.tables}
    for scope in problem.scopes:
        rates = scope.rates
        for change in problem.interval.changes:
            if change.kind == "parameter" and change.table_id in (None, *scope.tables):
                after = _after(change, rates)
                yield from _rated(problem, scope, after, STATED_RATE, gap.reserve, change)
        table = tables.get(scope.wagers[0].table_id)
        if len(scope.tables) == 1 and table is not None:
            increment, reserve = table.increment_configured, table.reserve_configured
            stated = (
                rates[0] if increment is None else increment,
                rates[1] if reserve is None else reserve,
            )
            yield from _rated(problem, scope, stated, STATED_RATE, gap.reserve)
        for letter in problem.interval.known_rates:
            yield from _rated(problem, scope, letter, LETTER_RATES, gap.reserve)
            for partly in ((letter[0], rates[1]), (rates[0], letter[1])):
                if partly != letter:
                    yield from _rated(problem, scope, partly, FREE_AMOUNT, gap.reserve)


def _after(change: MeterChange, rates: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    if change.value_after is None:
        return rates
    if change.parameter == "increment_rate":
        return change.value_after, rates[1]
    return (rates[0], change.value_after) if change.parameter == "reserve_rate" else rates


def _rated(
    problem: Problem,
    scope: Scope,
    rates: tuple[Fraction, Fraction],
    size: int,
    reserves: Band,
    change: MeterChange | None = None,
) -> Iterator[Guess]:
    if rates == scope.rates:
        return
    wagers = scope.wagers
    more = [problem.scaled(new - old) for new, old in zip(rates, scope.rates, strict=True)]
    at = None
    if change is not None:
        at = position_of(problem.by_sequence, change.place.sequence, change.at_us)
    problem.effort.spend(2 * len(wagers) * (1 if size >= FREE_AMOUNT else 3))
    for start, stop in _stretches(wagers, has_middles=size < FREE_AMOUNT):
        reserve = (scope.staked[stop] - scope.staked[start]) * more[1]
        if size >= FREE_AMOUNT and not reserves.holds(reserve):
            continue  # it is no part of a combination
        is_named = start == 0 or (at is not None and wagers[start - 1].at <= at < wagers[start].at)
        assumed = size
        if size == STATED_RATE and is_named and stop == len(wagers):
            assumed = ONE_EVENT
        yield Guess(
            Cause.RATE_SINCE,
            (scope.shown[stop] - scope.shown[start]) * more[0],
            reserve,
            assumed,
            wagers,
            start,
            stop - start,
            rates,
            change,
        )


def free_rates(problem: Problem, gap: Gap, *, both: bool) -> Iterator[Guess]:
    """A rate that nothing names, in half per cents, was used for at least two wagers.

    Args:
        problem: The interval.
        gap: What has to be explained.
        both: Another rate for display and reserve, which displays must bear out, in place of one
            of them.
    """
    for one in _any_rates(problem, gap, _HALF_PER_CENT):
        if (one.size == TWO_FREE_RATES) == both and (not both or _is_borne_out(problem, one)):
            yield one


def seen_rates(problem: Problem, gap: Gap) -> Iterator[Guess]:
    """A rate in hundredths of a per cent, which displays seen while it was used bear out.

    No display bears out a rate of the reserve: that one is as filed, or in half per cents.
    """
    for one in _any_rates(problem, gap, _BASIS_POINT):
        is_common = one.rates is not None and (one.rates[1] / _HALF_PER_CENT).denominator == 1
        if one.display and (is_common or not one.reserve) and _is_borne_out(problem, one):
            yield one


def _is_borne_out(problem: Problem, one: Guess) -> bool:
    """Whether displays were seen while a rate was used.

    So many rates would come to some gap exactly that the sum alone says nothing.
    """
    first, last = one.members[one.start], one.members[one.start + one.count - 1]
    return sum(first.at <= mark.at < last.at for mark in problem.marks) >= _MARKS_MIN


def _any_rates(problem: Problem, gap: Gap, least: Fraction) -> Iterator[Guess]:
    """Give rates that differ from those filed by a multiple of the least that they can."""
    step = problem.scaled(least)
    for scope in problem.scopes:
        shown, staked = scope.shown, scope.staked
        problem.effort.spend(3 * len(scope.wagers))
        for start, stop in _stretches(scope.wagers, has_middles=False):
            if stop - start < _RATE_WAGERS_MIN:
                continue
            amounts = (shown[stop] - shown[start]) * step, (staked[stop] - staked[start]) * step
            for more in _both_steps(gap, amounts, scope.rates, least):
                yield _freely_rated(scope.wagers, (start, stop), amounts, more, least)


def _both_steps(
    gap: Gap,
    amounts: tuple[int, int],
    filed: tuple[Fraction, Fraction],
    least: Fraction,
) -> Iterator[tuple[int, int]]:
    """Give by how many steps the rates must differ to explain a gap."""
    for by_display in _steps(gap.display, amounts[0]):
        for by_reserve in _steps(gap.reserve, amounts[1]):
            rates = filed[0] + by_display * least, filed[1] + by_reserve * least
            if rates != filed and min(rates) >= 0 and max(rates) <= 1:
                yield by_display, by_reserve


def _freely_rated(
    wagers: tuple[Added, ...],
    stretch: tuple[int, int],
    amounts: tuple[int, int],
    more: tuple[int, int],
    least: Fraction,
) -> Guess:
    filed = wagers[0].rates
    return Guess(
        Cause.RATE_SINCE,
        more[0] * amounts[0],
        more[1] * amounts[1],
        TWO_FREE_RATES if all(more) else FREE_AMOUNT,
        wagers,
        stretch[0],
        stretch[1] - stretch[0],
        (filed[0] + more[0] * least, filed[1] + more[1] * least),
    )


def _steps(band: Band, amount: int) -> range:
    """Give the numbers of steps of an amount that lie within a band, at most a few."""
    if amount == 0:
        return range(1) if band.holds(0) else range(0)
    first = -(-band.low // amount)
    return range(first, min(band.high // amount, first + _STEPS_MAX - 1) + 1)


def free_amounts(problem: Problem, gap: Gap) -> Iterator[Guess]:
    """One meter moved once by whole minor units, as no contribution does; or nobody wagered."""
    display, reserve = _whole(gap.display, problem.scale), _whole(gap.reserve, problem.scale)
    is_idle = not any(problem.can_part_at(one) for one in problem.wagers)
    is_one_meter = (display is not None and gap.reserve.holds(0)) or (
        reserve is not None and gap.display.holds(0)
    )
    if is_idle or is_one_meter:
        moved = (display or 0, reserve or 0) if is_one_meter else (gap.display.low, gap.reserve.low)
        yield Guess(Cause.STEP_UNKNOWN, *moved, FREE_AMOUNT)
    if problem.resets and display and (gap.reserve.holds(0) or gap.reserve.holds(-display)):
        funded = 0 if gap.reserve.holds(0) else -display
        yield Guess(Cause.RESET_AMOUNT, display, funded, FREE_AMOUNT, change=problem.resets[-1])


def _whole(band: Band, scale: int) -> int | None:
    """Give the whole minor units, other than none, in a band."""
    whole = -(-band.low // scale) * scale
    return whole if whole and band.holds(whole) else None
