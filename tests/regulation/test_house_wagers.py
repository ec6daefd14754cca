"""House rules, by Rules Submission: wagers without a citation, and what they pay by default."""

import datetime
from dataclasses import replace

import pytest

from auditors.law.status import STANDING, Status, section_status
from auditors.settlement.rules import Rules
from schemas.odds import parse_odds
from tests.support.tables.deals import LAW, cases, pays, ref_of, rules_with, verdict

RULES = rules_with()

WAGERS = """
    dragon_7            | JH 3S 9H | 5D 8D 4S | 40 to 1
    dragon_7            | 5S 5H 5S | QS 7D    | loss
    panda_8             | 2D KH 6H | 7H JH    | 25 to 1
    panda_8             | JC 8H    | AC 9S    | loss
    player_dragon_bonus | KH TH 9C | KD TS KD | 30 to 1
    player_dragon_bonus | KC 4D 5S | 6H 9C 6S | 10 to 1
    player_dragon_bonus | KS AC 8S | AH TS AS | 6 to 1
    player_dragon_bonus | TC 6H    | 9D 2D 9H | 4 to 1
    player_dragon_bonus | 2S AS 5C | 4H QC 9H | 2 to 1
    player_dragon_bonus | AC AS 3D | 4C 7H JD | 1 to 1
    player_dragon_bonus | AC 2S 2S | 2C QH JC | loss      # by 3
    player_dragon_bonus | JC 9S    | TC TD    | 1 to 1    # natural, by 9
    player_dragon_bonus | 5D 4H    | 9C KD    | push      # natural tie
    player_dragon_bonus | JS 2C 6D | 4S JS 4C | loss      # tie, no natural
    banker_dragon_bonus | 3C 7D KC | 9D 2D 8H | 30 to 1
    banker_dragon_bonus | KH TH 9C | KD TS KD | loss
    banker_dragon_bonus | 5D 4H    | 9C KD    | push
    player_pair         | 4S 4H    | 6S 3H    | 11 to 1
    player_pair         | QH KS 3H | 3D 7D JC | loss
    banker_pair         | 2D 6H    | KH KC    | 11 to 1
    either_pair         | 4S 4H    | 6S 3H    | 5 to 1
    either_pair         | 2D 6H    | KH KC    | 5 to 1
    either_pair         | 4S 4H    | KH KC    | 5 to 1    # both, paid once
    either_pair         | 6D 2S    | 6H 2C    | loss
    perfect_pair        | 4S 4S    | 6S 3H    | 25 to 1
    perfect_pair        | 4S 4S    | KH KH    | 25 to 1   # both, paid once
    perfect_pair        | 4S 4H    | KH KC    | loss
    big                 | 4C KH QH | JS 4S    | 0.54 to 1
    big                 | 3C 2C 4H | 9C 6H 4D | 0.54 to 1
    big                 | JC 9S    | TC TD    | loss
    small               | JC 9S    | TC TD    | 1.5 to 1
    small               | 4C KH QH | JS 4S    | loss
    super_six           | KS KC JH | 6C JS    | 12 to 1   # Banker 6 of two cards
    super_six           | TS 4D 2H | 6C 4S 9C | loss
    banker_no_commission | KS KC JH | 6C JS   | 0.5 to 1
    banker_no_commission | JH 3S 9H | 5D 8D 4S | 1 to 1
    banker_no_commission | 5D 4H   | 9C KD    | push
    banker_no_commission | 6S 8D 2S | TD 6S   | push      # tie of 6
    banker_no_commission | JC 9S   | TC TD    | loss
"""

JUDGED = """
    player_natural           | JC 9S    | TC TD    | win
    player_natural           | 5D 4H    | 9C KD    | lose     # a tie is no win
    banker_natural           | 4C 7C    | KD 8C    | win
    any_natural              | 5D 4H    | 9C KD    | win      # a tie counts
    any_natural              | 4C KH QH | JS 4S    | lose
    player_odd               | JC 9S    | TC TD    | win
    player_even              | JC 9S    | TC TD    | lose
    banker_even              | JC 9S    | TC TD    | win      # 0 is even
    banker_odd               | JC 9S    | TC TD    | lose
    rank_match_in_first_four | 6D 2S    | 6H TC    | win      # across the hands
    rank_match_in_first_four | 3S 5H    | TS AD    | lose
    player_first_card_higher | KD 7C    | 5S 4C    | win
    player_first_card_higher | AH 8S    | 2D 6C    | lose     # the ace is low
    banker_first_card_higher | AH 8S    | 2D 6C    | win
    player_first_card_higher | 6D 2S    | 6H 2C    | lose     # equal
    banker_first_card_higher | 6D 2S    | 6H 2C    | lose     # equal
    player_first_card_higher | KS KC JH | QC 6S    | win      # the king is high
"""


@pytest.mark.parametrize(("wager", "player", "banker", "expected"), cases(WAGERS))
def test_house_wager_pays_its_default_odds(
    wager: str, player: str, banker: str, expected: str
) -> None:
    assert pays(RULES, f"house.{wager}", f"{player} | {banker}") == expected
    found = verdict(RULES, f"house.{wager}", f"{player} | {banker}")
    assert found.citation is None


@pytest.mark.parametrize(("wager", "player", "banker", "outcome"), cases(JUDGED))
def test_house_wager_without_odds_is_judged_and_its_amount_stays_open(
    wager: str, player: str, banker: str, outcome: str
) -> None:
    found = verdict(RULES, f"house.{wager}", f"{player} | {banker}")
    assert found.outcome == outcome
    assert found.due_minor == (0 if outcome == "lose" else None)
    if outcome == "win":
        assert "no odds are filed for it, the amount stays open" in found.sentence


@pytest.mark.parametrize("day", [datetime.date(1999, 1, 1), datetime.date(2099, 1, 1)])
def test_house_wagers_are_house_rules_and_never_presumed_in_force(day: datetime.date) -> None:
    found = section_status(LAW.sections["house"], day, RULES.terms.readings)
    assert (found.status, found.term, found.last_day) == (Status.HOUSE_RULE, None, None)
    assert found.status in STANDING and found.status.value == "house rule"


def test_house_every_wager_is_shown() -> None:
    shown = {case.values[0] for case in (*cases(WAGERS), *cases(JUDGED))}
    assert shown == {wager.code for wager in LAW.sections["house"].wager}


def test_house_odds_that_are_filed_go_before_the_default() -> None:
    filed = {
        ("house.dragon_7", "banker_wins_3_card_7"): parse_odds("41 to 1"),
        ("house.any_natural", "any_natural"): parse_odds("4 to 1"),
    }
    rules = Rules(LAW, replace(RULES.terms, house_odds=filed))
    assert pays(rules, "house.dragon_7", "JH 3S 9H | 5D 8D 4S") == "41 to 1"
    assert pays(rules, "house.any_natural", "5D 4H | 9C KD") == "4 to 1"


@pytest.mark.parametrize(
    ("reading", "chip", "due"),
    [("exact_cents", 1, 1540), ("round_up", 25, 1550), ("round_down", 25, 1525)],
)
def test_house_odds_of_0_54_to_1_are_rounded_as_filed(reading: str, chip: int, due: int) -> None:
    rules = rules_with(readings={"D22": reading}, chip=chip)
    found = verdict(rules, "house.big", "4C KH QH | JS 4S", 1000)
    assert found.due_minor == due
    assert ref_of("house.big").id == "house.big"
