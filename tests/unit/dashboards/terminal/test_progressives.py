"""What is said of a reading must say how far off it is, and never more than was judged."""

from __future__ import annotations

import pytest

from dashboards.terminal.tables.progressives import judgement
from schemas.progressive_rows import MeterComparison, ReadingRow
from tests.support.progressives.progressive_records import a_drifting_reading, a_reading


def row(**changes: object) -> ReadingRow:
    found = a_reading(1, 41, **changes).progressive
    assert isinstance(found, ReadingRow)
    return found


def test_a_reading_that_differs_says_by_how_much() -> None:
    drifting = a_drifting_reading(1, 41).progressive
    assert isinstance(drifting, ReadingRow)
    assert judgement(drifting) == "meters differ from what was counted: display 0.75 less"
    lacking = MeterComparison(
        meter="reserve", read="4000.0015", for_counted="4000.0015", for_accepted="4000.1265"
    )
    assert judgement(row(is_complete=False, compared=(lacking,))) == (
        "not all counted as accepted: reserve 0.1250 less"
    )


@pytest.mark.parametrize(
    ("right", "complete", "words"),
    [
        (True, True, "agrees"),
        (None, None, "not judged"),
        (True, None, "not known yet whether all was counted"),
        (False, True, "meters differ from what was counted"),
    ],
)
def test_what_was_not_judged_is_not_said_to_agree(
    right: bool | None, complete: bool | None, words: str
) -> None:
    judged = row(is_arithmetic_right=right, is_complete=complete)
    assert judgement(judged) == words
    assert judgement(judged.model_copy(update={"left_out": ("T2",)})) == f"{words}, without T2"


def test_a_reading_that_waits_is_pending() -> None:
    assert judgement(row(state="pending")) == "pending"
