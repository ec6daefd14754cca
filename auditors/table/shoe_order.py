"""Does a run of cards repeat? A shuffled shoe does not deal the same run twice.

A run counts once its probability under a fair shuffle, over all places where it could have begun
before, is below one in 10**9. Runs are compared as far as cards were read: cards, ranks or values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from schemas.cards import RANKS, SUITS

ODDS_AGAINST_MIN: Final = 10**9
"""A repeat counts when a fair shuffle brings it less often than once in so many shoes."""

RUN_MAX: Final = 64
"""Longest run that is looked for; a longer repeat contains one of these."""

_SUITED: Final = {rank + suit: chr(0x100 + 4 * r + s)
                  for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}  # fmt: skip
_RANKED: Final = {rank: chr(0x140 + r) for r, rank in enumerate(RANKS)}
_ZERO: Final = chr(0x160)
UNREAD: Final = chr(0x161)
"""Stands for a card that could not be read; it matches nothing."""

_ONE_IN: Final = {
    **dict.fromkeys(_SUITED.values(), (1, 52)),
    **dict.fromkeys(_RANKED.values(), (1, 13)),
    _ZERO: (4, 13),
}
_NAMES: Final = {mark: name for name, mark in (_SUITED | _RANKED | {"0": _ZERO}).items()}


def mark_of(card: str | None) -> str:
    """Give the one character by which a card is remembered."""
    if card is None:
        return UNREAD
    return _SUITED.get(card) or _RANKED.get(card) or _ZERO


def cards_of(order: str) -> list[str]:
    """Give the cards back that an order of marks stands for; ``?`` where one was not read."""
    return [_NAMES.get(mark, "?") for mark in order]


class Repeat(NamedTuple):
    """A run that was dealt before."""

    first: int
    """Position of its first card in this shoe, from 0."""
    earlier: int
    """Position of the earlier run's first card."""
    shoe_id: str | None
    """The earlier shoe, or None where it is this one."""
    length: int


def repeat_ending_at(order: str, end: int, earlier: Sequence[tuple[str, str]]) -> Repeat | None:
    """Find the run that ends with one card and was dealt before.

    Args:
        order: Marks of the cards of this shoe in dealing order.
        end: Position of the card, from 0.
        earlier: Shoe id and marks of earlier shoes.

    Returns:
        The shortest run that is improbable enough, or None.
    """
    places = end + 1 + sum(len(marks) for _, marks in earlier)
    start = _run_start(order, end, places * (end + 1))
    if start is None:
        return None
    run = order[start : end + 1]
    found = order.find(run, 0, end)
    if 0 <= found < start:
        return Repeat(start, found, None, len(run))
    for shoe_id, marks in earlier:
        found = marks.find(run)
        if found >= 0:
            return Repeat(start, found, shoe_id, len(run))
    return None


def _run_start(order: str, end: int, places: int) -> int | None:
    """Give where the shortest improbable run that ends here begins; None where none is."""
    for_it, against = 1, 1
    for start in range(end, max(-1, end - RUN_MAX), -1):
        if order[start] == UNREAD:
            return None
        numerator, denominator = _ONE_IN[order[start]]
        for_it, against = for_it * numerator, against * denominator
        if against > ODDS_AGAINST_MIN * places * for_it:
            return start
    return None
