"""Cards of both hands in one column, dealt out to the hands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from auditors.law.model import Section
from auditors.settlement.coup import judge_coup
from schemas.cards import UnreadableCardError, parse_card

_NO_CARD: Final = frozenset({"", "-", "--", "_", "x", "none", "null"})
"""Words that hold the place of a card that was not dealt."""


def joined_tokens(text: str) -> list[str]:
    """Split a column of cards into places; an empty place between separators is kept."""
    stripped = text.strip().strip("[](){}")
    parted = re.split(r"\s*[,;|]\s*|\s+", stripped) if stripped else []
    return [
        "" if token.strip("'\"").lower() in _NO_CARD else token.strip("'\"") for token in parted
    ]


def deal_out(
    tokens: Sequence[str], order: Sequence[str], game: Section
) -> tuple[list[str], list[str]] | None:
    """Give each hand its cards in dealing order.

    Where places are held (six tokens, empty where no card was dealt) the order alone decides.
    With four or six cards it does as well. A fifth card without places is the hand's whose third
    card fits the drawing rules; where neither fits, whose card it was cannot be told.

    Args:
        tokens: Texts of the cards, empty where a place is held.
        order: Places such as ``p1,b1,p2,b2,p3,b3``.
        game: The main game, whose tableau holds.

    Returns:
        Texts of the Player's and the Banker's cards, or None where it cannot be told.
    """
    if "" in tokens or len(tokens) in (4, 6):
        slots = [slot for slot in order if not slot.endswith("3")] if len(tokens) == 4 else order
        return _by_slots(tokens, slots) if len(tokens) <= len(slots) else None
    if len(tokens) != 5:
        return None
    fitting = []
    for absent in ("p3", "b3"):
        hands = _by_slots(tokens, [slot for slot in order if slot != absent])
        if _fits(hands, game):
            fitting.append(hands)
    return fitting[0] if len(fitting) == 1 else None


def _by_slots(tokens: Sequence[str], slots: Sequence[str]) -> tuple[list[str], list[str]]:
    placed = {slot: token for slot, token in zip(slots, tokens, strict=False) if token}
    player = [placed[slot] for slot in ("p1", "p2", "p3") if slot in placed]
    banker = [placed[slot] for slot in ("b1", "b2", "b3") if slot in placed]
    return player, banker


def _fits(hands: tuple[list[str], list[str]], game: Section) -> bool:
    try:
        player, banker = (tuple(parse_card(token) for token in hand) for hand in hands)
    except UnreadableCardError:
        return False
    return judge_coup(player, banker, game).is_determined
