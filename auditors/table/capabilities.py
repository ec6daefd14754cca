"""Which checks can a table feed? A check without its input is off, and listed as off."""

from __future__ import annotations

from typing import Final

from schemas.events import Capability as Can

_CHECKS: Final[tuple[tuple[str, tuple[Can, ...], str], ...]] = (
    ("drawing_rules", (Can.CARDS,), "cards are not reported"),
    ("deal_order", (Can.CARDS, Can.DEAL_ORDER), "the order of dealing is not reported"),
    ("announcements", (Can.CARDS, Can.ANNOUNCEMENTS), "results are not reported"),
    ("counts", (Can.CARDS, Can.COUNTS), "counts after two cards are not reported"),
    ("winning_wagers", (Can.WINNING_WAGERS,), "lists of winning wagers are not reported"),
    ("card_sources", (Can.CARD_IDS,), "card ids are not reported"),
    ("card_backs", (Can.BACKS,), "card backs are not reported"),
    ("shoe_composition", (Can.CARDS,), "cards are not reported"),
    ("shoe_remainder", (Can.CARDS_LEFT,), "cards left in the shoe are not reported"),
    ("shoe_inspection", (Can.INSPECTION,), "inspections are not reported"),
    ("shoe_shuffle", (Can.SHUFFLE,), "shuffles are not reported"),
    ("burn", (Can.BURN,), "burned cards are not reported"),
    ("cover_card", (Can.COVER_CARD,), "cover cards are not reported"),
    ("removed_cards", (Can.REMOVALS,), "removed cards are not reported"),
    ("wagers", (Can.WAGERS,), "wagers are not reported"),
    ("base_wagers", (Can.WAGERS,), "wagers are not reported"),
    ("late_wagers", (Can.WAGERS, Can.NO_MORE_BETS), "no more bets is not reported"),
    ("payments", (Can.WAGERS, Can.STAKES, Can.PAYMENTS), "payments per wager are not reported"),
    ("collections", (Can.COLLECTIONS,), "collections are not reported"),
    ("vigorish", (Can.VIGORISH,), "vigorish is not reported"),
    ("refunds", (Can.REFUNDS,), "refunds are not reported"),
    ("wagers_on_suits", (Can.SUITS,), "suits are not reported"),
    ("wagers_on_ranks", (Can.RANKS,), "ranks are not reported"),
    ("device_faults", (Can.FAULTS,), "device faults are not reported"),
    ("displays", (Can.DISPLAYS,), "displayed paytables are not reported"),
)


def checks_off(reports: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Say which checks a table cannot feed, with the reason.

    Args:
        reports: What the table said at its opening that it reports.
    """
    off = [(check, reason) for check, needed, reason in _CHECKS if not reports.issuperset(needed)]
    if Can.SEAT_TOTALS_ONLY in reports:
        off = [
            (check, "payments are reported per seat; they are compared per seat")
            if check == "payments"
            else (check, reason)
            for check, reason in off
        ]
    return tuple(off)


def checks_on(reports: frozenset[str]) -> tuple[str, ...]:
    """Say which checks a table feeds."""
    return tuple(check for check, needed, _ in _CHECKS if reports.issuperset(needed))
