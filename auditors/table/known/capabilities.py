"""The checks that a table can feed; a check without its input is off, and listed as off."""

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
    (
        "card_doubles",
        (Can.CARDS, Can.CARD_IDS, Can.DRAWING_ERRORS),
        "card ids, or what became of cards drawn in error, are not reported",
    ),
    ("card_backs", (Can.BACKS,), "card backs are not reported"),
    ("shoe_composition", (Can.CARDS,), "cards are not reported"),
    ("shoe_order", (Can.CARDS,), "cards are not reported"),
    ("shoe_remainder", (Can.CARDS, Can.CARDS_LEFT), "cards left in the shoe are not reported"),
    (
        "missing_cards",
        (Can.CARDS, Can.CARDS_LEFT, Can.BURN, Can.REMOVALS),
        "not all cards that come out of the shoe are reported",
    ),
    ("shoe_inspection", (Can.INSPECTION,), "inspections are not reported"),
    ("shoe_shuffle", (Can.SHUFFLE,), "shuffles are not reported"),
    ("burn", (Can.BURN,), "burned cards are not reported"),
    ("cover_card", (Can.COVER_CARD,), "cover cards are not reported"),
    ("removed_cards", (Can.REMOVALS,), "removed cards are not reported"),
    ("wagers", (Can.WAGERS,), "wagers are not reported"),
    ("base_wagers", (Can.WAGERS,), "wagers are not reported"),
    ("limits", (Can.WAGERS, Can.STAKES), "stakes are not reported"),
    ("late_wagers", (Can.WAGERS, Can.NO_MORE_BETS), "no more bets is not reported"),
    ("settlement_order", (Can.PAYMENTS, Can.ANNOUNCEMENTS), "payments or results are not reported"),
    ("payments", (Can.WAGERS, Can.STAKES, Can.PAYMENTS), "payments per wager are not reported"),
    ("collections", (Can.COLLECTIONS,), "collections are not reported"),
    ("corrections", (Can.CORRECTIONS,), "corrections are not reported"),
    ("vigorish", (Can.VIGORISH,), "vigorish is not reported"),
    ("seats_vacated", (Can.VIGORISH, Can.SEATS_VACATED), "seats that are left are not reported"),
    ("refunds", (Can.REFUNDS,), "refunds are not reported"),
    ("wagers_on_suits", (Can.SUITS,), "suits are not reported"),
    ("wagers_on_ranks", (Can.RANKS,), "ranks are not reported"),
    ("device_faults", (Can.FAULTS,), "device faults are not reported"),
    ("displays", (Can.DISPLAYS,), "displayed paytables are not reported"),
)


_BY_SEAT: Final = (
    (
        "seat_payments",
        (Can.WAGERS, Can.STAKES, Can.SEAT_TOTALS_ONLY),
        "seat totals are not reported",
    ),
)
"""Checks of a table that reports payments by seat, in the place of those by wager."""


def _checks(reports: frozenset[str]) -> tuple[tuple[str, tuple[Can, ...], str], ...]:
    return _CHECKS + _BY_SEAT if Can.SEAT_TOTALS_ONLY in reports else _CHECKS


def checks_off(reports: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Say which checks a table cannot feed, with the reason.

    Args:
        reports: What the table said at its opening that it reports.
    """
    by_seat = "payments are reported per seat; they are compared per seat"
    is_by_seat = Can.SEAT_TOTALS_ONLY in reports
    return tuple(
        (check, by_seat if is_by_seat and Can.PAYMENTS in needed else reason)
        for check, needed, reason in _checks(reports)
        if not reports.issuperset(needed)
    )


def checks_on(reports: frozenset[str]) -> tuple[str, ...]:
    """Say which checks a table feeds."""
    return tuple(check for check, needed, _ in _checks(reports) if reports.issuperset(needed))
