"""Words for two hands: their cards, and the result that they come to."""

from __future__ import annotations

from schemas.cards import Card, format_hand


def result_sentence(player_points: int, banker_points: int) -> str:
    """Say the result, the winner first: ``Banker 8, Player 5: Banker wins``."""
    player, banker = f"Player {player_points}", f"Banker {banker_points}"
    if player_points == banker_points:
        return f"{player}, {banker}: tie"
    if player_points > banker_points:
        return f"{player}, {banker}: Player wins"
    return f"{banker}, {player}: Banker wins"


def cards_sentence(player: tuple[Card, ...], banker: tuple[Card, ...]) -> str:
    """Say the cards of both hands in the product's notation."""
    return f"Player {format_hand(player)}, Banker {format_hand(banker)}"
