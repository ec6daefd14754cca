"""What would an audit read in this file? Mapping, three rows, checks on and off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Final

from auditors.coverage import coverage_of
from auditors.rounds.auditing import RowAuditor
from auditors.rounds.columns import RoundColumns
from auditors.settlement.rules import Rules
from dashboards.terminal.writing import printable
from streams.files.rounds import Damage, RoundsFile

PREVIEW_SCHEMA: Final = "ladderman.preview/1"
"""Name and version of the document."""

ROWS_SHOWN: Final = 3
"""Rows of a file that a preview reads."""


def preview_json(rules: Rules, file: RoundsFile, auditor: RowAuditor) -> dict[str, object]:
    """Give the preview of a file: an entry of ``ladderman.preview/1``.

    Whether a check finds anything to compare is judged from the rows that are shown.
    """
    reading, mapping = auditor.reading, dict[str, list[str]]()
    for ours, position in _mapped(reading.columns):
        mapping.setdefault(ours, []).append(reading.header[position])
    used = {position for _, position in _mapped(reading.columns)}
    rows = [_row_json(auditor, row) for row in islice(file.rows(), ROWS_SHOWN)]
    coverage = coverage_of(rules, reading, auditor)
    return {
        "file": file.name,
        "delimiter": file.delimiter,
        "mapping": mapping,
        "not_used": [name for at, name in enumerate(reading.header) if at not in used],
        "rows": rows,
        "checks_on": list(coverage.on),
        "checks_off": [{"check": check, "reason": reason} for check, reason in coverage.off],
    }


def _row_json(auditor: RowAuditor, row: tuple[int, list[str]] | Damage) -> dict[str, object]:
    if isinstance(row, Damage):
        found = [auditor.damaged(row.line, row.message)]
        return {
            "line": row.line, "player_cards": None, "banker_cards": None, "player_points": None,
            "banker_points": None, "says": {}, "status": "unreadable",
            "findings": [finding.as_json() for finding in found],
        }  # fmt: skip
    line, cells = row
    hands = auditor.read_hands(cells)
    player, banker = hands or (None, None)
    says: dict[str, list[str]] = {}
    for ours, position in _mapped(auditor.reading.columns):
        if cells[position] and not ours.endswith("cards"):
            says.setdefault(ours, []).append(cells[position])
    status, findings = auditor.audit(line, cells)
    return {
        "line": line,
        "player_cards": player.key.split() if player else None,
        "banker_cards": banker.key.split() if banker else None,
        "player_points": player.points if player else None,
        "banker_points": banker.points if banker else None,
        "says": says,
        "status": status.value,
        "findings": [finding.as_json() for finding in findings],
    }


def write_preview(out: IO[str], rules: Rules, file: RoundsFile, auditor: RowAuditor) -> None:
    """Write the mapping of a file, its first rows as parsed, and the checks.

    Whether a check finds anything to compare is judged from these rows.
    """

    def say(line: str) -> None:
        out.write(f"{printable(line)}\n")

    reading = auditor.reading
    say(f"{file.name}: cells parted by {file.delimiter!r}")
    used = set()
    for ours, position in _mapped(reading.columns):
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
        for ours, position in _mapped(auditor.reading.columns)
        if cells[position] and not ours.endswith("cards")
    ]
    return "; ".join(parts)


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
