"""How are answers written to standard output? Tables for people; JSON, lines, CSV for programs."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

TABLE_WIDTH: Final = 80
"""Columns of a table that is written to a file or a pipe."""

_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FORMULA: Final = re.compile(r"[=+@\t\r]|-(?![0-9.]+$)")


def table_console() -> Console:
    """Give a console that fills the terminal, and 80 columns where there is none."""
    width = None if sys.stdout.isatty() else TABLE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def plain_table(*columns: str) -> Table:
    """Give an empty table without rules, its columns two blanks apart."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    return table


def add_row(table: Table, *cells: str | None) -> None:
    """Add a row whose cells are taken as they are; nothing in them is markup."""
    table.add_row(*(Text(cell or "") for cell in cells))


def write_line(
    console: Console, text: str = "", style: str = "", indent: int = 0, hang: int = 0
) -> None:
    """Write a paragraph, wrapped at the width of the console.

    Args:
        console: Where to.
        text: The paragraph; empty: an empty line.
        style: Style of the whole paragraph.
        indent: Blanks before every line.
        hang: Further blanks before the second line and those after it.
    """
    if not text:
        console.print()
        return
    lines = Text(text, style=style).wrap(console, console.width - indent - hang)
    for number, line in enumerate(lines):
        line.rstrip()
        console.print(Text(" " * (indent + hang * (number > 0))) + line)


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


def printable(text: str) -> str:
    """Keep signs that steer a terminal out of it; a file may hold any."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Write a text so that a terminal shows it and obeys nothing in it."""
    return "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in text)
