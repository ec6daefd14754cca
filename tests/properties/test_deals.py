"""The enumeration of all deals counts what dealing card by card counts.

Two independent counts stand beside it: one by point values for full shoes, in plain loops and with
a tableau of its own, and one that deals every ordered draw of a small shoe and derives its facts
from the cards themselves.
"""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditors.law import load_law
from auditors.law.facts import BANKER, BLACK, CoupFacts, Stage
from auditors.law.packed_facts import facts_of, pack
from auditors.odds.deals import DECK_CARDS, Deals, deals_from, exact_deals
from schemas.cards import RANKS, SUITS, Card, Knowledge, parse_hand

GAME = load_law().sections["minibaccarat"]
SMALL_SHOES_MAX = 15

# By Banker's points, the values of Player's third card on which Banker draws; from the table that
# is printed at http://www.casinoexploit.com/baccarat.html, and alike elsewhere.
BANKER_DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}


def banker_draws(banker: int, third: int | None) -> bool:
    """Say whether Banker draws, by the table above."""
    return banker <= 5 if third is None else str(third) in BANKER_DRAWS[banker]


def falling(number: int, factors: int) -> int:
    """Multiply a number by those just below it."""
    result = 1
    for step in range(factors):
        result *= number - step
    return result


def card(number: int) -> Card:
    """Give the card that the enumeration knows by its number."""
    return parse_hand(RANKS[number // 4] + SUITS[number % 4])[0]


def weight(deals: Deals, which: object) -> int:
    """Add up the draws of the facts that are marked."""
    return int(deals.weights[np.asarray(which, dtype=bool)].sum())


def by_point_values(decks: int) -> Counter[tuple[int, ...]]:
    """Count coups by what their point values alone tell, one value after the other."""
    shoe = [16 * decks] + [4 * decks] * 9
    cards = sum(shoe)
    counts: Counter[tuple[int, ...]] = Counter()

    def add(player: list[int], banker: list[int], ways: int) -> None:
        dealt = len(player) + len(banker)
        points = sum(player) % 10, sum(banker) % 10
        naturals = sum(player[:2]) % 10 >= 8, sum(banker[:2]) % 10 >= 8
        key = (*points, len(player), len(banker), *naturals)
        counts[key] += ways * falling(cards - dealt, 6 - dealt)

    def left(value: int, dealt: list[int]) -> int:
        return shoe[value] - dealt.count(value)

    for first in product(range(10), repeat=4):
        player, banker = [first[0], first[2]], [first[1], first[3]]
        ways, dealt = 1, list(first)
        for place, value in enumerate(first):
            ways *= shoe[value] - first[:place].count(value)
        points = sum(player) % 10, sum(banker) % 10
        if max(points) >= 8:
            add(player, banker, ways)
        elif points[0] >= 6:
            if not banker_draws(points[1], None):
                add(player, banker, ways)
                continue
            for second in range(10):
                add(player, [*banker, second], ways * left(second, dealt))
        else:
            for third in range(10):
                drawn = ways * left(third, dealt)
                if not banker_draws(points[1], third):
                    add([*player, third], banker, drawn)
                    continue
                for second in range(10):
                    more = drawn * left(second, [*dealt, third])
                    add([*player, third], [*banker, second], more)
    return counts


def by_dealing(shoe: list[Card]) -> Counter[int]:
    """Count the packed facts of every ordered draw of six cards of a small shoe."""
    counts: Counter[int] = Counter()
    for cards, ways in Counter(permutations(shoe, 6)).items():
        player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
        points = [sum(one.value for one in hand) % 10 for hand in (player, banker)]
        if max(points) < 8:
            third = None
            if points[0] <= 5:
                player.append(rest.pop(0))
                third = player[2].value
            if banker_draws(points[1], third):
                banker.append(rest.pop(0))
        facts = facts_of(tuple(player), tuple(banker))
        counts[int(pack(facts))] += ways
    return counts


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_the_weights_of_a_shoe_sum_to_all_ordered_draws_of_six_cards(decks: int) -> None:
    deals = exact_deals(decks, GAME)
    assert deals.total == falling(DECK_CARDS * decks, 6)
    assert sum(deals.weights.tolist()) == deals.total
    assert min(deals.weights.tolist()) > 0
    assert len(set(deals.examples.tolist())) == len(deals)


@pytest.mark.parametrize("decks", [6, 8])
def test_points_cards_and_naturals_are_those_of_a_count_by_point_values(decks: int) -> None:
    deals = exact_deals(decks, GAME).as_far_as(Knowledge.VALUE, Stage.RESULT)
    f = deals.facts
    columns = (
        f.player_points,
        f.banker_points,
        f.player_cards,
        f.banker_cards,
        f.player_natural,
        f.banker_natural,
    )
    counts: Counter[tuple[int, ...]] = Counter()
    keys = np.column_stack([np.asarray(column) for column in columns]).tolist()
    for key, ways in zip(keys, deals.weights.tolist(), strict=True):
        counts[tuple(key)] += ways
    assert counts == by_point_values(decks)


@given(
    st.lists(st.integers(0, DECK_CARDS - 1), min_size=6, max_size=7)
    | st.lists(st.sampled_from([0, 1, 2, 28, 44, 45, 47, 48, 50]), min_size=6, max_size=7)
)
@settings(max_examples=SMALL_SHOES_MAX)
@example([48, 48, 49, 49, 50, 51, 51])  # kings alone: six of a kind, all of it in either colour
@example([0, 0, 1, 2, 2, 3, 3])  # aces alone
@example([28, 28, 29, 30, 31, 31, 0])  # eights: four of a kind on four cards
@example([44, 44, 48, 48, 45, 49, 32])  # queens and kings of one suit: royal, and its opposite
@example([4, 5, 6, 7, 4, 8, 36])  # twos and a ten: five cards of one rank and one that is not
@example([36, 40, 44, 48, 37, 41, 49])  # cards of one value that are of four ranks
def test_every_fact_of_a_small_shoe_is_that_of_dealing_it_card_by_card(numbers: list[int]) -> None:
    deals = deals_from(np.bincount(numbers, minlength=DECK_CARDS), GAME)
    counted = dict(zip(np.asarray(pack(deals.facts)).tolist(), deals.weights.tolist(), strict=True))
    assert counted == by_dealing([card(number) for number in numbers])


@pytest.mark.parametrize("cards", [5, 1401])
def test_a_shoe_that_cannot_be_counted_is_refused(cards: int) -> None:
    shoe = np.zeros(DECK_CARDS, dtype=np.int64)
    shoe[3] = cards
    with pytest.raises(ValueError, match=f"a shoe of {cards} cards"):
        deals_from(shoe, GAME)


@pytest.mark.parametrize("decks", [6, 8])
def test_facts_of_the_first_four_cards_have_their_closed_forms(decks: int) -> None:
    deals, cards = exact_deals(decks, GAME), DECK_CARDS * decks
    f = deals.facts
    other = cards - 1
    same_rank = Fraction(4 * decks - 1, other)
    distinct = Fraction(1)
    for rank in range(4):
        distinct *= Fraction(cards - rank * 4 * decks, cards - rank)
    same_value = (16 * Fraction(16 * decks - 1, other) + 36 * same_rank) / 52
    forms: dict[str, tuple[object, Fraction]] = {
        "pair": (f.player_pair == 1, same_rank),
        "banker pair": (f.banker_pair == 1, same_rank),
        "value pair": (f.banker_value_pair == 1, same_value),
        "identical": (f.player_identical == 1, Fraction(decks - 1, other)),
        "suited": (f.banker_suited == 1, Fraction(13 * decks - 1, other)),
        "royal": (f.player_royal == 1, Fraction(8 * decks * decks, cards * other)),
        "match": (f.first_four_match == 1, 1 - distinct),
        "equal": (f.first_card_higher == 0, same_rank),
        "higher": (f.first_card_higher == BANKER, (1 - same_rank) / 2),
    }
    for name, (which, expected) in forms.items():
        assert Fraction(weight(deals, which), deals.total) == expected, name


def test_red_and_black_are_equally_likely_for_either_hand() -> None:
    deals = exact_deals(8, GAME)
    swapped = {0: 0, 1: 2, 2: 1}
    fields = deals.facts._asdict()
    for hand in ("player", "banker"):
        colour = np.asarray(fields[f"{hand}_colour"])
        fields[f"{hand}_colour"] = np.vectorize(swapped.get)(colour)
    mirrored = np.asarray(pack(CoupFacts(**fields)))
    order = np.argsort(mirrored)
    assert np.array_equal(mirrored[order], np.asarray(pack(deals.facts)))
    assert np.array_equal(deals.weights[order], deals.weights)
    assert weight(deals, np.asarray(deals.facts.player_colour) == BLACK) > 0


@pytest.mark.parametrize("knowledge", Knowledge)
@pytest.mark.parametrize("stage", Stage)
def test_less_knowledge_merges_facts_and_keeps_their_weight(
    knowledge: Knowledge, stage: Stage
) -> None:
    deals = exact_deals(6, GAME)
    known = deals.as_far_as(knowledge, stage)
    assert int(known.weights.sum()) == known.total == deals.total
    assert len(known) <= len(deals)
    natural = np.asarray(known.facts.player_natural) == 1
    assert weight(known, natural) == weight(deals, np.asarray(deals.facts.player_natural) == 1)
    # A fact that is not known is 0, and the example behind an entry agrees in all that is.
    if knowledge < Knowledge.SUIT:
        assert not np.asarray(known.facts.player_suited).any()
    if stage is Stage.FIRST_FOUR:
        assert not np.asarray(known.facts.winner).any()
    assert set(known.examples.tolist()) <= set(deals.examples.tolist())
