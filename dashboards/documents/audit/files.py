"""What became of files that were audited: ``ladderman.audit/1``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from auditors.coverage import Coverage
from dashboards.documents.coverage import coverage_json
from dashboards.documents.document import Document

AUDIT_SCHEMA: Final = "ladderman.audit/1"
"""Name and version of the summary document."""


FINDINGS_SCHEMA: Final = "ladderman.findings/1"
"""Name and version of the document of findings with their summary."""


@dataclass
class FileSummary:
    """What became of one file."""

    file: str
    rows: int = 0
    settled: int = 0
    undetermined: int = 0
    unreadable: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    coverage: Coverage = field(default_factory=lambda: Coverage((), ()))
    said: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``ladderman.audit/1``."""
        return {
            "file": self.file,
            "rows": self.rows,
            "settled": self.settled,
            "undetermined": self.undetermined,
            "unreadable": self.unreadable,
            "findings": dict(sorted(self.findings.items())),
            **coverage_json(self.coverage),
        }


@dataclass(frozen=True)
class AuditSummary(Document):
    """What became of all files of an audit: ``ladderman.audit/1``."""

    files: tuple[FileSummary, ...]

    def as_json(self) -> dict[str, object]:
        """Give one entry a file."""
        return {"schema": AUDIT_SCHEMA, "files": [one.as_json() for one in self.files]}
