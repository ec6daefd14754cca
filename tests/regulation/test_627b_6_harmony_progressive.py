"""58 Pa. Code §§ 627b.6 and 631b.10, Harmony Progressive: ties, nine paytables, a meter."""

import datetime
from fractions import Fraction

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.amounts import Meter, share_of_meter
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings
from auditors.settlement.terms import TermsError
from schemas.odds import parse_rate
from tests.support.tables.deals import LAW, cases, lettered, ref_of, rules_with, verdict

LETTERS = "ABCDEFGHI"
HARMONY = {
    letter: rules_with(letters={"harmony_mini": letter, "harmony_big": letter})
    for letter in LETTERS
}
METER = Meter(12_500_000, (1000,))

# Totals handed over on a stake of 10, per unit: "for 1" includes the stake.
OUTCOMES = """
    8S 8H    | 8D 8C    | four_8s              | 1000 1000 600 600 1000 300 600 1000 300
    4S 4H    | 4D 4C    | four_of_a_kind       | 300 200 300 300 300 300 200 200 300
    9S 9H    | 9D 9C    | four_of_a_kind       | 300 200 300 300 300 300 200 200 300
    KS QH TD | JC TS KD | six_zero_value_cards | 100 100 100 200 100 100 100 50 50
    JD KC KD | AH 9C QS | -                    | 20 20 20 3 3 5 3 4 6
    3H 2S 6C | 2S 8C AS | -                    | 6 5 5 3 3 5 3 4 6
    2H 2D 7H | 4D AD 6D | -                    | 6 5 5 20 20 20 3 4 6
    2S 2C 7S | 4C AS 6C | -                    | 6 5 5 20 20 20 3 4 6
    4C KH QH | JS 4S    | -                    | 6 5 5 3 3 5 10 8 10
    KS 7C    | JC 7S    | -                    | 3 3 5 20 20 20 3 3 4
    KS 7C    | JC 7H    | -                    | 3 3 5 3 3 5 3 3 4
    JD 8H    | QC 8H    | -                    | 3 3 5 3 3 5 3 3 4
    6S 8D 2S | TD 6S    | -                    | 3 3 5 3 3 5 10 8 10
    9C 8C    | 3C QS 4H | -                    | 3 3 5 3 3 5 10 8 10
    3C 2C 4H | 9C 6H 4D | -                    | 3 3 5 3 3 5 3 4 6
"""


def per_letter(text: str) -> list[object]:
    """Split the nine totals of a row into cells of their own."""
    lines = [line.rpartition("|") for line in text.strip().splitlines()]
    return lettered("\n".join(f"{a} | {' | '.join(b.split())}" for a, _, b in lines), LETTERS)


@pytest.mark.parametrize("section", ["harmony_mini", "harmony_big"])
@pytest.mark.parametrize(("player", "banker", "outcome", "letter", "total"), per_letter(OUTCOMES))
def test_i_each_tie_hands_over_what_the_chosen_paytable_prints_for_1(
    section: str, player: str, banker: str, outcome: str, letter: str, total: str
) -> None:
    found = verdict(HARMONY[letter], section, f"{player} | {banker}")
    assert found.due_minor == 1000 * int(total)
    assert found.pays.replace(",", "") == f"{total} for 1"
    assert outcome in ("-", found.outcome_code)
    assert found.interpretations["D1"] == "for"


@pytest.mark.parametrize("letter", LETTERS)
def test_i_every_paytable_pays_the_meter_on_six_of_a_kind(letter: str) -> None:
    found = verdict(HARMONY[letter], "harmony_mini", "KS KH KD | KC KS KH", 1000, METER)
    assert (found.due_minor, found.pays) == (12_500_000, "100% of Progressive")
    assert found.outcome_code == "six_of_a_kind"


@pytest.mark.parametrize(
    "deal", ["2S 2H 2D | 2C 2S 2H", "5S 5H 5D | 5C 5S 5H", "6S 6H | 6D 6C", "AS AH AD | AC AS AH"]
)
def test_g_1_six_of_a_kind_is_of_rank_and_needs_six_cards(deal: str) -> None:
    found = verdict(HARMONY["A"], "harmony_mini", deal, 1000, METER)
    cards = len(deal.replace("|", "").split())
    assert (found.outcome_code == "six_of_a_kind") is (cards == 6 and "6S" not in deal)


@pytest.mark.parametrize(
    ("player", "banker"),
    cases("""
    JH 3S 9H | 5D 8D 4S
    3S 5H | TS AD
    8S 8H | 8D 9C
    KS QH TD | JC TS 2D
"""),
)
def test_h_anything_but_a_tie_is_collected(player: str, banker: str) -> None:
    for letter in LETTERS:
        found = verdict(HARMONY[letter], "harmony_mini", f"{player} | {banker}")
        assert (found.outcome, found.due_minor) == ("lose", 0)
        assert found.citation == "58 Pa. Code § 627b.6(h)"


@pytest.mark.parametrize(
    ("outcome", "deal", "letter", "paragraph"),
    [
        ("six_of_a_kind", "KS KH KD | KC KS KH", "A", "(g)(1)"),
        ("four_8s", "8S 8H | 8D 8C", "A", "(g)(2)"),
        ("four_of_a_kind", "4S 4H | 4D 4C", "A", "(g)(3)"),
        ("six_zero_value_cards", "KS QH TD | JC TS KD", "A", "(g)(4)"),
        ("tie_0", "JD KC KD | AH 9C QS", "A", "(g)(5)"),
        ("tie_1_to_5", "4C KH QH | JS 4S", "A", "(g)(6)"),
        ("tie_6_to_9", "JD 8H | QC 8H", "A", "(g)(7)"),
        ("tie_one_colour", "KS 7C | JC 7S", "D", "(g)(8)"),
        ("any_tie", "KS 7C | JC 7H", "D", "(g)(9)"),
        ("tie_5_cards", "4C KH QH | JS 4S", "G", "(g)(10)"),
        ("tie_6_cards", "3C 2C 4H | 9C 6H 4D", "G", "(g)(11)"),
        ("tie_4_cards", "KS 7C | JC 7H", "G", "(g)(12)"),
    ],
)
def test_g_each_outcome_cites_its_paragraph_in_both_sections(
    outcome: str, deal: str, letter: str, paragraph: str
) -> None:
    for section, number in (("harmony_mini", "627b.6"), ("harmony_big", "631b.10")):
        found = verdict(HARMONY[letter], section, deal, 1000, METER)
        assert found.outcome_code == outcome
        assert found.citation == f"58 Pa. Code § {number}{paragraph}, (i)"


def test_i_a_fixed_amount_is_a_total_or_under_the_other_reading_a_profit() -> None:
    to = rules_with(letters={"harmony_mini": "A"}, readings={"D1": "to"})
    deal = "JD 8H | QC 8H"  # 3 for 1
    assert verdict(HARMONY["A"], "harmony_mini", deal, 500).due_minor == 1500
    assert verdict(HARMONY["A"], "harmony_mini", deal, 500).net_minor == 1000
    assert verdict(to, "harmony_mini", deal, 500).due_minor == 2000
    assert verdict(to, "harmony_mini", deal, 500).interpretations == {"D1": "to"}


def test_i_the_stake_is_not_returned_beside_the_meter_unless_the_other_reading_holds() -> None:
    to = rules_with(letters={"harmony_mini": "A"}, readings={"D1": "to"})
    deal = "KS KH KD | KC KS KH"
    assert verdict(HARMONY["A"], "harmony_mini", deal, 500, METER).due_minor == 12_500_000
    assert verdict(to, "harmony_mini", deal, 500, METER).due_minor == 12_500_500


@pytest.mark.parametrize(
    ("reading", "meter", "due"),
    [
        ("first", 12_500_000, 12_500_000),
        ("first", 9_000, 9_000),  # below 100 for 1 on 5.00
        ("greatest", 12_500_000, 12_500_000),
        ("greatest", 9_000, 50_000),
        ("every", 12_500_000, 12_500_000 + 50_000 + 10_000),
        ("every", 9_000, 9_000 + 50_000 + 10_000),
    ],
)
def test_g_six_kings_fit_three_rows_and_the_reading_says_which_are_paid(
    reading: str, meter: int, due: int
) -> None:
    rules = rules_with(letters={"harmony_mini": "A"}, readings={"D2": reading})
    deal = "KS KH KD | KC KS KH"  # six of a kind, six zeros (100 for 1), tie 0 (20 for 1)
    found = verdict(rules, "harmony_mini", deal, 500, Meter(meter, (500,)))
    assert found.due_minor == due
    assert found.interpretations["D2"] == reading
    assert ("For review" in found.sentence) is (reading == "first" and meter == 9_000)


def test_g_every_row_returns_the_stake_once_under_the_reading_to() -> None:
    rules = rules_with(letters={"harmony_mini": "A"}, readings={"D2": "every", "D1": "to"})
    found = verdict(rules, "harmony_mini", "KS QH TD | JC TS KD", 500)
    assert found.due_minor == 500 + 50_000 + 10_000  # 100 to 1 and 20 to 1


def test_g_one_fitting_row_uses_no_reading_about_several() -> None:
    found = verdict(HARMONY["A"], "harmony_mini", "JD 8H | QC 8H")
    assert found.interpretations == {"D1": "for"}


@pytest.mark.parametrize(
    ("deal", "both", "each"),
    [
        ("KS 7C | JC 7S", 20, 20),  # all black
        ("KS 7C | JD 7H", 3, 20),  # a black and a red hand
        ("KS 7H | JD 7H", 3, 3),
        ("2H 2D 7H | 4S AS 6C", 3, 20),
        ("2H 2D 7H | 4S AS 6H", 3, 3),
    ],
)
def test_g_8_one_colour_is_of_both_hands_together_or_under_the_other_reading_of_each(
    deal: str, both: int, each: int
) -> None:
    for reading, total in (("both_hands", both), ("each_hand", each)):
        rules = rules_with(letters={"harmony_mini": "D"}, readings={"D5": reading})
        found = verdict(rules, "harmony_mini", deal, 1000)
        assert found.due_minor == 1000 * total
        assert ("D5" in found.interpretations) is (both != each)


def test_g_8_without_suits_only_the_paytables_that_ask_for_colour_stay_open() -> None:
    assert verdict(HARMONY["D"], "harmony_mini", "K 7 | J 7").due_minor is None
    assert verdict(HARMONY["A"], "harmony_mini", "K 7 | J 7").due_minor == 3000


@pytest.mark.parametrize(
    ("reading", "shares"),
    [
        ("equal_share", (3334, 3334, 3333)),
        ("pro_rata_stake", (2501, 2500, 5000)),
        ("each_full", (10001, 10001, 10001)),
        ("sequential_reset", (10001, 5000, 5000)),
    ],
)
def test_i_a_jackpot_that_several_win_is_shared_as_the_reading_says(
    reading: str, shares: tuple[int, ...]
) -> None:
    stakes = (500, 500, 1000)
    rules = rules_with(letters={"harmony_mini": "A"}, readings={"D3": reading})
    found = [
        verdict(rules, "harmony_mini", "5S 5H 5D | 5C 5S 5H", stake, Meter(10001, stakes, at, 5000))
        for at, stake in enumerate(stakes)
    ]
    assert tuple(one.due_minor for one in found) == shares
    assert all(one.interpretations["D3"] == reading for one in found)
    assert all("several wagers won the meter (D3)" in one.sentence for one in found)


@pytest.mark.parametrize("policy", ["equal_share", "pro_rata_stake"])
@pytest.mark.parametrize("winners", range(1, 12))
def test_i_shares_add_up_to_the_meter_to_the_cent(policy: str, winners: int) -> None:
    stakes = tuple(100 * (1 + at % 3) for at in range(winners))
    for amount in (1, 10, 9_999, 10_000_001):
        shares = [
            share_of_meter(Fraction(amount), Meter(amount, stakes, at), policy)
            for at in range(winners)
        ]
        assert sum(shares) == amount
        assert policy != "equal_share" or max(shares) - min(shares) <= 1


def test_i_a_single_winner_uses_no_reading_about_sharing() -> None:
    found = verdict(HARMONY["A"], "harmony_mini", "5S 5H 5D | 5C 5S 5H", 500, METER)
    assert "D3" not in found.interpretations


def test_i_a_winner_after_a_reset_needs_the_reset_amount() -> None:
    rules = rules_with(letters={"harmony_mini": "A"}, readings={"D3": "sequential_reset"})
    meter = Meter(10001, (500, 500), 1)
    with pytest.raises(TermsError, match="file the progressive's reset"):
        verdict(rules, "harmony_mini", "5S 5H 5D | 5C 5S 5H", 500, meter)


def test_i_six_of_a_kind_without_a_meter_is_refused() -> None:
    with pytest.raises(TermsError, match="give the meter"):
        verdict(HARMONY["A"], "harmony_mini", "5S 5H 5D | 5C 5S 5H", 500)


@pytest.mark.parametrize(
    ("letter", "increment", "reserve"),
    cases("""
    A | 15% | 3%
    B | 19% | 5%
    C | 15% | 3%
    D | 15% | 3%
    E | 19% | 5%
    F | 15% | 3%
    G | 15% | 3%
    H | 19% | 5%
    I | 15% | 3%
"""),
)
def test_j_rates_follow_the_letter(letter: str, increment: str, reserve: str) -> None:
    for section in ("harmony_mini", "harmony_big"):
        rates = LAW.sections[section].progressive
        assert parse_rate(rates.increment[letter]) == parse_rate(increment)
        assert parse_rate(rates.reserve[letter]) == parse_rate(reserve)


def test_a_c_a_main_wager_has_to_be_placed_first() -> None:
    for section, number in (("harmony_mini", "627b.6"), ("harmony_big", "631b.10")):
        (found,) = base_findings(HARMONY["A"], [(ref_of(section), "w")], Place())
        assert found.citation == f"58 Pa. Code § {number}(a), (c)"


def test_d_2_the_lock_out_and_the_progressive_system_are_conditions_of_offering() -> None:
    for section in ("harmony_mini", "harmony_big"):
        offering = LAW.sections[section].offering
        assert (offering.lock_out, offering.progressive_system) == ("(d)(2)", "(d)")


def test_f_it_is_settled_after_the_result() -> None:
    faulty = "8S 8H 2C | 8D 8C"  # a card after a natural
    assert verdict(HARMONY["A"], "harmony_mini", faulty).due_minor is None


@pytest.mark.parametrize(
    ("section", "day", "inclusive", "exclusive"),
    [
        ("harmony_mini", "2023-08-04", Status.NOT_YET_IN_FORCE, Status.NOT_YET_IN_FORCE),
        ("harmony_mini", "2023-08-05", Status.IN_FORCE, Status.IN_FORCE),
        ("harmony_mini", "2026-08-04", Status.IN_FORCE, Status.LAPSED),
        ("harmony_mini", "2026-08-05", Status.LAPSED, Status.LAPSED),
        ("harmony_big", "2023-03-24", Status.NOT_YET_IN_FORCE, Status.NOT_YET_IN_FORCE),
        ("harmony_big", "2023-03-25", Status.IN_FORCE, Status.IN_FORCE),
        ("harmony_big", "2026-03-24", Status.IN_FORCE, Status.IN_FORCE),
        ("harmony_big", "2026-03-25", Status.IN_FORCE, Status.LAPSED),
        ("harmony_big", "2026-03-26", Status.LAPSED, Status.LAPSED),
    ],
)
def test_source_note_each_section_has_its_own_dates(
    section: str, day: str, inclusive: Status, exclusive: Status
) -> None:
    date = datetime.date.fromisoformat(day)
    for reading, expected in (("inclusive", inclusive), ("exclusive", exclusive)):
        rules = rules_with(readings={"D37": reading})
        status = section_status(LAW.sections[section], date, rules.terms.readings).status
        assert status is expected
        found = date_findings(rules, [section], date, Place())
        assert bool(found) is (expected is not Status.IN_FORCE)
        used = {"D37": reading} if expected is Status.LAPSED else {}
        assert all(one.interpretations == used for one in found)
