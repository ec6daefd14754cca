"""A group that is balanced anew again and again is told of, once, and says why that may be."""

from __future__ import annotations

from streams.worker.unrest import MANY, WITHIN_S, Unrest
from tests.support.clocks import SetClock


def test_two_workers_of_one_name_are_told_of_once_and_for_as_long_as_it_lasts() -> None:
    clock, said = SetClock(), []
    unrest = Unrest(clock, said.append, "w1")
    for _ in range(3 * MANY):
        unrest.noted()
        clock.advance(4)
    (line,) = said
    assert line == unrest.problem()
    assert "whether another worker is named w1 too" in line
    clock.advance(WITHIN_S)
    assert unrest.problem() is None
    for _ in range(MANY):
        unrest.noted()
    assert len(said) == 2


def test_workers_that_are_started_one_by_one_are_no_unrest() -> None:
    clock, said = SetClock(), []
    unrest = Unrest(clock, said.append, None)
    for _ in range(30):
        unrest.noted()
        clock.advance(WITHIN_S / MANY + 2)
    assert said == []
    assert unrest.problem() is None
