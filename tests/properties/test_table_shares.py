"""A due amount that is multiplied from a share is the one that settling gives."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.settlement.amounts import WagerVerdict, settle_wager
from auditors.settlement.pricing import NotPayableError, share_of
from auditors.settlement.rules import Rules
from auditors.settlement.terms import TermsError, WagerRef
from schemas.cards import Card, format_hand
from tests.properties.test_settlement import REFS, Filed, filings, hands, priced_wagers, variants
from tests.support.tables.deals import a_coup

Dealt = tuple[tuple[Card, ...], tuple[Card, ...]]


def settled(rules: Rules, dealt: Dealt, ref: WagerRef, stake: int) -> WagerVerdict | None:
    """Settle a wager without a meter, as the fold does; None where that cannot be."""
    try:
        return settle_wager(rules, a_coup(*map(format_hand, dealt)), ref, stake)
    except (NotPayableError, TermsError):
        return None


def said(verdict: WagerVerdict) -> list[object]:
    """Give what a due amount keeps of a verdict, its amounts aside."""
    used = list(verdict.interpretations.items())
    return [verdict.outcome, verdict.outcome_code, verdict.pays, verdict.citation, used]


@given(hands(), filings(), st.sampled_from(REFS), st.integers(1, 10**7), st.integers(1, 10**5))
@settings(max_examples=400)
def test_a_share_gives_what_settling_gives_for_every_stake_in_steps(
    dealt: Dealt, filed: Filed, ref: WagerRef, stake: int, steps: int
) -> None:
    rules, coup = filed.rules, a_coup(*map(format_hand, dealt))
    if not coup.is_determined:
        return
    priced = rules.priced(ref)
    share = share_of(rules, priced, rules.rule(priced, coup.facts))
    if share is None:
        return
    found = settled(rules, dealt, ref, steps * share.step)
    assert found is not None
    assert (found.due_minor, found.vigorish_minor) == (steps * share.due, steps * share.vigorish)
    other = settled(rules, dealt, ref, stake)
    assert other is None or not share.is_read_alike or said(other) == said(found)
    assert other is None or stake % share.step == 0


def test_most_outcomes_are_a_share_of_the_stake() -> None:
    kinds = Counter(
        share_of(rules, priced, rules.rule_packed(priced, 0)) is not None
        for rules in variants()[:6]
        for priced in priced_wagers(rules)
    )
    assert kinds[True] > 4 * kinds[False]
