"""One word has one meaning: the glossary is read and held against the names in the code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.source_tree import FUNCTION_NODES, PACKAGES, ROOT, parsed, python_files

PAGE = ROOT / "infra" / "concepts" / "glossary.md"
WORD = "reading"
PLANTS = "streams/simulator/plants/"
"""Planted faults bear the names of the findings that they cause."""


def listed(heading: str) -> list[str]:
    """Give the first column of the table under a heading."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)


def names_of(tree: ast.Module) -> Iterator[str]:
    """Give the names of the classes, functions and parameters of a module."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, *FUNCTION_NODES)):
            yield node.name
        if isinstance(node, ast.arg):
            yield node.arg


def readings(root: Path) -> dict[str, list[str]]:
    """Give the modules in which a name contains the word, with these names."""
    found = {
        path.relative_to(root).as_posix(): [
            name for name in names_of(parsed(path)) if WORD in name.lower()
        ]
        for path in python_files(PACKAGES, root)
    }
    return {module: names for module, names in found.items() if names}


def repeated(root: Path) -> set[str]:
    """Give the names of public classes that several modules define."""
    modules: dict[str, set[Path]] = defaultdict(set)
    for path in python_files(PACKAGES, root):
        if path.relative_to(root).as_posix().startswith(PLANTS):
            continue
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].add(path)
    return {name for name, places in modules.items() if len(places) > 1}


def test_a_reading_is_of_a_meter_or_has_a_place_in_the_glossary() -> None:
    places = listed("Where `reading` may stand")
    modules = readings(ROOT)
    elsewhere = {
        module: names
        for module, names in modules.items()
        if not any(module == place or module.startswith(f"{place}/") for place in places)
    }
    assert elsewhere == {}
    unused = [
        place
        for place in places
        if not any(module == place or module.startswith(f"{place}/") for module in modules)
    ]
    assert unused == [], "take these rows out of the glossary"


def test_a_class_name_stands_in_one_module_or_in_the_glossary() -> None:
    names = listed("Class names that stand in two modules")
    assert names == sorted(names)
    assert repeated(ROOT) == set(names)


def test_names_of_every_kind_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "auditors").mkdir()
    (tmp_path / "schemas").mkdir()
    code = "class RowReading:\n    pass\n\n\ndef f(reading):\n    reading_ = 1\n"
    (tmp_path / "auditors" / "rows.py").write_text(code)
    (tmp_path / "schemas" / "rows.py").write_text("class RowReading:\n    pass\n")
    assert readings(tmp_path) == {
        "auditors/rows.py": ["RowReading", "reading"],
        "schemas/rows.py": ["RowReading"],
    }
    assert repeated(tmp_path) == {"RowReading"}
