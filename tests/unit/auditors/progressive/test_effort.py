"""A search for a cause takes so many steps and no more, however many wagers there are."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from auditors.progressive.attribution import candidates as guesses
from auditors.progressive.attribution.effort import STEPS_MAX, Effort, SearchedEnoughError
from auditors.progressive.attribution.explanations import explained
from auditors.progressive.attribution.fitting import Guess
from auditors.progressive.attribution.interval import Cause, Interval, SeenDisplay
from auditors.progressive.attribution.problem import problem_of
from auditors.progressive.attribution.smallest_cause import attribute
from tests.support.progressives.attribution_words import sentence_of
from tests.support.progressives.progressive_intervals import LETTERS, Day, Played

STEPPED = (Fraction(-1_234_463, 100), Fraction(432_113, 100))


def unexplained(count: int, stakes: tuple[int, ...], marks: int = 0) -> Interval:
    """Play an interval at twelve tables, at the end of which both meters are off by anything."""
    chance = random.Random(count)
    wagers = []
    for number in range(1, count + 1):
        table = chance.randrange(12)
        wagers.append(Played(number, f"BAC-{table:02}", chance.choice(stakes), LETTERS[table % 2]))
    interval = Day(wagers, stepped=STEPPED).interval()
    start = Fraction(5_000_000)
    seen = (
        SeenDisplay(101 + 2 * (number * count // marks), 0, start + number, start)
        for number in range(1, marks + 1)
    )
    return replace(interval, seen=tuple(seen))


@pytest.mark.parametrize(
    ("stakes", "marks"), [((500,), 0), (tuple(range(100, 3000, 7)), 0), ((500, 1000), 300)]
)
def test_however_many_wagers_there_are_the_steps_are_bounded(
    stakes: tuple[int, ...], marks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = 0

    def counted(*args: object, **fields: object) -> Guess:
        nonlocal built
        built += 1
        return Guess(*args, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(guesses, "Guess", counted)
    problem = problem_of(unexplained(6_000, stakes, marks))
    assert explained(problem) is None
    assert problem.effort.is_over
    assert built < STEPS_MAX


def test_a_search_that_was_ended_says_so_and_always_at_the_same_step() -> None:
    interval = unexplained(6_000, (500, 1000))
    (found,) = attribute(interval)
    assert found.cause is Cause.UNEXPLAINED
    assert sentence_of(found).endswith(
        "The search for a cause ended after 300,000 steps without one."
    )
    first, again = problem_of(interval), problem_of(interval)
    assert explained(first) is explained(again) is None
    assert first.effort.left == again.effort.left


def test_a_busy_minute_is_searched_through() -> None:
    interval = unexplained(300, tuple(range(500, 3000, 100)), marks=24)
    problem = problem_of(interval)
    assert explained(problem) is None
    assert 0 < problem.effort.left < STEPS_MAX
    (found,) = attribute(interval)
    assert "No known cause, and no two together" in sentence_of(found)


def test_what_is_spent_beyond_all_steps_ends_the_search() -> None:
    effort = Effort(3)
    effort.spend(3)
    assert not effort.is_over
    with pytest.raises(SearchedEnoughError):
        effort.spend(1)
    assert effort.is_over
