"""What a table can report: a closed set of words; a check without its input is off."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Capability",
]


class Capability(StrEnum):
    """One thing that a table reports whenever it happens."""

    CARDS = "cards"
    """Every card dealt, at least its value."""

    RANKS = "ranks"
    """The rank of every card dealt, not the value alone."""

    SUITS = "suits"
    """The suit of every card dealt."""

    CARD_IDS = "card_ids"
    """An id printed on each card."""

    BACKS = "backs"
    """The back design of each card."""

    DEAL_ORDER = "deal_order"
    """Cards in the order in which they left the shoe, over both hands."""

    SHUFFLE = "shuffle"
    """How each shoe was shuffled."""

    INSPECTION = "inspection"
    """That the cards of each shoe were inspected, and by whom."""

    BURN = "burn"
    """The exposed first card and the cards burned."""

    COVER_CARD = "cover_card"
    """The drawing of the cover cards."""

    CARDS_LEFT = "cards_left"
    """Which cards, or how many, are left when a shoe ends."""

    REMOVALS = "removals"
    """Cards removed, replaced or exposed."""

    DRAWING_ERRORS = "drawing_errors"
    """Cards drawn in error and what became of them."""

    WAGERS = "wagers"
    """Every wager, its seat and kind."""

    STAKES = "stakes"
    """The stake of every wager."""

    PATRONS = "patrons"
    """A keyed pseudonym of the patron on every wager."""

    NO_MORE_BETS = "no_more_bets"
    """The call that ends wagering."""

    COUNTS = "counts"
    """The counts announced after two cards."""

    ANNOUNCEMENTS = "announcements"
    """The final result as announced."""

    WINNING_WAGERS = "winning_wagers"
    """The list of winning wagers as announced."""

    PAYMENTS = "payments"
    """What was paid on each wager."""

    SEAT_TOTALS_ONLY = "seat_totals_only"
    """What was paid at each seat in total, not on each wager."""

    COLLECTIONS = "collections"
    """Which stakes were collected."""

    VIGORISH = "vigorish"
    """Vigorish taken, marked and collected."""

    CORRECTIONS = "corrections"
    """Payouts put right."""

    REFUNDS = "refunds"
    """Stakes returned when a coup was voided."""

    SEATS_VACATED = "seats_vacated"
    """Patrons leaving their seat."""

    DISPLAYS = "displays"
    """Paytables as shown and running."""

    DEALERS = "dealers"
    """Who deals."""

    CHIPS = "chips"
    """Fills, credits, inventories and drop."""

    METERS = "meters"
    """A progressive controller reads the meters of this table's wagers."""

    PROGRESSIVE_CHIPS = "progressive_chips"
    """Progressive chips counted each coup."""

    FAULTS = "faults"
    """Faults of the devices at the table."""
