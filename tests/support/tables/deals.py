"""Coups as text, and what a wager on them comes to.

A text table has a deal a line, hands and expectations parted by bars; words after a hash say why::

    JH 3S 9H | 5D 8D 4S | 40 to 1   # Banker wins with three cards and 7
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from _pytest.mark import ParameterSet

from auditors.law import load_law
from auditors.settlement.amounts import Meter, WagerVerdict, settle_wager
from auditors.settlement.coup import Coup, judge_coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import WagerRef, default_terms, resolve_wager, with_readings
from schemas.cards import parse_hand
from schemas.odds import parse_odds
from schemas.rules_submission import CommissionForm, VigorishTiming

LAW = load_law()
GAME = LAW.sections["minibaccarat"]


def rules_with(
    *,
    letters: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
    commission: str = "5",
    marked: bool = False,
    tie_odds: str = "8 to 1",
    chip: int = 1,
    currency: str = "USD",
) -> Rules:
    """Put the law under terms, as ``settle`` would without a submission.

    Args:
        letters: Section or wager to paytable letter.
        readings: Interpretations that are switched.
        commission: Per cent, or ``free``.
        marked: Whether vigorish is marked and collected later.
        tie_odds: Odds of the Tie wager.
        chip: Smallest chip in minor units.
        currency: Of every amount.
    """
    terms = with_readings(LAW, default_terms(LAW), readings or {})
    is_free = commission == "free"
    return Rules(
        LAW,
        replace(
            terms,
            letters=letters or {},
            commission=CommissionForm.FREE if is_free else CommissionForm.STANDARD,
            vigorish_rate=Fraction(5 if is_free else int(commission), 100),
            vigorish_timing=VigorishTiming.MARKED if marked else VigorishTiming.TAKEN,
            tie_odds=parse_odds(tie_odds),
            smallest_chip_minor=chip,
            currency=currency,
        ),
    )


def a_coup(player: str, banker: str) -> Coup:
    """Deal a coup from the text of its hands."""
    return judge_coup(parse_hand(player), parse_hand(banker), GAME)


def a_deal(text: str) -> Coup:
    """Deal a coup from one text: ``JH 3S 9H | 5D 8D 4S``."""
    return a_coup(*text.split("|")[:2])


def ref_of(wager: str) -> WagerRef:
    """Give a wager by its text: ``golden_talons@player``."""
    return resolve_wager(LAW, wager, None)


def verdict(
    rules: Rules, wager: str, deal: str, stake: int = 1000, meter: Meter | None = None
) -> WagerVerdict:
    """Settle one wager on one deal; stakes and the meter are minor units."""
    return settle_wager(rules, a_deal(deal), ref_of(wager), stake, meter)


def pays(rules: Rules, wager: str, deal: str) -> str:
    """Say what a wager of 10.00 wins, from the amount due and not from the printed odds.

    Returns:
        ``40 to 1`` (profit by stake), ``push``, ``loss`` or ``undetermined``.
    """
    found = verdict(rules, wager, deal)
    if found.due_minor is None:
        return "undetermined"
    if found.outcome == "lose":
        assert found.due_minor == 0
        return "loss"
    if found.outcome == "push":
        assert found.due_minor == 1000
        return "push"
    profit = Fraction(found.due_minor - 1000, 1000)
    return f"{float(profit):g} to 1"


def rows(text: str) -> list[Sequence[str]]:
    """Split a text table into its cells."""
    lines = [line.partition("#")[0].strip() for line in text.strip().splitlines()]
    return [
        [re.sub(r"\s+", " ", cell).strip() for cell in line.split("|")] for line in lines if line
    ]


def cases(text: str) -> list[ParameterSet]:
    """Give a text table as parameters whose ids name the deal and what is expected."""
    return [pytest.param(*row, id=" ".join(row).replace(" ", "-")) for row in rows(text)]


def lettered(text: str, letters: str) -> list[ParameterSet]:
    """Give a text table whose last cells stand under paytable letters: a case per letter."""
    found = []
    for row in rows(text):
        head = row[: -len(letters)]
        for letter, cell in zip(letters, row[-len(letters) :], strict=True):
            name = " ".join([letter, *head, cell]).replace(" ", "-")
            found.append(pytest.param(*head, letter, cell, id=name))
    return found
