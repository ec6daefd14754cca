"""Can the cards of all coups of a shoe come out of its decks?

A shoe's coups may stand apart, as long as no more than :data:`SHOES_REMEMBERED` shoes lie between.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from auditors.asserting import Place, assert_finding
from auditors.rounds.cells import HandCell
from auditors.rounds.columns import RoundColumns
from auditors.rounds.coups import RecordedCoup
from auditors.rounds.places import RowPlaces
from auditors.rules import Rules
from auditors.shoe import composition_excess, excess_sentence
from schemas.cards import Card
from schemas.findings import Finding, FindingCode

SHOES_REMEMBERED: Final = 2_000
"""Shoes whose coups may still be added to."""


@dataclass(slots=True)
class _Shoe:
    place: Place
    coups: int = 0
    hands: dict[HandCell, int] = field(default_factory=dict)
    """How often each hand was dealt; few distinct ones occur, so cards are counted at the end."""

    def cards(self) -> Counter[Card]:
        """Count the cards of all coups."""
        counted: Counter[Card] = Counter()
        for hand, times in self.hands.items():
            for card in hand.cards:
                counted[card] += times
        return counted


class RecordedShoes:
    """The shoes that rows have named lately, with the cards that came out of them."""

    def __init__(self, rules: Rules, columns: RoundColumns, places: RowPlaces) -> None:
        """Prepare to count.

        Args:
            rules: Their terms say how many decks a shoe holds.
            columns: Which column names the shoe.
            places: Where rows stand.
        """
        self._rules, self._places, self._position = rules, places, columns.shoe
        named = (columns.table, columns.source, columns.shoe)
        self._named = [one for one in named if one is not None]
        self._shoes: OrderedDict[tuple[str, ...], _Shoe] = OrderedDict()
        self._shoe = _Shoe(Place())
        self._key: tuple[str, ...] = ("no shoe yet",)

    def count(self, coup: RecordedCoup, line: int, cells: Sequence[str]) -> Sequence[Finding]:
        """Count the cards of a new coup; give findings of shoes that are given up for it."""
        if self._position is None or not cells[self._position].strip():
            return ()
        key = tuple([cells[one] for one in self._named])
        shoe = self._shoe if key == self._key else self._change(key, line, cells)
        shoe.coups += 1
        hands = shoe.hands
        hands[coup.player] = hands.get(coup.player, 0) + 1
        hands[coup.banker] = hands.get(coup.banker, 0) + 1
        return list(self.close(SHOES_REMEMBERED)) if len(self._shoes) > SHOES_REMEMBERED else ()

    def _change(self, key: tuple[str, ...], line: int, cells: Sequence[str]) -> _Shoe:
        """Go on with another shoe than that of the coup before."""
        shoe = self._shoes.get(key)
        if shoe is None:
            place = replace(self._places.of(line, cells, self._position), coup=None, seat=None)
            shoe = self._shoes[key] = _Shoe(place)
        self._shoes.move_to_end(key)
        self._shoe, self._key = shoe, key
        return shoe

    def close(self, keep: int = 0) -> Iterator[Finding]:
        """Judge the shoes that were used longest ago until no more than so many are kept."""
        while len(self._shoes) > keep:
            shoe = self._shoes.popitem(last=False)[1]
            finding = self._finding(shoe)
            if finding is not None:
                yield finding

    def _finding(self, shoe: _Shoe) -> Finding | None:
        decks, cards = self._rules.terms.decks, shoe.cards()
        excess = composition_excess(cards, decks)
        if not excess:
            return None
        level = min(card.knowledge for card in cards)
        return assert_finding(
            FindingCode.SHOE_COMPOSITION,
            str(shoe.place.shoe),
            f"Shoe {shoe.place.shoe}, {shoe.coups} coups: {excess_sentence(excess, decks, level)}.",
            shoe.place,
            submission=self._rules.terms.submission,
        )
