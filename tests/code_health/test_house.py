"""The house stays easy to enter: small folders, module names that are nouns, no circles."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.source_tree import PACKAGES, ROOT, python_files

MODULES_MAX = 15
"""Modules in one folder, its ``__init__`` aside; a sixteenth means a wing."""

SUPPRESSIONS_MAX = 20
"""``# fmt: skip`` and ``# fmt: off`` in the whole project."""

NO_NOUNS = frozenset(
    {
        *("said", "told", "put", "taken", "taking", "lately", "unheard", "going_on", "at_once"),
        *("guesses", "anew", "besides", "already"),
    }
)
"""Words that name no thing of the field or of the trade."""


def modules_by_folder(root: Path, packages: tuple[str, ...]) -> dict[str, list[str]]:
    """Give the names of the modules of every folder, ``__init__`` aside."""
    folders: dict[str, list[str]] = defaultdict(list)
    for path in python_files(packages, root):
        if path.name not in ("__init__.py", "__main__.py"):
            folders[path.parent.relative_to(root).as_posix()].append(path.stem)
    return folders


def crowded(root: Path) -> list[str]:
    """List the folders that hold too many modules."""
    folders = modules_by_folder(root, (*PACKAGES, "tests"))
    return [
        f"{folder}: {len(names)} modules"
        for folder, names in sorted(folders.items())
        if len(names) > MODULES_MAX
    ]


def nearly_alike(names: list[str]) -> list[tuple[str, str]]:
    """Give the pairs of names of which one has a letter at its end that the other lacks."""
    known = set(names)
    return sorted((name[:-1], name) for name in names if name[:-1] in known)


def test_no_folder_holds_more_modules_than_a_person_reads_at_a_glance() -> None:
    assert crowded(ROOT) == []


def test_a_sixteenth_module_is_one_too_many(tmp_path: Path) -> None:
    room = tmp_path / "streams" / "room"
    room.mkdir(parents=True)
    for number in range(MODULES_MAX):
        (room / f"module_{number}.py").touch()
    (room / "__init__.py").touch()
    assert crowded(tmp_path) == []
    (room / "one_more.py").touch()
    assert crowded(tmp_path) == [f"streams/room: {MODULES_MAX + 1} modules"]


def test_module_names_are_nouns() -> None:
    offending = [
        f"{folder}/{name}"
        for folder, names in modules_by_folder(ROOT, PACKAGES).items()
        for name in names
        if name in NO_NOUNS or NO_NOUNS & set(name.split("_"))
    ]
    assert offending == []


def test_no_two_modules_of_a_folder_differ_by_a_letter() -> None:
    alike = {
        folder: nearly_alike(names)
        for folder, names in modules_by_folder(ROOT, PACKAGES).items()
        if nearly_alike(names)
    }
    assert alike == {}


@pytest.mark.parametrize(
    ("names", "pairs"),
    [(["interval", "intervals"], [("interval", "intervals")]), (["shoe", "shoe_order"], [])],
)
def test_names_that_differ_by_a_letter_are_noticed(
    names: list[str], pairs: list[tuple[str, str]]
) -> None:
    assert nearly_alike(names) == pairs


def test_the_formatter_is_hardly_ever_told_to_look_away() -> None:
    # The marks are put together here, so that this file holds none.
    mark = re.compile("# fmt" + ": (skip|off)")
    count = sum(
        len(mark.findall(path.read_text(encoding="utf-8")))
        for path in python_files((*PACKAGES, "tests"), ROOT)
    )
    assert count < SUPPRESSIONS_MAX
