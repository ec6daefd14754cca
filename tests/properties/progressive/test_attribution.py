"""Every cause that is planted in an interval is found, or named among those that fit equally."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditors.progressive.attribution.candidates import FREE_AMOUNT, LETTER_RATES
from auditors.progressive.attribution.explanations import explained
from auditors.progressive.attribution.fitting import Guess
from auditors.progressive.attribution.interval import Attribution, Cause, Interval
from auditors.progressive.attribution.problem import problem_of
from auditors.progressive.attribution.smallest_cause import attribute
from schemas.findings import FindingCode
from tests.support.progressives.progressive_intervals import (
    EVERY_DIGIT,
    FIFTEEN,
    NINETEEN,
    RESET,
    Day,
    Played,
    random_day,
)

seeds = st.integers(0, 2**32)
either = st.booleans()
decimals = st.sampled_from([EVERY_DIGIT, 0, 1, 2])
"""So many more than the currency has the meters are said with: the rest is cut off or rounded."""
examples = settings(max_examples=60, deadline=None)


def causes_of(found: tuple[Attribution, ...]) -> set[Cause]:
    return {cause for one in found for cause in (one.cause, *one.also_fits)}


def effect_of(found: tuple[Attribution, ...]) -> tuple[Fraction, Fraction]:
    return (
        sum((one.display_effect for one in found), Fraction(0)),
        sum((one.reserve_effect for one in found), Fraction(0)),
    )


def comes_to_what_is_read(day: Day, interval: Interval, effect: tuple[Fraction, Fraction]) -> bool:
    """Whether the meters with an effect would show just what they do, to the last digit said."""
    read, due = interval.reading.meters, interval.for_counted
    shown = day.shown(due.display + effect[0]), day.shown(due.reserve + effect[1])
    return shown == (read.display, read.reserve)


def is_a_way(
    day: Day, wrong: list[Played], rates: tuple[Fraction, Fraction], size: int
) -> Attribution | None:
    """Hold every way that is said to fit against what is read, and look for the true one.

    What was cut off a reading nobody can say: other wagers, or another rate, may come to it too.
    They must come to just what is read, and what is so must be among them.

    Returns:
        What is said; None where it assumes less than what is so, and comes to the same.
    """
    interval = day.interval()
    problem = problem_of(interval)
    found = explained(problem)
    assert found is not None
    (one,) = found
    for fit in one.fits:
        effect = problem.exact(fit.display), problem.exact(fit.reserve)
        assert comes_to_what_is_read(day, interval, effect), fit
    (told,) = attribute(interval)
    assert comes_to_what_is_read(day, interval, effect_of((told,)))
    if one.guess.size != size:
        assert one.guess.size < size
        return None
    if told.cause is Cause.RATE_SINCE:
        ways = [way_of(fit) for fit in one.fits]
        assert ([played.wager_id for played in wrong], rates) in ways
    else:
        assert Cause.RATE_SINCE in told.also_fits
    return told


def way_of(fit: Guess) -> tuple[list[str], tuple[Fraction, Fraction] | None]:
    """Give the wagers that a guess takes to be wrong, and the rates that it says were used."""
    members = fit.members[fit.start : fit.start + fit.count]
    return [one.wager_id for one in members], fit.rates


@examples
@given(
    seed=seeds,
    events=either,
    unit=either,
    hit=either,
    said=decimals,
    is_half_up=either,
)
def test_an_honest_controller_gives_nothing_to_attribute(
    seed: int, events: bool, unit: bool, hit: bool, said: int, is_half_up: bool
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=unit, has_hit=hit)
    assert attribute(day.interval()) == ()
    day.say(said, is_half_up=is_half_up)
    assert attribute(day.interval()) == ()


@examples
@given(seed=seeds, unit=either, many=st.integers(1, 6), said=decimals)
def test_wagers_without_an_event_are_named_one_by_one(
    seed: int, unit: bool, many: int, said: int
) -> None:
    chance = random.Random(seed)
    day = random_day(chance, unit=unit)
    day.say(said)
    missing = chance.sample(day.wagers, many)
    for one in missing:
        one.is_counted, one.times = False, 0
    found = attribute(day.interval())
    assert {one.code for one in found} == {FindingCode.CONTRIBUTION_MISSING}
    assert all(one.equal_fits is None for one in found)
    assert sum(one.wager_count for one in found) == many
    assert effect_of(found) == tuple(
        -sum((one.stake_minor * one.rates[at] for one in missing), Fraction(0)) for at in (0, 1)
    )


@examples
@given(seed=seeds, unit=either, many=st.integers(1, 4), said=decimals, is_half_up=either)
def test_wagers_lacking_in_the_counts_of_a_table_are_among_the_wagers_named(
    seed: int, unit: bool, many: int, said: int, is_half_up: bool
) -> None:
    chance = random.Random(seed)
    day = random_day(chance, unit=unit, has_wager_events=False)
    day.say(said, is_half_up=is_half_up)
    table = day.wagers[0].table_id
    of_table = [one for one in day.wagers if one.table_id == table]
    missing = chance.sample(of_table, min(many, len(of_table)))
    for one in missing:
        one.is_counted, one.times = False, 0
    (found,) = attribute(day.interval())
    assert (found.cause, found.code) == (
        Cause.WAGERS_NOT_COUNTED,
        FindingCode.CONTRIBUTION_MISSING,
    )
    assert found.wager_count == len(missing)
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()
    if found.equal_fits is not None:
        assert all(
            found.equal_fits.first_sequence <= one.sequence <= found.equal_fits.last_sequence
            for one in missing
        )


@examples
@given(
    seed=seeds,
    events=either,
    unit=either,
    twice=either,
    said=decimals,
    is_half_up=either,
)
def test_a_wager_that_is_counted_and_not_added_or_added_twice_is_among_those_named(
    seed: int, events: bool, unit: bool, twice: bool, said: int, is_half_up: bool
) -> None:
    chance = random.Random(seed)
    day = random_day(chance, has_wager_events=events, unit=unit)
    day.say(said, is_half_up=is_half_up)
    wrong = chance.choice(day.wagers)
    wrong.times = 2 if twice else 0
    (found,) = attribute(day.interval())
    assert found.cause is (Cause.COUNTED_TWICE if twice else Cause.WAGERS_NOT_COUNTED)
    assert found.wager_count == 1
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()
    sequence = wrong.sequence + 1 if events else wrong.sequence
    if found.equal_fits is None:
        assert found.place is not None
        assert found.place.sequence == sequence
        assert found.coups == (wrong.coup_id,)
    else:
        assert found.equal_fits.first_sequence <= sequence <= found.equal_fits.last_sequence


@examples
@given(seed=seeds, events=either, unit=either, said=decimals, is_half_up=either)
def test_the_rates_of_the_other_letter_since_a_moment_are_found_with_that_moment(
    seed: int, events: bool, unit: bool, said: int, is_half_up: bool
) -> None:
    chance = random.Random(seed)
    day = random_day(chance, has_wager_events=events, unit=unit)
    day.say(said, is_half_up=is_half_up)
    rates = chance.choice([one.rates for one in day.wagers])
    same = [one for one in day.wagers if one.rates == rates]
    since = chance.choice(same)
    wrong = [one for one in same if one.number >= since.number]
    used = NINETEEN if rates == FIFTEEN else FIFTEEN
    for one in wrong:
        one.used = used
    found = is_a_way(day, wrong, used, LETTER_RATES)
    assert found is not None or said != EVERY_DIGIT
    if found is not None:
        assert found.cause is Cause.RATE_SINCE
        sequence = since.sequence + 1 if events else since.sequence
        if found.equal_fits is None:
            assert found.place is not None
            assert found.place.sequence == sequence
        else:
            fits = found.equal_fits
            assert fits.first_sequence <= sequence <= fits.last_sequence


@examples
@example(seed=3681, events=False, unit=False, half_per_cents=6, said=0, is_half_up=False)
@example(seed=3681, events=False, unit=False, half_per_cents=6, said=2, is_half_up=False)
@given(
    seed=seeds,
    events=either,
    unit=either,
    half_per_cents=st.sampled_from([-4, -1, 1, 3, 6]),
    said=decimals,
    is_half_up=either,
)
def test_a_rate_that_nothing_names_is_found_or_said_to_fit_equally(
    seed: int, events: bool, unit: bool, half_per_cents: int, said: int, is_half_up: bool
) -> None:
    chance = random.Random(seed)
    day = random_day(chance, has_wager_events=events, unit=unit)
    day.say(said, is_half_up=is_half_up)
    rates = chance.choice([one.rates for one in day.wagers])
    same = [one for one in day.wagers if one.rates == rates][-30:]
    wrong = same[chance.randint(0, max(0, len(same) - 3)) :]
    used = (rates[0] + Fraction(half_per_cents, 200), rates[1])
    for one in wrong:
        one.used = used
    if len(wrong) > 1:
        found = is_a_way(day, wrong, used, FREE_AMOUNT)
        assert found is not None or said != EVERY_DIGIT
    else:
        interval = day.interval()
        assert comes_to_what_is_read(day, interval, effect_of(attribute(interval)))


@examples
@given(seed=seeds, events=either, is_half_up=either)
def test_contributions_rounded_one_by_one_are_found(
    seed: int, events: bool, is_half_up: bool
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=False)
    half = Fraction(1, 2) if is_half_up else Fraction(0)
    day.rounded = lambda amount: Fraction((amount + half) // 1)
    day.say(0)
    gap = day.wrong_by()
    found = attribute(day.interval())
    if not found:  # what is lacking is less than a truncated display would hide (D8)
        assert all(-1 < one <= 0 for one in gap)
    else:
        (one,) = found
        assert one.cause is Cause.ROUNDING_PER_WAGER
        assert (one.display_effect, one.reserve_effect) == gap


@examples
@given(
    seed=seeds,
    events=either,
    unit=either,
    moved=st.sampled_from([-5, -3, -1, 1, 2, 5]),
    said=decimals,
    is_half_up=either,
)
def test_a_reset_at_another_moment_is_found_with_the_wagers_that_went_elsewhere(
    seed: int, events: bool, unit: bool, moved: int, said: int, is_half_up: bool
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=unit, has_hit=True)
    day.say(said, is_half_up=is_half_up)
    assert day.locked_before is not None
    day.cut_before = day.locked_before + moved
    (found,) = attribute(day.interval())
    assert found.cause is (Cause.RESET_EARLY if moved < 0 else Cause.RESET_LATE)
    assert found.wager_count == abs(moved)
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()


@examples
@given(seed=seeds, events=either, unit=either, is_said=either, more=st.integers(-90_000, 90_000))
def test_a_reset_to_another_amount_is_found_or_said_to_fit_equally(
    seed: int, events: bool, unit: bool, is_said: bool, more: int
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=unit, has_hit=True)
    day.reset_to = RESET + more
    if not is_said:
        interval = day.interval()
        day.said_to = interval.changes[0].after_expected
    found = attribute(day.interval())
    assert effect_of(found) == day.wrong_by()
    if more and is_said:
        assert Cause.RESET_AMOUNT in causes_of(found)
    elif more and Cause.RESET_AMOUNT not in causes_of(found):
        # What the event does not say can look like a smaller cause, which then comes to the same.
        assert causes_of(found) & {
            Cause.RATE_SINCE,
            Cause.RESET_EARLY,
            Cause.RESET_LATE,
            Cause.ROUNDING_PER_WAGER,
        }


@examples
@given(seed=seeds, events=either, unit=either, is_reserve=either, step=st.integers(1, 10**6))
def test_a_step_of_one_meter_is_said_to_be_of_unknown_origin_unless_a_rule_comes_to_it(
    seed: int, events: bool, unit: bool, is_reserve: bool, step: int
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=unit)
    day.stepped = (Fraction(0), Fraction(step)) if is_reserve else (Fraction(-step), Fraction(0))
    (found,) = attribute(day.interval())
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()
    named = {found.cause, *found.also_fits}
    assert named & {Cause.STEP_UNKNOWN, Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER}
    if found.cause is Cause.STEP_UNKNOWN:
        assert found.place == day.interval().reading.place


@examples
@given(
    seed=seeds,
    events=either,
    unit=either,
    hit=either,
    sevenths=st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)),
)
def test_noise_that_no_cause_comes_to_stays_unexplained(
    seed: int, events: bool, unit: bool, hit: bool, sevenths: tuple[int, int]
) -> None:
    day = random_day(random.Random(seed), has_wager_events=events, unit=unit, has_hit=hit)
    tiny = Fraction(1, 1024) * 3  # no stake at any rate of half per cents has such a part
    day.stepped = (sevenths[0] + tiny, sevenths[1] + tiny / 3)
    (found,) = attribute(day.interval())
    assert (found.cause, found.code) == (Cause.UNEXPLAINED, FindingCode.METER_DRIFT)
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()
    assert found.also_fits == ()


@examples
@given(seed=seeds, events=either)
def test_two_causes_together_are_both_found(seed: int, events: bool) -> None:
    chance = random.Random(seed)
    day = random_day(chance, has_wager_events=events, unit=False, has_hit=True)
    assert day.locked_before is not None
    day.cut_before = day.locked_before + 2
    wrong = chance.choice(day.wagers)
    if wrong.number in (day.locked_before, day.locked_before + 1):
        return
    wrong.times = 0
    found = attribute(day.interval())
    assert effect_of(found) == day.wrong_by()
    if len(found) > 1:  # else several of a group of equals come to the same, which is less
        causes = causes_of(found)
        assert Cause.WAGERS_NOT_COUNTED in causes
        # The reset itself states the amount that lacks both where the wager came before it.
        is_in_amount = day.cut_before <= wrong.number < day.reset_before
        assert Cause.RESET_LATE in causes or (is_in_amount and Cause.RESET_AMOUNT in causes)


@pytest.mark.parametrize("count", [3_000])
def test_a_long_interval_is_searched_in_bounded_steps(count: int) -> None:
    chance = random.Random(1)
    day = random_day(chance, unit=False)
    first = day.wagers[0]
    day.wagers = [
        type(first)(n, f"BAC-{n % 3}", chance.choice((500, 733, 1000)), FIFTEEN)
        for n in range(1, count)
    ]
    day.stepped = (Fraction(13, 1024), Fraction(7, 1024))
    (found,) = attribute(day.interval())
    assert found.cause is Cause.UNEXPLAINED
