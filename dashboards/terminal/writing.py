"""Answers for programs on standard output: JSON, lines, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

import typer

_FORMULA: Final = re.compile(r"[=+@\t\r]|-(?![0-9.]+$)")


def write_json(document: Mapping[str, object]) -> None:
    """Write one document."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def write_json_lines(objects: Iterable[Mapping[str, object]]) -> None:
    """Write one object a line."""
    for one in objects:
        typer.echo(json.dumps(one, ensure_ascii=False))


def write_csv(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a header and one row a line; what a row does not know stays empty."""
    names = list(columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([csv_cell(row.get(name)) for name in names])
    typer.echo(text.getvalue(), nl=False)


def csv_cell(value: object) -> object:
    """Give a value as a cell: what is no text as JSON, and text that no spreadsheet runs."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else value
    # A spreadsheet would run a cell that begins like a formula.
    return f"'{text}" if isinstance(text, str) and _FORMULA.match(text) else text
