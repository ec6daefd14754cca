"""No law stands in Python: no id of an interpretation but in its type, and no paragraph at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditors.law import load_law
from auditors.law.interpretations import INTERPRETATION_TYPES, Asked, codes_known
from tests.support.source_tree import PACKAGES, ROOT, parsed, python_files

TYPES = "auditors/law/interpretations.py"
"""The one module in which ids of interpretations stand."""

INTERPRETATION = re.compile(r"\bD\d{1,2}\b")

PARAGRAPH = re.compile(
    r"§+\s?\d"  # § 627b.6
    r"|\bPa\. ?(Code|B\.)|N\.J\.A\.C\.|\b13:69"
    r"|\b\d{3}[a-z]\.\d"  # 627b.6
    r"|\([a-z]{1,5}\)\(\d"  # (d)(2)
    r"|^\((?:[a-z]|[ivx]{2,5})\)(?:\(\w+\))*$"  # (j)
)


def texts_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Give line and text of every string that the program uses; documentation is none of them."""
    explaining = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in explaining:
            yield node.lineno, node.value


def law_in(root: Path, pattern: re.Pattern[str], excused: str | None = None) -> list[str]:
    """List the strings of the product that match a pattern, but for one module."""
    found = []
    for path in python_files(PACKAGES, root):
        name = path.relative_to(root).as_posix()
        if name != excused:
            found += [
                f"{name}:{line}: {text.strip()[:60]}"
                for line, text in texts_in(parsed(path))
                if pattern.search(text)
            ]
    return found


def test_ids_of_interpretations_stand_in_one_module() -> None:
    assert law_in(ROOT, INTERPRETATION, TYPES) == []


@pytest.mark.parametrize(
    "source",
    ['used = {"D31": "return_excess"}', 'sentence = f"as filed (D9 {policy})"'],
    ids=["key", "sentence"],
)
def test_an_id_elsewhere_is_found(tmp_path: Path, source: str) -> None:
    module = tmp_path / "auditors" / "broken.py"
    module.parent.mkdir()
    module.write_text(source)
    assert len(law_in(tmp_path, INTERPRETATION)) == 1


def test_no_paragraph_is_cited_in_python() -> None:
    assert law_in(ROOT, PARAGRAPH) == []


@pytest.mark.parametrize(
    "text",
    ["58 Pa. Code § 627b.6", "see §§ 12 and 13", "N.J.A.C. 13:69E", "of 605a.7", "(g)(4)", "(j)"],
)
def test_a_paragraph_is_found_in_a_string_and_let_through_in_documentation(
    tmp_path: Path, text: str
) -> None:
    module = tmp_path / "streams" / "broken.py"
    module.parent.mkdir()
    module.write_text(f'def cite() -> str:\n    """{text}"""\n    return {text!r}\n')
    assert law_in(tmp_path, PARAGRAPH) == [f"streams/broken.py:3: {text}"]


def test_the_types_and_the_law_data_agree() -> None:
    held = load_law().interpretations
    assert set(INTERPRETATION_TYPES) == set(held)
    for id_, type_ in INTERPRETATION_TYPES.items():
        assert codes_known(type_) == tuple(held[id_].codes), id_


def test_what_the_engine_asks_is_open() -> None:
    asked = [one for one in INTERPRETATION_TYPES.values() if issubclass(one, Asked)]
    assert len(asked) == 20
    assert all(len(codes_known(one)) > 1 for one in asked)
