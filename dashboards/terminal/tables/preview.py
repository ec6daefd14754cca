"""Previews of files of rounds for people: mapping, three rows, checks on and off."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import IO

from auditors.coverage import coverage_of
from auditors.rounds.auditing import RowAuditor
from auditors.settlement.rules import Rules
from dashboards.documents.audit.preview import ROWS_SHOWN, mapped_columns
from dashboards.documents.texts import printable
from streams.files.rounds import Damage, RoundsFile


def write_preview(out: IO[str], rules: Rules, file: RoundsFile, auditor: RowAuditor) -> None:
    """Write the mapping of a file, its first rows as parsed, and the checks.

    Whether a check finds anything to compare is judged from these rows.
    """

    def say(line: str) -> None:
        out.write(f"{printable(line)}\n")

    reading = auditor.mapping
    say(f"{file.name}: cells parted by {file.delimiter!r}")
    used = set()
    for ours, position in mapped_columns(reading.columns):
        used.add(position)
        say(f"  {ours:<16} {reading.header[position]}")
    unused = [name for at, name in enumerate(reading.header) if at not in used]
    say(f"  not used         {', '.join(unused) or '-'}")
    for row in islice(file.rows(), ROWS_SHOWN):
        if isinstance(row, Damage):
            say(f"  line {row.line}: {row.message}")
            continue
        line, cells = row
        say(f"  line {line}: {_parsed(auditor, cells)}")
        status, found = auditor.audit(line, cells)
        codes = ", ".join(finding.code.value for finding in found) or "nothing found"
        say(f"    {status.value}; {codes}")
        for finding in found:
            say(f"    {finding.code.value}: {finding.sentence}")
    coverage = coverage_of(rules, reading, auditor)
    say(f"  checks on: {', '.join(coverage.on)}")
    for check, reason in coverage.off:
        say(f"  check off: {check}: {reason}")


def _parsed(auditor: RowAuditor, cells: Sequence[str]) -> str:
    """Say what a row says: the cards as they are read, then the other cells as they stand."""
    hands = auditor.read_hands(cells)
    parts = ["cards cannot be told apart"]
    if hands is not None:
        names = zip(("Player", "Banker"), hands, strict=True)
        parts = [f"{name} {hand.key or '-'} ({hand.points})" for name, hand in names]
    parts += [
        f"{ours} {cells[position]}"
        for ours, position in mapped_columns(auditor.mapping.columns)
        if cells[position] and not ours.endswith("cards")
    ]
    return "; ".join(parts)
