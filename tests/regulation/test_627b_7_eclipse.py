"""58 Pa. Code § 627b.7, Eclipse: five wagers priced as one package."""

import datetime

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings
from schemas.findings import FindingCode
from tests.support.tables.deals import LAW, cases, lettered, pays, ref_of, rules_with, verdict

SECTION = LAW.sections["eclipse"]
LETTERS = "ABC"
ECLIPSE = {letter: rules_with(letters={"eclipse": letter}) for letter in LETTERS}
EVENTS = {
    letter: rules_with(letters={"eclipse": letter}, readings={"D11": "definition_events"})
    for letter in LETTERS
}
THREE_CARD_7S, TWO_CARD_7S, MIXED_7S = "KS 3C 4S | 8D 4C 5D", "KS 7C | JC 7C", "9C 8C | 3C QS 4H"
BOTH_9S = "3C 2C 4H | 9C 6H 4D"

WAGERS = """
    sun_7     | JH 3S 9H | 5D 8D 4S | banker_wins_3_card_7 | 40 to 1  | 40 to 1  | 40 to 1
    sun_7     | 5S 5H 5S | QS 7D    | loses                | loss     | loss     | loss
    sun_7     | 9C 8C    | 3C QS 4H | loses                | loss     | loss     | loss
    moon_8    | 2D KH 6H | 7H JH    | player_wins_3_card_8 | 25 to 1  | 25 to 1  | 25 to 1
    moon_8    | JC 8H    | AC 9S    | loses                | loss     | loss     | loss
    moon_8    | JS 2C 6D | 4S JS 4C | loses                | loss     | loss     | loss
    supreme_7 | KS 3C 4S | 8D 4C 5D | both_3_card_7        | 200 to 1 | 400 to 1 | loss
    supreme_7 | KS 7C    | JC 7C    | both_2_card_7        | 50 to 1  | loss     | 100 to 1
    supreme_7 | 9C 8C    | 3C QS 4H | loses                | loss     | loss     | loss
    supreme_7 | JH 3S 9H | 5D 8D 4S | loses                | loss     | loss     | loss
    divine_9  | 3C 2C 4H | 9C 6H 4D | both_3_card_9        | 75 to 1  | 75 to 1  | 75 to 1
    divine_9  | KC 4D 5S | 6H 9C 6S | one_3_card_9         | 10 to 1  | 10 to 1  | 10 to 1
    divine_9  | 6H AD    | 2D TS 7S | one_3_card_9         | 10 to 1  | 10 to 1  | 10 to 1
    divine_9  | 9S JS    | 4S AH    | loses                | loss     | loss     | loss
    divine_9  | 5D 4H    | 9C KD    | loses                | loss     | loss     | loss
    eclipse   | JH 3S 9H | 5D 8D 4S | winning_outcome      | 6 to 1   | 6 to 1   | 6 to 1
    eclipse   | 2D KH 6H | 7H JH    | winning_outcome      | 6 to 1   | 6 to 1   | 6 to 1
    eclipse   | 3C 2C 4H | 9C 6H 4D | winning_outcome      | 6 to 1   | 6 to 1   | 6 to 1
    eclipse   | KC 4D 5S | 6H 9C 6S | winning_outcome      | 6 to 1   | 6 to 1   | 6 to 1
    eclipse   | 9C 8C    | 3C QS 4H | loses                | loss     | loss     | loss
    eclipse   | 9S JS    | 4S AH    | loses                | loss     | loss     | loss
"""


@pytest.mark.parametrize(
    ("wager", "player", "banker", "outcome", "letter", "printed"), lettered(WAGERS, LETTERS)
)
def test_g_each_wager_pays_what_the_chosen_paytable_prints(
    wager: str, player: str, banker: str, outcome: str, letter: str, printed: str
) -> None:
    deal = f"{player} | {banker}"
    assert pays(ECLIPSE[letter], f"eclipse.{wager}", deal) == printed
    assert verdict(ECLIPSE[letter], f"eclipse.{wager}", deal).outcome_code == outcome


@pytest.mark.parametrize(
    ("deal", "letter", "by_paytable", "by_events"),
    [
        (THREE_CARD_7S, "A", "6 to 1", "6 to 1"),
        (THREE_CARD_7S, "B", "6 to 1", "6 to 1"),
        (THREE_CARD_7S, "C", "loss", "6 to 1"),
        (TWO_CARD_7S, "A", "6 to 1", "6 to 1"),
        (TWO_CARD_7S, "B", "loss", "6 to 1"),
        (TWO_CARD_7S, "C", "6 to 1", "6 to 1"),
        (MIXED_7S, "A", "loss", "loss"),
    ],
)
def test_d_5_eclipse_on_a_supreme_7_marked_loss_depends_on_the_reading(
    deal: str, letter: str, by_paytable: str, by_events: str
) -> None:
    assert pays(ECLIPSE[letter], "eclipse.eclipse", deal) == by_paytable
    assert pays(EVENTS[letter], "eclipse.eclipse", deal) == by_events
    used = verdict(ECLIPSE[letter], "eclipse.eclipse", deal).interpretations
    assert ("D11" in used) is (by_paytable != by_events)


def test_d_5_the_wager_itself_never_changes_the_four_others() -> None:
    assert pays(EVENTS["C"], "eclipse.supreme_7", THREE_CARD_7S) == "loss"


def test_d_5_eclipse_needs_none_of_the_four_to_be_placed() -> None:
    rules = rules_with(letters={"eclipse.eclipse": "B"})  # only this wager is filed
    assert pays(rules, "eclipse.eclipse", THREE_CARD_7S) == "6 to 1"
    assert pays(rules, "eclipse.eclipse", TWO_CARD_7S) == "loss"


@pytest.mark.parametrize("cells", ["loses", "push"])
def test_g_a_cell_that_prints_loss_collects_the_stake_or_under_the_other_reading_returns_it(
    cells: str,
) -> None:
    rules = rules_with(letters={"eclipse": "B"}, readings={"D14": cells})
    found = verdict(rules, "eclipse.supreme_7", TWO_CARD_7S)
    assert found.outcome == ("lose" if cells == "loses" else "push")
    assert found.due_minor == (0 if cells == "loses" else 1000)
    assert found.interpretations == {"D14": cells}
    assert found.outcome_code == "both_2_card_7"
    assert pays(rules, "eclipse.eclipse", TWO_CARD_7S) == "loss"


@pytest.mark.parametrize(
    ("reading", "tie_of_nines", "won_by_nine", "tie_with_two_card_nine"),
    [("pays_any", "75 to 1", "10 to 1", "loss"), ("win_required", "loss", "10 to 1", "loss")],
)
def test_d_4_divine_9_pays_on_a_tie_unless_a_win_is_required(
    reading: str, tie_of_nines: str, won_by_nine: str, tie_with_two_card_nine: str
) -> None:
    rules = rules_with(letters={"eclipse": "A"}, readings={"D16": reading})
    assert pays(rules, "eclipse.divine_9", BOTH_9S) == tie_of_nines
    assert pays(rules, "eclipse.divine_9", "KC 4D 5S | 6H 9C 6S") == won_by_nine
    assert pays(rules, "eclipse.divine_9", "5D 4H | 9C KD") == tie_with_two_card_nine
    assert verdict(rules, "eclipse.divine_9", BOTH_9S).interpretations == {"D16": reading}
    assert verdict(rules, "eclipse.divine_9", "KC 4D 5S | 6H 9C 6S").interpretations == {}


def test_d_4_divine_9_pays_one_row_only() -> None:
    found = verdict(ECLIPSE["A"], "eclipse.divine_9", BOTH_9S)
    assert (found.due_minor, found.pays) == (76_000, "75 to 1")


@pytest.mark.parametrize(
    ("wager", "paragraph"),
    cases("""
    sun_7 | (d)(1)
    moon_8 | (d)(2)
    supreme_7 | (d)(3)
    divine_9 | (d)(4)
    eclipse | (d)(5)
"""),
)
def test_d_a_losing_wager_cites_what_would_have_won(wager: str, paragraph: str) -> None:
    found = verdict(ECLIPSE["A"], f"eclipse.{wager}", "9S JS | 4S AH")
    assert found.citation == f"58 Pa. Code § 627b.7{paragraph}"


def test_d_a_minibaccarat_wager_has_to_be_placed_first() -> None:
    for wager in ("sun_7", "moon_8", "supreme_7", "divine_9", "eclipse"):
        ref = ref_of(f"eclipse.{wager}")
        (found,) = base_findings(ECLIPSE["A"], [(ref, "w")], Place())
        assert found.code is FindingCode.WAGER_WITHOUT_BASE
        assert found.citation == "58 Pa. Code § 627b.7(a), (d)"
        placed = [(ref, "w"), (ref_of("banker"), "m")]
        assert base_findings(ECLIPSE["A"], placed, Place()) == []


@pytest.mark.parametrize(
    ("day", "inclusive", "exclusive"),
    [
        ("2020-01-01", Status.PRESUMED_IN_FORCE, Status.PRESUMED_IN_FORCE),
        ("2027-03-07", Status.PRESUMED_IN_FORCE, Status.PRESUMED_IN_FORCE),
        ("2027-03-08", Status.PRESUMED_IN_FORCE, Status.LAPSED),
        ("2027-03-09", Status.LAPSED, Status.LAPSED),
    ],
)
def test_heading_no_start_is_shown_and_the_end_is_the_printed_day(
    day: str, inclusive: Status, exclusive: Status
) -> None:
    date = datetime.date.fromisoformat(day)
    for reading, expected in (("inclusive", inclusive), ("exclusive", exclusive)):
        rules = rules_with(readings={"D37": reading})
        assert section_status(SECTION, date, rules.terms.readings).status is expected
        found = date_findings(rules, ["eclipse"], date, Place())
        assert len(found) == (expected is Status.LAPSED)
