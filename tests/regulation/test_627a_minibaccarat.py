"""58 Pa. Code § 627a, Minibaccarat (text not seen), and § 631a, Baccarat: the main game."""

from itertools import product

import pytest

from auditors.settlement.coup import judge_coup, required_third_cards
from schemas.cards import parse_card
from schemas.findings import FindingCode
from tests.support.tables.deals import LAW, a_coup, a_deal, cases, pays, rules_with, verdict

RULES = rules_with()
GAMES = ("minibaccarat", "baccarat")

# By Banker's points: on which third card of the Player the Banker draws; "-": the Player stood.
BANKER_DRAWS = """
    0 | - 0 1 2 3 4 5 6 7 8 9
    1 | - 0 1 2 3 4 5 6 7 8 9
    2 | - 0 1 2 3 4 5 6 7 8 9
    3 | - 0 1 2 3 4 5 6 7 9
    4 | - 2 3 4 5 6 7
    5 | - 4 5 6 7
    6 | 6 7
    7 |
    8 |
    9 |
"""
TWO_CARDS = {  # two cards of each point count
    0: "TS QH",
    1: "KD AC",
    2: "AS AD",
    3: "2S AH",
    4: "2D 2C",
    5: "3S 2H",
    6: "4D 2S",
    7: "5H 2D",
    8: "6C 2H",
    9: "7D 2C",
}
THIRD = {value: f"{value}H" for value in range(2, 10)} | {0: "KH", 1: "AH"}


def draw_table() -> dict[int, set[str]]:
    """Read the table above."""
    lines = [line.partition("|") for line in BANKER_DRAWS.strip().splitlines()]
    return {int(points): set(thirds.split()) for points, _, thirds in lines}


@pytest.mark.parametrize("game", GAMES)
def test_10_third_cards_of_every_point_count_and_third_card(game: str) -> None:
    """10 × 10 × 11: all points of both hands, each third card of the Player or none."""
    table, section = draw_table(), LAW.sections[game]
    for player, banker, third in product(range(10), range(10), (None, *range(10))):
        natural = player >= 8 or banker >= 8
        player_draws = not natural and player <= 5
        banker_draws = not natural and ("-" if third is None else str(third)) in table[banker]
        assert required_third_cards(player, banker, third, section) == (player_draws, banker_draws)


def test_10_every_way_to_deal_is_right_or_has_the_fault_of_its_hand() -> None:
    """10 × 10 point counts × third card or none of each hand."""
    table, game = draw_table(), LAW.sections["minibaccarat"]
    for player, banker, third, banker_third in product(
        range(10), range(10), (None, *range(10)), (None, 0, 9)
    ):
        hands = [
            tuple(map(parse_card, TWO_CARDS[points].split()))
            + (() if drawn is None else (parse_card(THIRD[drawn]),))
            for points, drawn in ((player, third), (banker, banker_third))
        ]
        found = {(fault.code, fault.hand) for fault in judge_coup(*hands, game).faults}
        drew = {"player": third is not None, "banker": banker_third is not None}
        if max(player, banker) >= 8:
            wanted = {(FindingCode.CARD_AFTER_NATURAL, hand) for hand in drew if drew[hand]}
        else:
            must = {
                "player": player <= 5,
                "banker": ("-" if third is None else str(third)) in table[banker],
            }
            wanted = {
                (
                    FindingCode.THIRD_CARD_NOT_DRAWN
                    if must[hand]
                    else FindingCode.THIRD_CARD_DRAWN_IN_ERROR,
                    hand,
                )
                for hand in drew
                if drew[hand] is not must[hand]
            }
        assert found == wanted, (player, banker, third, banker_third)


@pytest.mark.parametrize(
    ("player", "banker", "sentence"),
    cases("""
        2S 3H KD | AC 2D    | Banker must draw on 3 against a ten-valued card (KD)
        2S 3H AD | AC 3D KS | Banker must stand on 4 against an ace (AD), but drew KS
        2S 3H 8D | AC 2D 5H | Banker must stand on 3 against an 8 (8D), but drew 5H
        4S 3H    | AC 2D    | Banker must draw on 3 when the Player has stood
        2S 3H    | AC 6D    | Player must draw on 5, but has no third card
        4S 3H 2D | AC 6D    | Player must stand on 7, but drew 2D
        4S 4H 2D | AC 6D    | after a natural (Player 8); nobody draws then
        4S 4H    | 9C TD 5H | Banker has a third card (5H) after a natural (Player 8 and Banker 9)
    """),
)
def test_10_a_fault_is_said_with_the_cards(player: str, banker: str, sentence: str) -> None:
    (fault,) = a_coup(player, banker).faults
    assert sentence in fault.sentence
    assert fault.citation == "58 Pa. Code § 627a.10 (text not seen)"


@pytest.mark.parametrize(
    ("player", "banker", "said"),
    cases("""
        2S | AC 2D            | Player has 1 card; a hand has two or three
        2S 3H 4D 5C | AC 2D   | Player has 4 cards; a hand has two or three
        2S | AC 2D 3H 4S      | Player has 1 card and Banker has 4 cards; a hand has two or three
    """),
)
def test_8_a_wrong_number_of_cards_is_one_fault_of_the_deal(
    player: str, banker: str, said: str
) -> None:
    (fault,) = a_coup(player, banker).faults
    assert (fault.code, fault.hand, fault.sentence) == (FindingCode.DEAL_ORDER, None, said)
    assert pays(RULES, "player", f"{player} | {banker}") == "undetermined"


@pytest.mark.parametrize(
    ("player", "banker", "winner", "natural"),
    cases("""
        4S 4H    | AC 2D    | player | player
        AC 2D    | 9C TD    | banker | banker
        4S 4H    | 9C TD    | banker | both
        4S 4H    | 8C TD    | tie    | both
        2S 3H KD | AC 2D 5H | banker | -
        5S 4C    | 4D 5H    | tie    | both
        3C 2S 2D | 6S AH    | tie    | -
    """),
)
def test_11_the_higher_count_wins(player: str, banker: str, winner: str, natural: str) -> None:
    coup = a_coup(player, banker)
    assert (coup.winner, coup.natural or "-") == (winner, natural)


@pytest.mark.parametrize(
    ("player", "banker", "on_player", "on_banker", "on_tie"),
    cases("""
        2S 3H KD | AC 2D 5H | loss   | 0.95 to 1 | loss     # 5 and 8
        4S 4H    | AC 2D    | 1 to 1 | loss      | loss
        3C 2S 2D | 6S AH    | push   | push      | 8 to 1
        JH 3S 9H | 5D 8D 4S | loss   | 0.95 to 1 | loss     # no push on a three-card 7
    """),
)
def test_12_player_banker_and_tie(
    player: str, banker: str, on_player: str, on_banker: str, on_tie: str
) -> None:
    deal = f"{player} | {banker}"
    for game in GAMES:
        assert pays(RULES, f"{game}.player", deal) == on_player
        assert pays(RULES, f"{game}.banker", deal) == on_banker
        assert pays(RULES, f"{game}.tie", deal) == on_tie


def test_12_tie_odds_are_what_is_filed() -> None:
    assert pays(rules_with(tie_odds="9 to 1"), "tie", "3C 2S 2D | 6S AH") == "9 to 1"


def test_6_values_of_all_ranks() -> None:
    values = {rank: parse_card(rank).value for rank in "A23456789TJQK"}
    assert values == {
        "A": 1,
        "2": 2,
        "3": 3,
        "4": 4,
        "5": 5,
        "6": 6,
        "7": 7,
        "8": 8,
        "9": 9,
        "T": 0,
        "J": 0,
        "Q": 0,
        "K": 0,
    }


def test_a_citation_says_that_the_text_is_not_seen() -> None:
    deal = "2S 3H KD | AC 2D 5H"
    mini = verdict(RULES, "minibaccarat.banker", deal)
    assert mini.citation == "58 Pa. Code § 627a.11, .12 (text not seen)"
    big = verdict(RULES, "baccarat.banker", deal)
    assert big.citation == "58 Pa. Code § 631a.12 (text not seen)"


@pytest.mark.parametrize(
    ("rounding", "timing", "rate", "stake", "due", "vigorish"),
    [
        ("exact", "taken", "5", 10_000, 19_500, 500),
        ("exact", "taken", "4", 10_000, 19_600, 400),
        ("exact", "marked", "5", 10_000, 20_000, 500),
        ("exact", "taken", "5", 2_000, 3_900, 100),
        ("nearest_25c", "taken", "5", 1_000, 1_950, 50),
        ("nearest_25c", "taken", "5", 1_200, 2_350, 50),  # 60 cents: down to 50
        ("nearest_25c", "taken", "5", 1_250, 2_425, 75),  # 62.5 cents: half goes up
        ("nearest_25c", "taken", "5", 1_300, 2_525, 75),  # 65 cents: up to 75
        ("nearest_25c", "marked", "5", 1_300, 2_600, 75),
        ("nearest_25c", "taken", "5", 200, 400, 0),  # 10 cents: down to nothing
        ("up_25c", "taken", "5", 1_000, 1_950, 50),
        ("up_25c", "taken", "5", 1_200, 2_325, 75),
        ("up_25c", "taken", "5", 1_001, 1_927, 75),  # 50.05 cents: up to 75
        ("up_25c", "taken", "5", 200, 375, 25),
        ("up_25c", "marked", "4", 1_300, 2_600, 75),  # 52 cents
        ("up_25c", "taken", "5", 10, 10, 10),  # never more than was won
    ],
)
def test_12_vigorish_is_of_the_amount_won_and_rounded_as_filed(
    rounding: str, timing: str, rate: str, stake: int, due: int, vigorish: int
) -> None:
    rules = rules_with(commission=rate, marked=timing == "marked", readings={"D27": rounding})
    found = verdict(rules, "banker", "2S 3H KD | AC 2D 5H", stake)
    assert (found.due_minor, found.vigorish_minor) == (due, vigorish)
    assert found.interpretations == {"D27": rounding}
    assert ("marked" in found.sentence) is (timing == "marked")


def test_12_no_vigorish_on_a_tie_or_a_loss() -> None:
    for deal in ("3C 2S 2D | 6S AH", "4S 4H | AC 2D"):
        found = verdict(RULES, "banker", deal)
        assert found.vigorish_minor == 0
        assert found.interpretations == {}


@pytest.mark.parametrize("deal", ["2S 3H KD | AC 2D", "4S 4H 2D | AC 6D"])
def test_13_a_wrong_draw_leaves_the_main_wagers_open(deal: str) -> None:
    for wager in ("player", "banker", "tie"):
        found = verdict(RULES, wager, deal)
        assert (found.outcome, found.due_minor, found.net_minor) == (None, None, None)
        assert a_deal(deal).faults[0].sentence in found.sentence


def test_13_a_card_drawn_in_error_makes_the_coup_void_where_the_property_files_so() -> None:
    rules = rules_with(readings={"D30": "void"})
    drawn = verdict(rules, "banker", "4H JS 8S | 4C TS 3D", 10_000)
    assert (drawn.outcome, drawn.outcome_code, drawn.due_minor) == (None, "void", 10_000)
    assert drawn.interpretations == {"D30": "void"}
    not_drawn = verdict(rules, "banker", "2S 3H KD | AC 2D", 10_000)
    assert not_drawn.due_minor is None  # nothing was drawn in error, a card is missing


@pytest.mark.parametrize(("reading", "due"), [("stands", 5_200), ("refunded", 200)])
def test_13_majestic_match_of_a_void_coup_stands_or_is_refunded(reading: str, due: int) -> None:
    rules = rules_with(readings={"D30": "void", "D24": reading})
    found = verdict(rules, "majestic_match@player", "KS QS 9H | 9C KD", 200)
    assert found.due_minor == due
    assert verdict(rules, "house.player_pair", "KS QS 9H | 9C KD", 200).due_minor == 200
