"""Sentences about how a coup was dealt and what was announced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.hands import result_sentence
from auditors.catalogue.sentences.shared import Words, in_coup
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import deal as facts
from schemas.findings import Finding

WINNER_WORDS: Final = {"player": "Player wins", "banker": "Banker wins", "tie": "a tie"}
"""Results as claims name them."""


def _put_right(at: str | None) -> str:
    return f" It was put right at {at}." if at else ""


def _hands(told: facts.DrawFaulty | facts.PointsAnnounced | facts.WinnerAnnounced) -> str:
    return f"Player {told.player_cards}, Banker {told.banker_cards}."


def _word(found: Finding) -> str:
    """Say who claims a result: a file records it, a table announces it."""
    return "announced" if found.line is None else "recorded"


def draw_faulty(found: Finding, told: facts.DrawFaulty) -> Words:
    """Say the cards and what is wrong with them."""
    return Words(
        f"{_hands(told)} {told.problem}.",
        title_of_code(found.code),
    )


def winner_announced(found: Finding, told: facts.WinnerAnnounced) -> Words:
    """Say the result of the cards and the one that was announced."""
    result = result_sentence(told.player_points, told.banker_points)
    word = _word(found)
    claimed = WINNER_WORDS[told.announced]
    return Words(
        f"{_hands(told)} {result}; {word} {claimed}.{_put_right(told.put_right_at)}",
        f"{claimed[:1].upper()}{claimed[1:]} {word} instead of {result.rpartition(': ')[2]}"
        f"{', put right' if told.put_right_at else ''}",
    )


def points_announced(found: Finding, told: facts.PointsAnnounced) -> Words:
    """Say the counts of the cards and those that were announced."""
    claimed = " and ".join(
        f"{title} {points}"
        for title, points in (
            ("Player", told.announced_player),
            ("Banker", told.announced_banker),
        )
        if points is not None
    )
    word = _word(found)
    return Words(
        f"{_hands(told)} Player {told.player_points}, "
        f"Banker {told.banker_points}; {word} {claimed}.{_put_right(told.put_right_at)}",
        f"{claimed} {word}{', put right' if told.put_right_at else ''}",
    )


def card_unread(found: Finding, told: facts.CardUnread) -> Words:
    """Say which card could not be read, and whether it was read later."""
    where = f"{told.hand.capitalize()} card {told.position}"
    if told.card is None:
        return Words(
            f"{where} could not be read; the coup cannot be judged until it is.",
            f"{where} not read",
        )
    when = {"after_result": " after the result was announced"}.get(
        told.read, " before the result was announced"
    )
    card = told.card
    return Words(
        f"{where} could not be read when it was dealt; it was read as {card}{when}.",
        f"{where} read late, as {card}",
    )


def deal_disordered(found: Finding, told: facts.DealDisordered) -> Words:
    """Say what is wrong with the order or the number of cards."""
    dealt = told.dealt or "nothing"
    return Words(f"{in_coup(found)}: {told.problem} (dealt: {dealt}).", title_of_code(found.code))


def dealt_after_last(found: Finding, told: facts.DealtAfterLast) -> Words:
    """Say that a coup was dealt when the shoe had to end."""
    return Words(
        f"{in_coup(found)} was dealt although the cover card, or the end of the shoe, had ended "
        "dealing.",
        f"Coup {told.coup_no} dealt after the last permitted one",
    )


def winners_listed(found: Finding, told: facts.WinnersListed) -> Words:
    """Say which winning wagers were announced wrongly or left out."""
    parts = []
    if told.not_won:
        parts.append(f"{_listed(told.not_won)} announced as winning but did not win")
    if told.not_announced:
        parts.append(f"{_listed(told.not_announced)} left out of the announcement although won")
    right = ", put right" if told.put_right_at else ""
    return Words(
        f"{in_coup(found)}: {'; '.join(parts)}.{_put_right(told.put_right_at)}",
        f"Winning wagers announced wrongly{right}",
    )


def _listed(names: tuple[str, ...]) -> str:
    return f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'}"


RENDERERS: Final[Mapping[type, object]] = {
    facts.CardUnread: card_unread,
    facts.DealDisordered: deal_disordered,
    facts.DealtAfterLast: dealt_after_last,
    facts.DrawFaulty: draw_faulty,
    facts.PointsAnnounced: points_announced,
    facts.WinnerAnnounced: winner_announced,
    facts.WinnersListed: winners_listed,
}
