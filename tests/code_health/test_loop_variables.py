"""Loop variables say what they stand for."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.source_tree import ROOT, parsed, python_files

NAMED = (
    "schemas",
    *(
        f"auditors/{folder}"
        for folder in (
            "catalogue",
            "filings",
            "incidents",
            "law",
            "odds",
            "rounds",
            "settlement",
        )
    ),
    "streams",
)
"""Packages whose loop variables all say what they are."""

SAYS_NOTHING = "one"


def unnamed(path: Path) -> Iterator[str]:
    """Give the loops of a module whose variable says nothing."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name) and name.id == SAYS_NOTHING:
                    yield f"{path}:{name.lineno}"


def test_every_loop_variable_says_what_it_is() -> None:
    assert [place for path in python_files(NAMED, ROOT) for place in unnamed(path)] == []


def test_loops_and_comprehensions_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "loops.py"
    path.write_text("for one in []:\n    pass\nx = [b for a, b in {}]\ny = {one for _, one in x}\n")
    assert sorted(unnamed(path)) == [f"{path}:1", f"{path}:4"]
