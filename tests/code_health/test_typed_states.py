"""The core changes its values field by field: no untyped changes, no writing of dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.support.source_tree import CORE, PACKAGES, ROOT, parsed, python_files

MAKES_COPIES = "auditors/values.py"
"""Where a copy gets its fields at once, before anybody has seen it: the only such place."""

UNTYPED = ("object", "Any", "typing.Any")


def untyped_changes(tree: ast.AST) -> Iterator[int]:
    """Give the lines of functions that take any keyword with any value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            taken = node.args.kwarg
            if taken is not None and (
                taken.annotation is None or ast.unparse(taken.annotation) in UNTYPED
            ):
                yield node.lineno


def writes_of_dictionaries(tree: ast.AST) -> Iterator[int]:
    """Give the lines that change a value behind its back."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "__setattr__":
            yield node.lineno
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            yield node.lineno
        if isinstance(node, ast.Attribute) and _is_vars(node.value) and node.attr == "update":
            yield node.lineno
        if (
            isinstance(node, ast.Subscript)
            and not isinstance(node.ctx, ast.Load)
            and _is_vars(node.value)
        ):
            yield node.lineno


def _is_vars(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "vars"


def places(folders: Iterable[str], look: Callable[[ast.AST], Iterator[int]]) -> list[str]:
    """Give file and line of what is found in some folders."""
    paths = {path.relative_to(ROOT).as_posix(): path for path in python_files(folders)}
    assert MAKES_COPIES in paths
    return [
        f"{name}:{line}"
        for name, path in paths.items()
        if name != MAKES_COPIES
        for line in look(parsed(path))
    ]


def test_no_function_of_the_core_takes_changes_of_any_name_and_type() -> None:
    assert places(CORE, untyped_changes) == []


def test_nothing_is_changed_through_its_dictionary() -> None:
    assert places(PACKAGES, writes_of_dictionaries) == []


@pytest.mark.parametrize(
    "text",
    [
        "def keep(coup, **changes: object): ...",
        "def keep(coup, **changes: Any): ...",
        "def keep(coup, **changes): ...",
        "change = lambda value, **changes: None",
    ],
)
def test_changes_of_any_type_are_seen(text: str) -> None:
    assert list(untyped_changes(ast.parse(text))) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "level.__dict__['ledger'] = moved",
        "fields = level.__dict__",
        "keep = object.__setattr__",
        "vars(level)['ledger'] = moved",
        "vars(level).update(ledger=moved)",
    ],
)
def test_a_change_through_the_dictionary_is_seen(text: str) -> None:
    assert list(writes_of_dictionaries(ast.parse(text))) == [1]
