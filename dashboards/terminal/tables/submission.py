"""Filings for people: what one contradicts, and what changed between two."""

from __future__ import annotations

from auditors.coverage import Coverage
from auditors.law import law_in_force
from auditors.settlement.terms import filed_game
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.law.submission import FilingCheck, FilingDiff
from dashboards.terminal.console import add_row, plain_table, table_console, write_line


def print_check(check: FilingCheck) -> None:
    """Write what a filing contradicts, in plain words."""
    filed, findings = check.filed, check.findings
    console, law = table_console(), law_in_force(filed.jurisdiction)
    game = filed_game(law, filed).title
    head = f"Rules Submission {filed.rules_version}, {game}, gaming date {check.gaming_date}"
    write_line(console, head, "bold")
    write_line(console)
    for finding in findings:
        write_line(console, f"{finding.severity.value.upper()} {finding.sentence}", hang=4)
        if finding.citation:
            write_line(console, finding.citation, indent=4)
    if findings:
        write_line(console)
        write_line(console, f"{len(findings)} {'defect' if len(findings) == 1 else 'defects'}.")
    else:
        write_line(console, "No defect found.")
    write_line(console, checks_words(check.coverage), hang=4)
    write_line(console, ADVISORY)


def checks_words(coverage: Coverage) -> str:
    """Say which checks were on, and which were off and why."""
    words = [f"{name} ({reason})" for name, reason in coverage.off]
    return f"Checks on: {', '.join(coverage.on)}. Checks off: {', '.join(words) or 'none'}."


def print_diff(diff: FilingDiff) -> None:
    """Write what changed, field by field."""
    changes = diff.changes
    console = table_console()
    if not changes:
        write_line(console, f"{diff.before} and {diff.after} file the same.")
        return
    table = plain_table("field", "before", "after", "what it changes")
    for one in changes:
        add_row(table, one.field, one.before or "not filed", one.after or "not filed", one.effect)
    console.print(table)
    write_line(console)
    write_line(console, f"{len(changes)} {'change' if len(changes) == 1 else 'changes'}.")
