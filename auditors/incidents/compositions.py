"""How a shoe differs from its decks, as far as the facts of its finding tell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import itemgetter

from schemas.finding_facts.shoe import (
    CardIdAgain,
    CardsCounted,
    CardsMissing,
    CardsOutAndLeft,
    CardsTooMany,
    ShoeComposition,
)
from schemas.findings import Finding


@dataclass(frozen=True, slots=True)
class Composition:
    """How a shoe differs from its decks."""

    absent: tuple[tuple[str, int], ...] = ()
    """Card to how many were not seen: missing ones, and those that left the shoe unseen."""
    extra: tuple[tuple[str, int], ...] = ()
    """Card to how many are too many."""
    net: int | None = None
    """Cards too many (positive) or missing (negative) in all, where they were counted."""
    doubled: int = 0
    """Cards that by their ids came out twice."""

    @property
    def extra_count(self) -> int:
        """How many cards are known to be too many."""
        return sum(count for _, count in self.extra) or max(0, self.net or 0)

    @property
    def missing_count(self) -> int:
        """How many cards are known to be missing."""
        if self.net is None:
            return sum(count for _, count in self.absent)
        return max(0, self.extra_count - self.net)

    def is_like(self, other: Composition) -> bool:
        """Whether two shoes may differ for one cause: as many cards, and one in common."""
        ours = (self.missing_count, self.extra_count)
        if ours == (0, 0) or ours != (other.missing_count, other.extra_count):
            return False
        return all(
            not (mine and theirs) or not mine.isdisjoint(theirs)
            for mine, theirs in (
                ({card for card, _ in self.absent}, {card for card, _ in other.absent}),
                ({card for card, _ in self.extra}, {card for card, _ in other.extra}),
            )
        )

    def narrowed(self, other: Composition) -> Composition:
        """Keep of what was not seen what another shoe of the same cause did not see either."""
        theirs = dict(other.absent)
        absent = self.absent or other.absent
        if self.absent and theirs:
            absent = tuple((card, min(n, theirs[card])) for card, n in absent if card in theirs)
        return Composition(absent, self.extra or other.extra, self.net, self.doubled)


def composition_of(finding: Finding) -> Composition:
    """Give which cards are missing or too many; nothing where an earlier build kept words alone.

    An inspection sees every card, so what it lists is missing. At the end of a shoe the cards that
    came out unseen, such as burned ones, are on the list as well; the facts say how many.
    """
    if not isinstance(finding.facts, ShoeComposition):
        return Composition()
    problems = finding.facts.problems
    extra: Counter[str] = Counter()
    for problem in problems:
        if isinstance(problem, CardsTooMany):
            for card in problem.excess:
                extra[card.card] = max(extra[card.card], card.seen - card.held)
    lists = [
        (problem.unseen, {card.card: card.count for card in problem.missing})
        for problem in problems
        if isinstance(problem, CardsMissing)
    ]
    unseen, absent = min(lists, key=itemgetter(0), default=(0, {}))
    net = next(
        (
            problem.counted - problem.held
            for problem in problems
            if isinstance(problem, CardsCounted)
        ),
        None,
    )
    if net is None:
        sums = (problem for problem in problems if isinstance(problem, CardsOutAndLeft))
        net = next((problem.out + problem.left - problem.held for problem in sums), None)
    if net is None and absent:
        net = extra.total() - (sum(absent.values()) - unseen)
    doubled = sum(
        isinstance(problem, CardIdAgain) and not problem.is_one_card for problem in problems
    )
    return Composition(tuple(sorted(absent.items())), tuple(sorted(extra.items())), net, doubled)
