"""Sentences about lines of files: rows of recorded rounds, and lines that should be events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.hands import result_sentence
from auditors.catalogue.sentences.shared import Words, capital
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import rounds as facts
from schemas.findings import Finding


def row_unusable(found: Finding, told: facts.RowUnusable) -> Words:
    """Say what is wrong with a cell, or with a whole line."""
    if found.column is None:
        return Words(_ended(capital(told.problem)), "Line cannot be used")
    return Words(
        _ended(f"Column {found.column}: {told.problem}"), f"Column {found.column} cannot be used"
    )


def stake_not_payable(_found: Finding, told: facts.StakeNotPayable) -> Words:
    """Say why no whole amount is due, as it is said at a table."""
    return Words(
        f"{told.wager_name}: {told.problem}; what is due stays open.",
        f"{told.wager_name} cannot be paid exactly",
    )


def card_illegible(found: Finding, told: facts.CardIllegible) -> Words:
    """Say which card cannot be read, and that the row is not judged."""
    if found.hand is None:
        return Words(
            f"{capital(told.problem)}; nothing of this row was judged.", title_of_code(found.code)
        )
    card = f"{found.hand.capitalize()} card {told.position}"
    return Words(f"{card}: {told.problem}; nothing of this row was judged.", f"{card} not readable")


def winners_recorded(_found: Finding, told: facts.WinnersRecorded) -> Words:
    """Say which winning wagers were recorded wrongly or left out."""
    parts = []
    if told.not_won:
        parts.append(f"{_listed(told.not_won)} recorded as winning but did not win")
    if told.not_recorded:
        parts.append(f"{_listed(told.not_recorded)} left out of the record although won")
    return Words(
        f"Player {told.player_cards}, Banker {told.banker_cards}. "
        f"{result_sentence(told.player_points, told.banker_points)}; {'; '.join(parts)}.",
        "Winning wagers recorded wrongly",
    )


def line_no_event(found: Finding, told: facts.LineNoEvent) -> Words:
    """Say why a line is no event, and which source it names."""
    named = f" It names {told.named_source}." if told.named_source else ""
    return Words(
        f"Line {found.line} is no event: {told.problem.rstrip('.')}.{named}",
        "Line is no event",
    )


def _listed(names: tuple[str, ...]) -> str:
    *head, last = names
    joined = f"{', '.join(head)} and {last}" if head else last
    return f"{joined} {'were' if head else 'was'}"


def _ended(text: str) -> str:
    """End a text with one mark: a near miss asks, and asks only once."""
    return text if text.endswith(("?", "!", ".")) else f"{text}."


RENDERERS: Final[Mapping[type, object]] = {
    facts.CardIllegible: card_illegible,
    facts.LineNoEvent: line_no_event,
    facts.RowUnusable: row_unusable,
    facts.StakeNotPayable: stake_not_payable,
    facts.WinnersRecorded: winners_recorded,
}
