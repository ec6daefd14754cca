"""Checks that a source sends what ``reports`` promises, and promises what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas import events
from schemas.events import Capability as Can
from schemas.events.union import AnyEvent
from streams.conformance.problems import Level, Rule, Said

_NEEDS: Final = {
    Can.SUITS: Can.RANKS,
    Can.RANKS: Can.CARDS,
    Can.CARD_IDS: Can.CARDS,
    Can.BACKS: Can.CARDS,
    Can.DEAL_ORDER: Can.CARDS,
    Can.STAKES: Can.WAGERS,
    Can.PATRONS: Can.WAGERS,
    Can.PAYMENTS: Can.WAGERS,
    Can.WINNING_WAGERS: Can.ANNOUNCEMENTS,
}
"""Which word makes no sense without another."""

Reports = frozenset[Can]


def opening_problems(event: events.TableOpened) -> Iterator[Said]:
    """Judge the list itself: no word twice, none without the word that it rests on."""
    reports = frozenset(event.reports)
    if len(reports) < len(event.reports):
        yield Said(Rule.REPORTS, "reports names a word twice", "name each word once")
    for word, needed in _NEEDS.items():
        if word in reports and needed not in reports:
            yield Said(
                Rule.REPORTS,
                f"reports names {word.value} and not {needed.value}",
                f"add {needed.value}, or leave out {word.value}",
            )


def promise_problems(event: AnyEvent, reports: Reports) -> Iterator[Said]:
    """Judge one event against what the table said that it reports."""
    word = event.promised_by
    if word is Can.PAYMENTS and Can.SEAT_TOTALS_ONLY in reports:
        yield Said(
            Rule.REPORTS,
            "wager_settled is sent, and reports names seat_totals_only",
            "send seat_settled, or report payments instead",
        )
    elif word is Can.SEAT_TOTALS_ONLY and Can.PAYMENTS in reports:
        yield Said(
            Rule.REPORTS,
            "seat_settled is sent, and reports names payments",
            "send wager_settled for every wager, or report seat_totals_only instead",
        )
    elif word is not None and word not in reports:
        yield _not_promised(event.type, word)
    yield from _missing_parts(event, reports)


def _not_promised(what: str, word: Can) -> Said:
    return Said(
        Rule.REPORTS,
        f"{what} is sent, and reports does not name {word.value}",
        f"add {word.value} to reports, if it is sent whenever it happens; until then what is "
        "checked with it is off",
        Level.HINT,
        once=f"reports {word.value}",
    )


def _lacks(what: str, word: Can, field: str) -> Said:
    return Said(
        Rule.REPORTS,
        f"{what} has no {field}, and reports names {word.value}",
        f"send {field} every time, or leave {word.value} out of reports",
    )


def _missing_parts(event: AnyEvent, reports: Reports) -> Iterator[Said]:
    if isinstance(event, events.CardDealt):
        yield from _card_parts(event, reports)
    elif isinstance(event, events.WagerPlaced):
        if Can.STAKES in reports and event.stake_minor is None:
            yield _lacks(event.type, Can.STAKES, "stake_minor")
        if Can.PATRONS in reports and event.patron is None:
            yield _lacks(event.type, Can.PATRONS, "patron")
    elif isinstance(event, events.WagerSettled | events.SeatSettled):
        if Can.COLLECTIONS in reports and event.stake_collected_minor is None:
            yield _lacks(event.type, Can.COLLECTIONS, "stake_collected_minor")
    elif isinstance(event, events.ResultAnnounced):
        if Can.WINNING_WAGERS in reports and event.winning_wagers is None:
            yield _lacks(event.type, Can.WINNING_WAGERS, "winning_wagers")
    elif isinstance(event, events.ShoeLoaded):
        if Can.SHUFFLE in reports and event.shuffle is None:
            yield _lacks(event.type, Can.SHUFFLE, "shuffle")
        if Can.INSPECTION in reports and event.inspection is None:
            yield _lacks(event.type, Can.INSPECTION, "inspection")
    elif (
        isinstance(event, events.ShoeEnded)
        and Can.CARDS_LEFT in reports
        and event.cards_left is None
        and event.cards_left_count is None
    ):
        yield _lacks(event.type, Can.CARDS_LEFT, "cards_left or cards_left_count")


def _card_parts(event: events.CardDealt, reports: Reports) -> Iterator[Said]:
    card = event.card
    if card is not None:
        has_rank, has_suit = card != "0", len(card) == 2
        # A to 9 are ranks and values alike; only a ten or a face says more than its value.
        is_rank = card[0] in "TJQK"
        if Can.RANKS in reports and not has_rank:
            yield _lacks(f"card {card}", Can.RANKS, "rank")
        elif Can.SUITS in reports and not has_suit:
            yield _lacks(f"card {card}", Can.SUITS, "suit")
        if has_suit and Can.SUITS not in reports:
            yield _not_promised("a suit", Can.SUITS)
        if is_rank and Can.RANKS not in reports:
            yield _not_promised("a rank", Can.RANKS)
    for word, value, field in (
        (Can.CARD_IDS, event.card_id, "card_id"),
        (Can.BACKS, event.back, "back"),
    ):
        if word in reports and value is None and card is not None:
            yield _lacks(event.type, word, field)
        if word not in reports and value is not None:
            yield _not_promised(field, word)
