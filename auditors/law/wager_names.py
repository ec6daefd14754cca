"""Names of wagers as their sections print them."""

from __future__ import annotations

from auditors.law.loading import load_law


def wager_title(wager: str, hand: str | None = None) -> str:
    """Name a wager as its section does: ``Dragon 7``, ``Golden Talons on Player``.

    Args:
        wager: Full id; one that the law does not know is its own name.
        hand: The hand that it backs, where it backs a chosen one.
    """
    known = load_law().wagers.get(wager)
    name = known[1].title if known else wager
    return f"{name} on {hand.capitalize()}" if hand else name
