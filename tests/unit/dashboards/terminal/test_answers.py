"""One document in four forms, and long lists written as their members come."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from dashboards.documents.document import Document
from dashboards.terminal.answers import DocumentStream, LineStream, RowStream, write_answer
from dashboards.terminal.formats import FormatOption


@dataclass(frozen=True)
class Pair(Document):
    """Two numbers."""

    columns = ("number",)

    numbers: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        """Give both."""
        return {"schema": "pair/1", "numbers": list(self.numbers)}

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one a line."""
        return [{"number": one} for one in self.numbers]


@pytest.mark.parametrize(
    ("output", "written"),
    [
        (FormatOption.TABLE, "table\n"),
        (FormatOption.JSON, '{\n  "schema": "pair/1",\n  "numbers": [\n    1,\n    2\n  ]\n}\n'),
        (FormatOption.JSONL, '{"number": 1}\n{"number": 2}\n'),
        (FormatOption.CSV, "number\n1\n2\n"),
    ],
)
def test_a_document_is_written_in_the_form_that_is_asked_for(
    output: FormatOption, written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_answer(Pair((1, 2)), output, lambda: print("table"))
    assert capsys.readouterr().out == written


@pytest.mark.parametrize("members", [[], [{"a": 1}], [{"a": 1}, {"a": "§"}]])
@pytest.mark.parametrize("first", [None, {"schema": "s/1"}])
def test_a_list_written_as_it_comes_is_one_document(
    members: list[dict[str, object]], first: dict[str, object] | None
) -> None:
    out = io.StringIO()
    stream = DocumentStream(out, "members", first)
    for one in members:
        stream.write(one)
    stream.close({"count": len(members)})
    expected = {**(first or {}), "members": members, "count": len(members)}
    assert json.loads(out.getvalue()) == expected
    assert list(json.loads(out.getvalue())) == list(expected)


def test_lines_and_rows_are_written_as_they_come() -> None:
    lines, rows = io.StringIO(), io.StringIO()
    LineStream(lines).write({"a": "§"})
    stream = RowStream(rows)
    stream.write({"a": 1, "b": None})
    stream.write({"a": [2], "b": "=1"})
    stream.begin(["a", "b"])
    assert lines.getvalue() == '{"a": "§"}\n'
    assert rows.getvalue() == "a,b\n1,\n[2],'=1\n"
    empty = io.StringIO()
    RowStream(empty).begin(["a"])
    assert empty.getvalue() == "a\n"
