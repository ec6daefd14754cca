"""Facts about how a coup was dealt and what was announced."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, FactsPart, Name, Whole, Words


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


class CardUnread(FactsPart):
    """A card could not be read when it was dealt."""

    kind: Literal["card_unread"] = "card_unread"
    hand: Name
    position: Whole
    card: Name | None = None
    """What it was read as later; None where it never was."""
    read: Literal["not", "before_result", "after_result"] = "not"


class DealDisordered(FactsPart):
    """Cards were dealt in another order, or in another number, than the rules say."""

    kind: Literal["deal_disordered"] = "deal_disordered"
    coup_no: Whole
    problem: Words
    dealt: Words
    """The cards in the order of dealing; empty where none was dealt."""


class DealtAfterLast(FactsPart):
    """A coup was dealt although the shoe had ended, or its cover card had ended it."""

    kind: Literal["dealt_after_last"] = "dealt_after_last"
    coup_no: Whole


_Wagers = Annotated[tuple[Name, ...], Field(max_length=PARTS_MAX)]


class WinnersListed(FactsPart):
    """The winning wagers that were announced are not those that won."""

    kind: Literal["winners_listed"] = "winners_listed"
    coup_no: Whole
    not_won: _Wagers = ()
    """Names of wagers that were announced and had not won."""
    not_announced: _Wagers = ()
    """Names of wagers that had won and were not announced."""
    put_right_at: Name | None = None


DealFacts: TypeAlias = (
    CardUnread
    | DealDisordered
    | DealtAfterLast
    | DrawFaulty
    | PointsAnnounced
    | WinnerAnnounced
    | WinnersListed
)
"""Facts of findings about the deal."""
