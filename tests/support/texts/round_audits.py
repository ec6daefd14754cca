"""Audits rows in this process, without files and commands."""

from collections.abc import Sequence
from dataclasses import dataclass

from auditors.coverage import Coverage, coverage_of
from auditors.rounds import RowAuditor
from auditors.rounds.mapping import DeclaredMapping, read_header
from auditors.settlement.rules import Rules
from schemas.findings import Finding
from tests.support.tables.deals import GAME, LAW, rules_with


@dataclass(frozen=True)
class Audited:
    """What an audit of some rows left behind."""

    statuses: list[str]
    findings: list[Finding]
    coverage: Coverage
    said: list[str]

    @property
    def codes(self) -> list[str]:
        """Codes of the findings, in their order."""
        return [one.code.value for one in self.findings]

    @property
    def found(self) -> list[tuple[int | None, str]]:
        """Line and code of each finding."""
        return [(one.line, one.code.value) for one in self.findings]

    @property
    def off(self) -> dict[str, str]:
        """Checks that were off, with the reason."""
        return dict(self.coverage.off)


def audited(
    header: str, *rows: str | Sequence[str], rules: Rules | None = None, **declared: object
) -> Audited:
    """Audit rows; each is a text with cells parted by bars, or the cells themselves.

    Args:
        header: Names of the columns, parted by bars.
        rows: In file order; the first stands in line 2.
        rules: The law under some terms.
        declared: Fields of the mapping that is declared.
    """
    names = [name.strip() for name in header.split("|")]
    rules = rules or rules_with()
    reading = read_header(LAW, names, DeclaredMapping(**declared))
    auditor = RowAuditor(rules, GAME, reading, "rounds.csv")
    statuses, findings = [], []
    for line, row in enumerate(rows, start=2):
        cells = [cell.strip() for cell in row.split("|")] if isinstance(row, str) else list(row)
        status, found = auditor.audit(line, cells + [""] * (len(names) - len(cells)))
        statuses.append(status.value)
        findings += found
    findings += auditor.finish()
    return Audited(
        statuses, findings, coverage_of(rules, reading, auditor), list(auditor.notes.said.values())
    )
