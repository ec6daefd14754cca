"""Sentences about how a coup was dealt and what was announced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.hands import result_sentence
from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import deal as facts
from schemas.findings import Finding

WINNER_WORDS: Final = {"player": "Player wins", "banker": "Banker wins", "tie": "a tie"}
"""Results as claims name them."""


def _put_right(at: str | None) -> str:
    return f" It was put right at {at}." if at else ""


def _word(found: Finding) -> str:
    """Say who claims a result: a file records it, a table announces it."""
    return "announced" if found.line is None else "recorded"


def draw_faulty(found: Finding, told: facts.DrawFaulty) -> Words:
    """Say the cards and what is wrong with them."""
    return Words(
        f"Player {told.player_cards}, Banker {told.banker_cards}. {told.problem}.",
        title_of_code(found.code),
    )


def winner_announced(found: Finding, told: facts.WinnerAnnounced) -> Words:
    """Say the result of the cards and the one that was announced."""
    result = result_sentence(told.player_points, told.banker_points)
    word = _word(found)
    claimed = WINNER_WORDS[told.announced]
    return Words(
        f"Player {told.player_cards}, Banker {told.banker_cards}. {result}; {word} "
        f"{claimed}.{_put_right(told.put_right_at)}",
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
        f"Player {told.player_cards}, Banker {told.banker_cards}. Player {told.player_points}, "
        f"Banker {told.banker_points}; {word} {claimed}.{_put_right(told.put_right_at)}",
        f"{claimed} {word}{', put right' if told.put_right_at else ''}",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.DrawFaulty: draw_faulty,
    facts.PointsAnnounced: points_announced,
    facts.WinnerAnnounced: winner_announced,
}
