"""Sentences about the cards in a shoe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words, capital, card_sign, card_signs
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import shoe as facts
from schemas.finding_facts.parts import CardCount, CardExcess
from schemas.findings import Finding

_WHENS: Final = {
    "inspected": "inspected with ",
    "inspected_after_play": "inspected after play with ",
    "with_those_left": "with those left, ",
    "came_out": "",
}
_LEVELS: Final = {"suit": "", "rank": " by rank", "value": " by value"}


def shoe_composition(found: Finding, told: facts.ShoeComposition) -> Words:
    """Say all that is wrong with what a shoe holds."""
    coups = "" if told.coup_count is None else f", {told.coup_count} coups"
    problems = "; ".join(_problem(problem) for problem in told.problems)
    return Words(f"Shoe {found.shoe}{coups}: {problems}.", title_of_code(found.code))


def _problem(told: facts.ShoeProblem) -> str:
    if isinstance(told, facts.CardsCounted):
        return f"{_WHENS[told.when]}{told.counted} cards instead of {told.held}"
    if isinstance(told, facts.CardsTooMany):
        came = "came out " if told.when == "came_out" else ""
        return (
            f"{_WHENS[told.when]}more cards {came}than {told.decks} "
            f"decks hold{_LEVELS[told.level]}: {_excess(told.excess)}"
        )
    if isinstance(told, facts.CardsMissing):
        return _missing(told)
    if isinstance(told, facts.CardsOutAndLeft):
        total = told.out + told.left
        return f"{told.out} dealt or burned + {told.left} left = {total} of {told.held}"
    if isinstance(told, facts.DecksLoaded):
        return f"loaded with {told.loaded} decks; {told.filed} were filed"
    if isinstance(told, facts.ReplacedUnlike):
        return f"{card_sign(told.removed)} was removed and replaced by {card_sign(told.put_in)}"
    if isinstance(told, facts.CardIdAgain):
        return _card_id(told)
    return told.words


_AT: Final = {
    "inspected": "at the inspection, ",
    "inspected_after_play": "at the inspection after play, ",
}


def _missing(told: facts.CardsMissing) -> str:
    """Name what is missing: one card as such, several with their number."""
    unseen = _unseen(told.unseen)
    if len(told.missing) == 1 and told.missing[0].count == 1 and len(told.missing[0].card) == 2:
        lead = _AT.get(told.when, "")
        return f"{lead}the missing card is a {card_sign(told.missing[0].card)}{unseen}"
    lead = _AT.get(told.when, "")
    return f"{lead}missing cards: {_counts(told.missing)}{unseen}"


def _excess(excess: tuple[CardExcess, ...]) -> str:
    return "; ".join(
        f"{excess_card.seen} of {card_sign(excess_card.card)} instead of {excess_card.held}"
        for excess_card in excess
    )


def _counts(counts: tuple[CardCount, ...]) -> str:
    return ", ".join(f"{count.count} of {card_sign(count.card)}" for count in counts)


def _unseen(unseen: int) -> str:
    """Say that cards which came out unseen, such as burned ones, are on the list as well."""
    if not unseen:
        return ""
    if unseen == 1:
        return " (1 of these may be the card that came out unseen)"
    return f" ({unseen} of these may be the cards that came out unseen)"


def _card_id(told: facts.CardIdAgain) -> str:
    first, again = (card_sign(card) if card else "unread" for card in (told.card, told.card_again))
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
    card = card_sign(told.card) if told.card else "a card"
    return Words(
        f"Shoe {found.shoe}: {card} was removed (event {told.removed_sequence}); dealing went on "
        "without a replacement.",
        title_of_code(found.code),
    )


def shoe_uninspected(found: Finding, told: facts.ShoeUninspected) -> Words:
    """Say which record a shoe was dealt without."""
    lacks = "shuffle and inspection" if told.lacks == "both" else told.lacks
    return Words(
        f"Shoe {found.shoe} was dealt without a record of its {lacks}; this table reports "
        f"{'both' if told.lacks == 'both' else 'it'}.",
        f"No record of {lacks}",
    )


def burn_counted(found: Finding, told: facts.BurnCounted) -> Words:
    """Say how many cards should have been burned and how many were."""
    cards = "card" if told.expected == 1 else "cards"
    return Words(
        f"Shoe {found.shoe}: {card_sign(told.exposed)} was exposed, so {told.expected} further "
        f"{cards} should have been burned; {told.burned} {'was' if told.burned == 1 else 'were'}.",
        f"{told.burned} burned instead of {told.expected}",
    )


_CAME: Final = {
    "burned": "the burned card",
    "dealt": "the card",
    "drawn_in_error": "the card drawn in error",
    "exposed": "the exposed card",
    "removed": "the removed card",
}


def card_foreign(found: Finding, told: facts.CardForeign) -> Words:
    """Say which card cannot be of the shoe, and why."""
    which = _CAME[told.came]
    if told.hand is not None:
        which = f"{told.hand.capitalize()} card {told.position}"
    card = card_sign(told.card) if told.card else "unread"
    return Words(f"{capital(which)} ({card}): {told.problem}.", title_of_code(found.code))


def order_repeated(found: Finding, told: facts.OrderRepeated) -> Words:
    """Say which run was dealt before, and where."""
    where = f"shoe {told.earlier_shoe}" if told.earlier_shoe else "the same shoe"
    line = "" if told.earlier_line is None else f" (line {told.earlier_line})"
    return Words(
        f"Shoe {found.shoe}: cards {told.first} to {told.last} ({card_signs(told.cards)}) were "
        f"dealt in the same order before, from card {told.earlier} of {where}{line}.",
        title_of_code(found.code),
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.BurnCounted: burn_counted,
    facts.CardForeign: card_foreign,
    facts.CardRemoved: card_removed,
    facts.OrderRepeated: order_repeated,
    facts.ShoeComposition: shoe_composition,
    facts.ShoeUninspected: shoe_uninspected,
}
