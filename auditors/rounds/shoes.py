"""Checks of recorded shoes: whether the decks hold their cards, and whether they were shuffled.

A shoe's coups may stand apart, as long as no more than :data:`SHOES_REMEMBERED` shoes lie between.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from auditors.rounds.cells import HandCell
from auditors.rounds.columns import RoundColumns
from auditors.rounds.coups import RecordedCoup
from auditors.rounds.orders import CARDS_MIN, RecordedOrders, ShoeOrder, codes_of, dealt_order
from auditors.rounds.places import RowPlaces
from auditors.rounds.uses import Again
from auditors.settlement.asserting import Place, assert_finding
from auditors.settlement.rules import Rules
from auditors.shoe import composition_excess, excess_facts
from auditors.table.known.shoe_order import UNREAD, card_of, mark_of
from schemas.cards import Knowledge, parse_card
from schemas.finding_facts.shoe import CardsTooMany, ShoeComposition
from schemas.findings import Finding, FindingCode

SHOES_REMEMBERED: Final = 2_000
"""Shoes whose coups may still be added to."""

_LEVELS: Final[dict[Knowledge, Literal["suit", "rank", "value"]]] = {
    Knowledge.SUIT: "suit",
    Knowledge.RANK: "rank",
    Knowledge.VALUE: "value",
}
_CODES: Final = ord(UNREAD) + 1
_SUITED_CODES: Final = ord(mark_of("A"))
"""Numbers of marks: those below are of cards of which the suit is known too."""

_WAITING_MAX: Final = 256
"""Coups of a shoe that wait to be counted together."""


@dataclass(slots=True)
class _Shoe:
    place: Place
    table: tuple[str, ...]
    name: str
    """Its subject: the shoe's name, with its first line where another shoe bore that name."""
    coups: int = 0
    waiting: list[tuple[HandCell, HandCell, int]] = field(default_factory=list)
    """Hands and line of coups that are not counted yet."""
    seen: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(_CODES, np.int64))
    """How often each card came out, by the number of its mark."""
    order: ShoeOrder = field(default_factory=ShoeOrder)

    def count_waiting(self) -> None:
        """Count the cards of the coups that wait."""
        dealt = [dealt_order(player, banker) for player, banker, _ in self.waiting]
        self.seen += np.bincount(codes_of("".join(dealt)), minlength=_CODES)
        self.coups += len(dealt)
        self.order.add(dealt, [line for _, _, line in self.waiting])
        self.waiting.clear()


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
        self._table = [
            position for position in (columns.table, columns.source) if position is not None
        ]
        self._shoes: OrderedDict[Hashable, _Shoe] = OrderedDict()
        self._shoe = _Shoe(Place(), (), "")
        self._key: Hashable = object()
        self._orders = RecordedOrders()
        self.are_excerpts = False
        """Whether shoes were judged, and of none enough cards for its order were recorded."""
        self._is_order_judged = False

    def count(
        self, origin: Hashable, coup: RecordedCoup, line: int, cells: Sequence[str]
    ) -> Sequence[Finding]:
        """Count the cards of a new coup.

        Args:
            origin: The cells that name its table, source and shoe.
            coup: The coup.
            line: Line of its row.
            cells: The row.

        Returns:
            Findings of shoes that are given up for it.
        """
        if origin is not self._key:
            if self._position is None or not cells[self._position].strip():
                return ()
            self._change(origin, line, cells)
        shoe = self._shoe
        waiting = shoe.waiting
        waiting.append((coup.player, coup.banker, line))
        if len(waiting) >= _WAITING_MAX:
            shoe.count_waiting()
        return list(self.close(SHOES_REMEMBERED)) if len(self._shoes) > SHOES_REMEMBERED else ()

    def _change(self, key: Hashable, line: int, cells: Sequence[str]) -> None:
        """Go on with another shoe than that of the coup before."""
        shoe = self._shoes.get(key)
        if shoe is None:
            place = replace(self._places.of(line, cells, self._position), coup=None, seat=None)
            is_again = isinstance(key, Again)
            name = f"{place.shoe}/line {line}" if is_again else str(place.shoe)
            shoe = _Shoe(place, tuple([cells[position] for position in self._table]), name)
            self._shoes[key] = shoe
        self._shoes.move_to_end(key)
        self._shoe, self._key = shoe, key

    def close(self, keep: int = 0) -> Iterator[Finding]:
        """Judge the shoes that were used longest ago until no more than so many are kept."""
        while len(self._shoes) > keep:
            shoe = self._shoes.popitem(last=False)[1]
            shoe.count_waiting()
            finding = self._composition(shoe)
            if finding is not None:
                yield finding
            yield from self._repeats(shoe)

    def _composition(self, shoe: _Shoe) -> Finding | None:
        decks, seen = self._rules.terms.decks, shoe.seen
        if seen.max() <= decks and not seen[_SUITED_CODES:].any():
            return None
        found = [int(code) for code in np.flatnonzero(seen)]
        cards = {parse_card(card_of(chr(code))): int(seen[code]) for code in found}
        excess = composition_excess(cards, decks)
        if not excess:
            return None
        level = min(card.knowledge for card in cards)
        return assert_finding(
            FindingCode.SHOE_COMPOSITION,
            shoe.name,
            ShoeComposition(
                coup_count=shoe.coups,
                problems=(
                    CardsTooMany(
                        when="came_out",
                        decks=decks,
                        excess=excess_facts(excess),
                        level=_LEVELS[level],
                    ),
                ),
            ),
            shoe.place,
            submission=self._rules.terms.submission,
        )

    def _repeats(self, shoe: _Shoe) -> Iterator[Finding]:
        self._is_order_judged |= len(shoe.order.marks) >= CARDS_MIN
        self.are_excerpts = not self._is_order_judged
        for repeat, told in self._orders.repeats(shoe.table, shoe.name, shoe.order):
            yield assert_finding(
                FindingCode.SHOE_ORDER_REPEATED,
                f"{shoe.name}/{repeat.first + 1}",
                told,
                replace(shoe.place, line=shoe.order.line_of(repeat.first)),
                submission=self._rules.terms.submission,
            )
