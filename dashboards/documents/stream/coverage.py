"""Coverage: how much of the log the verdicts in the history cover, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from dashboards.documents.document import Document
from streams.reconcile.coverage import Coverage


def summary(coverage: Coverage) -> str:
    """Say the share, what it says nothing of, and what was found, in one line."""
    found = ", ".join(
        f"{kind.replace('_', ' ')} {count:,}" for kind, count in sorted(coverage.counts.items())
    )
    rest = f"; {_waiting(coverage)}" if coverage.waiting else ""
    return f"{coverage.sentence}{rest}{f'; found: {found}' if found else ''}"


def _waiting(coverage: Coverage) -> str:
    """Say what the share says nothing of, and on whom it waits."""
    reasons = (
        (coverage.not_folded, "no worker has kept as folded"),
        (coverage.waiting - coverage.not_folded, "the sink has not written"),
    )
    waits = " and ".join(f"{count:,} that {what}" for count, what in reasons if count)
    return f"not compared yet: {waits}"


@dataclass(frozen=True)
class CoveragePage(Document):
    """How much the verdicts cover, and what was found and mended."""

    coverage: Coverage

    def as_json(self) -> dict[str, object]:
        """Give the share, the counts, and every table."""
        return self.coverage.as_json()
