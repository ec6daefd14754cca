"""58 Pa. Code § 627b.4, Rising Phoenix Baccarat: main wagers and twenty bonus wagers."""

import datetime

import pytest

from auditors.law.status import Status, section_status
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings, needs_base
from auditors.settlement.terms import TermsError
from schemas.findings import FindingCode
from tests.support.tables.deals import LAW, cases, pays, ref_of, rules_with, verdict

SECTION = LAW.sections["rising_phoenix"]
STANDARD = rules_with()
FREE = rules_with(commission="free")


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    cases("""
        JH 3S 9H | 5D 8D 4S | 0.95 to 1   # Banker 7 of three cards, with commission
        5S 5H 5S | QS 7D    | 0.95 to 1
        9C 8C    | 3C QS 4H | push        # 7 and 7
        3S 5H    | TS AD    | loss
    """),
)
def test_g_1_banker_wins_loses_or_is_returned(player: str, banker: str, expected: str) -> None:
    assert pays(STANDARD, "rising_phoenix.banker", f"{player} | {banker}") == expected


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    cases("""
        JH 3S 9H | 5D 8D 4S | push        # wins with three cards and 7
        2H KH 9C | QS TC 7H | push
        5S 5H 5S | QS 7D    | 1 to 1      # 7 of two cards
        2D 3S 4S | 3D KS 3D | loss
        JH 3S 9H | 5D 8D 3S | 1 to 1      # three cards, 6
        9C 8C    | 3C QS 4H | push        # an ordinary tie of 7 and 7 (D26)
        8D TC    | 3C QS 2H | undetermined
    """),
)
def test_g_1_iv_commission_free_banker_is_returned_on_a_winning_three_card_7(
    player: str, banker: str, expected: str
) -> None:
    assert pays(FREE, "rising_phoenix.banker", f"{player} | {banker}") == expected


def test_g_1_iv_sun_7_pays_while_the_commission_free_banker_wager_is_returned() -> None:
    deal = "JH 3S 9H | 5D 8D 4S"
    assert pays(FREE, "rising_phoenix.banker", deal) == "push"
    assert pays(FREE, "rising_phoenix.sun_7", deal) == "40 to 1"


def test_g_1_iv_is_cited_by_the_push_and_only_there() -> None:
    pushed = verdict(FREE, "rising_phoenix.banker", "JH 3S 9H | 5D 8D 4S")
    assert pushed.citation == "58 Pa. Code § 627b.4(g)(1)(iv)"
    tied = verdict(FREE, "rising_phoenix.banker", "9C 8C | 3C QS 4H")
    assert tied.citation == "58 Pa. Code § 627b.4(g)(1)(iii)"


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    cases("""
        3S 5H | TS AD    | 1 to 1
        9C 8C | 3C QS 4H | push
        5S 5H 5S | QS 7D | loss
    """),
)
def test_g_2_player_wins_loses_or_is_returned(player: str, banker: str, expected: str) -> None:
    assert pays(STANDARD, "rising_phoenix.player", f"{player} | {banker}") == expected


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    cases("""
        9C 8C | 3C QS 4H | 8 to 1
        3S 5H | TS AD    | loss
        5S 5H 5S | QS 7D | loss
    """),
)
def test_g_3_tie_wins_or_loses(player: str, banker: str, expected: str) -> None:
    assert pays(STANDARD, "rising_phoenix.tie", f"{player} | {banker}") == expected


BONUS = """
    i     | sun_7                | JH 3S 9H | 5D 8D 4S | 40 to 1
    i     | sun_7                | 5S 5H 5S | QS 7D    | loss      # Banker 7 of two cards
    i     | sun_7                | 9C 8C    | 3C QS 4H | loss      # a tie does not win (D15)
    ii    | moon_8               | 2D KH 6H | 7H JH    | 25 to 1
    ii    | moon_8               | JC 8H    | AC 9S    | loss      # Player 8 of two cards
    ii    | moon_8               | JS 2C 6D | 4S JS 4C | loss      # 8 and 8
    iii   | nine_over_seven      | QS 9C    | 4S 3S    | 25 to 1   # Player wins
    iii   | nine_over_seven      | KD 7C    | 5S 4C    | 25 to 1   # Banker wins
    iii   | nine_over_seven      | 2S 7S    | 8C TD    | loss      # 9 over 8
    iv    | eight_over_one       | 3S 5H    | TS AD    | 50 to 1
    iv    | eight_over_one       | 4C 7C    | KD 8C    | 50 to 1
    iv    | eight_over_one       | QH TS AD | JD QH 8S | loss      # three cards
    v     | player_6             | QS 4S 2D | QH 4S KC | 40 to 1
    v     | player_6             | 6C TH    | 4D AH QH | loss      # two cards
    v     | player_6             | 6S 8D 2S | TD 6S    | loss      # 6 and 6
    vi    | banker_1_or_2        | 7D 5C 8D | 2H KD 9S | 60 to 1   # 1
    vi    | banker_1_or_2        | AS KS QS | 3H JS 9H | 60 to 1   # 2
    vi    | banker_1_or_2        | AC QC TD | 6D 7H TH | loss      # 3
    vi    | banker_1_or_2        | 3H 2S 6C | 2S 8C AS | loss      # 1 and 1
    vii   | both_8_or_9          | 2S 7S    | 8C TD    | 20 to 1   # 9 and 8
    vii   | both_8_or_9          | 5D 4H    | 9C KD    | 20 to 1   # tie 9
    vii   | both_8_or_9          | JS 2C 6D | 4S JS 4C | 20 to 1   # tie 8 of three cards
    vii   | both_8_or_9          | QS 9C    | 4S 3S    | loss      # 9 and 7
    viii  | one_over_zero        | AH TC QC | TH QS TS | 90 to 1
    viii  | one_over_zero        | TC 5S 5C | KS 4H 7C | 90 to 1   # Banker 1, Player 0
    viii  | one_over_zero        | AS KS QS | 3H JS 9H | loss      # 2 over 1
    ix    | six_over_three       | TD 4C 2C | 4C 9S TD | 150 to 1
    ix    | six_over_three       | KC 5H 8S | 3C 9H 4H | 150 to 1
    ix    | six_over_three       | 7H 9D    | 4S 9D JD | loss      # Player of two cards
    x     | eight_over_zero      | TS QD 8S | KH QH KS | 130 to 1
    x     | eight_over_zero      | TH QS TD | 2H JH 6S | 130 to 1  # Banker wins
    x     | eight_over_zero      | 2D 6H    | KH KC    | loss      # two cards
    xi    | banker_over_player_7 | 3S 4D    | 7C 6H 5H | 30 to 1   # Banker 8 of three cards
    xi    | banker_over_player_7 | KD 7C    | 5S 4C    | 30 to 1   # Banker 9 of two cards
    xi    | banker_over_player_7 | TS AH 6H | TD AS 7H | loss      # Player 7 of three cards
    xi    | banker_over_player_7 | 9C 8C    | 3C QS 4H | loss      # 7 and 7
    xii   | nine_over_six        | 2D 3S 4S | 3D KS 3D | 200 to 1
    xii   | nine_over_six        | TS 4D 2H | 6C 4S 9C | 200 to 1
    xii   | nine_over_six        | 9S KS    | 6D TH    | loss      # two cards
    xiii  | nine_over_eight      | AC 2H 6H | TD 5S 3H | 200 to 1
    xiii  | nine_over_eight      | QS QD 8H | 5S 5H 9C | 200 to 1
    xiii  | nine_over_eight      | 2S 7S    | 8C TD    | loss      # two cards
    xiv   | player_8_over_0      | TS QD 8S | KH QH KS | 250 to 1
    xiv   | player_8_over_0      | TH QS TD | 2H JH 6S | loss      # Banker wins 8 over 0
    xv    | tie_0                | JD KC KD | AH 9C QS | 150 to 1
    xv    | tie_0                | 3H 2S 6C | 2S 8C AS | loss
    xvi   | tie_1_to_3           | 3H 2S 6C | 2S 8C AS | 70 to 1   # 1
    xvi   | tie_1_to_3           | QC 5C 7D | QH 2S KC | 70 to 1   # 2
    xvi   | tie_1_to_3           | KD QD 3D | 3D TH KH | 70 to 1   # 3
    xvi   | tie_1_to_3           | JD KC KD | AH 9C QS | loss      # 0
    xvi   | tie_1_to_3           | 4C KH QH | JS 4S    | loss      # 4
    xvii  | tie_4_to_7           | 4C KH QH | JS 4S    | 15 to 1   # 4
    xvii  | tie_4_to_7           | 3C 2S 2D | 6S AH    | 15 to 1   # 7
    xvii  | tie_4_to_7           | KD QD 3D | 3D TH KH | loss      # 3
    xvii  | tie_4_to_7           | JD 8H    | QC 8H    | loss      # 8
    xviii | tie_8_or_9           | JD 8H    | QC 8H    | 40 to 1
    xviii | tie_8_or_9           | 5D 4H    | 9C KD    | 40 to 1
    xviii | tie_8_or_9           | 3C 2S 2D | 6S AH    | loss      # 7
    xix   | player_pair          | 4S 4H    | 6S 3H    | 11 to 1   # two 4s of different suits
    xix   | player_pair          | QH KS 3H | 3D 7D JC | loss      # Q-K is no pair
    xix   | player_pair          | 6D 2S    | 6H 2C    | loss      # Banker has no pair either
    xx    | banker_pair          | 2D 6H    | KH KC    | 11 to 1   # two kings
    xx    | banker_pair          | 5D 5S 2S | JH TS JD | loss      # 10-J is no pair
"""


@pytest.mark.parametrize(("paragraph", "wager", "player", "banker", "expected"), cases(BONUS))
def test_g_4_bonus_wager_wins_as_its_paragraph_says(
    paragraph: str, wager: str, player: str, banker: str, expected: str
) -> None:
    deal = f"{player} | {banker}"
    assert pays(STANDARD, f"rising_phoenix.{wager}", deal) == expected
    found = verdict(STANDARD, f"rising_phoenix.{wager}", deal)
    wanted = f"58 Pa. Code § 627b.4(g)(4)({paragraph})"
    assert found.citation == (wanted if expected == "loss" else f"{wanted}, (h)(2)")


def test_g_4_every_bonus_wager_is_shown_winning_and_losing() -> None:
    shown = {row.values[1]: set() for row in cases(BONUS)}
    for row in cases(BONUS):
        shown[row.values[1]].add(row.values[4] == "loss")
    codes = {wager.code for wager in SECTION.wager} - {"player", "banker", "tie"}
    assert len(codes) == 20
    assert shown == {code: {True, False} for code in codes}


def test_g_4_x_and_xiv_both_pay_on_player_8_over_banker_0() -> None:
    deal = "TS QD 8S | KH QH KS"
    assert pays(STANDARD, "rising_phoenix.eight_over_zero", deal) == "130 to 1"
    assert pays(STANDARD, "rising_phoenix.player_8_over_0", deal) == "250 to 1"


@pytest.mark.parametrize(
    ("wager", "deal", "rank", "value"),
    [
        ("player_pair", "QH KS 3H | 3D 7D JC", "loss", "11 to 1"),
        ("player_pair", "4S 4H | 6S 3H", "11 to 1", "11 to 1"),
        ("banker_pair", "5D 5S 2S | JH TS JD", "loss", "11 to 1"),
    ],
)
def test_g_4_xix_pairs_are_of_rank_or_under_the_other_reading_of_value(
    wager: str, deal: str, rank: str, value: str
) -> None:
    by_value = rules_with(readings={"D25": "value"})
    assert pays(STANDARD, f"rising_phoenix.{wager}", deal) == rank
    assert pays(by_value, f"rising_phoenix.{wager}", deal) == value
    used = verdict(STANDARD, f"rising_phoenix.{wager}", deal).interpretations
    assert used == ({} if rank == value else {"D25": "rank"})


def test_g_4_xix_pairs_stand_on_the_first_four_cards_of_a_faulty_draw() -> None:
    drawn_on_a_natural = "4S 4H 9C | 6S 3H"
    assert pays(STANDARD, "rising_phoenix.player_pair", drawn_on_a_natural) == "11 to 1"
    assert pays(STANDARD, "rising_phoenix.sun_7", drawn_on_a_natural) == "undetermined"
    assert pays(STANDARD, "rising_phoenix.player", drawn_on_a_natural) == "undetermined"


@pytest.mark.parametrize(
    ("reading", "needed"), [("no_base_needed", False), ("base_required", True)]
)
def test_g_4_bonus_wagers_need_a_main_wager_only_under_the_other_reading(
    reading: str, needed: bool
) -> None:
    rules = rules_with(readings={"D35": reading})
    bonus = next(wager for wager in SECTION.wager if wager.code == "sun_7")
    assert needs_base(rules, SECTION, bonus) is needed

    found = base_findings(rules, [(ref_of("rising_phoenix.sun_7"), "w")], Place())
    assert [one.code for one in found] == [FindingCode.WAGER_WITHOUT_BASE] * needed
    if found:
        assert found[0].interpretations["D35"] == "base_required"


@pytest.mark.parametrize("base", ["player", "banker", "tie"])
def test_g_4_a_main_wager_of_any_kind_is_a_base(base: str) -> None:
    rules = rules_with(readings={"D35": "base_required"})
    placed = [(ref_of(f"rising_phoenix.{base}"), "m"), (ref_of("rising_phoenix.sun_7"), "w")]
    assert base_findings(rules, placed, Place()) == []


def test_b_commission_is_four_or_five_per_cent_of_the_amount_won() -> None:
    deal = "5S 5H 5S | QS 7D"
    four = verdict(rules_with(commission="4"), "rising_phoenix.banker", deal, 10000)
    assert (four.due_minor, four.vigorish_minor) == (19600, 400)
    five = verdict(STANDARD, "rising_phoenix.banker", deal, 10000)
    assert (five.due_minor, five.vigorish_minor) == (19500, 500)
    free = verdict(FREE, "rising_phoenix.banker", deal, 10000)
    assert (free.due_minor, free.vigorish_minor) == (20000, 0)


def test_b_minibaccarat_itself_defines_no_commission_free_game() -> None:
    with pytest.raises(TermsError, match="defines no commission-free game"):
        verdict(FREE, "minibaccarat.banker", "5S 5H 5S | QS 7D")


@pytest.mark.parametrize(
    ("day", "inclusive", "exclusive"),
    [
        ("2023-08-04", Status.NOT_YET_IN_FORCE, Status.NOT_YET_IN_FORCE),
        ("2023-08-05", Status.IN_FORCE, Status.IN_FORCE),
        ("2026-08-03", Status.IN_FORCE, Status.IN_FORCE),
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
        codes = [one.code for one in date_findings(rules, ["rising_phoenix"], date, Place())]
        wanted = {
            Status.NOT_YET_IN_FORCE: [FindingCode.RULE_NOT_YET_IN_FORCE],
            Status.LAPSED: [FindingCode.RULE_LAPSED],
            Status.IN_FORCE: [],
        }[expected]
        assert codes == wanted


def test_f_six_or_eight_decks_and_two_cover_cards() -> None:
    assert (SECTION.offering.decks, SECTION.offering.cover_cards) == ((6, 8), 2)
    assert (SECTION.offering.decks_cite, SECTION.offering.cover_cards_cite) == ("(f)", "(f)")
