"""Public incidents, as far as a file of recorded rounds can show them."""

import csv
import io
import json
import random

from tests.support.ladderman import ladderman
from tests.support.texts.round_files import VALUES, deal, paid_on


def audit(rows: list[dict[str, str]], *flags: str) -> list[dict]:
    """Audit rows and give the findings."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    answer = ladderman("audit", "-", "--format", "json", *flags, stdin=text.getvalue().encode())
    return json.loads(answer.out)["findings"]


def a_shoe(cards: list[str], name: str, seed: int) -> list[dict[str, str]]:
    """Deal a whole shoe by plain rules."""
    random.Random(seed).shuffle(cards)
    rows = []
    while len(cards) >= 6:
        dealt = deal(cards)
        rows.append(
            {
                "coup": f"{name}-{len(rows)}",
                "shoe": name,
                "player_cards": " ".join(dealt.player),
                "banker_cards": " ".join(dealt.banker),
                "winner": dealt.winner,
            }
        )
    return rows


def eight_decks() -> list[str]:
    """Give the cards of eight decks."""
    return [rank + suit for rank in VALUES for suit in "CDHS"] * 8


def test_parx_an_extra_jack_for_a_missing_queen_of_diamonds_is_named_in_every_shoe() -> None:
    """About 420 hands were dealt; every coup settles by its cards, the shoes do not add up."""
    rows = []
    for number in range(6):
        cards = eight_decks()
        cards[cards.index("QD")] = "JC"
        rows += a_shoe(cards, f"S{number}", number)
    found = audit(rows)
    assert len(rows) > 400
    assert {one["code"] for one in found} == {"SHOE_COMPOSITION"}
    # Only shoes whose nine jacks of clubs all came out before the last cards can show it.
    shown = [
        f"S{n}"
        for n in range(6)
        if sum(
            f"{row['player_cards']} {row['banker_cards']}".split().count("JC")
            for row in rows
            if row["shoe"] == f"S{n}"
        )
        == 9
    ]
    assert [one["shoe"] for one in found] == shown
    assert shown
    assert all("9 of J♣ instead of 8" in one["sentence"] for one in found)
    assert all(one["severity"] == "critical" for one in found)


def test_parx_a_shoe_of_eight_whole_decks_has_no_finding() -> None:
    assert audit([row for n in range(4) for row in a_shoe(eight_decks(), f"S{n}", n)]) == []


def test_buono_missing_commission_is_found_on_every_winning_banker_wager_and_nowhere_else() -> None:
    rows, forgotten = [], 0
    chance = random.Random(1)
    for row in a_shoe(eight_decks(), "S1", 1):
        cards = chance.sample(eight_decks(), 6)
        dealt = deal(cards)
        due = paid_on(dealt, "banker", 100)
        wins = dealt.winner == "banker"
        forgotten += wins
        rows.append(
            {
                **row,
                "player_cards": " ".join(dealt.player),
                "winner": dealt.winner,
                "banker_cards": " ".join(dealt.banker),
                "shoe": "",
                "wager": "banker",
                "stake": "100.00",
                "paid": "200.00" if wins else f"{due:.2f}",
            }
        )
    found = audit(rows)
    assert len(found) == forgotten > 20
    assert {(one["code"], one["difference"]) for one in found} == {("WAGER_OVERPAID", "5.00")}


def test_allison_a_losing_wager_that_is_left_or_paid_is_found_with_its_seat() -> None:
    losing = {
        "coup": "1",
        "seat": "5",
        "player_cards": "2S 3H KD",
        "banker_cards": "AC 2D 5H",
        "wager": "player",
        "stake": "100",
    }
    left, paid = audit([{**losing, "paid": "100"}, {**losing, "coup": "2", "paid": "200"}])
    assert (left["code"], left["seat"], left["difference"]) == (
        "LOSER_NOT_COLLECTED",
        "5",
        "100.00",
    )
    assert (paid["code"], paid["seat"], paid["difference"]) == ("LOSER_PAID", "5", "200.00")
