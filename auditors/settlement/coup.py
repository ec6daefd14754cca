"""A coup judged by the rules of dealing, and what it came to.

The third-card tableau is data of the main game; this module judges the cards of a coup against
it. A faulty draw makes the coup undetermined: what should have been dealt is never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from auditors.law.facts import HANDS, CoupFacts, Stage, knowledge_of, points_of
from auditors.law.model import Section
from auditors.law.packed_facts import facts_of
from schemas.cards import Card, Knowledge
from schemas.findings import FindingCode

HAND_TITLES: Final = {"player": "Player", "banker": "Banker"}
"""The hands as sentences name them."""


@dataclass(frozen=True, slots=True)
class DrawFault:
    """One departure from the rules of dealing."""

    code: FindingCode
    hand: str | None
    """The hand concerned, or None where the deal as a whole is."""
    sentence: str
    citation: str | None


@dataclass(frozen=True)
class Coup:
    """The cards of one coup, and what the rules of dealing make of them."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    faults: tuple[DrawFault, ...] = ()

    @property
    def is_determined(self) -> bool:
        """Whether every wager can be settled: the draw was right."""
        return not self.faults

    @property
    def has_first_four(self) -> bool:
        """Whether each hand has its first two cards."""
        return len(self.player) >= 2 and len(self.banker) >= 2

    @cached_property
    def knowledge(self) -> Knowledge:
        """How much is known of all cards."""
        return knowledge_of(self.player + self.banker)

    def knowledge_at(self, stage: Stage) -> Knowledge:
        """How much is known of the cards that facts of this stage rest on."""
        if stage is Stage.RESULT:
            return self.knowledge
        return knowledge_of(self.player[:2] + self.banker[:2])

    @cached_property
    def facts(self) -> CoupFacts:
        """The facts of the cards as they lie; only for coups that have their first four cards.

        No fact describes a fourth card, so those of a hand with too many rest on its first three.
        """
        return facts_of(self.player[:3], self.banker[:3])

    @property
    def player_points(self) -> int:
        """Points of the Player hand as it lies."""
        return points_of(self.player)

    @property
    def banker_points(self) -> int:
        """Points of the Banker hand as it lies."""
        return points_of(self.banker)

    @property
    def winner(self) -> str:
        """``player``, ``banker`` or ``tie``, from the cards as they lie."""
        return winner_of(self.player_points, self.banker_points)

    @property
    def natural(self) -> str | None:
        """Which hand has 8 or 9 on its first two cards: a hand, ``both``, or None."""
        naturals = [
            name
            for name, hand in zip(HANDS, (self.player, self.banker), strict=True)
            if len(hand) >= 2 and points_of(hand[:2]) >= 8
        ]
        return "both" if len(naturals) == 2 else naturals[0] if naturals else None

    def settles_at(self, stage: Stage) -> bool:
        """Whether facts of this stage are certain."""
        return self.is_determined or (stage is Stage.FIRST_FOUR and self.has_first_four)


def winner_of(player_points: int, banker_points: int) -> str:
    """Say which hand wins, or ``tie``."""
    if player_points == banker_points:
        return "tie"
    return "player" if player_points > banker_points else "banker"


def judge_coup(player: tuple[Card, ...], banker: tuple[Card, ...], game: Section) -> Coup:
    """Judge the cards of a coup against the rules of dealing.

    Args:
        player: The Player hand in dealing order.
        banker: The Banker hand in dealing order.
        game: The main game, whose tableau and citations hold.

    Source:
        regulation-facts 1.4; 58 Pa. Code §§ 627a.10 and 631a.11 (texts not seen).
    """
    wrong = [
        f"{HAND_TITLES[name]} has {len(hand)} {'card' if len(hand) == 1 else 'cards'}"
        for name, hand in zip(HANDS, (player, banker), strict=True)
        if not 2 <= len(hand) <= 3
    ]
    if wrong:
        sentence = f"{' and '.join(wrong)}; a hand has two or three"
        fault = DrawFault(FindingCode.DEAL_ORDER, None, sentence, _cite(game, "deal"))
        return Coup(player, banker, (fault,))
    if points_of(player[:2]) >= 8 or points_of(banker[:2]) >= 8:
        faults = [
            _after_natural(name, hand, player, banker, game)
            for name, hand in zip(HANDS, (player, banker), strict=True)
            if len(hand) == 3
        ]
    else:
        faults = _player_faults(player, game) + _banker_faults(player, banker, game)
    return Coup(player, banker, tuple(faults))


def _cite(game: Section, paragraph: str) -> str | None:
    return game.citation(getattr(game.cites, paragraph)) if game.cites else None


def _after_natural(
    name: str,
    hand: tuple[Card, ...],
    player: tuple[Card, ...],
    banker: tuple[Card, ...],
    game: Section,
) -> DrawFault:
    naturals = " and ".join(
        f"{HAND_TITLES[hand]} {points_of(cards[:2])}"
        for hand, cards in zip(HANDS, (player, banker), strict=True)
        if points_of(cards[:2]) >= 8
    )
    return DrawFault(
        FindingCode.CARD_AFTER_NATURAL,
        name,
        f"{HAND_TITLES[name]} has a third card ({hand[2]}) after a natural ({naturals}); "
        "nobody draws then",
        _cite(game, "third_card"),
    )


def _player_faults(player: tuple[Card, ...], game: Section) -> list[DrawFault]:
    assert game.tableau is not None
    points = points_of(player[:2])
    must_draw = points in game.tableau.player_draws
    return _third_card_fault("player", must_draw, player, "", game)


def _banker_faults(
    player: tuple[Card, ...], banker: tuple[Card, ...], game: Section
) -> list[DrawFault]:
    assert game.tableau is not None
    points = points_of(banker[:2])
    if len(player) == 3:
        value = player[2].value
        draws = game.tableau.banker_draws_on_third_card[str(points)]
        worth = "a ten-valued card" if value == 0 else "an ace" if value == 1 else f"a {value}"
        if value == 8:
            worth = "an 8"
        against = f" against {worth} ({player[2]})"
        return _third_card_fault("banker", value in draws, banker, against, game)
    must_draw = points in game.tableau.banker_draws_if_player_stands
    return _third_card_fault("banker", must_draw, banker, " when the Player has stood", game)


def _third_card_fault(
    name: str, must_draw: bool, hand: tuple[Card, ...], against: str, game: Section
) -> list[DrawFault]:
    drew = len(hand) == 3
    if drew == must_draw:
        return []
    title, points, cite = HAND_TITLES[name], points_of(hand[:2]), _cite(game, "third_card")
    if must_draw:
        sentence = f"{title} must draw on {points}{against}, but has no third card"
        return [DrawFault(FindingCode.THIRD_CARD_NOT_DRAWN, name, sentence, cite)]
    sentence = f"{title} must stand on {points}{against}, but drew {hand[2]}"
    return [DrawFault(FindingCode.THIRD_CARD_DRAWN_IN_ERROR, name, sentence, cite)]


def required_third_cards(
    player_points: int, banker_points: int, third_value: int | None, game: Section
) -> tuple[bool, bool]:
    """Say whether the Player and the Banker have to draw.

    Args:
        player_points: Points of the Player's first two cards.
        banker_points: Points of the Banker's first two cards.
        third_value: Value of the Player's third card; None where the Player stands.
        game: The main game, whose tableau holds.
    """
    assert game.tableau is not None
    if player_points >= 8 or banker_points >= 8:
        return False, False
    player_draws = player_points in game.tableau.player_draws
    if third_value is None:
        return player_draws, banker_points in game.tableau.banker_draws_if_player_stands
    draws = game.tableau.banker_draws_on_third_card[str(banker_points)]
    return player_draws, third_value in draws
