"""Cards that cannot come out of one shoe, because it holds fewer of them.

A shoe of N decks holds each card N times. Where only ranks or values were recorded the same
question is asked of ranks or values: no more than is known is ever compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.cards import RANKS, SUITS, Card, card_value
from schemas.finding_facts.parts import CardExcess


@dataclass(frozen=True, slots=True)
class Excess:
    """More of a card, rank or value than the decks hold."""

    what: str
    """``QD``, ``queens`` of any suit as ``Q``, or ``0`` for all ten-valued cards."""
    seen: int
    held: int

    def __str__(self) -> str:
        """``9 of QD, 8 held``."""
        return f"{self.seen} of {self.what}, {self.held} held"


def composition_excess(seen: Mapping[Card, int], decks: int) -> tuple[Excess, ...]:
    """Find cards of which more were seen than the decks hold.

    Cards are compared as far as they are known: by card, then by rank where suits are missing,
    then by value where ranks are.

    Args:
        seen: Card, as recorded, to how often it came out of the shoe.
        decks: Decks that were loaded.

    Returns:
        Every excess, in the order of ranks and suits; a rank is named only where no card of it
        is, a value only where no rank of it is.
    """
    by_card: Counter[str] = Counter()
    by_rank: Counter[str] = Counter()
    by_value: Counter[int] = Counter()
    vague_ranks: set[str] = set()
    vague_values: set[int] = set()
    for card, count in seen.items():
        by_value[card.value] += count
        if card.rank is None:
            vague_values.add(card.value)
            continue
        by_rank[card.rank] += count
        if card.suit is None:
            vague_ranks.add(card.rank)
        else:
            by_card[str(card)] += count
    found = [
        Excess(rank + suit, by_card[rank + suit], decks)
        for rank in RANKS
        for suit in SUITS
        if by_card[rank + suit] > decks
    ]
    found += [
        Excess(rank, by_rank[rank], 4 * decks)
        for rank in RANKS
        if rank in vague_ranks and by_rank[rank] > 4 * decks
    ]
    found += [
        Excess(str(value), by_value[value], held)
        for value in sorted(vague_values)
        if by_value[value] > (held := (16 if value == 0 else 4) * decks)
    ]
    return tuple(found)


def excess_facts(found: tuple[Excess, ...]) -> tuple[CardExcess, ...]:
    """Give cards that are too many as facts of a finding."""
    return tuple(
        CardExcess(card=excess.what, seen=excess.seen, held=excess.held) for excess in found
    )


def held_multiset(decks: int) -> dict[Card, int]:
    """Give the cards that a shoe of so many decks holds, by card."""
    return {Card(rank, suit, card_value(rank)): decks for rank in RANKS for suit in SUITS}
