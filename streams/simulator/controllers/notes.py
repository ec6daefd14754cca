"""What does a progressive controller hear of a table? Notes that ride on the table's own events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streams.simulator.tables.patrons import Bet

if TYPE_CHECKING:
    from streams.simulator.controllers.controller import Controller
    from streams.simulator.controllers.meters import MeterState
    from streams.simulator.feed import Draft


@dataclass(frozen=True, slots=True)
class Accepted:
    """A seat device accepts a wager."""

    bet: Bet
    coup_id: str
    times: int = 1
    """How often it is counted; honestly once."""


@dataclass(frozen=True, slots=True)
class LockedOut:
    """A table is locked for a coup."""

    bets: tuple[Bet, ...]
    coup_id: str
    wins: bool = False
    """Whether the cards to come win the meter for these wagers."""
    chips: int | None = None
    """Progressive chips counted, where that is filed and they are not as many as wagers."""


@dataclass(frozen=True, slots=True)
class Voided:
    """A coup is voided."""

    bets: tuple[Bet, ...]
    coup_id: str
    is_by_policy: bool = True
    """Whether contributions are kept or reversed as filed."""


@dataclass(frozen=True, slots=True)
class CardsWon:
    """The cards of a coup win the meter; or somebody says so."""

    bets: tuple[Bet, ...]
    coup_id: str
    is_so: bool = True


@dataclass(frozen=True, slots=True)
class SharePaid:
    """A winner is paid the share of the meter."""

    bet: Bet
    coup_id: str
    paid_minor: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """Another filing takes effect at a table."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A table opens: it is linked where it is not."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A table closes: it leaves the link where that is the custom of the floor."""


@dataclass(frozen=True, slots=True)
class Tampered:
    """Something is done to a meter that nobody was to do."""

    progressive_id: str
    act: Callable[[Controller, MeterState, int], Iterable[Draft]]
    """Does it; gives what the controller says of it, if anything."""


Note = Accepted | LockedOut | Voided | CardsWon | SharePaid | Filed | Opened | Closed | Tampered
"""Everything that a controller hears."""
