"""Coups that tests of the fold begin with: played honestly up to the point that matters."""

from __future__ import annotations

from schemas import events as said
from schemas.rules_submission import RulesSubmission
from tests.support.tables.table_script import EVERYTHING, Folded, TableScript

PLAYER_WINS = ("9S KD", "2S 3H")
"""Player 9, a natural; Banker 5."""

BANKER_WINS = ("2S 3H KD", "AC 2D 5H")
"""Player 5; Banker 3 draws against a ten and has 8."""

TIE = ("4S 5H", "9C KD")
"""9 to 9, both natural."""


def a_table(
    submission: RulesSubmission | None = None,
    reports: tuple[said.Capability, ...] = EVERYTHING,
) -> TableScript:
    """Open a table, load a shoe and begin its first coup."""
    return TableScript().open(submission, reports).shoe().coup()


def dealt(script: TableScript, hands: tuple[str, str] = PLAYER_WINS) -> TableScript:
    """Go on to the announced result."""
    script.close_bets().deal(*hands)
    player, banker = (points(hand) for hand in hands)
    winner = "tie" if player == banker else "player" if player > banker else "banker"
    return script.result(winner, player, banker)


def points(hand: str) -> int:
    """Count a hand."""
    values = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
    return (
        sum(
            values.get(card[0]) or int(card[0] if card[0].isdigit() else 0) for card in hand.split()
        )
        % 10
    )


def found(script: TableScript) -> list[str]:
    """Give the codes that stand after the whole log."""
    return Folded(script.messages).codes
