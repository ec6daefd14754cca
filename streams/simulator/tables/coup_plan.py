"""One simulated coup before it is told: its wagers, its cards and the time that it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from auditors.settlement.coup import Coup
from streams.simulator.tables.dealing import Dealt, Shoe
from streams.simulator.tables.patrons import Bet


@dataclass(slots=True)
class ErrorStep:
    """The floor decides what becomes of a card that was drawn in error."""

    error_id: str
    hand: str
    position: int | None
    disposition: str
    card: str | None
    """The card, where it was seen."""
    drawn: str | None = None
    """The card, where it leaves the shoe unseen with this step."""

    @property
    def takes_card(self) -> bool:
        """Whether a card comes out of the shoe with it."""
        return self.drawn is not None


@dataclass(frozen=True, slots=True)
class CarriedCard:
    """A card drawn in error that is the first card of the next coup."""

    error_id: str
    card: str
    place: int = 0
    """Its place in the shoe."""


@dataclass(slots=True)
class CoupPlan:
    """One coup before it is told: who wagers, and what is dealt."""

    coup_id: str
    number: int
    shoe: Shoe
    start_us: int
    bets: list[Bet] = field(default_factory=list)
    wager_count: int = 0
    front: tuple[str, ...] = ()
    """Cards that are to come next out of the shoe."""
    condition: Callable[[Coup], bool] | None = None
    """What the coup has to come to; the cards still in the shoe are shuffled until it does."""
    steps: list[Dealt | ErrorStep] = field(default_factory=list)
    """Cards and decisions about cards, in order."""
    judged: Coup = field(default_factory=lambda: Coup((), ()))
    is_void: bool = False
    """Whether the coup is voided after its second card."""
    carries: CarriedCard | None = None
    """The card drawn in error that begins the next coup."""
    is_plain: bool = True
    """Whether nothing was planted into it."""
    wins_meter: bool = False
    """Whether the cards are to win the progressive."""
    shares: dict[str, int] = field(default_factory=dict)
    """Winner's wager id to its share of the meter, once the meter is frozen; in order."""

    @property
    def fields(self) -> dict[str, object]:
        """What stands on every event of the coup."""
        return {"coup_id": self.coup_id, "shoe_id": self.shoe.shoe_id}

    def next_wager_id(self) -> str:
        """Make the id of another wager."""
        self.wager_count += 1
        return f"{self.coup_id}/{self.wager_count}"

    @property
    def standing(self) -> list[Bet]:
        """The wagers that stand when no more bets is called."""
        return [bet for bet in self.bets if not bet.is_withdrawn]

    @property
    def on_meter(self) -> tuple[Bet, ...]:
        """The standing wagers on a progressive, in the order in which they were accepted."""
        here = [bet for bet in self.standing if bet.offer.progressive_id]
        return tuple(sorted(here, key=lambda bet: bet.at_us))


class Pace:
    """The clock of one dealer: moves on by a random while."""

    def __init__(self, at_us: int, rng: Random) -> None:
        self.at_us, self._rng = at_us, rng

    def step(self, least_ms: int, most_ms: int) -> int:
        """Let between so many and so many milliseconds pass; give the moment."""
        self.at_us += int((least_ms + (most_ms - least_ms) * self._rng.random()) * 1000)
        return self.at_us
