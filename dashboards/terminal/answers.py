"""Documents in the form that a person asks for: table, JSON, lines or CSV; whole or as a stream."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from typing import IO

from dashboards.documents.document import Document
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.writing import csv_cell, write_csv, write_json, write_json_lines


def write_answer(document: Document, output: str, table: Callable[[], None]) -> None:
    """Write a document.

    Args:
        document: What is written.
        output: In which form, such as ``json``.
        table: Writes it for people.
    """
    if output == FormatOption.JSON:
        write_json(document.as_json())
    elif output == FormatOption.JSONL:
        write_json_lines(document.lines())
    elif output == FormatOption.CSV:
        write_csv(document.columns, document.rows())
    else:
        table()


class LineStream:
    """Objects as they come, one a line."""

    def __init__(self, out: IO[str]) -> None:
        """Write to an open file."""
        self._out = out

    def write(self, one: Mapping[str, object]) -> None:
        """Write one object."""
        self._out.write(json.dumps(one, ensure_ascii=False) + "\n")


class DocumentStream:
    """One JSON object whose long list is written as its members come."""

    def __init__(self, out: IO[str], name: str, first: Mapping[str, object] | None = None) -> None:
        """Write to an open file.

        Args:
            out: The file.
            name: Name of the long list.
            first: What stands before the list.
        """
        head = "".join(f"{json.dumps(key)}: {json.dumps(one)},\n " for key, one in _items(first))
        self._out, self._opening = out, f"{{{head}{json.dumps(name)}: [\n  "

    def write(self, one: Mapping[str, object]) -> None:
        """Write one member of the list."""
        self._out.write(self._next() + json.dumps(one, ensure_ascii=False))

    def _next(self) -> str:
        opening, self._opening = self._opening, ",\n  "
        return opening

    def close(self, rest: Mapping[str, object]) -> None:
        """Close the list and write what stands behind it."""
        head = self._opening if self._opening.startswith("{") else ""
        members = json.dumps(rest, ensure_ascii=False)
        self._out.write(f"{head}],\n {members[1:]}\n")


def _items(first: Mapping[str, object] | None) -> Iterable[tuple[str, object]]:
    return (first or {}).items()


class RowStream:
    """One row a member, under a header of its names."""

    def __init__(self, out: IO[str]) -> None:
        """Write to an open file."""
        self._writer = csv.writer(out, lineterminator="\n")
        self._has_header = False

    def write(self, one: Mapping[str, object]) -> None:
        """Write one row; the first names the columns."""
        self.begin(one)
        self._writer.writerow([csv_cell(value) for value in one.values()])

    def begin(self, columns: Iterable[str]) -> None:
        """Write the header, unless it is written."""
        if not self._has_header:
            self._writer.writerow(columns)
        self._has_header = True
