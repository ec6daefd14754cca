"""Facts about how a coup was dealt and what was announced."""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.finding_facts.parts import FactsPart, Name, Whole, Words


class DrawFaulty(FactsPart):
    """Cards were drawn or left out against the rules, or a hand has another number of them."""

    kind: Literal["draw_faulty"] = "draw_faulty"
    player_cards: Name
    banker_cards: Name
    problem: Words
    """``Banker must draw on 3 against a ten-valued card (KD), but has no third card``."""


class WinnerAnnounced(FactsPart):
    """The winner that was announced or recorded is not that of the cards."""

    kind: Literal["winner_announced"] = "winner_announced"
    player_cards: Name
    banker_cards: Name
    player_points: Whole
    banker_points: Whole
    announced: Literal["player", "banker", "tie"]
    put_right_at: Name | None = None
    """Time of day at which the right one was called, where one was."""


class PointsAnnounced(FactsPart):
    """The counts that were announced or recorded are not those of the cards."""

    kind: Literal["points_announced"] = "points_announced"
    player_cards: Name
    banker_cards: Name
    player_points: Whole
    banker_points: Whole
    announced_player: Whole | None
    announced_banker: Whole | None
    """None where nothing was announced of that hand."""
    put_right_at: Name | None = None


DealFacts: TypeAlias = DrawFaulty | WinnerAnnounced | PointsAnnounced
"""Facts of findings about the deal."""
