"""All odds of a wager: one set per paytable letter, commission form and reading.

What the person or the Rules Submission chose is taken as chosen; everything left open is listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from auditors.law.interpretations import OddsFor
from auditors.law.model import Law
from auditors.odds.deals import Deals
from auditors.odds.exact import WagerOdds, wager_odds
from auditors.settlement.rules import Rules
from auditors.settlement.terms import Terms, WagerRef, resolve_wager
from schemas.odds import format_percent, parse_odds
from schemas.rules_submission import CommissionForm, RulesSubmission

VIGORISH_RATES: Final = (Fraction(4, 100), Fraction(5, 100))
"""Rates listed where none is chosen."""

TIE_ODDS: Final = (parse_odds("8 to 1"), parse_odds("9 to 1"))
"""Odds of the tie listed where none are chosen."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What was chosen, so that only the rest is listed in every form."""

    commission: bool = False
    tie_odds: bool = False
    readings: Collection[str] = field(default_factory=frozenset)
    """Ids of the interpretations that were chosen, at their default or not."""


@dataclass(frozen=True, slots=True)
class ListedOdds:
    """One entry of the list: the odds, and under what they hold."""

    odds: WagerOdds
    commission: str | None
    """``free``, ``4%`` or ``5%``; None where no vigorish plays a part."""
    tie_odds: str | None
    """The odds filed for the tie; None where they play no part."""
    interpretation: Mapping[str, str] | None
    """Readings other than the default that change these odds; None: there is none."""
    is_alternative: bool = False
    """Whether one reading was switched only to show what it would change."""


@dataclass(frozen=True, slots=True)
class _Variant:
    terms: Terms
    commission: str | None = None
    tie_odds: str | None = None


def refs_named(
    law: Law, text: str, submission: RulesSubmission | None = None
) -> tuple[WagerRef, ...]:
    """Find the wagers that a text names.

    A section of several wagers means all of them; a wager on a chosen hand that names no hand
    means both.

    Raises:
        TermsError: As for :func:`auditors.settlement.terms.resolve_wager`.
    """
    name = text.strip()
    section = law.sections.get(name)
    if section is not None and name not in law.wagers:
        ids = [section.wager_id(wager) for wager in section.wager]
        return tuple(ref for id_ in ids for ref in refs_of(law, id_))
    matching = [id_ for id_ in law.wagers if name in (id_, id_.rpartition(".")[2])]
    if len(matching) == 1 and law.wagers[matching[0]][1].backs:
        return refs_of(law, matching[0])
    return (resolve_wager(law, name, submission),)


def refs_of(law: Law, wager_id: str) -> tuple[WagerRef, ...]:
    """Give a wager once, or once per hand where it is placed on one."""
    backs = law.wagers[wager_id][1].backs
    return tuple(WagerRef(wager_id, hand) for hand in backs or (None,))


def has_form(rules: Rules, ref: WagerRef) -> bool:
    """Whether the section defines the wager under the commission form in force."""
    forms = commission_forms(rules.law, ref)
    return not forms or rules.terms.commission in forms


def commission_forms(law: Law, ref: WagerRef) -> tuple[CommissionForm, ...]:
    """Give the commission forms that play a part in a wager, as its section defines them."""
    section, wager = law.wagers[ref.id]
    charged = any(
        outcome.odds(letter).less_vigorish
        for outcome in wager.outcome
        for letter in section.paytables or (None,)
        if outcome.stands_under(letter)
    )
    named = {outcome.applies_if["commission"] for outcome in wager.outcome if outcome.applies_if}
    forms = named | ({"standard"} if charged else set())
    return tuple(form for form in CommissionForm if form.value in forms)


def listed_odds(
    rules: Rules, refs: Iterable[WagerRef], deals: Deals, choice: Choice
) -> Iterator[ListedOdds]:
    """List the odds of wagers: under the readings in force, then each alternative by itself.

    Only interpretations that bear on the outcome are switched (not D3, D22 and D27, which turn on
    the stake or the meter), and an alternative is listed only where the odds differ.

    Args:
        rules: The law under the terms that are in force or were asked for.
        refs: The wagers, in the order of the list.
        deals: All deals of the shoe.
        choice: What of the terms was chosen.

    Raises:
        TermsError: A wager is not defined under the chosen commission form.
    """
    for ref in refs:
        for variant in _variants(rules, ref, choice):
            under = Rules(rules.law, variant.terms)
            odds = wager_odds(under, ref, deals)
            chosen = _departures(under, odds, deals, choice)
            yield ListedOdds(odds, variant.commission, variant.tie_odds, chosen or None)
            for id_, code, other in _alternatives(under, odds, deals, choice):
                switched = {**chosen, id_: code}
                yield ListedOdds(other, variant.commission, variant.tie_odds, switched, True)


def _variants(rules: Rules, ref: WagerRef, choice: Choice) -> Iterator[_Variant]:
    """Give the terms under which a wager is listed: letter by letter, form by form."""
    section, wager = rules.law.wagers[ref.id]
    letter = rules.terms.letter(ref.id)
    letters = (letter,) if letter is not None else section.paytables or (None,)
    filed_tie = any(outcome.pays_from == "submission.tie_odds" for outcome in wager.outcome)
    for paytable in letters:
        terms = rules.terms
        if paytable is not None:
            # The letter belongs to the package, so it is set for the section as a whole.
            terms = replace(terms, letters={**terms.letters, section.id: paytable})
        for variant in _forms(rules.law, ref, terms, choice):
            if not filed_tie:
                yield variant
                continue
            for tie_odds in (terms.tie_odds,) if choice.tie_odds else TIE_ODDS:
                filed = replace(variant.terms, tie_odds=tie_odds)
                yield replace(variant, terms=filed, tie_odds=tie_odds.text)


def _forms(law: Law, ref: WagerRef, terms: Terms, choice: Choice) -> Iterator[_Variant]:
    forms = commission_forms(law, ref)
    if not forms:
        yield _Variant(terms)
        return
    for form in (terms.commission,) if choice.commission else forms:
        if form is CommissionForm.FREE:
            yield _Variant(replace(terms, commission=form), commission="free")
            continue
        for rate in (terms.vigorish_rate,) if choice.commission else VIGORISH_RATES:
            charged = replace(terms, commission=form, vigorish_rate=rate)
            yield _Variant(charged, commission=format_percent(rate).replace(" ", ""))


def _departures(rules: Rules, odds: WagerOdds, deals: Deals, choice: Choice) -> dict[str, str]:
    """Name the chosen readings that are not the default and make these odds what they are."""
    found = {}
    for id_ in choice.readings:
        code, default = rules.terms.readings[id_], rules.law.interpretations[id_].default
        if default is None or code == default or not _bears_on(rules.law, odds, id_):
            continue
        if wager_odds(rules.under(id_, default), odds.ref, deals).essence() != odds.essence():
            found[id_] = code
    return dict(sorted(found.items(), key=lambda item: int(item[0][1:])))


def _alternatives(
    rules: Rules, odds: WagerOdds, deals: Deals, choice: Choice
) -> Iterator[tuple[str, str, WagerOdds]]:
    """Switch each interpretation that was not chosen; give those codes that change the odds."""
    for id_ in _switchable(rules.law, odds):
        if id_ in choice.readings:
            continue
        for code in rules.law.interpretations[id_].codes:
            if code == rules.terms.readings[id_]:
                continue
            other = wager_odds(rules.under(id_, code), odds.ref, deals)
            if other.essence() != odds.essence():
                yield id_, code, other


def _switchable(law: Law, odds: WagerOdds) -> list[str]:
    """Give the interpretations that can bear on a wager's odds, in the order of their numbers.

    These are the readings that its outcomes depend on, how several fitting rows are taken, and
    D1, the meaning of a price.
    """
    priced = odds.priced
    ids = {*priced.readings, OddsFor.ID}
    if priced.wager.match_reading:
        ids.add(priced.wager.match_reading)
    return sorted((id_ for id_ in ids if _bears_on(law, odds, id_)), key=lambda id_: int(id_[1:]))


def _bears_on(law: Law, odds: WagerOdds, id_: str) -> bool:
    return odds.priced.section.id in law.interpretations[id_].sections
