"""A docstring begins with a statement of what a module, class or function is or does."""

import ast
from pathlib import Path

from tests.support.source_tree import FUNCTION_NODES, ROOT, parsed, python_files

STATED = ("schemas", "auditors", "streams")
"""Packages whose docstrings all begin with a statement."""


def questions(path: Path) -> list[str]:
    """List the docstrings of a module whose first paragraph asks something."""
    tree = parsed(path)
    nodes = [node for node in ast.walk(tree) if isinstance(node, (*FUNCTION_NODES, ast.ClassDef))]
    found = []
    for node in (tree, *nodes):
        first = (ast.get_docstring(node) or "").partition("\n\n")[0]
        if "?" in first:
            found.append(f"{path}: {first}")
    return found


def test_docstrings_state_and_do_not_ask() -> None:
    assert [line for path in python_files(STATED, ROOT) for line in questions(path)] == []


def test_a_question_is_found_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "asking.py"
    path.write_text('"""Who asks?"""\n\n\ndef state():\n    """State.\n\n    Or not?\n    """\n')
    assert questions(path) == [f"{path}: Who asks?"]
