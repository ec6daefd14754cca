"""The time that the exact odds of everything take: all wagers, letters, forms, both deck counts."""

from __future__ import annotations

from auditors.odds.deals import exact_deals
from auditors.odds.listing import Choice, listed_odds, refs_of
from dashboards.options.terms import TermsRequest, build_rules
from tests.benchmarks.measuring import Measurement, best_seconds

SECONDS_MAX = 60.0


def measure() -> list[Measurement]:
    """List the odds of every wager under everything, for six and for eight decks."""
    listed = 0

    def work() -> None:
        nonlocal listed
        listed = 0
        for decks in (6, 8):
            rules = build_rules(TermsRequest(decks=decks))
            deals = exact_deals(decks, rules.law.sections["minibaccarat"])
            refs = [ref for id_ in rules.law.wagers for ref in refs_of(rules.law, id_)]
            listed += sum(1 for _ in listed_odds(rules, refs, deals, Choice()))

    (seconds,) = best_seconds(work, repeats=1)
    return [
        Measurement(
            f"exact odds of everything, six and eight decks ({listed} entries)",
            seconds,
            "s",
            SECONDS_MAX,
        )
    ]
