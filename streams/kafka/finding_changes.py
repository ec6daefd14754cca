"""The changes that a record makes to findings: new, changed or withdrawn ones.

After a restart findings that still stand may be said again: whoever alerts goes by their ids. What
is withdrawn the folds know from their states, whoever put out the version before; the rest is
remembered here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from schemas.findings import Finding
from schemas.records import Record

SUBJECTS_REMEMBERED: Final = 20_000
"""Subjects whose last findings are remembered."""


class FindingChange(NamedTuple):
    """What a record says about one finding that the one before it did not."""

    word: Literal["new", "changed", "withdrawn"]
    finding_id: str
    finding: Finding | None
    """None where it is withdrawn."""


class FindingChanges:
    """The findings of the latest record of each subject."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._last: OrderedDict[tuple[str, str, str], dict[str, str]] = OrderedDict()

    def of(self, record: Record) -> Iterator[FindingChange]:
        """Give what a record changes: new and changed findings, then withdrawn ones."""
        if not record.findings and not record.withdrawn and record.key not in self._last:
            return
        before = self._last.pop(record.key, {})
        after = {
            finding.id: f"{finding.status.value}/{finding.sentence}" for finding in record.findings
        }
        if after:
            self._last[record.key] = after
            if len(self._last) > SUBJECTS_REMEMBERED:
                self._last.popitem(last=False)
        for finding in record.findings:
            if before.get(finding.id) != after[finding.id]:
                yield FindingChange(
                    "changed" if finding.id in before else "new", finding.id, finding
                )
        for finding_id in dict.fromkeys((*before, *record.withdrawn)):
            if finding_id not in after:
                yield FindingChange("withdrawn", finding_id, None)
