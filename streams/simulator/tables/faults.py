"""Faults that can be planted: hooks that a table calls while it plays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from random import Random

from schemas.events import Capability
from schemas.findings import FindingCode
from schemas.rules_submission import RulesSubmission
from streams.simulator.feed import Draft, Message
from streams.simulator.tables.coup_plan import CoupPlan
from streams.simulator.tables.dealing import Shoe
from streams.simulator.tables.playing import PlayingTable
from streams.simulator.truths import Truth


class Scope(Enum):
    """When a fault begins."""

    TABLE = "table"
    """At the opening of the table."""

    SHOE = "shoe"
    """With a new shoe."""

    COUP = "coup"
    """With a coup."""


class OnMeter(Enum):
    """What a fault of a progressive bears beside it, so that each is found for itself."""

    BESIDE = "beside"
    """Others before and after it, with time for readings in between."""

    ALONE = "alone"
    """No other one of the same progressive: what it leaves is in everything that is won later."""

    LAST = "last"
    """No other one of any progressive: it moves the money of one to another when all is over."""


class Fault:
    """A fault on its way into a table's day; every hook does nothing by itself."""

    scope = Scope.COUP
    on_meter: OnMeter | None = None
    """Whether it is of a progressive, and what it bears beside it."""
    weight = 1
    """How much of a table it takes up: heavy ones get tables that are otherwise free."""

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault.

        Args:
            name: The plant.
            rng: Its own source of chance, so that the honest part of the day stays what it was.
        """
        self.name, self.rng = name, rng
        self.earliest = 0
        """Coups of the table before it begins, at least."""
        self.at_us: int | None = None
        """When its deciding event is to happen, where that was asked for."""
        self.has_begun = False
        self.is_told = False
        """Whether something that an audit has to find is in the truth already."""
        self.is_done = False

    def may_begin(self, table: PlayingTable) -> bool:
        """Whether nothing that is on its way elsewhere would be mixed up with it."""
        return True

    def opening(self, table: PlayingTable, drafts: list[Draft]) -> None:
        """Edit the opening of the table."""

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Change the cards of a new shoe before it is loaded."""

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Edit what is told of the loading and the burn."""

    def between(self, table: PlayingTable) -> list[Draft]:
        """Tell something between two coups; the last moment counts as the next coup's start."""
        return []

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Change who wagers what, and what the coup has to come to."""

    def deal(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Change the cards that are dealt."""

    def called(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Edit what is told up to the result, where the cards win a progressive."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Edit what is told of the coup; where it wins a progressive, from after the result on."""

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Edit what is told of the end of a shoe."""

    def messages(self, table: PlayingTable, messages: list[Message]) -> None:
        """Edit what is delivered."""

    def tell(
        self,
        table: PlayingTable,
        *codes: FindingCode,
        plan: CoupPlan | None = None,
        shoe: Shoe | None = None,
        difference_minor: int | None = None,
        note: str = "",
        is_dead_letter: bool = False,
    ) -> None:
        """Write down what an audit has to find."""
        self.is_told = True
        where = shoe or (plan.shoe if plan else None)
        table.tell(
            Truth(
                plant=self.name,
                source=table.source_id,
                shoe=where.shoe_id if where else None,
                coup=plan.coup_id if plan else None,
                codes=codes,
                difference_minor=difference_minor,
                currency=table.submission.currency,
                note=note,
                is_dead_letter=is_dead_letter,
            )
        )

    def finish(self) -> None:
        """Say that the fault is in the day, whole."""
        self.is_done = True


@dataclass(frozen=True, slots=True)
class Plant:
    """One kind of fault that can be planted."""

    name: str
    codes: tuple[FindingCode, ...]
    """What it produces; empty: nothing, though the stream is unusual."""
    description: str
    make: Callable[[str, Random], Fault]
    needs: frozenset[Capability] = frozenset()
    """What the table has to report."""
    fits: Callable[[RulesSubmission], bool] = lambda _: True
    """Whether it can happen under a filing."""

    def suits(self, reports: Collection[Capability], submission: RulesSubmission) -> bool:
        """Whether it can be planted at a table."""
        return self.needs <= set(reports) and self.fits(submission)
