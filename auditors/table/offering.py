"""Which wagers does the table offer, and which of them won?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from auditors.coup import Coup
from auditors.rules import PricedWager, Rules
from auditors.settlement import outcome_word
from auditors.terms import TermsError, WagerRef


class WinningNames(NamedTuple):
    """Wagers that are offered: those that won, and those that cannot be told."""

    won: frozenset[str]
    open: frozenset[str]


def priced_or_none(rules: Rules, ref: WagerRef | None) -> PricedWager | None:
    """Compile a wager; None where it is unknown or its letter or form is not filed."""
    if ref is None:
        return None
    try:
        return rules.priced(ref)
    except TermsError:
        return None


def winning_names(rules: Rules, coup: Coup) -> WinningNames | None:
    """Say which of the wagers on offer won, by the cards as they lie."""
    submission = rules.terms.submission
    if submission is None or not coup.has_first_four:
        return None
    won, undecided = set(), set()
    for ref in offered_refs(rules):
        priced = priced_or_none(rules, ref)
        if priced is None or priced.knowledge > coup.knowledge or not coup.settles_at(priced.stage):
            undecided.add(str(ref))
        elif outcome_word(rules.rule(priced, coup.facts).matched) == "win":
            won.add(str(ref))
    return WinningNames(frozenset(won), frozenset(undecided))


def offered_refs(rules: Rules) -> Iterator[WagerRef]:
    """Give every wager on offer, once for each hand that it can back."""
    submission = rules.terms.submission
    for filed in submission.wagers if submission else ():
        known = rules.law.wagers.get(filed.id)
        if known is not None:
            backs = known[1].backs
            yield from (
                (WagerRef(filed.id, hand) for hand in backs) if backs else (WagerRef(filed.id),)
            )
