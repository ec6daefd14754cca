"""Columns of a file of rounds: which says what, and how its words are understood."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

OUR_NAMES: Final = (
    "coup",
    "shoe",
    "table",
    "source",
    "seat",
    "patron",
    "player_cards",
    "banker_cards",
    "cards",
    "winner",
    "player_points",
    "banker_points",
    "wager",
    "hand",
    "stake",
    "paid",
    "net",
    "winning_wagers",
    "occurred_at",
)
"""Names that the product gives to what a column says; a file may use others and be mapped."""

WINNER_WORDS: Final[Mapping[str, str]] = {
    "player": "player",
    "p": "player",
    "banker": "banker",
    "b": "banker",
    "tie": "tie",
    "t": "tie",
}
"""Winners as files write them, in lower case, where nothing else is declared."""

CARD_SLOTS: Final = ("p1", "b1", "p2", "b2", "p3", "b3")
"""Places of the cards of a coup in dealing order."""


@dataclass(frozen=True, slots=True)
class RoundColumns:
    """Positions of the columns in a row, by what they say; None: the file does not say it."""

    coup: int | None = None
    shoe: int | None = None
    table: int | None = None
    source: int | None = None
    seat: int | None = None
    patron: int | None = None
    player_cards: int | None = None
    banker_cards: int | None = None
    cards: int | None = None
    """All cards of the coup in one column, in the order of ``RoundsMapping.card_order``."""
    winners: tuple[int, ...] = ()
    """Every column that claims the winner, each judged by itself."""
    points: tuple[tuple[int | None, int | None], ...] = ()
    """Pairs of columns that claim the Player's and the Banker's points."""
    wager: int | None = None
    hand: int | None = None
    stake: int | None = None
    paid: int | None = None
    """Total handed back, the stake included."""
    net: int | None = None
    """Won or lost, the stake not counted."""
    winning_wagers: tuple[int, ...] = ()
    occurred_at: int | None = None


@dataclass(frozen=True, slots=True)
class RoundsMapping:
    """How the words of a file are to be read."""

    header: tuple[str, ...]
    columns: RoundColumns
    winner_words: Mapping[str, str] = field(default_factory=lambda: WINNER_WORDS)
    """Word in lower case to ``player``, ``banker`` or ``tie``."""
    wager_names: Mapping[str, str] = field(default_factory=dict)
    """Word of the wager column to our wager, for words that are not ours."""
    winning_names: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """By column: kinds that its lists can name, to our wagers; others are not compared."""
    card_order: tuple[str, ...] = CARD_SLOTS
    zone: str | None = None
    """Time zone of times that state no offset."""
    gaming_date: datetime.date | None = None
    """Gaming date of rows that state no time; None: date checks are off for them."""

    def name(self, position: int | None) -> str | None:
        """Give the header name of a column."""
        return None if position is None else self.header[position]
