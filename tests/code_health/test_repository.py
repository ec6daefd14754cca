"""The repository keeps its own rules: names, docstrings, reasons, and nothing left lying about."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source_tree import (
    CORE,
    FOLDERS,
    FUNCTION_NODES,
    PACKAGES,
    ROOT,
    functions_in,
    parsed,
    python_files,
    repository_files,
    tracked_files,
)

ROOT_FILES = {"pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError")
VAGUE_WORDS = {"util", "utils", "manager", "process", "handle"}
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work/|root/|tmp/bash_jobs)")
REASON = re.compile(r"# \S+ \S+")  # two words at least
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def unfinished_lines(path: Path) -> list[str]:
    """List the lines of a file that admit to unfinished work."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [
        f"{path}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if UNFINISHED.search(line)
    ]


def vague_names(path: Path) -> list[str]:
    """List the module, class and function names of a file that say nothing."""
    definitions = [
        node for node in ast.walk(parsed(path)) if isinstance(node, (*FUNCTION_NODES, ast.ClassDef))
    ]
    names = [path.stem, *(node.name for node in definitions)]
    return [f"{path}: {name}" for name in names if words_of(name) & VAGUE_WORDS]


def words_of(name: str) -> set[str]:
    """Split a name into lower-case words: ``ShoeManager`` and ``shoe_manager`` alike."""
    return {word.lower() for word in WORD.findall(name)}


def undocumented(path: Path) -> list[str]:
    """List the public names of a module that have no docstring, the module itself included."""
    tree = parsed(path)
    found = [] if ast.get_docstring(tree) else [f"{path}:1: module"]
    nodes = public_definitions(tree)
    return found + [f"{path}:{n.lineno}: {n.name}" for n in nodes if not ast.get_docstring(n)]


def public_definitions(
    parent: ast.Module | ast.ClassDef,
) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield public classes, functions and methods; overloads speak through their last form."""
    for node in parent.body:
        if not isinstance(node, (*FUNCTION_NODES, ast.ClassDef)) or node.name.startswith("_"):
            continue
        if any(ast.unparse(d).endswith("overload") for d in node.decorator_list):
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node)


def unexplained_dependencies(pyproject: str) -> list[str]:
    """List the requirements of a pyproject.toml whose line carries no reason."""
    settings = tomllib.loads(pyproject)
    project = settings["project"]
    requirements = [
        *settings["build-system"]["requires"],
        *project["dependencies"],
        *(r for extra in project.get("optional-dependencies", {}).values() for r in extra),
    ]
    lines = pyproject.splitlines()
    return [
        requirement
        for requirement in requirements
        if not any(f'"{requirement}"' in line and REASON.search(line) for line in lines)
    ]


def machine_paths(path: Path) -> list[str]:
    """List the lines of a file that name a folder of the machine it was written on."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [
        f"{path}:{n}: {line.strip()}"
        for n, line in enumerate(lines, 1)
        if MACHINE_PATH.search(line)
    ]


def test_nothing_outside_the_tests_is_left_unfinished() -> None:
    files = [path for path in repository_files() if path.relative_to(ROOT).parts[0] != "tests"]
    assert [line for path in files for line in unfinished_lines(path)] == []


def test_no_name_in_the_packages_is_vague() -> None:
    assert [name for path in python_files(PACKAGES) for name in vague_names(path)] == []


def test_every_public_name_of_the_core_is_explained() -> None:
    assert [name for path in python_files(CORE) for name in undocumented(path)] == []


def test_every_dependency_has_its_reason_beside_it() -> None:
    assert unexplained_dependencies((ROOT / "pyproject.toml").read_text(encoding="utf-8")) == []


def test_no_file_names_a_folder_of_a_machine() -> None:
    assert [line for path in repository_files() for line in machine_paths(path)] == []


def test_the_root_holds_only_what_belongs_there() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    visible = {name for name in names if not name.startswith(".")}
    assert visible - ROOT_FILES - set(FOLDERS) == set()


def test_every_test_folder_is_a_package() -> None:
    """Without it, a folder called schemas would stand before the real package."""
    folders = {path.parent for path in python_files(["tests"])}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_test_function_says_what_it_shows() -> None:
    tests = [
        (path, function.name)
        for path in python_files(["tests"])
        for function in functions_in(parsed(path))
        if function.name.startswith("test_")
    ]
    assert [f"{path}: {name}" for path, name in tests if len(name.split("_")) < 4] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1  # TODO deal", 1),
        ("raise NotImplementedError", 1),
        ("# XXX and FIXME", 1),
        ("hacked = 'a todo list'", 0),
    ],
)
def test_unfinished_work_is_found(tmp_path: Path, source: str, found: int) -> None:
    path = tmp_path / "a.py"
    path.write_text(source)
    assert len(unfinished_lines(path)) == found


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("shoe_utils", "", 1),
        ("shoe", "class ShoeManager: ...", 1),
        ("shoe", "class Shoe:\n    def _handle_card(self): ...", 1),
        ("shoe", "async def process(): ...", 1),
        ("shoe", "import subprocess\ndef handled_cards(): ...\nprocess = 1", 0),
    ],
)
def test_a_vague_name_is_found(tmp_path: Path, module: str, source: str, found: int) -> None:
    path = tmp_path / f"{module}.py"
    path.write_text(source)
    assert len(vague_names(path)) == found


def test_a_missing_docstring_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "class Shoe:\n    def deal(self): ...\n    def _cut(self): ...\ndef burn(): ...\n"
    )
    missing = [line.removeprefix(f"{path}:") for line in undocumented(path)]
    assert missing == ["1: module", "1: Shoe", "2: deal", "4: burn"]


def test_a_dependency_without_a_reason_is_found() -> None:
    pyproject = """
        [build-system]
        requires = ["setuptools>=77"]  # builds the package itself
        [project]
        dependencies = [
            "rich>=13",   # tables in the terminal
            "typer>=0.15",
            "orjson>=3",  # fast
        ]
        [project.optional-dependencies]
        dev = ["ruff>=0.8"]
    """
    assert unexplained_dependencies(pyproject) == ["typer>=0.15", "orjson>=3", "ruff>=0.8"]


@pytest.mark.parametrize(
    ("folder", "found"),
    [("work", 1), ("root", 1), ("tmp/bash_jobs.0", 1), ("tmp/bash_jobs", 1), ("home", 0)],
)
def test_a_machine_path_is_found(tmp_path: Path, folder: str, found: int) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"see /{folder}/main, and a/work/b, ~/root/c or ./work/d")
    assert len(machine_paths(path)) == found
