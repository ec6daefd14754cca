"""Filings of a property: what one contradicts, and what changed between two."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from auditors.coverage import Coverage
from auditors.filings import Change, checks_on_and_off
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.coverage import coverage_json
from dashboards.documents.document import Document
from schemas.findings import Finding
from schemas.rules_submission import RulesSubmission

CHECK_SCHEMA: Final = "ladderman.findings/1"

DIFF_SCHEMA: Final = "ladderman.submission-diff/1"

CHANGE_SCHEMA: Final = "ladderman.submission-change/1"


@dataclass(frozen=True)
class FilingCheck(Document):
    """What a filing contradicts: ``ladderman.findings/1`` with a summary."""

    file: Path
    filed: RulesSubmission
    gaming_date: datetime.date
    findings: tuple[Finding, ...]

    @property
    def coverage(self) -> Coverage:
        """The checks that were on, and those that were off with the reason."""
        return Coverage(*checks_on_and_off(self.gaming_date))

    def as_json(self) -> dict[str, object]:
        """Give findings and summary."""
        return {
            "schema": CHECK_SCHEMA,
            "findings": list(self.lines()),
            "summary": {
                "file": str(self.file),
                "rules_version": self.filed.rules_version,
                "game": self.filed.game.value,
                "gaming_date": self.gaming_date.isoformat(),
                "defects": len(self.findings),
                **coverage_json(self.coverage),
                "advisory": ADVISORY,
            },
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one finding a line."""
        return [finding.as_json() for finding in self.findings]


@dataclass(frozen=True)
class FilingDiff(Document):
    """What changed between two filings, and what it changes: ``ladderman.submission-diff/1``."""

    before: Path
    after: Path
    changes: tuple[Change, ...]

    def as_json(self) -> dict[str, object]:
        """Give all changes."""
        return {
            "schema": DIFF_SCHEMA,
            "before": str(self.before),
            "after": str(self.after),
            "changes": list(self.lines()),
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one change a line."""
        return [_change_json(one) for one in self.changes]


def _change_json(change: Change) -> dict[str, object]:
    return {
        "schema": CHANGE_SCHEMA,
        "field": change.field,
        "before": change.before,
        "after": change.after,
        "effect": change.effect,
    }
