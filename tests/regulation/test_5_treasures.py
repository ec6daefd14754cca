"""58 Pa. Code, 5 Treasures Baccarat (section number not shown): five wagers, two paytables."""

import datetime

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings
from tests.support.tables.deals import LAW, cases, lettered, pays, ref_of, rules_with, verdict

SECTION = LAW.sections["five_treasures"]
LETTERS = "AB"
TREASURES = {letter: rules_with(letters={"five_treasures": letter}) for letter in LETTERS}
THREE_CARD_7S, TWO_CARD_7S, MIXED_7S = "KS 3C 4S | 8D 4C 5D", "KS 7C | JC 7C", "9C 8C | 3C QS 4H"
BOTH_9S = "3C 2C 4H | 9C 6H 4D"

WAGERS = """
    fortune_7  | JH 3S 9H | 5D 8D 4S | banker_wins_3_card_7 | 40 to 1  | 40 to 1
    fortune_7  | 5S 5H 5S | QS 7D    | loses                | loss     | loss
    fortune_7  | 9C 8C    | 3C QS 4H | loses                | loss     | loss
    golden_8   | 2D KH 6H | 7H JH    | player_wins_3_card_8 | 25 to 1  | 25 to 1
    golden_8   | JC 8H    | AC 9S    | loses                | loss     | loss
    heavenly_9 | 3C 2C 4H | 9C 6H 4D | both_3_card_9        | 75 to 1  | 75 to 1
    heavenly_9 | KC 4D 5S | 6H 9C 6S | one_3_card_9         | 10 to 1  | 10 to 1
    heavenly_9 | 6H AD    | 2D TS 7S | one_3_card_9         | 10 to 1  | 10 to 1
    heavenly_9 | 9S JS    | 4S AH    | loses                | loss     | loss
    blazing_7s | KS 3C 4S | 8D 4C 5D | both_3_card_7        | 400 to 1 | 200 to 1
    blazing_7s | KS 7C    | JC 7C    | both_2_card_7        | loss     | 50 to 1
    blazing_7s | 9C 8C    | 3C QS 4H | loses                | loss     | loss
    cover_all  | JH 3S 9H | 5D 8D 4S | winning_wager        | 6 to 1   | 6 to 1
    cover_all  | 2D KH 6H | 7H JH    | winning_wager        | 6 to 1   | 6 to 1
    cover_all  | KC 4D 5S | 6H 9C 6S | winning_wager        | 6 to 1   | 6 to 1
    cover_all  | KS 3C 4S | 8D 4C 5D | winning_wager        | 6 to 1   | 6 to 1
    cover_all  | 9S JS    | 4S AH    | loses                | loss     | loss
"""


@pytest.mark.parametrize(
    ("wager", "player", "banker", "outcome", "letter", "printed"), lettered(WAGERS, LETTERS)
)
def test_h_each_wager_pays_what_the_chosen_paytable_prints(
    wager: str, player: str, banker: str, outcome: str, letter: str, printed: str
) -> None:
    deal = f"{player} | {banker}"
    assert pays(TREASURES[letter], f"five_treasures.{wager}", deal) == printed
    assert verdict(TREASURES[letter], f"five_treasures.{wager}", deal).outcome_code == outcome


@pytest.mark.parametrize(
    ("reading", "letter", "expected"),
    [
        ("paytable", "A", "loss"),
        ("paytable", "B", "6 to 1"),
        ("definition_events", "A", "6 to 1"),
        ("definition_events", "B", "6 to 1"),
    ],
)
def test_f_5_cover_all_on_two_card_7s_depends_on_paytable_and_reading(
    reading: str, letter: str, expected: str
) -> None:
    rules = rules_with(letters={"five_treasures": letter}, readings={"D12": reading})
    assert pays(rules, "five_treasures.cover_all", TWO_CARD_7S) == expected
    used = verdict(rules, "five_treasures.cover_all", TWO_CARD_7S).interpretations
    assert used == ({"D12": reading} if letter == "A" else {})


def test_f_5_no_other_treasures_wager_has_to_be_placed() -> None:
    rules = rules_with(letters={"five_treasures.cover_all": "B"})
    assert pays(rules, "five_treasures.cover_all", TWO_CARD_7S) == "6 to 1"


@pytest.mark.parametrize(
    ("reading", "a", "b"),
    [
        ("equal_counts_only", "loss", "loss"),
        ("mixed_pays_three_card", "400 to 1", "200 to 1"),
        ("mixed_pays_two_card", "loss", "50 to 1"),
    ],
)
def test_f_4_blazing_7s_of_two_and_three_cards_depend_on_the_reading(
    reading: str, a: str, b: str
) -> None:
    for letter, expected in (("A", a), ("B", b)):
        rules = rules_with(letters={"five_treasures": letter}, readings={"D13": reading})
        assert pays(rules, "five_treasures.blazing_7s", MIXED_7S) == expected
        assert pays(rules, "five_treasures.blazing_7s", "3C 2S 2D | 6S AH") == expected
        used = verdict(rules, "five_treasures.blazing_7s", MIXED_7S).interpretations
        assert used["D13"] == reading
        won = expected != "loss"
        assert pays(rules, "five_treasures.cover_all", MIXED_7S) == ("6 to 1" if won else "loss")


@pytest.mark.parametrize("cells", ["loses", "push"])
def test_g_a_cell_that_prints_n_a_collects_the_stake_or_under_the_other_reading_returns_it(
    cells: str,
) -> None:
    rules = rules_with(letters={"five_treasures": "A"}, readings={"D14": cells})
    found = verdict(rules, "five_treasures.blazing_7s", TWO_CARD_7S)
    assert found.due_minor == (0 if cells == "loses" else 1000)
    assert found.interpretations == {"D14": cells}
    assert "D12" in verdict(rules, "five_treasures.cover_all", TWO_CARD_7S).interpretations


@pytest.mark.parametrize(("reading", "tie"), [("pays_any", "75 to 1"), ("win_required", "loss")])
def test_f_3_heavenly_9_on_a_tie_of_nines_depends_on_the_reading(reading: str, tie: str) -> None:
    rules = rules_with(letters={"five_treasures": "A"}, readings={"D16": reading})
    assert pays(rules, "five_treasures.heavenly_9", BOTH_9S) == tie
    assert pays(rules, "five_treasures.heavenly_9", "KC 4D 5S | 6H 9C 6S") == "10 to 1"


def test_f_1_fortune_7_needs_the_win_on_a_tie_of_7_and_7() -> None:
    found = verdict(TREASURES["A"], "five_treasures.fortune_7", MIXED_7S)
    assert found.outcome == "lose"
    assert found.citation == "58 Pa. Code, 5 Treasures Baccarat (section number not shown) (g)"


@pytest.mark.parametrize(
    ("wager", "deal", "paragraph"),
    cases("""
    fortune_7 | JH 3S 9H, 5D 8D 4S | (f)(1), (h)
    golden_8 | 2D KH 6H, 7H JH | (f)(2), (h)
    heavenly_9 | KC 4D 5S, 6H 9C 6S | (f)(3), (h)
    blazing_7s | KS 3C 4S, 8D 4C 5D | (f)(4), (h)
    cover_all | JH 3S 9H, 5D 8D 4S | (f)(5), (h)
"""),
)
def test_f_a_winning_wager_cites_what_wins_and_what_it_pays(
    wager: str, deal: str, paragraph: str
) -> None:
    found = verdict(TREASURES["B"], f"five_treasures.{wager}", deal.replace(",", " |"))
    wanted = f"58 Pa. Code, 5 Treasures Baccarat (section number not shown) {paragraph}"
    assert found.citation == wanted


@pytest.mark.parametrize(
    "wager", ["fortune_7", "golden_8", "heavenly_9", "blazing_7s", "cover_all"]
)
def test_c_a_baccarat_wager_has_to_be_placed_first(wager: str) -> None:
    ref = ref_of(f"five_treasures.{wager}")
    (found,) = base_findings(TREASURES["A"], [(ref, "w")], Place())
    assert found.citation.endswith("(section number not shown) (a), (c)")
    placed = [(ref, "w"), (ref_of("baccarat.player"), "m")]
    assert base_findings(TREASURES["A"], placed, Place()) == []


@pytest.mark.parametrize("day", ["1990-01-01", "2024-08-31", "2035-12-31"])
def test_no_date_is_shown_so_it_is_presumed_in_force(day: str) -> None:
    date = datetime.date.fromisoformat(day)
    status = section_status(SECTION, date, TREASURES["A"].terms.readings).status
    assert status is Status.PRESUMED_IN_FORCE
    assert date_findings(TREASURES["A"], ["five_treasures"], date, Place()) == []


def test_e_it_is_settled_after_the_result() -> None:
    assert SECTION.settles == "after_result"
    assert pays(TREASURES["A"], "five_treasures.cover_all", "4H JS 8S | 4C TS 3D") == "undetermined"
