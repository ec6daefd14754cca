"""Whether a section was in force on a gaming date.

Only printed dates decide. Where a text shows no start or end the status is *presumed* in force;
after a printed end it has lapsed, and a wager is still settled under its filed paytable.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from auditors.law.interpretations import LastDay
from auditors.law.model import Section, Term
from schemas.rules_submission import RulesSubmission


class Status(StrEnum):
    """What the printed dates say of a section on one gaming date."""

    NOT_YET_IN_FORCE = "not yet in force"
    """Before the first printed day."""

    IN_FORCE = "in force"
    """Between two printed dates."""

    PRESUMED_IN_FORCE = "presumed in force"
    """A start or an end is not shown."""

    LAPSED = "lapsed"
    """After the last printed day."""

    UNKNOWN = "unknown"
    """No date is held at all."""

    HOUSE_RULE = "house rule"
    """A wager of the house, filed by the property: no law concerns it, so no date does."""


STANDING: Final = frozenset({Status.IN_FORCE, Status.PRESUMED_IN_FORCE, Status.HOUSE_RULE})
"""What may be offered, as far as printed dates go."""


@dataclass(frozen=True, slots=True)
class SectionStatus:
    """The status of a section on one gaming date, and the printed term that it rests on."""

    status: Status
    term: Term | None
    last_day: datetime.date | None
    """Last gaming date in force under the reading of D37, where an end is printed."""


def section_status(
    section: Section, gaming_date: datetime.date, readings: Mapping[str, str]
) -> SectionStatus:
    """Say whether a section is in force on a gaming date.

    Args:
        section: The section.
        gaming_date: The accounting day, not the calendar day of the instant.
        readings: Codes in force; D37 says whether the printed last day counts.
    """
    if section.kind == "house":
        return SectionStatus(Status.HOUSE_RULE, None, None)
    exclusive = readings.get(LastDay.ID) == LastDay.EXCLUDED
    one_day = datetime.timedelta(days=1 if exclusive else 0)
    previous: SectionStatus | None = None
    for term in section.in_force:
        start = term.from_date if isinstance(term.from_date, datetime.date) else None
        end = term.until - one_day if isinstance(term.until, datetime.date) else None
        if start is not None and gaming_date < start:
            return previous or SectionStatus(Status.NOT_YET_IN_FORCE, term, end)
        if end is None or gaming_date <= end:
            shown = start is not None and end is not None
            status = Status.IN_FORCE if shown else Status.PRESUMED_IN_FORCE
            return SectionStatus(status, term, end)
        previous = SectionStatus(Status.LAPSED, term, end)
    return previous or SectionStatus(Status.UNKNOWN, None, None)


def has_successor(
    submission: RulesSubmission | None, section_id: str, gaming_date: datetime.date
) -> bool:
    """Whether the property registered a later text for a lapsed section, from that date on."""
    return submission is not None and any(
        successor.section == section_id and successor.from_date <= gaming_date
        for successor in submission.successors
    )


def lapse_sentence(section: Section, status: SectionStatus) -> str:
    """Say that a section was offered outside its printed dates."""
    term = status.term
    if status.status is Status.NOT_YET_IN_FORCE and term is not None:
        return (
            f"{section.title} was offered before its printed first day {term.from_date} "
            f"({term.source}); confirm with the Board"
        )
    printed = term.until if term else "not shown"
    return (
        f"{section.title}: printed term ended {printed}; no successor text is held here; "
        "confirm with the Board"
    )
