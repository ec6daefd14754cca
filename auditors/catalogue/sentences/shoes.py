"""Sentences about the cards in a shoe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import shoe as facts
from schemas.finding_facts.parts import CardCount, CardExcess
from schemas.findings import Finding

_WHENS: Final = {
    "inspected": "inspected with ",
    "inspected_after_play": "inspected after play with ",
    "with_those_left": "with those left ",
    "came_out": "",
}
_LEVELS: Final = {"suit": "", "rank": " by rank", "value": " by value"}


def shoe_composition(found: Finding, told: facts.ShoeComposition) -> Words:
    """Say all that is wrong with what a shoe holds."""
    coups = "" if told.coup_count is None else f", {told.coup_count} coups"
    problems = "; ".join(_problem(one) for one in told.problems)
    return Words(f"Shoe {found.shoe}{coups}: {problems}.", title_of_code(found.code))


def _problem(told: facts.ShoeProblem) -> str:
    if isinstance(told, facts.CardsCounted):
        return f"{_WHENS[told.when]}{told.counted} cards, {told.held} held"
    if isinstance(told, facts.CardsTooMany):
        came = "came out " if told.when == "came_out" else ""
        return (
            f"{_WHENS[told.when]}more cards {came}than {told.decks} "
            f"decks hold{_LEVELS[told.level]}: {_excess(told.excess)}"
        )
    if isinstance(told, facts.CardsMissing):
        return f"{_WHENS[told.when]}missing: {_counts(told.missing)}{_unseen(told.unseen)}"
    if isinstance(told, facts.CardsOutAndLeft):
        return f"{told.out} cards out and {told.left} left, {told.held} held"
    if isinstance(told, facts.DecksLoaded):
        return f"loaded with {told.loaded} decks, {told.filed} are filed"
    if isinstance(told, facts.ReplacedUnlike):
        return f"{told.removed} was removed and replaced by {told.put_in}"
    if isinstance(told, facts.CardIdAgain):
        return _card_id(told)
    return told.words


def _excess(excess: tuple[CardExcess, ...]) -> str:
    return "; ".join(f"{one.seen} of {one.card}, {one.held} held" for one in excess)


def _counts(counts: tuple[CardCount, ...]) -> str:
    return ", ".join(f"{one.count} of {one.card}" for one in counts)


def _unseen(unseen: int) -> str:
    """Say that cards which came out unseen, such as burned ones, are on the list as well."""
    if not unseen:
        return ""
    if unseen == 1:
        return " (1 of these may be the card that came out unseen)"
    return f" ({unseen} of these may be the cards that came out unseen)"


def _card_id(told: facts.CardIdAgain) -> str:
    first, again = told.card or "unread", told.card_again or "unread"
    if told.is_one_card:
        return (
            f"card id {told.card_id} was {first} at event {told.sequence} and is {again} at event "
            f"{told.sequence_again}"
        )
    return (
        f"card id {told.card_id} came out twice, {first} at event {told.sequence} and {again} at "
        f"event {told.sequence_again}"
    )


def card_removed(found: Finding, told: facts.CardRemoved) -> Words:
    """Say which card was removed and not replaced."""
    card = told.card or "a card"
    return Words(
        f"Shoe {found.shoe}: {card} was removed (event {told.removed_sequence}) and not replaced, "
        "and dealing went on.",
        title_of_code(found.code),
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.CardRemoved: card_removed,
    facts.ShoeComposition: shoe_composition,
}
