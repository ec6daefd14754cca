"""58 Pa. Code § 631c.7, Majestic Match: the first two cards of the chosen hand."""

import datetime

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings
from auditors.settlement.pricing import NotPayableError
from tests.support.tables.deals import LAW, cases, pays, ref_of, rules_with, verdict

SECTION = LAW.sections["majestic_match"]
RULES = rules_with()


@pytest.mark.parametrize(
    ("player", "banker", "on_player", "on_banker"),
    cases("""
        KS QS 9H | 5D 8D 4S | 25 to 1  | 2.5 to 1   # royal; suited
        QH KH 9C | QS TC 7H | 25 to 1  | loss       # queen first
        KS QH 9H | KD QD 4S | loss     | 25 to 1    # two suits; royal
        KS KS    | 9C KD    | 2.5 to 1 | loss       # two kings of spades (D21)
        AH 8H    | 8D AC    | 2.5 to 1 | loss
        QS JS 3H | 3D 7S JC | 2.5 to 1 | loss
        3C 2S 4H | 9C 6H 4D | loss     | loss
    """),
)
def test_d_royal_match_25_to_1_and_any_other_suited_2_5_to_1(
    player: str, banker: str, on_player: str, on_banker: str
) -> None:
    deal = f"{player} | {banker}"
    assert pays(RULES, "majestic_match@player", deal) == on_player
    assert pays(RULES, "majestic_match@banker", deal) == on_banker


@pytest.mark.parametrize(
    ("deal", "draw"),
    [
        ("KS QS 9H | 9C KD", "card after a natural"),
        ("KS QS | 5D 8D 4S", "third card not drawn"),
        ("KS QS 9H 2C | 5D 8D 4S", "four cards"),
    ],
)
def test_c_it_is_settled_on_the_first_four_cards_whatever_is_wrong_later(
    deal: str, draw: str
) -> None:
    assert SECTION.settles == "after_first_four"
    assert pays(RULES, "majestic_match@player", deal) == "25 to 1"
    assert pays(RULES, "player", deal) == "undetermined", draw


def test_c_1_both_hands_may_be_backed_and_both_pay() -> None:
    deal = "KS QS 9H | 5D 8D 4S"
    assert verdict(RULES, "majestic_match@player", deal, 200).due_minor == 5200
    assert verdict(RULES, "majestic_match@banker", deal, 200).due_minor == 700


def test_c_2_no_match_is_collected() -> None:
    found = verdict(RULES, "majestic_match@banker", "KS QS 9H | 5D 8C 4S")
    assert (found.outcome, found.due_minor) == ("lose", 0)
    assert found.citation == "58 Pa. Code § 631c.7(c)(2)"


@pytest.mark.parametrize(("reading", "expected"), [("suited", "2.5 to 1"), ("no_pay", "loss")])
def test_e_two_identical_cards_are_suited_or_under_the_other_reading_do_not_pay(
    reading: str, expected: str
) -> None:
    rules = rules_with(readings={"D21": reading})
    assert pays(rules, "majestic_match@player", "KS KS | 9C KD") == expected
    assert verdict(rules, "majestic_match@player", "KS KS | 9C KD").interpretations == {
        "D21": reading
    }
    assert pays(rules, "majestic_match@player", "AH 8H | 8D AC") == "2.5 to 1"
    assert verdict(rules, "majestic_match@player", "AH 8H | 8D AC").interpretations == {}


@pytest.mark.parametrize(
    ("reading", "chip", "stake", "profit"),
    [
        ("exact_cents", 1, 500, 1250),
        ("exact_cents", 50, 505, None),  # 12.625 is no whole number of cents
        ("round_up", 1, 505, 1263),
        ("round_down", 1, 505, 1262),
        ("round_up", 50, 505, 1300),
        ("round_down", 50, 505, 1250),
        ("round_up", 100, 500, 1300),
        ("round_down", 100, 500, 1200),
        ("exact_cents", 100, 500, 1250),
        ("round_up", 100, 400, 1000),
    ],
)
def test_d_an_odd_2_5_to_1_is_paid_exactly_or_to_the_smallest_chip(
    reading: str, chip: int, stake: int, profit: int | None
) -> None:
    rules = rules_with(readings={"D22": reading}, chip=chip)
    if profit is None:
        with pytest.raises(NotPayableError, match=r"2\.5 to 1 on 5\.05 is not payable"):
            verdict(rules, "majestic_match@player", "AH 8H | 8D AC", stake)
        return
    found = verdict(rules, "majestic_match@player", "AH 8H | 8D AC", stake)
    assert found.due_minor == stake + profit
    uneven = (stake * 5 // 2) % chip != 0 or stake % 2
    assert found.interpretations == ({"D22": reading} if uneven else {})


def test_b_no_baccarat_wager_is_needed() -> None:
    placed = [(ref_of("majestic_match@player"), "w")]
    assert base_findings(RULES, placed, Place()) == []
    strict = rules_with(readings={"D35": "base_required"})
    assert base_findings(strict, placed, Place()) == []


@pytest.mark.parametrize("day", ["1990-01-01", "2024-08-31", "2035-12-31"])
def test_no_end_is_printed_so_it_is_presumed_in_force(day: str) -> None:
    date = datetime.date.fromisoformat(day)
    assert section_status(SECTION, date, RULES.terms.readings).status is Status.PRESUMED_IN_FORCE
    assert date_findings(RULES, ["majestic_match"], date, Place()) == []


def test_e_without_suits_it_cannot_be_settled() -> None:
    found = verdict(RULES, "majestic_match@player", "K Q | 9 K")
    assert found.due_minor is None
    assert "depends on suits, which are not recorded" in found.sentence
