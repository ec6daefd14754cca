"""A verdict names what a person should look at before money is paid."""

import pytest

from auditors.settlement.amounts import Meter
from tests.support.tables.deals import rules_with, verdict

SIX_KINGS = "KS KH KD | KC KS KH"


def test_a_row_that_would_pay_more_is_for_review_only_where_the_text_leaves_that_open() -> None:
    free = rules_with(commission="free")
    found = verdict(free, "rising_phoenix.banker", "2S 3H KS | AC AD 5H", 10_000)
    assert found.outcome == "push"
    assert "For review" not in found.sentence
    harmony = rules_with(letters={"harmony_mini": "A"})
    small = verdict(harmony, "harmony_mini", SIX_KINGS, 500, Meter(10_000, (500,), 0))
    assert small.sentence.endswith("For review: the row Six 0-value cards would pay more (D2).")


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ("equal_share", "meter 100.01, shared by 2 winning wagers: 50.01 ="),
        ("pro_rata_stake", "meter 100.01, shared by 2 winning wagers: 50.01 ="),
        ("each_full", "meter 100.01, won by 2 winning wagers: 100.01 ="),
        ("sequential_reset", "meter 100.01, won by 2 winning wagers: 100.01 ="),
    ],
)
def test_a_meter_that_is_paid_whole_is_not_called_shared(reading: str, said: str) -> None:
    rules = rules_with(letters={"harmony_mini": "A"}, readings={"D3": reading})
    found = verdict(rules, "harmony_mini", SIX_KINGS, 500, Meter(10_001, (500, 500), 0))
    assert said in found.sentence
