"""How are the options that several commands share read? One parser each, one line on error."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from dashboards.errors import UsageProblem

ADVISORY: Final = (
    "Texts as held, not checked against the current Code. "
    "Advisory; does not authorise or refuse payment."
)
"""The line that stands under everything that a person might act upon."""

TABLE_WIDTH: Final = 80
"""Columns of a table that is written to a file or a pipe."""

_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})[-/. ]?([0-9]{1,2})[-/. ]?([0-9]{1,2})(?:[T ].*)?")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/. ]([0-9]{1,2})[-/. ]([0-9]{4})")
_QUOTED_MAX: Final = 40


class FormatOption(StrEnum):
    """In which form an answer is written."""

    TABLE = "table"
    """For people."""

    JSON = "json"
    """One document."""

    JSONL = "jsonl"
    """One object a line."""

    CSV = "csv"
    """One row a line, with a header."""


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


def parse_pairs(pairs: Iterable[str], what: str) -> dict[str, str]:
    """Read options of the form ``NAME=VALUE``, each name once.

    Args:
        pairs: As the person wrote them, such as ``golden_talons=B``.
        what: The option that the error names, such as ``--paytable``.

    Returns:
        Name to value, in the order given.

    Raises:
        UsageProblem: A pair without ``=``, an empty side, or a name given two values.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise UsageProblem(f"{what} {quoted(pair)}: write it as NAME=VALUE")
        if found.setdefault(name, value) != value:
            raise UsageProblem(
                f"{what} {name}: given as {found[name]} and as {value}; give it once"
            )
    return found


def quoted(text: str) -> str:
    """Quote what a person wrote, on one line and cut where it is long."""
    shown = " ".join(text.split())
    cut = shown if len(shown) <= _QUOTED_MAX else shown[: _QUOTED_MAX - 1] + "…"
    return f'"{cut}"'
