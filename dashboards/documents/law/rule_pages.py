"""The law as pages: the list of all rules, one section or wager, one interpretation."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from auditors.law.model import Interpretation, Law, Section, Wager
from dashboards.documents.document import Document
from dashboards.documents.law.rule_names import FoundWagers
from dashboards.documents.law.rules import (
    INTERPRETATION_SCHEMA,
    Standing,
    interpretation_json,
    list_document,
    ordered_sections,
    outcome_rows,
    section_document,
    section_summary,
    standing_of,
)

_LIST_COLUMNS: Final = (
    "id",
    "title",
    "citation",
    "status",
    "first_day",
    "last_day",
    "lapses_in_days",
    "source",
    "applies_to",
    "settles",
    "paytables",
    "wagers",
    "dangling_references",
)
_OUTCOME_COLUMNS: Final = (
    "gaming_date",
    "section",
    "wager",
    "paytable",
    "outcome",
    "outcome_code",
    "pays",
    "commission",
    "interpretations",
    "wins_citation",
    "pays_citation",
)
_CODE_COLUMNS: Final = ("id", "kind", "code", "is_default", "meaning", "question")


@dataclass(frozen=True)
class RuleList(Document):
    """All sections, wagers and interpretations on a gaming date: ``ladderman.rules/1``."""

    columns = _LIST_COLUMNS

    law: Law
    gaming_date: datetime.date

    def as_json(self) -> dict[str, object]:
        """Give the whole list."""
        return list_document(self.law, self.gaming_date)

    def _sections(self) -> list[dict[str, object]]:
        sections = ordered_sections(self.law)
        return [section_summary(self.law, one, self.gaming_date) for one in sections]

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one section a line, then one interpretation a line."""
        answers = self.law.interpretations.values()
        return (*self._sections(), *(interpretation_json(one) for one in answers))

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one section a row."""
        return [_list_row(one) for one in self._sections()]


@dataclass(frozen=True)
class SectionPage(Document):
    """A section, or some of its wagers, on a gaming date: paytables, citations, status."""

    columns = _OUTCOME_COLUMNS

    law: Law
    section: Section
    wagers: tuple[Wager, ...]
    gaming_date: datetime.date

    @property
    def standing(self) -> Standing:
        """Where the section stands on the gaming date."""
        return standing_of(self.law, self.section, self.gaming_date)

    def as_json(self) -> dict[str, object]:
        """Give all that is held of it."""
        return section_document(self.law, self.section, self.wagers, self.gaming_date)

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one wager, letter and outcome a line."""
        return outcome_rows(self.section, self.wagers, self.gaming_date)

    def rows(self) -> Iterable[dict[str, object]]:
        """Give the same as rows."""
        return [_outcome_row(one) for one in self.lines()]


@dataclass(frozen=True)
class InterpretationPage(Document):
    """An interpretation with its alternatives: ``ladderman.interpretation/1``."""

    columns = _CODE_COLUMNS

    law: Law
    interpretation: Interpretation

    def as_json(self) -> dict[str, object]:
        """Give the interpretation."""
        return interpretation_json(self.interpretation)

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one code a row; where there are none, the answer."""
        found = self.interpretation
        return [
            {
                "schema": INTERPRETATION_SCHEMA,
                "id": found.id,
                "kind": found.kind.value,
                "code": code,
                "is_default": "yes" if code == found.default else "no",
                "meaning": meaning,
                "question": found.question,
            }
            for code, meaning in (found.codes or {"": found.answer}).items()
        ]


def section_page(law: Law, found: FoundWagers, gaming_date: datetime.date) -> SectionPage:
    """Give the page of what a name stands for."""
    return SectionPage(law, found.section, found.wagers, gaming_date)


def _list_row(section: dict[str, object]) -> dict[str, object]:
    """Flatten a section for CSV: lists become words with blanks between."""
    row = dict(section)
    terms, wagers, dangling = (
        row.pop(key) for key in ("in_force", "wagers", "dangling_references")
    )
    assert isinstance(terms, list) and isinstance(wagers, list) and isinstance(dangling, list)
    row["source"] = "; ".join(one["source"] for one in terms)
    row["wagers"] = " ".join(one["wager"] for one in wagers)
    row["dangling_references"] = "; ".join(f"{one['section']} {one['reason']}" for one in dangling)
    for key in ("applies_to", "paytables"):
        words = row[key]
        row[key] = " ".join(words) if isinstance(words, list) else words
    return row


def _outcome_row(row: dict[str, object]) -> dict[str, object]:
    readings = row["interpretations"]
    flat = json.dumps(readings) if readings else ""
    if isinstance(readings, dict):
        flat = " ".join(f"{id_}={code}" for id_, code in readings.items())
    return {**row, "interpretations": flat}
