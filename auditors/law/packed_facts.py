"""Facts of a coup packed into one integer, hand by hand, and read back from it.

Few distinct facts exist, so verdicts are remembered by the packed integer. A hand has a part of its
own, which is known once its cards are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from auditors.law.facts import (
    BANKER,
    BLACK,
    HANDS,
    MIXED,
    PLAYER,
    RANK_NUMBERS,
    RED,
    CoupFacts,
    Fact,
    rank_number,
)
from schemas.cards import RED_SUITS, Card

FIELD_BITS: Final = CoupFacts(
    winner=2, player_points=4, banker_points=4, player_cards=2, banker_cards=2,
    player_natural=1, banker_natural=1, player_pair=1, banker_pair=1,
    player_value_pair=1, banker_value_pair=1, player_identical=1, banker_identical=1,
    player_suited=1, banker_suited=1, player_royal=1, banker_royal=1,
    first_four_match=1, first_card_higher=2, player_colour=2, banker_colour=2,
    common_rank=4, zero_valued_cards=3,
)  # fmt: skip
"""Bits of each field in a packed fact: 40 in all, so a packed fact fits a 64-bit integer."""


_SHIFTS: Final = {
    name: sum(int(bits) for bits in FIELD_BITS[position + 1 :])
    for position, name in enumerate(CoupFacts._fields)
}
"""Where each field begins in a packed fact, counted from the least significant bit."""


_PLACES: Final = [
    (_SHIFTS[name], (1 << int(bits)) - 1)
    for name, bits in zip(CoupFacts._fields, FIELD_BITS, strict=True)
]
"""Shift and mask of each field."""


_HAND_SHIFTS: Final = {
    hand: {
        name.removeprefix(f"{hand}_"): shift
        for name, shift in _SHIFTS.items()
        if name.startswith(hand)
    }
    for hand in HANDS
}
_ZERO_VALUED: Final = 1 << _SHIFTS["zero_valued_cards"]
_COMMON_RANK: Final = 1 << _SHIFTS["common_rank"]
_FIRST_FOUR_MATCH: Final = 1 << _SHIFTS["first_four_match"]
_PLAYER_WINS: Final = PLAYER << _SHIFTS["winner"]
_BANKER_WINS: Final = BANKER << _SHIFTS["winner"]
_PLAYER_HIGHER: Final = PLAYER << _SHIFTS["first_card_higher"]
_BANKER_HIGHER: Final = BANKER << _SHIFTS["first_card_higher"]


def pack(facts: CoupFacts) -> Fact:
    """Pack facts into one integer (or an array of them), most significant field first."""
    packed: Fact = 0
    for bits, value in zip(FIELD_BITS, facts, strict=True):
        packed = packed * (1 << int(bits)) + value
    return packed


def unpack(packed: Fact) -> CoupFacts:
    """Give the facts that :func:`pack` packed."""
    return CoupFacts._make([packed >> shift & mask for shift, mask in _PLACES])


def field_mask(fields: Iterable[str]) -> int:
    """Give the bits of packed facts that hold these fields; all others do not matter to them."""
    mask, named = 0, set(fields)
    for name, bits in zip(CoupFacts._fields, FIELD_BITS, strict=True):
        width = int(bits)
        mask = mask << width | ((1 << width) - 1 if name in named else 0)
    return mask


class HandPart(NamedTuple):
    """What the facts of a coup need of one hand."""

    packed: int
    """The hand's own facts as packed; everything else is 0."""
    points: int
    first_rank: int
    """Rank of the first card, 1 (ace) to 13 (king); 0: not known."""
    rank_bits: int
    """Known ranks of the first two cards, a bit each; bit 0: they are of one rank."""
    common_rank: int
    """The rank that all its cards share; 0: none, or not known."""
    colour: int
    """Colour that all its cards share, or :data:`MIXED`."""


def facts_of(player: tuple[Card, ...], banker: tuple[Card, ...]) -> CoupFacts:
    """Derive the facts of a coup from its cards.

    Facts that need ranks or suits are meaningful only where these are known
    (:func:`knowledge_of`); they are 0 elsewhere, and no wager that needs them is judged.

    Args:
        player: The Player hand, two or three cards in dealing order.
        banker: The Banker hand, likewise.
    """
    return unpack(packed_facts(part_of("player", player), part_of("banker", banker)))


class HandFacts(Protocol):
    """Whatever tells of a hand what :class:`HandPart` tells."""

    @property
    def packed(self) -> int:
        """The hand's own facts as packed."""

    @property
    def points(self) -> int:
        """Its point count."""

    @property
    def first_rank(self) -> int:
        """Rank of its first card; 0: not known."""

    @property
    def rank_bits(self) -> int:
        """Known ranks of its first two cards, a bit each; bit 0: a pair."""

    @property
    def common_rank(self) -> int:
        """The rank that all its cards share; 0: none, or not known."""


def packed_facts(player: HandFacts, banker: HandFacts) -> int:
    """Put the facts of two hands together, packed; the one way from cards to facts."""
    packed = player.packed + banker.packed
    if player.points > banker.points:
        packed += _PLAYER_WINS
    elif player.points < banker.points:
        packed += _BANKER_WINS
    if player.first_rank > banker.first_rank:
        packed += _PLAYER_HIGHER
    elif player.first_rank < banker.first_rank:
        packed += _BANKER_HIGHER
    if player.rank_bits & banker.rank_bits or (player.rank_bits | banker.rank_bits) & 1:
        packed += _FIRST_FOUR_MATCH
    if player.common_rank and player.common_rank == banker.common_rank:
        packed += player.common_rank * _COMMON_RANK
    return packed


def part_of(hand: str, cards: tuple[Card, ...]) -> HandPart:
    """Derive what the facts of a coup need of one hand.

    Args:
        hand: ``player`` or ``banker``.
        cards: Two or three cards in dealing order.
    """
    two = _two_card_part(hand, cards[0], cards[1])
    return two if len(cards) == 2 else with_third(hand, two, cards[2])


@lru_cache(maxsize=16_384)
def _two_card_part(hand: str, first: Card, second: Card) -> HandPart:
    at = _HAND_SHIFTS[hand]
    points = (first.value + second.value) % 10
    pair = int(first.rank is not None and first.rank == second.rank)
    suited = int(first.suit is not None and first.suit == second.suit)
    colour = _colour(first) if _colour(first) == _colour(second) else MIXED
    own = {
        "points": points,
        "cards": 2,
        "natural": int(points >= 8),
        "pair": pair,
        "value_pair": int(first.value == second.value),
        "identical": pair * suited,
        "suited": suited,
        "royal": suited * int({first.rank, second.rank} == {"K", "Q"}),
        "colour": colour,
    }
    zeros = (first.value == 0) + (second.value == 0)
    return HandPart(
        packed=sum(value << at[name] for name, value in own.items()) + zeros * _ZERO_VALUED,
        points=points,
        first_rank=rank_number(first),
        rank_bits=pair | _rank_bit(first) | _rank_bit(second),
        common_rank=rank_number(first) * pair,
        colour=colour,
    )


def with_third(hand: str, two: HandPart, third: Card) -> HandPart:
    """Add a third card to the part of a hand of two: naturals, pairs and the like stay."""
    change, points, colour = third_card_changes(hand, third)[3 * two.points + two.colour]
    common = two.common_rank if two.common_rank == rank_number(third) else 0
    return HandPart(two.packed + change, points, two.first_rank, two.rank_bits, common, colour)


@lru_cache(maxsize=512)
def third_card_changes(hand: str, third: Card) -> tuple[tuple[int, int, int], ...]:
    """Say what a third card makes of a hand of two.

    Returns:
        By three times the points of the two plus their colour: what is added to the packed
        facts, the points and the colour of the three.
    """
    at, own = _HAND_SHIFTS[hand], _colour(third)
    changes = []
    for before in range(10):
        points = (before + third.value) % 10
        for colour_before in (MIXED, RED, BLACK):
            colour = colour_before if colour_before == own else MIXED
            change = (
                ((points - before) << at["points"])
                + (1 << at["cards"])
                + ((colour - colour_before) << at["colour"])
                + (_ZERO_VALUED if third.value == 0 else 0)
            )
            changes.append((change, points, colour))
    return tuple(changes)


def _rank_bit(card: Card) -> int:
    return 1 << RANK_NUMBERS[card.rank] if card.rank else 0


def _colour(card: Card) -> int:
    if card.suit is None:
        return MIXED
    return RED if card.suit in RED_SUITS else BLACK
