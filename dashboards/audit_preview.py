"""What would an audit read in this file? Mapping, three rows, checks on and off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import IO

from auditors.rounds.auditing import RowAuditor
from auditors.rounds.columns import RoundColumns
from auditors.rounds.coverage import coverage_of
from auditors.rules import Rules
from streams.rounds.files import Damage, RoundsFile


def write_preview(out: IO[str], rules: Rules, file: RoundsFile, auditor: RowAuditor) -> None:
    """Write the mapping of a file, its first three rows as parsed, and the checks.

    Whether a check finds anything to compare is judged from these three rows.
    """
    reading = auditor.reading
    out.write(f"{file.name}: cells parted by {file.delimiter!r}\n")
    used = set()
    for ours, position in _mapped(reading.columns):
        used.add(position)
        out.write(f"  {ours:<16} {reading.header[position]}\n")
    unused = [name for at, name in enumerate(reading.header) if at not in used]
    out.write(f"  not used         {', '.join(unused) or '-'}\n")
    for row in islice(file.rows(), 3):
        if isinstance(row, Damage):
            out.write(f"  line {row.line}: {row.message}\n")
            continue
        line, cells = row
        status, found = auditor.audit(line, cells)
        said = "; ".join(
            f"{ours} {cells[position]}" for ours, position in _mapped(reading.columns)
            if cells[position]
        )  # fmt: skip
        codes = ", ".join(finding.code.value for finding in found) or "nothing found"
        out.write(f"  line {line}: {said}\n    {status.value}; {codes}\n")
    coverage = coverage_of(rules, reading, auditor)
    out.write(f"  checks on: {', '.join(coverage.on)}\n")
    for check, reason in coverage.off:
        out.write(f"  check off: {check}: {reason}\n")


def _mapped(columns: RoundColumns) -> Iterator[tuple[str, int]]:
    for ours in RoundColumns.__dataclass_fields__:
        value = getattr(columns, ours)
        if ours == "points":
            for player, banker in value:
                yield from ((name, at) for name, at in (("player_points", player),
                            ("banker_points", banker)) if at is not None)  # fmt: skip
        elif isinstance(value, tuple):
            yield from (("winner" if ours == "winners" else ours, at) for at in value)
        elif value is not None:
            yield ours, value
