"""The cards of a shoe: what came out and what is left against what the decks hold.

Cards are compared as far as they are known: by card, by rank where suits are missing, by value
where ranks are. One finding a shoe names all that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from auditors.shoe import Excess, composition_excess, excess_facts, held_multiset
from auditors.table.known.context import Folding
from auditors.table.known.shoe_order import (
    RANKED,
    RANKED_TEN,
    SUITED,
    UNREAD,
    VALUED,
    card_of,
    level_of,
    mark_of,
)
from auditors.table.known.shoe_records import (
    assert_of_shoe,
    emit_shoe,
    shoe_finding,
    shoe_in_play,
)
from auditors.table.known.state import CARDS_OUT_MAX, PROBLEMS_MAX, ShoeState
from auditors.values import evolve
from schemas.cards import Card, Knowledge, parse_card
from schemas.events import Capability, Inspection, ShoeEnded
from schemas.finding_facts.parts import CardCount
from schemas.finding_facts.shoe import (
    CardsCounted,
    CardsMissing,
    CardsOutAndLeft,
    CardsTooMany,
    ShoeComposition,
    ShoeProblem,
    ToldInWords,
    When,
)
from schemas.findings import FindingCode


def seen_cards(shoe: ShoeState) -> dict[str, int]:
    """Give the cards that were seen to come out, and how often."""
    marks = Counter(shoe.order) + Counter(shoe.others)
    return {card_of(mark): count for mark, count in marks.items() if mark != UNREAD}


_UNMIXED: Final = (
    SUITED,
    RANKED,
    RANKED_TEN,
    RANKED | RANKED_TEN,
    VALUED,
    RANKED | VALUED,
)
"""Levels at which every card is one of as many as all others that bear its mark."""


def may_be_too_many(shoe: ShoeState, mark: str) -> bool:
    """Whether a card that has just come out may be one too many: a look before the count."""
    count = shoe.order.count(mark) + shoe.others.count(mark)
    if shoe.levels == SUITED:
        return count > shoe.decks
    if shoe.levels not in _UNMIXED:
        return True
    return count > (16 if level_of(mark) == VALUED else 4) * shoe.decks


def excess_of(cards: Mapping[str, int], decks: int) -> tuple[Excess, ...]:
    """Find the cards of which more were counted than the decks hold."""
    return composition_excess({parse_card(card): count for card, count in cards.items()}, decks)


@dataclass(frozen=True, slots=True)
class Counted:
    """Cards that were counted, all of a shoe or what was seen of it."""

    cards: Mapping[str, int]
    decks: int
    unseen: int = 0
    """Cards that were not seen: as many may be missing."""

    def problems(self, when: When) -> list[ShoeProblem]:
        """Say which cards are too many, and which are missing beyond those that nobody saw."""
        found: list[ShoeProblem] = []
        if excess := excess_of(self.cards, self.decks):
            found.append(CardsTooMany(when=when, decks=self.decks, excess=excess_facts(excess)))
        missing = self._missing()
        if sum(missing.values()) > self.unseen:
            counts = tuple(CardCount(card=card, count=count) for card, count in missing.items())
            found.append(
                CardsMissing(when=when, decks=self.decks, missing=counts, unseen=self.unseen)
            )
        return found

    def _missing(self) -> dict[str, int]:
        """Give the cards of which fewer were counted than the decks hold."""
        multiset = {parse_card(card): count for card, count in self.cards.items()}
        level = min((card.knowledge for card in multiset), default=Knowledge.SUIT)
        counted = _by_knowledge(multiset, level)
        held = _by_knowledge(held_multiset(self.decks), level)
        return {
            card: count - counted.get(card, 0)
            for card, count in held.items()
            if counted.get(card, 0) < count
        }


def _by_knowledge(cards: Mapping[Card, int], level: Knowledge) -> dict[str, int]:
    counts: dict[str, int] = {}
    for card, count in cards.items():
        name = str(card)
        if level is Knowledge.VALUE:
            name = str(card.value)
        elif level is Knowledge.RANK:
            name = str(card.rank)
        counts[name] = counts.get(name, 0) + count
    return counts


def check_inspection(folding: Folding, inspection: Inspection, when: When) -> None:
    """Compare what an inspection counted with what the decks hold."""
    decks = shoe_in_play(folding).decks
    if inspection.card_count not in (None, 52 * decks):
        counted = inspection.card_count or 0
        name_problem(folding, CardsCounted(when=when, counted=counted, held=52 * decks))
    if inspection.cards is not None:
        for problem in Counted(inspection.cards, decks).problems(when):
            name_problem(folding, problem)


def name_problem(folding: Folding, problem: ShoeProblem | str) -> None:
    """Name something that is wrong with the composition, once."""
    problems = shoe_in_play(folding).problems
    if problem not in problems and len(problems) < PROBLEMS_MAX:
        folding.put_shoe(evolve(shoe_in_play(folding), problems=(*problems, problem)))
        assert_composition(folding)


def withdraw_problems(folding: Folding, problems: tuple[ShoeProblem | str, ...]) -> None:
    """Take back what was named and turned out to be nothing that cards can show."""
    shoe = shoe_in_play(folding)
    left = tuple(one for one in shoe.problems if one not in problems)
    if left == shoe.problems:
        return
    folding.put_shoe(evolve(shoe_in_play(folding), problems=left))
    if left or shoe.excess:
        assert_composition(folding)
        return
    gone = [one.id for one in shoe.findings if one.code is FindingCode.SHOE_COMPOSITION]
    findings = tuple(one for one in shoe.findings if one.id not in gone)
    emit_shoe(
        folding, folding.put_shoe(evolve(shoe_in_play(folding), findings=findings)), tuple(gone)
    )


def assert_composition(folding: Folding) -> None:
    """Put out the one finding that names all that is wrong with the composition."""
    shoe = shoe_in_play(folding)
    parts = [ToldInWords(words=one) if isinstance(one, str) else one for one in shoe.problems]
    if shoe.excess:
        excess = excess_facts(excess_of(seen_cards(shoe), shoe.decks))
        parts.append(CardsTooMany(when="came_out", decks=shoe.decks, excess=excess))
    facts = ShoeComposition(problems=tuple(parts))
    found = shoe_finding(folding, FindingCode.SHOE_COMPOSITION, shoe.shoe_id, facts)
    assert_of_shoe(folding, found, is_renewed=True)


def check_excess(folding: Folding, mark: str) -> None:
    """Look for more of a card than the decks hold, as soon as it has come out."""
    shoe = shoe_in_play(folding)
    if not may_be_too_many(shoe, mark) or Capability.CARDS not in folding.state.reports:
        return
    # Which cards, not how many: a card that goes on coming is no news.
    names = " ".join(one.what for one in excess_of(seen_cards(shoe), shoe.decks))
    if names != shoe.excess:
        folding.put_shoe(evolve(shoe_in_play(folding), excess=names))
        assert_composition(folding)


def take_out(folding: Folding, cards: list[str], unseen: int) -> None:
    """Count cards that came out without being dealt."""
    for card in cards:
        shoe, mark = shoe_in_play(folding), mark_of(card)
        others = (shoe.others + mark)[:CARDS_OUT_MAX]
        folding.put_shoe(
            evolve(shoe_in_play(folding), others=others, levels=shoe.levels | level_of(mark))
        )
        check_excess(folding, mark)
    if unseen > 0:
        shoe = shoe_in_play(folding)
        folding.put_shoe(
            evolve(
                shoe_in_play(folding), unseen_count=min(CARDS_OUT_MAX, shoe.unseen_count + unseen)
            )
        )


def check_end(folding: Folding, event: ShoeEnded) -> None:
    """Compare what came out and what is left with what the decks hold."""
    if event.inspection is not None and folding.can(Capability.INSPECTION):
        check_inspection(folding, event.inspection, "inspected_after_play")
    left = event.cards_left_count
    cards_left = event.cards_left
    if left is None and cards_left is not None:
        left = sum(cards_left.values())
    if left is None or not folding.can(Capability.CARDS, Capability.CARDS_LEFT):
        return
    shoe = shoe_in_play(folding)
    is_all_told = folding.can(Capability.BURN, Capability.REMOVALS)
    gone = [one.card for one in shoe.removed if one.was_in_shoe]
    out, held = shoe.cards_out + len(gone), 52 * shoe.decks
    if out + left > held or (out + left < held and is_all_told):
        name_problem(folding, CardsOutAndLeft(out=out, left=left, held=held))
    if cards_left is None and left > 0:
        return
    counted = seen_cards(shoe)
    for card in (*gone, *_one_by_one(cards_left or {})):
        if card is not None:
            counted[card] = counted.get(card, 0) + 1
    unseen = shoe.unseen_count + shoe.order.count(UNREAD) + gone.count(None)
    unknown = held if not is_all_told else unseen
    for problem in Counted(counted, shoe.decks, unknown).problems("with_those_left"):
        name_problem(folding, problem)


def _one_by_one(cards: dict[str, int]) -> list[str]:
    return [card for card, count in cards.items() for _ in range(count)]
