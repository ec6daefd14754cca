"""What an audit would read in a file of rounds: mapping, three rows, checks on and off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from auditors.coverage import coverage_of
from auditors.rounds.auditing import RowAuditor
from auditors.rounds.columns import RoundColumns
from auditors.settlement.rules import Rules
from dashboards.documents.coverage import coverage_json
from streams.files.rounds import Damage, RoundsFile

PREVIEW_SCHEMA: Final = "ladderman.preview/1"
"""Name and version of the document."""


ROWS_SHOWN: Final = 3
"""Rows of a file that a preview reads."""


def preview_json(rules: Rules, file: RoundsFile, auditor: RowAuditor) -> dict[str, object]:
    """Give the preview of a file: an entry of ``ladderman.preview/1``.

    Whether a check finds anything to compare is judged from the rows that are shown.
    """
    reading, mapping = auditor.mapping, dict[str, list[str]]()
    for ours, position in mapped_columns(reading.columns):
        mapping.setdefault(ours, []).append(reading.header[position])
    used = {position for _, position in mapped_columns(reading.columns)}
    rows = [_row_json(auditor, row) for row in islice(file.rows(), ROWS_SHOWN)]
    coverage = coverage_of(rules, reading, auditor)
    return {
        "file": file.name,
        "delimiter": file.delimiter,
        "mapping": mapping,
        "not_used": [name for at, name in enumerate(reading.header) if at not in used],
        "rows": rows,
        **coverage_json(coverage),
    }


def _row_json(auditor: RowAuditor, row: tuple[int, list[str]] | Damage) -> dict[str, object]:
    if isinstance(row, Damage):
        found = [auditor.damaged(row.line, row.message)]
        return {
            "line": row.line,
            "player_cards": None,
            "banker_cards": None,
            "player_points": None,
            "banker_points": None,
            "says": {},
            "status": "unreadable",
            "findings": [finding.as_json() for finding in found],
        }
    line, cells = row
    hands = auditor.read_hands(cells)
    player, banker = hands or (None, None)
    says: dict[str, list[str]] = {}
    for ours, position in mapped_columns(auditor.mapping.columns):
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


def mapped_columns(columns: RoundColumns) -> Iterator[tuple[str, int]]:
    """Give each column that is read: its name of ours and its position."""
    for ours in RoundColumns.__dataclass_fields__:
        value = getattr(columns, ours)
        if ours == "points":
            for player, banker in value:
                yield from (
                    (name, at)
                    for name, at in (("player_points", player), ("banker_points", banker))
                    if at is not None
                )
        elif isinstance(value, tuple):
            yield from (("winner" if ours == "winners" else ours, at) for at in value)
        elif value is not None:
            yield ours, value
