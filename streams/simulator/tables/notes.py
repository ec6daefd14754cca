"""What a progressive controller hears of a table: notes that ride on the table's own events."""

from __future__ import annotations

from dataclasses import dataclass

from streams.simulator.feed import Note
from streams.simulator.tables.patrons import Bet


@dataclass(frozen=True, slots=True)
class Accepted(Note):
    """A seat device accepts a wager."""

    bet: Bet
    coup_id: str
    times: int = 1
    """How often it is counted; honestly once."""


@dataclass(frozen=True, slots=True)
class LockedOut(Note):
    """A table is locked for a coup."""

    bets: tuple[Bet, ...]
    coup_id: str
    wins: bool = False
    """Whether the cards to come win the meter for these wagers."""
    chips: int | None = None
    """Progressive chips counted, where that is filed and they are not as many as wagers."""


@dataclass(frozen=True, slots=True)
class Voided(Note):
    """A coup is voided."""

    bets: tuple[Bet, ...]
    coup_id: str
    is_by_policy: bool = True
    """Whether contributions are kept or reversed as filed."""


@dataclass(frozen=True, slots=True)
class CardsWon(Note):
    """The cards of a coup win the meter; or somebody says so."""

    bets: tuple[Bet, ...]
    coup_id: str
    is_so: bool = True


@dataclass(frozen=True, slots=True)
class SharePaid(Note):
    """A winner is paid the share of the meter."""

    bet: Bet
    coup_id: str
    paid_minor: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class Filed(Note):
    """Another filing takes effect at a table."""


@dataclass(frozen=True, slots=True)
class Opened(Note):
    """A table opens: it is linked where it is not."""


@dataclass(frozen=True, slots=True)
class Closed(Note):
    """A table closes: it leaves the link where that is the custom of the floor."""
