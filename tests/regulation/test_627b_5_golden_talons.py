"""58 Pa. Code § 627b.5, Golden Talons: the margin by which the chosen hand wins."""

import datetime

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings
from auditors.settlement.terms import TermsError
from schemas.findings import FindingCode
from tests.support.tables.deals import LAW, lettered, pays, ref_of, rules_with, verdict

SECTION = LAW.sections["golden_talons"]

# The deal, then what the five paytables print for a wager on Player.
MARGINS = """
    KH TH 9C | KD TS KD | win_by_9    | 30 to 1 | 20 to 1 | 30 to 1 | 20 to 1 | 30 to 1
    KC 4D 5S | 6H 9C 6S | win_by_8    | 10 to 1 | 10 to 1 | 12 to 1 | 8 to 1  | 10 to 1
    KS AC 8S | AH TS AS | win_by_7    | 6 to 1  | 5 to 1  | 5 to 1  | 7 to 1  | 4 to 1
    TC 6H    | 9D 2D 9H | win_by_6    | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1
    2S AS 5C | 4H QC 9H | win_by_5    | 2 to 1  | 2 to 1  | 3 to 1  | 3 to 1  | 2 to 1
    AC AS 3D | 4C 7H JD | win_by_4    | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 2 to 1
    AC 2S 2S | 2C QH JC | loses       | loss    | loss    | loss    | loss    | loss
    TH 7H    | 6S JS    | loses       | loss    | loss    | loss    | loss    | loss
    3S 5H    | TS AD    | natural_win | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
    JC 8H    | AC 9S    | natural_win | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
    5D 4H    | 9C KD    | natural_tie | push    | 2 to 1  | push    | push    | push
    JD 8H    | QC 8H    | natural_tie | push    | 2 to 1  | push    | push    | push
    JS 2C 6D | 4S JS 4C | loses       | loss    | loss    | loss    | loss    | loss
    9C 8C    | 3C QS 4H | loses       | loss    | loss    | loss    | loss    | loss
    KD 7C    | 5S 4C    | loses       | loss    | loss    | loss    | loss    | loss
"""
LETTERS = "ABCDE"
TALONS = {letter: rules_with(letters={"golden_talons": letter}) for letter in LETTERS}


@pytest.mark.parametrize(
    ("player", "banker", "outcome", "letter", "printed"), lettered(MARGINS, LETTERS)
)
def test_f_wager_on_player_pays_what_the_chosen_paytable_prints(
    player: str, banker: str, outcome: str, letter: str, printed: str
) -> None:
    deal = f"{player} | {banker}"
    assert verdict(TALONS[letter], "golden_talons@player", deal).outcome_code == outcome
    assert pays(TALONS[letter], "golden_talons@player", deal) == printed


@pytest.mark.parametrize(
    ("player", "banker", "outcome", "letter", "printed"),
    lettered(
        """
        3C 7D KC | 9D 2D 8H | win_by_9    | 30 to 1 | 20 to 1 | 30 to 1 | 20 to 1 | 30 to 1
        JH AD JC | 2D KS 7S | win_by_8    | 10 to 1 | 10 to 1 | 12 to 1 | 8 to 1  | 10 to 1
        2S 8C KC | TS 7H    | win_by_7    | 6 to 1  | 5 to 1  | 5 to 1  | 7 to 1  | 4 to 1
        KS KC JH | 6C JS    | win_by_6    | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1
        JH 3S 9H | 5D 8D 4S | win_by_5    | 2 to 1  | 2 to 1  | 3 to 1  | 3 to 1  | 2 to 1
        AH QH QD | 9S 2D 4D | win_by_4    | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 2 to 1
        TD QS AC | JD 4C    | loses       | loss    | loss    | loss    | loss    | loss
        4C 7C    | KD 8C    | natural_win | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        5D 4H    | 9C KD    | natural_tie | push    | 2 to 1  | push    | push    | push
        KH TH 9C | KD TS KD | loses       | loss    | loss    | loss    | loss    | loss
        """,
        LETTERS,
    ),
)
def test_f_wager_on_banker_pays_what_the_chosen_paytable_prints(
    player: str, banker: str, outcome: str, letter: str, printed: str
) -> None:
    deal = f"{player} | {banker}"
    assert verdict(TALONS[letter], "golden_talons@banker", deal).outcome_code == outcome
    assert pays(TALONS[letter], "golden_talons@banker", deal) == printed


def test_e_1_three_points_are_not_enough_and_four_are() -> None:
    assert pays(TALONS["A"], "golden_talons@player", "AC 2S 2S | 2C QH JC") == "loss"
    assert pays(TALONS["A"], "golden_talons@player", "AC AS 3D | 4C 7H JD") == "1 to 1"


def test_e_2_a_tie_of_9_with_three_cards_is_no_natural_tie() -> None:
    assert pays(TALONS["B"], "golden_talons@player", "3C 2C 4H | 9C 6H 4D") == "loss"


def test_e_3_a_natural_tie_is_a_push_where_the_paytable_prints_push() -> None:
    found = verdict(TALONS["A"], "golden_talons@player", "5D 4H | 9C KD", 2500)
    assert (found.outcome, found.due_minor, found.net_minor) == ("push", 2500, 0)
    assert found.citation == "58 Pa. Code § 627b.5(e)(2), (e)(3), (f)"
    paid = verdict(TALONS["B"], "golden_talons@player", "5D 4H | 9C KD", 2500)
    assert (paid.outcome, paid.due_minor) == ("win", 7500)


def test_e_both_hands_may_be_backed_and_are_settled_each_by_itself() -> None:
    deal = "KH TH 9C | KD TS KD"
    assert pays(TALONS["A"], "golden_talons@player", deal) == "30 to 1"
    assert pays(TALONS["A"], "golden_talons@banker", deal) == "loss"
    tie = "5D 4H | 9C KD"
    for hand in ("player", "banker"):
        assert pays(TALONS["A"], f"golden_talons@{hand}", tie) == "push"
        assert pays(TALONS["B"], f"golden_talons@{hand}", tie) == "2 to 1"


@pytest.mark.parametrize(
    ("deal", "margin"), [("9S KS | KC QS 2D", None), ("JC 9S | TC TD", 9), ("4S 4S | AD 3C", 4)]
)
def test_g_a_natural_win_pays_1_to_1_whatever_the_margin(deal: str, margin: int | None) -> None:
    if margin is None:
        assert pays(TALONS["A"], "golden_talons@player", deal) == "undetermined"
        return
    for letter in LETTERS:
        assert pays(TALONS[letter], "golden_talons@player", deal) == "1 to 1"
    cited = verdict(TALONS["A"], "golden_talons@player", deal).citation
    assert cited == "58 Pa. Code § 627b.5(e)(2), (f), (g)"


def test_f_a_paytable_has_to_be_chosen() -> None:
    with pytest.raises(TermsError, match=r"choose a paytable.*A, B, C, D, E"):
        verdict(rules_with(), "golden_talons@player", "JC 9S | TC TD")
    with pytest.raises(TermsError, match="no paytable 'F'"):
        rules = rules_with(letters={"golden_talons": "F"})
        verdict(rules, "golden_talons@player", "JC 9S | TC TD")


@pytest.mark.parametrize(
    ("base", "missing"),
    [(None, True), ("minibaccarat.player", False), ("minibaccarat.tie", False)],
)
def test_b_a_minibaccarat_wager_has_to_be_placed_first(base: str | None, missing: bool) -> None:
    placed = [(ref_of("golden_talons@player"), "w")]
    placed += [(ref_of(base), "m")] if base else []
    found = base_findings(TALONS["A"], placed, Place())
    assert [one.code for one in found] == [FindingCode.WAGER_WITHOUT_BASE] * missing
    assert [one.citation for one in found] == ["58 Pa. Code § 627b.5(a), (b)"] * missing


def test_b_a_tie_wager_alone_is_no_base_under_the_other_reading() -> None:
    rules = rules_with(letters={"golden_talons": "A"}, readings={"D36": "player_or_banker_only"})
    placed = [(ref_of("golden_talons@player"), "w"), (ref_of("minibaccarat.tie"), "m")]
    (found,) = base_findings(rules, placed, Place())
    assert found.interpretations == {"D36": "player_or_banker_only"}


def test_b_a_house_wager_is_no_base() -> None:
    placed = [(ref_of("golden_talons@player"), "w"), (ref_of("house.big"), "m")]
    assert len(base_findings(TALONS["A"], placed, Place())) == 1


def test_d_it_is_settled_after_the_result_so_a_faulty_draw_leaves_it_open() -> None:
    assert SECTION.settles == "after_result"
    faulty = "4H JS 8S | 4C TS 3D"  # Banker drew on 4 against an 8
    assert pays(TALONS["A"], "golden_talons@banker", faulty) == "undetermined"
    found = verdict(TALONS["A"], "golden_talons@banker", faulty)
    assert "Banker must stand on 4 against an 8 (8S), but drew 3D" in found.sentence
    assert found.interpretations == {"D30": "by_disposition"}


@pytest.mark.parametrize(
    ("day", "inclusive", "exclusive"),
    [
        ("2023-08-04", Status.NOT_YET_IN_FORCE, Status.NOT_YET_IN_FORCE),
        ("2023-08-05", Status.IN_FORCE, Status.IN_FORCE),
        ("2026-08-04", Status.IN_FORCE, Status.LAPSED),
        ("2026-08-05", Status.LAPSED, Status.LAPSED),
    ],
)
def test_source_note_in_force_from_first_to_last_printed_day(
    day: str, inclusive: Status, exclusive: Status
) -> None:
    date = datetime.date.fromisoformat(day)
    for reading, expected in (("inclusive", inclusive), ("exclusive", exclusive)):
        rules = rules_with(readings={"D37": reading})
        assert section_status(SECTION, date, rules.terms.readings).status is expected
        found = date_findings(rules, ["golden_talons"], date, Place(source="T-12"))
        assert bool(found) is (expected is not Status.IN_FORCE)
