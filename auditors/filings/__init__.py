"""Checks of a Rules Submission against the conditions under which its wagers may be offered.

Each check reads the filing against the law data and says in plain words what does not fit, with
the paragraph. Nothing is repaired: a coup is settled under what was filed all the same.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import Final

from auditors.filings.changes import Change, diff_submissions
from auditors.filings.filing import Defect, Filing
from auditors.filings.offering import (
    check_commission,
    check_dates,
    check_jurisdiction,
    check_layout,
    check_paytables,
    check_shoe,
    check_wagers,
)
from auditors.filings.progressives import check_progressives
from auditors.filings.terms import (
    check_limits,
    check_odds,
    check_readings,
    check_severities,
    check_severity_amounts,
    check_successors,
)
from auditors.law.model import Law
from auditors.settlement.asserting import Claim, Place, assert_finding
from schemas.finding_facts.filing import FilingDefect
from schemas.findings import Finding, FindingCode
from schemas.rules_submission import RulesSubmission

__all__ = ["Change", "check_submission", "checks_on_and_off", "diff_submissions"]


def check_submission(
    law: Law,
    submission: RulesSubmission,
    gaming_date: datetime.date | None,
    *,
    place: Place | None = None,
) -> tuple[Finding, ...]:
    """Find what in a filing contradicts the conditions of offering.

    Args:
        law: The law.
        submission: What the property filed.
        gaming_date: The day whose rules are asked for; None: dates are not checked.
        place: Where the filing was seen: a file, or the table that announced it.

    Returns:
        One RULES_SUBMISSION_DEFECT per field, in the order of the checks.
    """
    filing = Filing(law, submission, gaming_date)
    by_field: dict[str, list[Defect]] = {}
    for _, check in _CHECKS:
        for defect in check(filing):
            by_field.setdefault(defect.where, []).append(defect)
    where = place or Place(currency=submission.currency, rules_version=submission.rules_version)
    return tuple(_finding(filing, where, defects) for defects in by_field.values())


def checks_on_and_off(
    gaming_date: datetime.date | None,
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Name the checks that were made, and those that were not, each with its reason."""
    names = [name for name, _ in _CHECKS]
    if gaming_date is not None:
        return tuple(names), ()
    on = tuple(name for name in names if name != _DATES)
    return on, ((_DATES, "no gaming date was given"),)


def _finding(filing: Filing, place: Place, defects: list[Defect]) -> Finding:
    """Put all that is wrong with one field into one finding, so that the subject stays unique."""
    first, submission = defects[0], filing.submission
    citations = dict.fromkeys(defect.citation for defect in defects if defect.citation)
    readings = {id_: code for defect in defects for id_, code in defect.readings.items()}
    return assert_finding(
        FindingCode.RULES_SUBMISSION_DEFECT,
        f"{submission.rules_version}/{first.where}",
        FilingDefect(
            field=first.where,
            wager_name=filing.wager_name(first.wager),
            problems=tuple(dict.fromkeys(defect.problem for defect in defects)),
        ),
        place,
        Claim(
            wager=first.wager,
            citation="; ".join(citations) or None,
            interpretations=readings,
        ),
        submission=submission,
    )


_DATES: Final = "sections in force on the gaming date"
_CHECKS: Final[tuple[tuple[str, Callable[[Filing], Iterator[Defect]]], ...]] = (
    ("jurisdiction", check_jurisdiction),
    ("decks and cover cards", check_shoe),
    ("commission", check_commission),
    ("wagers against the game", check_wagers),
    ("paytable letters", check_paytables),
    ("limits", check_limits),
    ("layout areas", check_layout),
    ("progressives", check_progressives),
    ("odds", check_odds),
    ("readings", check_readings),
    ("severities", check_severities),
    ("severity amounts", check_severity_amounts),
    ("successors", check_successors),
    (_DATES, check_dates),
)
