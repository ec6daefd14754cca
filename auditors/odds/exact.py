"""Exact odds of a wager: the rules that settle, weighed by all deals of a full shoe.

Nothing of the law is decided here: which outcomes fit, which of them is paid and how it came out
are the rulings of :class:`auditors.settlement.rules.Rules`. This module counts them and adds up
the money of one unit staked, as :mod:`auditors.settlement.amounts` pays it before any rounding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np

from auditors.law.interpretations import OddsFor
from auditors.law.packed_facts import unpack
from auditors.odds.deals import Array, Deals
from auditors.settlement.pricing import outcome_word
from auditors.settlement.rules import PricedOutcome, PricedWager, Rules, Ruling, profit_ratio
from auditors.settlement.terms import Terms, WagerRef
from schemas.odds import OddsKind

_WHOLE: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class OutcomeOdds:
    """One way for a wager to come out: how likely it is and what it hands back."""

    outcome: str
    """``win``, ``lose`` or ``push``."""
    code: str
    """The law's outcome; several joined by ``+`` where every fitting row is paid."""
    title: str
    pays: str
    paragraphs: tuple[str, ...]
    """Where it says what wins and what it pays."""
    due: Fraction | None
    """Handed back per unit staked, the stake included and the meter left out; None: no odds."""
    meter_share: Fraction
    """Share of the progressive meter that is handed over besides."""
    probability: Fraction

    @property
    def is_profit(self) -> bool:
        """Whether more comes back than was staked; winning the meter counts as such."""
        if self.due is None or self.meter_share:
            return self.outcome == "win"
        return self.due > 1


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """The exact odds of one wager under one letter, form and set of readings."""

    priced: PricedWager
    outcomes: tuple[OutcomeOdds, ...]
    """In printed order, the loss last; probabilities sum to 1."""

    @property
    def ref(self) -> WagerRef:
        """The wager, with the hand that it backs."""
        return self.priced.ref

    @property
    def citation(self) -> str | None:
        """The paragraphs that say what wins and what it pays; None for the house's own rules."""
        rows = self.priced.outcomes
        wins, pays = ([getattr(row, name) for row in rows] for name in ("wins_cite", "pays_cite"))
        return self.priced.section.citation(*_paragraphs([*wins, *pays]))

    @property
    def win_probability(self) -> Fraction:
        """How likely the wager makes a profit."""
        return _sum(outcome.probability for outcome in self.outcomes if outcome.is_profit)

    @property
    def push_probability(self) -> Fraction:
        """How likely the stake comes back and nothing more."""
        return _sum(outcome.probability for outcome in self.outcomes if outcome.outcome == "push")

    @property
    def has_meter(self) -> bool:
        """Whether the wager can win a progressive meter."""
        return any(row.odds.kind is OddsKind.METER for row in self.priced.outcomes)

    @property
    def house_edge(self) -> Fraction | None:
        """The share of the stake that the house keeps on average, pushes counted.

        None where an outcome has no odds, or pays a meter and so depends on its amount.
        """
        dues = [(outcome.due, outcome.probability) for outcome in self.outcomes]
        if self.has_meter or any(due is None for due, _ in dues):
            return None
        return 1 - _sum(due * probability for due, probability in dues if due is not None)

    @property
    def jackpot_probability(self) -> Fraction | None:
        """How likely the meter is won; None where there is none."""
        if not self.has_meter:
            return None
        return _sum(outcome.probability for outcome in self.outcomes if outcome.meter_share)

    @property
    def return_without_jackpot(self) -> Fraction | None:
        """What comes back per unit staked on average, coups that win the meter left out."""
        if not self.has_meter:
            return None
        return _sum(
            (outcome.due or 0) * outcome.probability
            for outcome in self.outcomes
            if not outcome.meter_share
        )

    def break_even_meter_minor(self, stake_minor: int) -> int | None:
        """Give the least meter at which the wager returns its stake on average.

        The wager is taken to win the meter alone; how several winners share it is D3.

        Args:
            stake_minor: The stake, minor units, > 0.

        Returns:
            Minor units, rounded up; None where there is no meter.
        """
        share = _sum(outcome.meter_share * outcome.probability for outcome in self.outcomes)
        if not share:
            return None
        fixed = _sum((outcome.due or 0) * outcome.probability for outcome in self.outcomes)
        return max(0, ceil(stake_minor * (1 - fixed) / share))

    def essence(self) -> dict[tuple[object, ...], Fraction]:
        """Give what the odds come to, by whatever name the law calls an outcome or a loss.

        Two sets of odds with one essence are the same odds.
        """
        found: dict[tuple[object, ...], Fraction] = {}
        for outcome in self.outcomes:
            pays = "" if outcome.outcome == "lose" else outcome.pays
            key = (outcome.outcome, pays, outcome.due, outcome.meter_share)
            found[key] = found.get(key, Fraction(0)) + outcome.probability
        return found


def wager_odds(rules: Rules, ref: WagerRef, deals: Deals) -> WagerOdds:
    """Work out the exact odds of a wager.

    Args:
        rules: The law under the terms of the table.
        ref: The wager, with its hand where it backs one.
        deals: All deals of the shoe.

    Raises:
        TermsError: A paytable letter is missing or the section defines no such commission form.
    """
    priced = rules.priced(ref)
    found: dict[str, OutcomeOdds] = {}
    for example, ways in _ways_to_fit(priced, deals):
        ruling = rules.rule(priced, unpack(example))
        one = _outcome(priced, ruling, rules.terms, Fraction(ways, deals.total))
        before = found.get(one.code)
        found[one.code] = one if before is None else _added(before, one)
    printed = [row.code for row in priced.outcomes]

    def place(one: OutcomeOdds) -> list[int]:
        codes = one.code.split("+")
        return [printed.index(code) if code in printed else len(printed) for code in codes]

    return WagerOdds(priced, tuple(sorted(found.values(), key=place)))


def _ways_to_fit(priced: PricedWager, deals: Deals) -> list[tuple[int, int]]:
    """Weigh each set of rows that fit together.

    Returns:
        Packed facts of one coup that such a set fits, and the number of draws that it fits.
    """
    known = deals.as_far_as(priced.knowledge, priced.stage)
    sets: Array = np.zeros(len(known), dtype=np.int64)
    for number, row in enumerate(priced.outcomes):
        sets += np.asarray(row.test(known.facts), dtype=np.int64) << number
    order = np.argsort(sets, kind="stable")
    starts = np.flatnonzero(np.diff(sets[order], prepend=-1))
    weights = np.add.reduceat(known.weights[order], starts)
    examples = known.examples[order][starts]
    return list(zip(examples.tolist(), weights.tolist(), strict=True))


def _outcome(
    priced: PricedWager, ruling: Ruling, terms: Terms, probability: Fraction
) -> OutcomeOdds:
    rows = _paid_rows(priced, ruling, terms)
    cites = [cite for row in rows for cite in (row.wins_cite, row.pays_cite)]
    return OutcomeOdds(
        outcome=outcome_word(rows),
        code="+".join(row.code for row in rows) or priced.wager.loses.code,
        title=" + ".join(row.title for row in rows) or "Anything else",
        pays=" + ".join(row.odds.text for row in rows) or "loss",
        paragraphs=_paragraphs(cites or [priced.wager.loses.cite]),
        due=_due(rows, terms),
        meter_share=_sum(row.odds.ratio for row in rows if row.odds.kind is OddsKind.METER),
        probability=probability,
    )


def _paragraphs(cites: Iterable[str]) -> tuple[str, ...]:
    """Name each paragraph once: a citation may be a list such as ``(f), (g)``."""
    return tuple(dict.fromkeys(part for cite in cites for part in re.split(r", (?=\()", cite)))


def _paid_rows(priced: PricedWager, ruling: Ruling, terms: Terms) -> tuple[PricedOutcome, ...]:
    """Give the rows that are paid; no meter is known here, so it is taken to be the greatest."""
    if priced.match != "greatest" or len(ruling.candidates) < 2:
        return ruling.matched

    def handed_over(row: PricedOutcome) -> tuple[bool, Fraction]:
        return row.odds.kind is OddsKind.METER, profit_ratio(row, terms)

    return (max(ruling.candidates, key=handed_over),)


def _due(rows: Sequence[PricedOutcome], terms: Terms) -> Fraction | None:
    """Add up what one unit staked gets back, the meter left out; None where no odds are filed."""
    if outcome_word(tuple(rows)) == "lose":
        return Fraction(0)
    if any(row.odds.kind is OddsKind.UNPRICED for row in rows):
        return None
    stake_back = _WHOLE if terms.readings[OddsFor.ID] == OddsFor.PROFIT else Fraction(0)
    if len(rows) > 1:
        fixed = [row.odds.ratio for row in rows if row.odds.kind is not OddsKind.METER]
        return stake_back + _sum(fixed)
    odds = rows[0].odds
    if odds.kind is OddsKind.METER:
        return stake_back
    if odds.less_vigorish:
        return 1 + odds.ratio * (1 - terms.vigorish_rate)
    return 1 + profit_ratio(rows[0], terms)


def _added(one: OutcomeOdds, other: OutcomeOdds) -> OutcomeOdds:
    return replace(one, probability=one.probability + other.probability)


def _sum(fractions: Iterable[Fraction]) -> Fraction:
    return sum(fractions, Fraction(0))


def nearest_float(value: Fraction) -> float:
    """Give the binary number nearest to a fraction, for display beside it and nothing else."""
    return value.numerator / value.denominator
