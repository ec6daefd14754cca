"""Sections whose printed term has ended or soon ends, with the wagers that are still offered."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from auditors.law.model import Law, Section
from auditors.law.status import Status, section_status
from auditors.settlement.terms import Terms
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.document import Document
from dashboards.documents.law.rules import LAPSE_NOTICE_DAYS, ordered_sections
from schemas.rules_submission import RulesSubmission, Successor

LAPSES_SCHEMA: Final = "ladderman.rules-lapses/1"
"""Name and version of the list of lapses."""


@dataclass(frozen=True, slots=True)
class Lapse:
    """One section whose printed term ends within the days asked for, or has ended."""

    section: Section
    last_day: datetime.date
    """Last gaming date in force, under the interpretation in force of a printed last day."""
    days_left: int
    """Days from the gaming date to the last day; negative: the term has ended."""
    offered: tuple[str, ...]
    """Wagers that are still offered: those of the filing, without one all of the section."""
    successor: Successor | None
    """The later text that the property registered, whenever it begins."""

    @property
    def words(self) -> str:
        """Say when it lapses, such as ``lapses in 12 days``."""
        days = abs(self.days_left)
        counted = f"{days:,} day{'s' * (days != 1)}"
        if self.days_left < 0:
            return f"lapsed {counted} ago"
        return "today is its last day" if days == 0 else f"lapses in {counted}"

    def as_json(self) -> dict[str, object]:
        """Give one object of the list."""
        successor = self.successor
        return {
            "section": self.section.id,
            "title": self.section.title,
            "citation": self.section.citation(),
            "last_day": self.last_day.isoformat(),
            "days_left": self.days_left,
            "wagers_offered": list(self.offered),
            "successor": successor.authority if successor else None,
            "successor_from": successor.from_date.isoformat() if successor else None,
        }


@dataclass(frozen=True, slots=True)
class LapseList(Document):
    """All lapses within a number of days, the nearest first."""

    gaming_date: datetime.date
    within_days: int
    filing: str | None
    """The filing whose wagers count as offered; None: none was given."""
    lapses: tuple[Lapse, ...]

    columns: ClassVar[tuple[str, ...]] = (
        "gaming_date",
        "section",
        "title",
        "citation",
        "last_day",
        "days_left",
        "wagers_offered",
        "successor",
        "successor_from",
    )

    def as_json(self) -> dict[str, object]:
        """Give the document ``ladderman.rules-lapses/1``."""
        return {
            "schema": LAPSES_SCHEMA,
            "gaming_date": self.gaming_date.isoformat(),
            "within_days": self.within_days,
            "submission": self.filing,
            "lapses": [lapse.as_json() for lapse in self.lapses],
            "advisory": ADVISORY,
        }

    def lines(self) -> Iterable[Mapping[str, object]]:
        """Give one object a lapse."""
        about = {"schema": LAPSES_SCHEMA, "gaming_date": self.gaming_date.isoformat()}
        return tuple({**about, **lapse.as_json()} for lapse in self.lapses)


def lapses_on(
    law: Law, gaming_date: datetime.date, terms: Terms, within_days: int = LAPSE_NOTICE_DAYS
) -> LapseList:
    """List the sections that have lapsed or lapse soon, and whose wagers are still offered.

    Args:
        law: The law as held.
        gaming_date: The gaming date from which days are counted.
        terms: Those of a filing: sections of which it offers nothing are left out. Without a
            filing every wager of the law counts as offered.
        within_days: Sections that lapse later than so many days after the date are left out.
    """
    found = []
    for section in ordered_sections(law):
        status = section_status(section, gaming_date, terms.readings)
        if status.last_day is None or status.status is Status.NOT_YET_IN_FORCE:
            continue
        days_left = (status.last_day - gaming_date).days
        offered = _offered(law, section, terms.submission)
        if days_left <= within_days and offered:
            successor = _successor(section, terms.submission)
            found.append(Lapse(section, status.last_day, days_left, offered, successor))
    found.sort(key=lambda lapse: (lapse.days_left, lapse.section.id))
    filing = None if terms.submission is None else terms.submission.rules_version
    return LapseList(gaming_date, within_days, filing, tuple(found))


def _offered(law: Law, section: Section, submission: RulesSubmission | None) -> tuple[str, ...]:
    own = tuple(name for name, (home, _) in law.wagers.items() if home.id == section.id)
    if submission is None:
        return own
    filed = {wager.id for wager in submission.wagers}
    return tuple(name for name in own if name in filed)


def _successor(section: Section, submission: RulesSubmission | None) -> Successor | None:
    registered = submission.successors if submission is not None else ()
    return next((later for later in registered if later.section == section.id), None)
