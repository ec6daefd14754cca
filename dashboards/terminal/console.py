"""The console for people: paragraphs and tables that fill the terminal."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

TABLE_WIDTH: Final = 80
"""Columns of a table that is written to a file or a pipe."""


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
