"""For which gaming date does a person ask, where none is named? Today, said aloud."""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace

from auditors.law import law_in_force
from auditors.settlement.terms import default_gaming_date, default_terms
from dashboards.options.formats import parse_gaming_date
from schemas.rules_submission import RulesSubmission


def gaming_date_or_today(
    text: str | None, submission: RulesSubmission | None = None
) -> datetime.date:
    """Read the gaming date, or take today's and say so on standard error.

    Args:
        text: What was given with ``--gaming-date``, or None.
        submission: Its zone and start of the gaming day say which date it is now; without one it
            is the date of this machine's calendar.
    """
    if text is not None:
        return parse_gaming_date(text)
    now = datetime.datetime.now(datetime.UTC)
    if submission is None:
        today = now.astimezone().date()
    else:
        today = default_gaming_date(
            now,
            replace(default_terms(law_in_force(submission.jurisdiction)), submission=submission),
        )
    sys.stderr.write(f"gaming date {today} (today; choose another with --gaming-date)\n")
    return today
