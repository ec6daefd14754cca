"""The gaming date that a person asks for: written in one form only, or today, said aloud."""

from __future__ import annotations

import datetime
import re
import sys
from dataclasses import replace
from typing import Annotated, Final

import typer

from auditors.law import law_in_force
from auditors.settlement.terms import default_gaming_date, default_terms
from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem
from schemas.rules_submission import RulesSubmission

_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})[-/. ]?([0-9]{1,2})[-/. ]?([0-9]{1,2})(?:[T ].*)?")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/. ]([0-9]{1,2})[-/. ]([0-9]{4})")


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


def parse_gaming_date(text: str, flag: str = "--gaming-date") -> datetime.date:
    """Read a gaming date, in ISO form only: a date that reads two ways is never guessed.

    Args:
        text: As the person wrote it.
        flag: The option that the error names.

    Raises:
        UsageProblem: Anything but ``YYYY-MM-DD``, or a day that the calendar does not have.
    """
    stripped = text.strip()
    if _ISO_DATE.fullmatch(stripped):
        try:
            return datetime.date.fromisoformat(stripped)
        except ValueError:
            raise UsageProblem(f"{flag} {stripped}: the calendar has no such day") from None
    near = _near_dates(stripped)
    hint = f"did you mean {' or '.join(near)}?" if near else "write it like 2025-06-01"
    raise UsageProblem(f"{flag} {quoted(text)}: not a date of the form YYYY-MM-DD; {hint}")


def _near_dates(text: str) -> list[str]:
    """Give the dates that a text in another form may have meant, in ISO form."""
    candidates: list[tuple[int, int, int]] = []
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
        candidates = [(year, month, day)]
    elif match := _YEAR_LAST.fullmatch(text):
        first, second, year = (int(part) for part in match.groups())
        candidates = [(year, first, second), (year, second, first)]
    found = []
    for candidate in candidates:
        try:
            found.append(datetime.date(*candidate).isoformat())
        except ValueError:
            continue
    return list(dict.fromkeys(found))


GamingDateOption = Annotated[
    str | None,
    typer.Option("--gaming-date", metavar="DATE", help="Gaming date, YYYY-MM-DD; default today."),
]
