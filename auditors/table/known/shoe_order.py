"""Repeated runs of cards; a shuffled shoe does not deal the same run twice.

A run counts once its probability under a fair shuffle, over all places where it could have begun
before, is below one in 10**9. Runs are compared as far as cards were read: cards, ranks or values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from schemas.cards import RANKS, SUITS

ODDS_AGAINST_MIN: Final = 10**9
"""A repeat counts when a fair shuffle brings it less often than once in so many shoes."""

RUN_MAX: Final = 64
"""Longest run that is looked for; a longer repeat contains one of these."""

_SUITED: Final = {
    rank + suit: chr(0x100 + 4 * r + s)
    for r, rank in enumerate(RANKS)
    for s, suit in enumerate(SUITS)
}
_RANKED: Final = {rank: chr(0x140 + r) for r, rank in enumerate(RANKS)}
_ZERO: Final = chr(0x160)
UNREAD: Final = chr(0x161)
"""Stands for a card that could not be read; it matches nothing."""

_LAST_SUITED: Final = chr(0x13F)
_RANKED_TENS: Final = frozenset(_RANKED[rank] for rank in "TJQK")
SUITED, RANKED, RANKED_TEN, VALUED = 1, 2, 4, 8
_MARKS: Final = _SUITED | _RANKED | {"0": _ZERO}
_NAMES: Final = {mark: name for name, mark in _MARKS.items()}
_ONE_IN: Final = {
    **dict.fromkeys(_SUITED.values(), (1, 52)),
    **dict.fromkeys(_RANKED.values(), (1, 13)),
    _ZERO: (4, 13),
}
_POWERS: Final = [52**length for length in range(RUN_MAX + 1)]


def mark_of(card: str | None) -> str:
    """Give the one character by which a card is remembered."""
    return UNREAD if card is None else _MARKS[card]


def card_of(mark: str) -> str:
    """Give the card that a mark stands for; a question mark where it was not read."""
    return _NAMES.get(mark, "?")


def level_of(mark: str) -> int:
    """Give the bit of how much was read of a card: all, its rank, or its value alone.

    Ranks that count ten have a bit of their own: beside values alone they are counted together.
    """
    if mark <= _LAST_SUITED:
        return SUITED
    if mark == _ZERO:
        return VALUED
    return RANKED_TEN if mark in _RANKED_TENS else RANKED if mark != UNREAD else 0


class Repeat(NamedTuple):
    """A run that was dealt before."""

    first: int
    """Position of its first card in this shoe, from 0."""
    earlier: int
    """Position of the earlier run's first card."""
    shoe_id: str | None
    """The earlier shoe, or None where it is this one."""


def repeat_ending_at(order: str, end: int, earlier: Sequence[tuple[str, str]]) -> Repeat | None:
    """Find the run that ends with one card and was dealt before.

    Args:
        order: Marks of the cards of this shoe in dealing order.
        end: Position of the card, from 0.
        earlier: Shoe id and marks of earlier shoes.

    Returns:
        The shortest run that is improbable enough, or None.
    """
    places = end + 1 + sum([len(marks) for _, marks in earlier])
    start = _run_start(order, end, places * (end + 1))
    if start is None:
        return None
    run = order[start : end + 1]
    found = order.find(run, 0, end)
    if 0 <= found < start:
        return Repeat(start, found, None)
    for shoe_id, marks in earlier:
        found = marks.find(run)
        if found >= 0:
            return Repeat(start, found, shoe_id)
    return None


def _run_start(order: str, end: int, places: int) -> int | None:
    """Give where the shortest improbable run that ends here begins; None where none is."""
    length = bisect_right(_POWERS, ODDS_AGAINST_MIN * places)
    start = end + 1 - length
    if start >= 0 and max(order[start : end + 1]) <= _LAST_SUITED:
        return start  # all cards are known whole, so each is one of 52
    for_it, against = 1, 1
    for start in range(end, max(-1, end - RUN_MAX), -1):
        if order[start] == UNREAD:
            return None
        numerator, denominator = _ONE_IN[order[start]]
        for_it, against = for_it * numerator, against * denominator
        if against > ODDS_AGAINST_MIN * places * for_it:
            return start
    return None
