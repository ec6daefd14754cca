"""Exact odds of wagers: ``ladderman.odds/1``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from auditors.odds.exact import OutcomeOdds, nearest_float
from auditors.odds.listing import ListedOdds
from dashboards.documents.document import Document
from schemas.money import DEFAULT_CURRENCY, format_minor
from schemas.odds import format_fraction

ODDS_SCHEMA: Final = "ladderman.odds/1"
"""Name and version of the JSON document."""


@dataclass(frozen=True, kw_only=True)
class OddsReport(Document):
    """The odds of wagers and the terms of the question."""

    entries: Sequence[ListedOdds]
    """In the order of the list."""
    decks: int
    stake_minor: int | None = None
    """For the break-even meter of a progressive; None: it is not asked for."""
    currency: str = DEFAULT_CURRENCY

    def break_even_meter(self, entry: ListedOdds) -> str | None:
        """Give the meter at which a progressive wager breaks even, in words of the currency."""
        if self.stake_minor is None:
            return None
        meter = entry.odds.break_even_meter_minor(self.stake_minor)
        return None if meter is None else format_minor(meter, self.currency)

    def as_json(self) -> dict[str, object]:
        """Give the document ``ladderman.odds/1``: fractions as ``n/d`` in lowest terms."""
        document: dict[str, object] = {"schema": ODDS_SCHEMA, "decks": self.decks}
        if self.stake_minor is not None:
            stake = format_minor(self.stake_minor, self.currency)
            document |= {"currency": self.currency, "stake": stake}
        return document | {"wagers": [_entry(self, one) for one in self.entries]}


def _entry(report: OddsReport, entry: ListedOdds) -> dict[str, object]:
    odds = entry.odds
    interpretation = entry.interpretation
    found: dict[str, object] = {
        "section": odds.priced.section.section,
        "citation": odds.citation,
        "wager": odds.ref.id,
        "hand": odds.ref.hand,
        "paytable": odds.priced.letter,
        "commission": entry.commission,
        "tie_odds": entry.tie_odds,
        "interpretation": None if interpretation is None else dict(interpretation),
        "outcomes": [_outcome(one) for one in odds.outcomes],
        **_number("win_probability", odds.win_probability),
        **_number("push_probability", odds.push_probability),
        **_number("house_edge", odds.house_edge),
    }
    if odds.has_meter:
        found |= _number("jackpot_probability", odds.jackpot_probability)
        found |= _number("return_without_jackpot", odds.return_without_jackpot)
        found["break_even_meter"] = report.break_even_meter(entry)
    return found


def _outcome(one: OutcomeOdds) -> dict[str, object]:
    return {
        "outcome": one.outcome,
        "outcome_code": one.code,
        "pays": one.pays,
        **_number("probability", one.probability),
    }


def _number(name: str, value: Fraction | None) -> dict[str, object]:
    if value is None:
        return {name: None, f"{name}_float": None}
    return {name: format_fraction(value), f"{name}_float": nearest_float(value)}
