"""The smallest explanation that fits exactly: one cause, else two, else none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from auditors.progressive.attribution.candidates import (
    FREE_AMOUNT,
    LETTER_RATES,
    ONE_EVENT,
    STATED_RATE,
    STATED_RESET,
    few_of_a_group,
    free_amounts,
    free_rates,
    resets,
    rounded_contributions,
    seen_rates,
    stated_rates,
    voids,
    wagers_left_out_or_repeated,
)
from auditors.progressive.attribution.counts import count_gaps, counts_alone, guesses_by_count
from auditors.progressive.attribution.effort import SearchedEnoughError
from auditors.progressive.attribution.fitting import GUESSES_MAX, CountGap, Gap, Guess, pairs_within
from auditors.progressive.attribution.interval import Cause
from auditors.progressive.attribution.problem import Problem, gap_of

_ORDER: Final = (
    Cause.ROUNDING_PER_WAGER,
    Cause.VOID_KEPT,
    Cause.VOID_REVERSED,
    Cause.WAGERS_NOT_COUNTED,
    Cause.COUNTED_TWICE,
    Cause.RESET_EARLY,
    Cause.RESET_LATE,
    Cause.RESET_AMOUNT,
    Cause.RATE_SINCE,
    Cause.STEP_UNKNOWN,
)


_LASTING: Final = (Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER)


@dataclass(frozen=True, slots=True)
class Explained:
    """One cause that was chosen, and what fits as well."""

    guess: Guess
    fits: tuple[Guess, ...]
    """All guesses of this cause that fit and are as small, the chosen one first."""
    also: tuple[Cause, ...] = ()
    """Other causes with guesses that fit and are as small."""
    pair_count: int = 1
    """So many pairs of causes fit and are as small, where two were needed."""
    beside: tuple[Guess, ...] = ()
    """The other cause of the pair."""


def explained(problem: Problem) -> tuple[Explained, ...] | None:
    """Explain the gap of the meters and of the counts.

    Returns:
        The causes; none where nothing differs; None where nothing fits, or nothing that was found
        in so many steps as a search may take.
    """
    try:
        return _explained(problem)
    except SearchedEnoughError:
        return () if gap_of(problem).holds(0, 0) else None


def _explained(problem: Problem) -> tuple[Explained, ...] | None:
    gap = gap_of(problem)
    lacking = count_gaps(problem)
    if lacking and gap.holds(0, 0):
        return _beside_a_reset(problem, lacking, gap) or tuple(
            Explained(one, (one,)) for one in counts_alone(lacking)
        )
    for by_count in guesses_by_count(problem, lacking) if lacking else ():
        known = tuple(Explained(one, (one,)) for one in by_count)
        display = sum(one.display for one in by_count)
        reserve = sum(one.reserve for one in by_count)
        found = _explained_meters(problem, gap.less(display, reserve))
        if found is not None:
            return known + found
    # What the counts say is so; no cause in the meters alone explains it.
    return None if lacking else _explained_meters(problem, gap)


def _beside_a_reset(
    problem: Problem, lacking: tuple[CountGap, ...], gap: Gap
) -> tuple[Explained, ...]:
    """Give what counts lack with what a reset itself says, where the two cancel in the meters."""
    stated = [one for one in resets(problem) if one.size <= STATED_RATE and one.display]
    for by_count in guesses_by_count(problem, lacking) if stated else ():
        for reset in stated:
            display = reset.display + sum(one.display for one in by_count)
            reserve = reset.reserve + sum(one.reserve for one in by_count)
            is_moving = any(one.display for one in by_count)
            if is_moving and gap.holds(display, reserve):
                return tuple(Explained(one, (one,)) for one in (*by_count, reset))
    return ()


def _cancelled(problem: Problem, gap: Gap) -> tuple[Explained, ...]:
    """Give two causes that cancel by the reading, where displays show that something was wrong."""
    if problem.are_seen(()):
        return ()

    def is_allowed(pair: tuple[Guess, Guess]) -> bool:
        is_double = all(problem.is_of_reset(one) for one in pair)
        return not is_double and all(one.display for one in pair) and problem.are_seen(pair)

    parts = _parts(_ready_guesses(problem, gap), problem)
    pairs = pairs_within(gap, parts, is_allowed, problem.effort)
    return _of_pairs(gap, pairs) if pairs else ()


def _explained_meters(problem: Problem, gap: Gap) -> tuple[Explained, ...] | None:
    if gap.holds(0, 0):
        return _cancelled(problem, gap)
    ready = _ready_guesses(problem, gap)
    if (single := _smallest(problem, gap, _singles(problem, gap, ready))) is not None:
        return _stated_instead(problem, gap, ready, single) or (single,)
    if pairs := pairs_within(gap, _parts(ready, problem), problem.are_seen, problem.effort):
        return _of_pairs(gap, pairs)
    if beside := _step_beside(problem, gap, ready):
        return beside
    for rates in (free_rates(problem, gap, both=True), seen_rates(problem, gap)):
        if (single := _smallest(problem, gap, rates)) is not None:
            return (single,)
    return None


def _stated_instead(
    problem: Problem, gap: Gap, ready: Sequence[Guess], single: Explained
) -> tuple[Explained, ...]:
    """Give what a reset itself states and one named cause beside it, in place of a free amount.

    An amount that nothing names fits any difference; one that is on record assumes less.
    """
    if single.guess.size < FREE_AMOUNT:
        return ()
    stated = [one for one in ready if one.size == STATED_RESET]
    if not stated:
        return ()

    def is_allowed(pair: tuple[Guess, Guess]) -> bool:
        is_stated = any(one.size == STATED_RESET for one in pair)
        is_small = sum(one.size for one in pair) <= single.guess.size
        return is_stated and is_small and problem.are_seen(pair)

    pairs = pairs_within(gap, _parts(ready, problem), is_allowed, problem.effort)
    return _of_pairs(gap, pairs) if pairs else ()


def _step_beside(problem: Problem, gap: Gap, ready: Sequence[Guess]) -> tuple[Explained, ...]:
    """Give a step of the display beside a cause that was known before and went on.

    What the reserve has says how far that went.
    """
    for one in ready:
        is_known = one.cause.value in problem.interval.going_on and one.start == 0
        if not (is_known and one.reserve and gap.reserve.holds(one.reserve)):
            continue
        for step in free_amounts(problem, gap.less(one.display, one.reserve)):
            if step.cause is Cause.STEP_UNKNOWN and problem.are_seen((one, step)):
                return (
                    Explained(one, (one,), beside=(step,)),
                    Explained(step, (step,), beside=(one,)),
                )
    return ()


def _parts(ready: Sequence[Guess], problem: Problem) -> list[Guess]:
    """Give what a combination may be made of: what something on record names."""
    named = (one for one in ready if one.size <= LETTER_RATES)
    parts = [*(one for one in named if _can_begin(problem, one)), *few_of_a_group(problem)]
    if len(parts) > GUESSES_MAX:
        parts = [one for one in parts if one.cause is not Cause.RATE_SINCE or one.size == ONE_EVENT]
    return parts


def _can_begin(problem: Problem, guess: Guess) -> bool:
    """Whether something lasting began where the displays can have parted."""
    if guess.cause not in _LASTING or guess.start == 0:
        return True
    return problem.can_begin_at(guess.members[guess.start], guess.display)


def _ready_guesses(problem: Problem, gap: Gap) -> tuple[Guess, ...]:
    """Give the guesses whose effect does not depend on the gap, as far as they may be needed."""
    return (
        *rounded_contributions(problem, gap),
        *resets(problem),
        *voids(problem),
        *stated_rates(problem, gap),
    )


def _singles(problem: Problem, gap: Gap, ready: Iterable[Guess]) -> Iterator[Guess]:
    return chain(
        (one for one in ready if gap.holds(one.display, one.reserve)),
        wagers_left_out_or_repeated(problem, gap),
        free_rates(problem, gap, both=False),
        free_amounts(problem, gap),
    )


def _smallest(problem: Problem, gap: Gap, guesses: Iterable[Guess]) -> Explained | None:
    """Give those that assume least; one that comes to just what was read is told first."""
    fitting = [one for one in guesses if problem.are_seen((one,))]
    if not fitting:
        return None
    least = min(one.size for one in fitting)
    small = sorted(
        (one for one in fitting if one.size == least),
        key=lambda one: (not gap.is_said(one.display, one.reserve), _ORDER.index(one.cause)),
    )
    chosen = small[0]
    fits = tuple(one for one in small if one.cause is chosen.cause)
    also = tuple(dict.fromkeys(one.cause for one in small if one.cause is not chosen.cause))
    return Explained(chosen, fits, also)


def _of_pairs(gap: Gap, pairs: Sequence[tuple[Guess, Guess]]) -> tuple[Explained, ...]:
    apart = {frozenset(one.identity for one in pair): pair for pair in pairs[::-1]}
    ordered = [
        sorted(pair, key=lambda one: _ORDER.index(one.cause)) for pair in [*apart.values()][::-1]
    ]
    ordered.sort(
        key=lambda pair: (
            not gap.is_said(sum(one.display for one in pair), sum(one.reserve for one in pair)),
            [_ORDER.index(one.cause) for one in pair],
        )
    )
    chosen = ordered[0]
    causes = {one.cause for one in chosen}
    also = tuple(
        cause
        for cause in _ORDER
        if cause not in causes and any(one.cause is cause for pair in ordered for one in pair)
    )
    return tuple(
        Explained(one, (one,), also, len(ordered), (chosen[1 - at],))
        for at, one in enumerate(chosen)
    )
