"""What went wrong elsewhere, restated: the whole kind is right here, not the one example."""

import csv
import io
import json
from fractions import Fraction
from itertools import product

import pytest

from auditors.shoe import composition_excess
from schemas.cards import parse_hand
from schemas.money import AmountError, format_minor, parse_amount, parse_recorded_amount
from schemas.odds import parse_rate
from tests.support.ladderman import ladderman
from tests.support.tables.deals import pays, rules_with, verdict

RULES = rules_with()


def net(wager: str, deal: str, stake: int) -> str:
    """Say what a wager wins or loses."""
    found = verdict(RULES, wager, deal, stake)
    assert found.net_minor is not None
    return format_minor(found.net_minor)


def audit(*rows: dict[str, str], flags: tuple[str, ...] = ()) -> list[dict]:
    """Audit rows and give the findings."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    answer = ladderman("audit", "-", "--format", "json", *flags, stdin=text.getvalue().encode())
    return json.loads(answer.out)["findings"]


def a_row(player: str, banker: str, **claims: str) -> dict[str, str]:
    """Build a row of recorded rounds."""
    return {"coup": "1", "player_cards": player, "banker_cards": banker, **claims}


# B01: the Banker's draw list left out 0, though tens and pictures were coded 10.


def test_b01_banker_draws_on_3_against_a_ten_valued_card() -> None:
    deal = "2S 3H KD | AC 2D 5H"
    assert (net("banker", deal, 10_000), net("player", deal, 10_000)) == ("95.00", "-100.00")
    (found,) = audit(a_row("2S 3H KD", "AC 2D", winner="player"))
    assert found["code"] == "THIRD_CARD_NOT_DRAWN"
    assert "Banker must draw on 3 against a ten-valued card (KD)" in found["sentence"]


@pytest.mark.parametrize("rank", ["T", "10", "J", "Q", "K", "0"])
def test_b01_every_ten_valued_card_counts_0_for_every_banker_total(rank: str) -> None:
    totals = {
        0: "KC TD",
        1: "AC KD",
        2: "AC AD",
        3: "AC 2D",
        4: "AC 3D",
        5: "AC 4D",
        6: "AC 5D",
        7: "AC 6D",
    }
    for points, hand in totals.items():
        drawn = audit(a_row(f"2S 3H {rank}", f"{hand} 9H"))
        stood = audit(a_row(f"2S 3H {rank}", hand))
        must_draw = points <= 3
        assert [one["code"] for one in drawn] == ["THIRD_CARD_DRAWN_IN_ERROR"] * (not must_draw)
        assert [one["code"] for one in stood] == ["THIRD_CARD_NOT_DRAWN"] * must_draw


# B09: the stored winner is not what the cards say.


@pytest.mark.parametrize(
    ("coup", "player", "banker", "stored", "said", "banker_net"),
    [
        ("597501353", "6H 8S 3D", "JC 2D 5S", "banker", "Player 7, Banker 7: tie", "0.00"),
        ("589231473", "KS 3D JS", "5D TH", "player", "Banker 5, Player 3: Banker wins", "95.00"),
    ],
)
def test_b09_one_winner_alert_each_and_settlement_from_the_cards(
    coup: str, player: str, banker: str, stored: str, said: str, banker_net: str
) -> None:
    claims = {"winner": stored, "wager": "banker", "stake": "100", "net": banker_net}
    (found,) = audit({**a_row(player, banker, **claims), "coup": coup})
    assert (found["code"], found["coup"]) == ("RESULT_MISANNOUNCED", coup)
    assert said in found["sentence"]
    assert net("banker", f"{player} | {banker}", 10_000) == banker_net


def test_b09_every_wrong_winner_is_found_and_every_right_one_is_not() -> None:
    deals = {"player": ("4S 4H", "AC 2D"), "banker": ("AC 2D", "9C KD"), "tie": ("2S 5S", "5D 2C")}
    for (winner, hands), stored in product(deals.items(), deals):
        assert bool(audit(a_row(*hands, winner=stored))) is (stored != winner)


# B10: anything but the chosen side counted as lost.


def test_b10_a_tie_returns_player_and_banker_wagers() -> None:
    (found,) = audit(a_row("2S 5S", "5D 2C", wager="player", stake="368", net="-368"))
    assert (found["code"], found["difference"]) == ("WAGER_UNDERPAID", "-368.00")
    assert "underpaid 368.00" in found["sentence"]
    for wager in (
        "player",
        "banker",
        "rising_phoenix.player",
        "rising_phoenix.banker",
        "baccarat.player",
        "baccarat.banker",
    ):
        assert net(wager, "2S 5S | 5D 2C", 36_800) == "0.00"
    assert net("tie", "2S 5S | 5D 2C", 1000) == "80.00"


# B12: one slot for the special hand, so that all side wagers but the last lost.


@pytest.mark.parametrize(
    ("wager", "stake", "won"),
    [
        ("player", 10_000, "100.00"),
        ("house.player_pair", 1000, "110.00"),
        ("house.perfect_pair", 1000, "250.00"),
        ("house.player_dragon_bonus", 1000, "10.00"),
        ("house.small", 1000, "15.00"),
        ("house.banker_pair", 1000, "-10.00"),
        ("house.big", 1000, "-10.00"),
        ("house.either_pair", 1000, "50.00"),
    ],
)
def test_b12_every_side_wager_of_a_natural_pair_is_settled_by_itself(
    wager: str, stake: int, won: str
) -> None:
    assert net(wager, "4S 4S | 4D 3C", stake) == won


def test_b12_a_perfect_pair_is_of_rank_and_suit() -> None:
    assert net("house.perfect_pair", "4S 4H | 4D 3C", 1000) == "-10.00"
    assert net("house.player_pair", "4S 4H | 4D 3C", 1000) == "110.00"


def test_b12_dragon_bonus_is_of_its_own_hand_and_big_is_not_small() -> None:
    assert net("house.banker_dragon_bonus", "4S 4S | 4D 3C", 1000) == "-10.00"
    for deal in ("4S 4S | 4D 3C", "2S 3H KD | AC 2D 5H", "4C KH QH | JS 4S"):
        outcomes = {pays(RULES, f"house.{size}", deal) == "loss" for size in ("big", "small")}
        assert outcomes == {True, False}


def test_b12_all_wagers_of_one_coup_in_a_file_are_right_together() -> None:
    paid = {
        "player": (100, 200),
        "house.player_pair": (10, 120),
        "house.perfect_pair": (10, 260),
        "house.player_dragon_bonus": (10, 20),
        "house.small": (10, 25),
        "house.banker_pair": (10, 0),
        "house.big": (10, 0),
    }
    rows = [
        a_row("4S 4S", "4D 3C", wager=wager, stake=str(stake), paid=str(total))
        for wager, (stake, total) in paid.items()
    ]
    assert audit(*rows) == []


# B28: a binary fraction was cut off when it became a decimal.


def test_b28_rates_and_amounts_are_exact_and_never_cut() -> None:
    assert parse_rate("1.57%") * parse_amount("1000000.00") == Fraction(parse_amount("15700.00"))
    assert net("player", "4S 4H | AC 2D", parse_amount("2.55")) == "2.55"
    with pytest.raises(AmountError):
        parse_amount("1.005")
    for cents in range(1, 20_000):
        assert parse_recorded_amount(repr(cents / 100))[0] == cents
        assert parse_amount(f"{cents // 100}.{cents % 100:02d}") == cents


def test_b28_a_recorded_amount_below_a_cent_is_a_finding_and_the_coup_is_settled() -> None:
    (found,) = audit(a_row("4S 4H", "AC 2D", wager="player", stake="1.005", paid="2.01"))
    assert (found["code"], found["column"]) == ("EVENT_REJECTED", "stake")


# B33: packs in factory order; every coup settles by its cards, the run of cards returns, and nine
# of a card are too many.

CYCLE = ["AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AH", "2H"]


def dealt_from(cards: list[str]) -> list[tuple[list[str], list[str]]]:
    """Deal coups by the rules until the cards are used up."""
    coups, left = [], list(cards)
    while len(left) >= 6:
        player, banker = [left[0], left[2]], [left[1], left[3]]
        used = 4
        points = [
            sum(card.value for card in parse_hand(" ".join(hand))) % 10 for hand in (player, banker)
        ]
        if max(points) < 8:
            third = None
            if points[0] <= 5:
                player.append(left[used])
                third = parse_hand(left[used])[0].value
                used += 1
            draws = {
                3: third != 8,
                4: third in range(2, 8),
                5: third in range(4, 8),
                6: third in (6, 7),
            }
            if points[1] <= 2 or (points[1] <= 5 if third is None else draws.get(points[1])):
                banker.append(left[used])
                used += 1
        coups.append((player, banker))
        left = left[used:]
    return coups


@pytest.mark.parametrize(("cycles", "is_too_many"), [(8, False), (9, False), (10, True)])
def test_b33_an_unshuffled_shoe_settles_by_its_cards_and_its_run_returns(
    cycles: int, is_too_many: bool
) -> None:
    rows, codes = [], set()
    for number, (player, banker) in enumerate(dealt_from(CYCLE * cycles)):
        hands = " ".join(player), " ".join(banker)
        due = verdict(RULES, "player", " | ".join(hands), 1000).due_minor
        claims = {"shoe": "S1", "wager": "player", "stake": "10", "paid": format_minor(due)}
        rows.append({**a_row(*hands, **claims), "coup": str(number)})
    codes = {one["code"] for one in audit(*rows)}
    dealt = " ".join(f"{row['player_cards']} {row['banker_cards']}" for row in rows)
    counted = {card: dealt.split().count(str(card)) for card in set(parse_hand(dealt))}
    assert bool(composition_excess(counted, 8)) is ("SHOE_COMPOSITION" in codes)
    assert {"SHOE_ORDER_REPEATED"} <= codes <= {"SHOE_COMPOSITION", "SHOE_ORDER_REPEATED"}
    if cycles != 9:
        assert ("SHOE_COMPOSITION" in codes) is is_too_many
