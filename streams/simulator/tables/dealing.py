"""A simulated shoe: a shuffled stack of cards, and coups dealt by the rules of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from auditors.law.facts import points_of
from auditors.law.model import Section
from auditors.settlement.coup import Coup, judge_coup, required_third_cards
from schemas.cards import RANKS, SUITS, Card, parse_card
from schemas.events import Capability

BEHIND_COVER: Final = 14
"""Cards behind the first cover card."""

CARDS_MAX: Final = 6
"""A coup takes at most so many cards."""

DEAL_SLOTS: Final = (("player", 1), ("banker", 1), ("player", 2), ("banker", 2))
"""Hand and position of the first four cards, in dealing order."""


def deck_cards(decks: int) -> list[str]:
    """Give all cards of so many decks, in the order of a new deck."""
    return [rank + suit for suit in SUITS for rank in RANKS] * decks


@dataclass(slots=True)
class Dealt:
    """A card on its way from the shoe to a hand."""

    hand: str
    position: int
    card: str
    place: int = 0
    """Its place in the shoe, known once it was taken."""
    error_id: str | None = None
    """The drawing error whose card this is."""

    @property
    def takes_card(self) -> bool:
        """Whether it comes out of the shoe now."""
        return self.error_id is None


@dataclass(slots=True)
class Shoe:
    """A stack of shuffled cards, dealt from the front."""

    shoe_id: str
    decks: int
    cards: list[str]
    back: str
    id_prefix: str
    taken: int = 0
    cover_at: int = 0
    """Place of the first card behind the first cover card."""
    coup_count: int = 0
    burned: list[str] = field(default_factory=list)
    is_cover_drawn: bool = False
    last_coup: int | None = None
    """Number of the last coup that is dealt from it, once the cover card is out."""
    odd_backs: dict[int, str] = field(default_factory=dict)
    """Place to back design, for cards that are not of this shoe."""
    odd_ids: dict[int, str] = field(default_factory=dict)
    """Place to card id, likewise."""

    @property
    def left(self) -> list[str]:
        """The cards still in the shoe."""
        return self.cards[self.taken :]

    def next_cards(self, count: int) -> list[str]:
        """Look at the next cards without taking them."""
        return self.cards[self.taken : self.taken + count]

    def take(self) -> str:
        """Take the next card."""
        self.taken += 1
        return self.cards[self.taken - 1]

    def shuffle_left(self, rng: Random) -> None:
        """Put the cards still in the shoe into another order: nobody has seen them."""
        left = self.left
        rng.shuffle(left)
        self.cards[self.taken :] = left

    def bring(self, texts: Sequence[str]) -> bool:
        """Bring certain cards to the front; False where the shoe holds them no more."""
        for step, text in enumerate(texts):
            here = self.taken + step
            try:
                there = self.cards.index(text, here)
            except ValueError:
                return False
            self.cards[here], self.cards[there] = self.cards[there], self.cards[here]
        return True

    def card_id(self, place: int) -> str:
        """Give the id printed on the card at a place."""
        return self.odd_ids.get(place, f"{self.id_prefix}{place + 1:03}")

    def back_of(self, place: int) -> str:
        """Give the back of the card at a place."""
        return self.odd_backs.get(place, self.back)


def deal_hands(cards: Sequence[Card], game: Section) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Deal a coup by the rules from the next six cards.

    Returns:
        The Player hand and the Banker hand.
    """
    player, banker = (cards[0], cards[2]), (cards[1], cards[3])
    points, others = points_of(player), points_of(banker)
    player_draws, banker_draws = required_third_cards(points, others, None, game)
    if not player_draws:
        return player, (*banker, cards[4]) if banker_draws else banker
    third = cards[4]
    _, banker_draws = required_third_cards(points, others, third.value, game)
    return (*player, third), (*banker, cards[5]) if banker_draws else banker


def dealt_by_rules(texts: Sequence[str], game: Section) -> Coup:
    """Deal a coup from card texts, and judge it."""
    player, banker = deal_hands([parse_card(text) for text in texts], game)
    return judge_coup(player, banker, game)


def dealing_order(player: Sequence[Card], banker: Sequence[Card]) -> list[tuple[str, int, str]]:
    """Give hand, position and card in the order in which cards leave the shoe."""
    hands = {"player": player, "banker": banker}
    slots = [*DEAL_SLOTS, *(("player", n) for n in range(3, len(player) + 1))]
    slots += [("banker", n) for n in range(3, len(banker) + 1)]
    return [(hand, n, str(hands[hand][n - 1])) for hand, n in slots if n <= len(hands[hand])]


def as_read(card: str, reports: frozenset[Capability]) -> str:
    """Write a card as far as the table reads it."""
    if Capability.SUITS in reports:
        return card
    rank = card[0]
    return rank if Capability.RANKS in reports or rank not in "TJQK" else "0"


def counted(cards: Sequence[str], reports: frozenset[Capability]) -> dict[str, int]:
    """Count cards as far as the table reads them, in the order of ranks and suits."""
    counts = Counter(as_read(card, reports) for card in cards)
    order = RANKS + "0"
    return dict(sorted(counts.items(), key=lambda item: (order.index(item[0][0]), item[0][1:])))
