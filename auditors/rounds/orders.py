"""Runs of a recorded shoe's cards that were dealt before, in it or in an earlier shoe.

The rule is that of the table's fold (:mod:`auditors.table.known.shoe_order`), with its bound of
probability; here the cards of a whole shoe are at hand, so most shoes are passed at one look.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, count
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from auditors.rounds.cells import HandCell
from auditors.table.known.shoe_order import (
    ODDS_AGAINST_MIN,
    SUITED,
    Repeat,
    card_of,
    level_of,
    repeat_ending_at,
)
from auditors.table.known.state import CARDS_OUT_MAX, SHOES_KEPT
from schemas.finding_facts.shoe import OrderRepeated

CARDS_MIN: Final = 40
"""A shoe of which fewer cards are recorded is an excerpt: its order is not judged."""

TABLES_REMEMBERED: Final = 500
"""Tables whose earlier shoes are remembered."""

_MULTIPLIER: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
"""Odd, and far from small numbers: runs that differ seldom have one number modulo 2 ** 64."""

_STEP: Final = 3


def dealt_order(player: HandCell, banker: HandCell) -> str:
    """Give the marks of a coup's cards in dealing order: the hands in turn, Player first."""
    p, b = player.marks, banker.marks
    return p[:1] + b[:1] + p[1:2] + b[1:2] + p[2:] + b[2:]


class ShoeOrder:
    """The cards of one shoe in the order in which its coups were recorded."""

    def __init__(self) -> None:
        self.marks = ""
        """Marks of its first cards, little more than a shoe can hold."""
        self._lines, self._sizes = array("Q"), array("L")

    def add(self, dealt: Sequence[str], lines: Iterable[int]) -> None:
        """Add the marks of some coups, each with its line, unless the shoe is full."""
        if len(self.marks) < CARDS_OUT_MAX:
            self.marks += "".join(dealt)
            self._lines.extend(lines)
            self._sizes.extend(map(len, dealt))

    def line_of(self, position: int) -> int:
        """Give the line of the coup in which a card was dealt."""
        ends = accumulate(self._sizes)
        places = zip(self._lines, ends, strict=True)
        return next((line for line, end in places if position < end), self._lines[-1])


class RecordedOrders:
    """The orders of the shoes that were recorded last at each table."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[str, ...], deque[tuple[str, ShoeOrder]]] = OrderedDict()

    def repeats(
        self, table: tuple[str, ...], shoe_id: str, order: ShoeOrder
    ) -> list[tuple[Repeat, OrderRepeated]]:
        """Find the runs of a finished shoe that were dealt before, and remember its order.

        Args:
            table: The cells that name its table.
            shoe_id: Its name.
            order: Its cards.

        Returns:
            Each repeat with its facts.
        """
        known = self._tables.setdefault(table, deque(maxlen=SHOES_KEPT))
        self._tables.move_to_end(table)
        if len(self._tables) > TABLES_REMEMBERED:
            self._tables.popitem(last=False)
        earlier = [(name, known_order.marks) for name, known_order in known]
        found = []
        if len(order.marks) >= CARDS_MIN and _may_repeat(order.marks, earlier):
            orders: dict[str | None, ShoeOrder] = {None: order}
            orders.update(known)
            for repeat, end in repeats_in(order.marks, earlier):
                told = OrderRepeated(
                    cards=" ".join(map(card_of, order.marks[repeat.first : end + 1])),
                    first=repeat.first + 1,
                    last=end + 1,
                    earlier=repeat.earlier + 1,
                    earlier_shoe=repeat.shoe_id or None,
                    earlier_line=orders[repeat.shoe_id].line_of(repeat.earlier),
                )
                found.append((repeat, told))
        known.append((shoe_id, order))
        return found


def codes_of(marks: str) -> npt.NDArray[np.uint16]:
    """Give the marks of cards as numbers."""
    return np.frombuffer(marks.encode("utf-16-le"), np.uint16)


def repeats_in(order: str, earlier: Sequence[tuple[str, str]]) -> Iterator[tuple[Repeat, int]]:
    """Find repeated runs card by card; one for a run, however long it goes on.

    Args:
        order: Marks of the cards of a shoe in dealing order.
        earlier: Shoe id and marks of earlier shoes.
    """
    repeat: Repeat | None = None
    for end in range(len(order)):
        if repeat is not None and _goes_on(order, repeat, end, earlier):
            continue
        repeat = repeat_ending_at(order, end, earlier)
        if repeat is not None:
            yield repeat, end


def _goes_on(order: str, repeat: Repeat, end: int, earlier: Sequence[tuple[str, str]]) -> bool:
    sources = [order] if repeat.earlier < repeat.first else []
    sources += [marks for _, marks in earlier]
    before, at = order[repeat.first : end], repeat.earlier
    return any(
        marks[at : at + len(before)] == before
        and marks[at + len(before) : at + len(before) + 1] == order[end]
        for marks in sources
    )


def _may_repeat(order: str, earlier: Sequence[tuple[str, str]]) -> bool:
    """Whether any run is long enough to count and may stand in two places.

    A run that counts holds one of every third shorter run of the shoe, whichever place it has.
    """
    is_suited = level_of(chr(codes_of(order).min())) == SUITED
    length = (_SHORTEST_SUITED if is_suited else _SHORTEST_RANKED) - _STEP + 1
    runs = _runs(order, length)
    if len(runs.distinct) < runs.size:
        return True
    return any(not _runs(marks, length).distinct.isdisjoint(runs.sampled) for _, marks in earlier)


def _shortest(kinds: int) -> int:
    """Give the length that any run which counts has, where a card is one of so many kinds."""
    return next(n for n in count(1) if kinds**n > ODDS_AGAINST_MIN * n * n)


_SHORTEST_SUITED: Final = _shortest(52)
_SHORTEST_RANKED: Final = _shortest(13)


class _Runs(NamedTuple):
    """All runs of one length, as numbers; equal runs have equal numbers, others seldom."""

    sampled: list[int]
    """Every third."""
    distinct: frozenset[int]
    size: int


@lru_cache(maxsize=256)
def _runs(order: str, length: int) -> _Runs:
    marks = codes_of(order).astype(np.uint64)
    count = max(0, len(marks) - length + 1)
    numbers = np.zeros(count, np.uint64)
    for at in range(length):
        numbers = numbers * _MULTIPLIER + marks[at : at + count]
    listed: list[int] = numbers.tolist()
    return _Runs(listed[::_STEP], frozenset(listed), count)
