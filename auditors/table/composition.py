"""Do the cards of a shoe add up? What came out and what is left against what the decks hold.

Cards are compared as far as they are known: by card, by rank where suits are missing, by value
where ranks are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from auditors.shoe import composition_excess, held_multiset
from auditors.table.shoe_order import (
    RANKED,
    RANKED_TEN,
    SUITED,
    UNREAD,
    VALUED,
    card_of,
    level_of,
)
from auditors.table.state import ShoeState
from schemas.cards import Card, Knowledge, parse_card


def cards_out(shoe: ShoeState) -> int:
    """Count the cards that came out, seen or not."""
    return len(shoe.order) + len(shoe.others) + shoe.unseen_count


def seen_cards(shoe: ShoeState) -> dict[str, int]:
    """Give the cards that were seen to come out, and how often."""
    marks = Counter(shoe.order) + Counter(shoe.others)
    return {card_of(mark): count for mark, count in marks.items() if mark != UNREAD}


_UNMIXED: Final = (
    SUITED, RANKED, RANKED_TEN, RANKED | RANKED_TEN, VALUED, RANKED | VALUED,
)  # fmt: skip
"""Levels at which every card is one of as many as all others that bear its mark."""


def may_be_too_many(shoe: ShoeState, mark: str) -> bool:
    """Whether a card that has just come out may be one too many: a look before the count."""
    count = shoe.order.count(mark) + shoe.others.count(mark)
    if shoe.levels == SUITED:
        return count > shoe.decks
    if shoe.levels not in _UNMIXED:
        return True
    return count > (16 if level_of(mark) == VALUED else 4) * shoe.decks


def excess_words(seen: Mapping[str, int], decks: int) -> str:
    """Name the cards of which more came out than the decks hold; empty where none."""
    if not seen:
        return ""
    excess = composition_excess({parse_card(card): count for card, count in seen.items()}, decks)
    return "; ".join(str(one) for one in excess)


@dataclass(frozen=True, slots=True)
class Counted:
    """Cards that were counted, all of a shoe or what was seen of it."""

    cards: Mapping[str, int]
    decks: int
    unseen: int = 0
    """Cards that were not seen: as many may be missing."""

    def problems(self) -> list[str]:
        """Say which cards are too many, and which are missing beyond those that nobody saw."""
        found = []
        if excess := excess_words(self.cards, self.decks):
            found.append(f"more cards than {self.decks} decks hold: {excess}")
        missing = self._missing()
        if sum(missing.values()) > self.unseen:
            named = ", ".join(f"{count} of {card}" for card, count in missing.items())
            found.append(f"missing: {named}")
        return found

    def _missing(self) -> dict[str, int]:
        """Give the cards of which fewer were counted than the decks hold."""
        multiset = {parse_card(card): count for card, count in self.cards.items()}
        level = min((card.knowledge for card in multiset), default=Knowledge.SUIT)
        counted = _by_knowledge(multiset, level)
        held = _by_knowledge(held_multiset(self.decks), level)
        return {
            card: count - counted.get(card, 0)
            for card, count in held.items()
            if counted.get(card, 0) < count
        }


def _by_knowledge(cards: Mapping[Card, int], level: Knowledge) -> dict[str, int]:
    counts: dict[str, int] = {}
    for card, count in cards.items():
        name = str(card)
        if level is Knowledge.VALUE:
            name = str(card.value)
        elif level is Knowledge.RANK:
            name = str(card.rank)
        counts[name] = counts.get(name, 0) + count
    return counts
