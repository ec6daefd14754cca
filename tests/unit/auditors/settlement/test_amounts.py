"""Verdicts say cards, result, arithmetic and paragraph in one form, and never guess an amount."""

from dataclasses import replace

import pytest

from auditors.settlement.amounts import Meter, settle_wager
from auditors.settlement.pricing import NotPayableError
from auditors.settlement.rules import Rules
from auditors.settlement.terms import WagerRef, terms_of
from schemas.rules_submission import RulesSubmission
from tests.support.tables.deals import LAW, a_coup, a_deal, ref_of, rules_with, verdict
from tests.support.tables.submissions import a_submission, a_wager

BANKER_WINS = "2S 3H KD | AC 2D 5H"
RULES = rules_with(letters={"golden_talons": "B", "harmony_mini": "A", "eclipse": "B"})


def filed(submission: RulesSubmission) -> Rules:
    """Put the law under a filing."""
    return Rules(LAW, terms_of(LAW, submission))


def test_the_sentence_has_the_form_that_people_know() -> None:
    rules = filed(a_submission())
    found = verdict(rules, "minibaccarat.banker", BANKER_WINS, 10_000)
    assert found.sentence == (
        "Player 2S 3H KD, Banker AC 2D 5H. Banker 8, Player 5: Banker wins. "
        "1 to 1 less 5 % vigorish: 100.00 + 95.00 = 195.00 due "
        "(58 Pa. Code § 627a.11, .12 (text not seen); Rules Submission RS-7)."
    )


@pytest.mark.parametrize(
    ("wager", "deal", "stake", "end"),
    [
        ("player", BANKER_WINS, 10_000, "Player loses: stake 100.00 collected, 0.00 due"),
        ("tie", "3C 2S 2D | 6S AH", 1000, "8 to 1: 10.00 + 80.00 = 90.00 due"),
        (
            "player",
            "3C 2S 2D | 6S AH",
            36_800,
            "Player: Tie, push: stake 368.00 returned = 368.00 due",
        ),
        (
            "golden_talons@player",
            "KH TH 9C | KD TS KD",
            2500,
            "Golden Talons on Player: Win by 9, paytable B, 20 to 1: 25.00 + 500.00 = 525.00 due",
        ),
        (
            "harmony_mini",
            "8S 8H | 8D 8C",
            500,
            "Harmony Progressive: Four 8's (4 cards dealt), paytable A, 1,000 for 1: "
            "1,000 x 5.00 = 5,000.00 due",
        ),
        (
            "eclipse.supreme_7",
            "KS 7C | JC 7C",
            500,
            "Supreme 7 loses, Player and banker hands both are 2-card 7 is printed Loss: "
            "stake 5.00 collected, 0.00 due",
        ),
    ],
)
def test_the_sentence_shows_the_arithmetic(wager: str, deal: str, stake: int, end: str) -> None:
    assert f". {end} (" in verdict(RULES, wager, deal, stake).sentence


def test_a_jackpot_says_meter_share_and_how_many_won_it() -> None:
    meter = Meter(10_001, (500, 500), 1)
    found = verdict(RULES, "harmony_mini", "5S 5H 5D | 5C 5S 5H", 500, meter)
    assert "meter 100.01, shared by 2 winning wagers: 50.00 = 50.00 due" in found.sentence
    assert found.sentence.endswith("For review: several wagers won the meter (D3).")


def test_first_four_wagers_of_a_faulty_draw_name_only_the_cards_that_they_rest_on() -> None:
    found = verdict(RULES, "majestic_match@player", "KS QS 9H | 9C KD", 200)
    assert found.sentence.startswith("Player KS QS, Banker 9C KD. Majestic Match on Player")


@pytest.mark.parametrize(
    ("rules", "stake", "said"),
    [
        (rules_with(), 1, "5 % of 0.01 is not payable in whole units of USD"),
        (rules_with(commission="4"), 101, "4 % of 1.01"),
        (rules_with(currency="JPY"), 150, "5 % of 150 is not payable in whole units of JPY"),
        (rules_with(marked=True), 1, "5 % of 0.01"),
    ],
)
def test_an_amount_that_is_not_payable_exactly_is_an_error(
    rules: Rules, stake: int, said: str
) -> None:
    with pytest.raises(NotPayableError, match=said):
        verdict(rules, "banker", BANKER_WINS, stake)


def test_a_tie_of_odd_odds_is_not_payable_without_a_policy() -> None:
    rules = rules_with(tie_odds="8.5 to 1")
    assert verdict(rules, "tie", "3C 2S 2D | 6S AH", 200).due_minor == 1900
    with pytest.raises(NotPayableError, match=r"8\.5 to 1 on 0\.01"):
        verdict(rules, "tie", "3C 2S 2D | 6S AH", 1)


@pytest.mark.parametrize(
    ("deal", "stake", "full", "excess"),
    [
        (BANKER_WINS, 60_000, 117_000, 97_500 + 10_000),  # 500 at 0.95 to 1, and 100 back
        (BANKER_WINS, 50_000, 97_500, 97_500),
        ("4S 4H | AC 2D", 60_000, 0, 10_000),
        ("3C 2S 2D | 6S AH", 60_000, 60_000, 60_000),
    ],
)
def test_a_stake_above_the_maximum_is_settled_in_full_or_its_excess_is_returned(
    deal: str, stake: int, full: int, excess: int
) -> None:
    wagers = [a_wager("minibaccarat.banker", minimum="5.00", maximum="500.00")]
    for reading, due in (("settle_in_full", full), ("return_excess", excess)):
        rules = filed(a_submission(wagers=wagers, readings={"D31": reading}))
        found = verdict(rules, "minibaccarat.banker", deal, stake)
        assert (found.due_minor, found.stake_minor) == (due, stake)
        is_used = reading == "return_excess" and stake > 50_000
        assert ("D31" in found.interpretations) is is_used
        assert ("100.00 above the maximum is returned: " in found.sentence) is is_used


def test_what_is_not_recorded_leaves_a_wager_open_and_says_so() -> None:
    for wager, deal, what in (
        ("majestic_match@player", "K Q | 9 K", "suits"),
        ("house.player_pair", "0 0 | 9 0", "ranks"),
        ("harmony_mini", "0 7 | 0 7", "ranks"),
    ):
        found = verdict(RULES, wager, deal)
        assert (found.due_minor, found.outcome, found.vigorish_minor) == (None, None, None)
        assert f"undetermined: it depends on {what}, which are not recorded." in found.sentence


def test_a_third_card_without_a_suit_does_not_hide_the_first_four() -> None:
    assert verdict(RULES, "majestic_match@player", "KS QS 9 | 5D 8D 4S", 200).due_minor == 5200


def test_one_card_is_no_hand_and_leaves_even_pairs_open() -> None:
    coup = a_coup("4S", "4H 4D")
    found = settle_wager(RULES, coup, ref_of("house.banker_pair"), 100)
    assert found.due_minor is None


def test_four_cards_leave_the_first_four_to_be_settled() -> None:
    coup = a_coup("4S 4H 9C 9D", "6S 3H")
    assert settle_wager(RULES, coup, ref_of("house.player_pair"), 100).due_minor == 1200
    assert settle_wager(RULES, coup, ref_of("house.any_natural"), 100).outcome == "win"


def test_a_chip_of_nothing_is_refused_and_not_divided_by() -> None:
    with pytest.raises(ValueError, match="smallest_chip: a chip is worth more than 0"):
        filed(a_submission(smallest_chip="0.00"))


def test_the_same_rules_give_the_same_verdict_again() -> None:
    first = verdict(RULES, "golden_talons@player", "KH TH 9C | KD TS KD", 2500)
    assert verdict(RULES, "golden_talons@player", "KH TH 9C | KD TS KD", 2500) == first
    other = replace(RULES.terms, letters={"golden_talons": "A"})
    fresh = settle_wager(
        Rules(LAW, other),
        a_deal("KH TH 9C | KD TS KD"),
        WagerRef("golden_talons", "player"),
        2500,
    )
    assert fresh.due_minor == 77_500
