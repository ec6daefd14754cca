"""Movements of the exact ledger of a level: sums only, nothing is rounded."""

from __future__ import annotations

from typing import NamedTuple

from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import Ledger


class Split(NamedTuple):
    """A running value as the meters show it."""

    display: int
    overflow: int


def split_at_limit(running: int, limit: int | None) -> Split:
    """Give what the display and the overflow meter have of a running value."""
    if limit is None or running <= limit:
        return Split(running, 0)
    return Split(limit, running - limit)


def moved_by(ledger: Ledger, effect: Effect, sign: int = 1) -> Ledger:
    """Add an entry of a table to the ledger, or take it off again where it was told wrongly."""
    (
        display,
        reserve,
        count,
        coin_in,
        hits,
        wins,
        voided,
        voided_minor,
        house,
        contributed,
        won,
        adjusted,
        corrected,
        awards,
    ) = ledger
    more, held = sign * effect.display, sign * effect.reserve
    if effect.kind == "void":
        voided += sign * effect.number
        voided_minor += sign * effect.stake
    else:
        count += sign * effect.number
        coin_in += sign * effect.stake
    return Ledger(
        display + more,
        reserve + held,
        count,
        coin_in,
        hits,
        wins,
        voided,
        voided_minor,
        house,
        contributed + more + held,
        won,
        adjusted,
        corrected,
        awards,
    )
