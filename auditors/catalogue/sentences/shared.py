"""What sentences of all areas share: amounts, places, corrections, the law behind a finding."""

from __future__ import annotations

from typing import Final, NamedTuple

from schemas.finding_facts.parts import PutRight
from schemas.findings import Finding
from schemas.money import grouped_minor


class Words(NamedTuple):
    """How a finding is told."""

    sentence: str
    title: str
    """A few words without a mark at the end."""


def money(found: Finding, minor: int | None) -> str:
    """Write an amount in the currency of a finding."""
    return grouped_minor(minor or 0, found.currency)


_SUITS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def card_sign(card: str) -> str:
    """Write a card with the sign of its suit: ``9♣``, ``10♦``; a rank or a value as it is."""
    if len(card) != 2 or card[1] not in _SUITS:
        return card
    return f"{'10' if card[0] == 'T' else card[0]}{_SUITS[card[1]]}"


def card_signs(cards: str) -> str:
    """Write cards parted by spaces with the signs of their suits."""
    return " ".join(card_sign(card) for card in cards.split(" "))


def in_coup(found: Finding) -> str:
    """Begin a sentence with the coup and its shoe: ``Coup 80 of shoe S12``."""
    number = found.coup_no if found.coup_no is not None else found.coup
    return f"Coup {number}{f' of shoe {found.shoe}' if found.shoe else ''}"


def capital(text: str) -> str:
    """Begin a sentence with a capital letter."""
    return text[:1].upper() + text[1:]


def basis(found: Finding) -> str:
    """Name the paragraph and the filing that a finding rests on: `` (58 Pa. Code …; RS-7)``."""
    parts = [found.citation] if found.citation else []
    if found.rules_version:
        parts.append(f"Rules Submission {found.rules_version}")
    return f" ({'; '.join(parts)})" if parts else ""


def whose(found: Finding, wager_name: str | None) -> str:
    """Begin a sentence with the seat and the wager: ``Seat 3, Player``."""
    if found.seat is None:
        return wager_name or "The wager"
    return f"Seat {found.seat}, {wager_name}" if wager_name else f"Seat {found.seat}"


def correction(found: Finding, how: PutRight | None) -> str:
    """Say what was put right since and what is still open, with a space before it."""
    corrected, residual = found.corrected_minor, found.residual_minor or 0
    if not corrected:
        return ""
    at = f" at {how.local_time}" if how is not None and how.local_time else ""
    if residual == 0:
        return f" Corrected{at}; nothing is outstanding."
    difference = found.difference_minor or 0
    if corrected * difference < 0:
        return f" A correction{at} made the difference {money(found, abs(residual))}."
    what = f"{money(found, abs(corrected))} was corrected{at}"
    if residual * difference < 0:
        now = "is now short by" if residual < 0 else "now has too much:"
        return f" {what}; the patron {now} {money(found, abs(residual))}."
    return f" {what}; {money(found, abs(residual))} is still outstanding."


def corrected_title(found: Finding) -> str:
    """Say in a title how far a difference was put right."""
    if not found.corrected_minor:
        return ""
    if not found.residual_minor:
        return ", corrected"
    return f", {money(found, abs(found.residual_minor))} still outstanding"
