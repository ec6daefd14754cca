"""What changed between two Rules Submissions, and what it changes at the table."""

import pytest

from auditors.filings import diff_submissions
from auditors.law import load_law
from schemas.rules_submission import (
    Commission,
    FiledProgressive,
    OfferedWager,
    RulesSubmission,
)
from tests.support.tables.submissions import a_progressive, a_submission, a_wager

LAW = load_law()
GOLDEN = a_wager("golden_talons", "A")


def test_equal_filings_have_no_changes_whatever_their_order_and_spelling() -> None:
    one = a_submission(a_wager("house.big", minimum="10"), GOLDEN)
    other = a_submission(GOLDEN, a_wager("house.big", minimum="10.00"))
    assert diff_submissions(one, one) == ()
    assert diff_submissions(one, other) == ()
    rates = [a_submission(commission={"form": "standard", "rate": rate}) for rate in ("5%", "5 %")]
    assert diff_submissions(*rates) == ()


def test_another_letter_is_a_change_that_names_the_rows_that_pay_otherwise() -> None:
    (change,) = diff_submissions(
        a_submission(GOLDEN), a_submission(a_wager("golden_talons", "B")), LAW
    )
    assert (change.field, change.before, change.after) == (
        "wagers[golden_talons].paytable",
        "A",
        "B",
    )
    assert change.effect == (
        "Natural tie 2 to 1 (was push); Win by 9 20 to 1 (was 30 to 1); "
        "Win by 7 5 to 1 (was 6 to 1)"
    )


def test_letters_whose_rows_are_the_same_for_a_wager_change_nothing_for_it() -> None:
    pair = [a_submission(a_wager("eclipse.sun_7", letter)) for letter in "AB"]
    assert diff_submissions(*pair)[0].effect == "every row of this wager pays the same"


def test_rows_that_only_one_letter_prints_are_named() -> None:
    pair = [
        a_submission(a_wager("harmony_mini", letter), progressives=[a_progressive()])
        for letter in "AD"
    ]
    effect = diff_submissions(*pair)[0].effect
    assert "Tie with 0 no row (was 20 for 1)" in effect
    assert "Any tie 3 for 1 (was no row)" in effect


@pytest.mark.parametrize(
    ("before", "after", "field", "old", "new"),
    [
        ({}, {"id": "RS-8"}, "id", "RS-7", "RS-8"),
        ({}, {"version": 2}, "version", "1", "2"),
        ({}, {"facility": "North"}, "facility", "", "North"),
        ({}, {"currency": "CAD"}, "currency", "USD", "CAD"),
        ({}, {"jurisdiction": "xx"}, "jurisdiction", "pa", "xx"),
        ({}, {"time_zone": "UTC"}, "time_zone", "America/New_York", "UTC"),
        ({}, {"gaming_day_start": "05:00:00"}, "gaming_day_start", "06:00:00", "05:00:00"),
        (
            {},
            {"effective_from": "2025-01-01T06:00:00-05:00"},
            "effective_from",
            None,
            "2025-01-01 06:00:00-05:00",
        ),
        ({}, {"decks": 6}, "decks", "8", "6"),
        ({}, {"cover_cards": 1}, "cover_cards", "2", "1"),
        ({}, {"deal_option": "face_down"}, "deal_option", "face_up", "face_down"),
        ({}, {"burn_exposed_card": False}, "burn_exposed_card", "true", "false"),
        ({}, {"hands_after_cover_card": 0}, "hands_after_cover_card", "1", "0"),
        ({}, {"late_wager_grace_ms": 5}, "late_wager_grace_ms", "0", "5"),
        ({}, {"tie_odds": "9 to 1"}, "tie_odds", "8 to 1", "9 to 1"),
        ({}, {"smallest_chip": "1"}, "smallest_chip", None, "1.00"),
        ({}, {"readings": {"D11": "definition_events"}}, "readings.D11", None, "definition_events"),
        ({}, {"severities": {"WAGER_LATE": "critical"}}, "severities.WAGER_LATE", None, "critical"),
        ({}, {"commission": {"form": "free"}}, "commission.form", "standard", "free"),
        ({}, {"commission": {"form": "standard", "rate": "4"}}, "commission.rate", "5 %", "4 %"),
        (
            {},
            {"commission": {"form": "standard", "timing": "marked"}},
            "commission.timing",
            "taken",
            "marked",
        ),
        (
            {},
            {"successors": [{"section": "eclipse", "authority": "x", "from": "2027-03-09"}]},
            "successors[eclipse]",
            None,
            "x from 2027-03-09",
        ),
        (
            {},
            {"progressives": [a_progressive()]},
            "progressives[P-1]",
            None,
            "harmony_mini, unit 5.00, reset 10000.00",
        ),
    ],
)
def test_every_field_that_differs_is_a_change(
    before: dict, after: dict, field: str, old: str | None, new: str | None
) -> None:
    forth = diff_submissions(a_submission(**before), a_submission(**after))
    back = diff_submissions(a_submission(**after), a_submission(**before))
    assert [(one.field, one.before, one.after) for one in forth] == [(field, old, new)]
    assert [(one.field, one.before, one.after) for one in back] == [(field, new, old)]
    assert forth[0].effect


def test_another_game_changes_the_game_and_its_wagers() -> None:
    changes = diff_submissions(a_submission(), a_submission(game="baccarat"))
    assert [one.field for one in changes] == [
        "game",
        *(f"wagers[minibaccarat.{code}]" for code in ("player", "banker", "tie")),
        *(f"wagers[baccarat.{code}]" for code in ("player", "banker", "tie")),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("minimum", "1"), ("maximum", "9"), ("layout_area", False), ("odds", {"x": "1 to 1"})],
)
def test_every_field_of_a_wager_that_differs_is_a_change(field: str, value: object) -> None:
    (change,) = diff_submissions(
        a_submission("house.big"), a_submission(a_wager("house.big", **{field: value}))
    )
    assert change.field.startswith(f"wagers[house.big].{field}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("wager", "harmony_big"),
        ("system", False),
        ("linked", True),
        ("unit", "1"),
        ("base", "1"),
        ("reset", "1"),
        ("limit", "1"),
        ("increment_rate", "1%"),
        ("reserve_rate", "1%"),
        ("void_policy", "kept"),
        ("chips_counted", True),
    ],
)
def test_every_field_of_a_progressive_that_differs_is_a_change(field: str, value: object) -> None:
    (change,) = diff_submissions(
        a_submission(progressives=[a_progressive()]),
        a_submission(progressives=[a_progressive(**{field: value})]),
    )
    assert change.field == f"progressives[P-1].{field}"


@pytest.mark.parametrize("name", ["high_from", "critical_from"])
def test_every_amount_by_which_findings_rank_that_differs_is_a_change(name: str) -> None:
    (change,) = diff_submissions(a_submission(), a_submission(severity_amounts={name: "1.00"}))
    assert (change.field, change.before, change.after) == (
        f"severity_amounts.{name}",
        None,
        "1.00",
    )


def test_no_field_of_the_filing_is_left_out_of_the_comparison() -> None:
    """A field that is added to the shape has to be added to the cases above."""
    assert set(RulesSubmission.model_fields) == {
        "schema_name",
        "id",
        "version",
        "facility",
        "jurisdiction",
        "effective_from",
        "currency",
        "time_zone",
        "gaming_day_start",
        "game",
        "decks",
        "cover_cards",
        "deal_option",
        "burn_exposed_card",
        "hands_after_cover_card",
        "late_wager_grace_ms",
        "commission",
        "tie_odds",
        "smallest_chip",
        "wagers",
        "progressives",
        "readings",
        "severities",
        "severity_amounts",
        "successors",
    }
    assert set(OfferedWager.model_fields) == {
        "id",
        "paytable",
        "minimum",
        "maximum",
        "layout_area",
        "odds",
    }
    assert set(Commission.model_fields) == {"form", "rate", "timing"}
    assert set(FiledProgressive.model_fields) == {
        "id",
        "wager",
        "level",
        "system",
        "linked",
        "unit",
        "base",
        "reset",
        "limit",
        "increment_rate",
        "reserve_rate",
        "void_policy",
        "chips_counted",
    }
