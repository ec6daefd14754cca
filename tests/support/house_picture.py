"""The picture of the house: which folders of code there are, and which imports which.

The diagrams of ``infra/concepts/house.md`` are drawn from the syntax trees of the code. Of arrows
that follow from others only the others are drawn. ``python -m tests.support.house_picture`` draws
them anew; the words beside each folder are written by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Final

from tests.support.source_tree import PACKAGES, ROOT

PAGE: Final = ROOT / "infra" / "concepts" / "house.md"
COMMAND: Final = "python -m tests.support.house_picture"

Arrow = tuple[str, str]
"""A folder, and one that it imports from; both with dots."""

_DIAGRAM: Final = re.compile(
    r"<!-- drawn: (?P<name>\w[\w.]*) -->\n```mermaid\n(?P<drawing>.*?)```\n", re.DOTALL
)
_ROW: Final = re.compile(r"^\| `(?P<folder>[a-z_/]+)/` \| (?P<words>.+) \|$", re.MULTILINE)


def folders_in(package: str, root: Path = ROOT) -> list[str]:
    """Give the packages directly inside a package."""
    place = root.joinpath(*package.split("."))
    return sorted(
        f"{package}.{one.name}"
        for one in place.iterdir()
        if one.is_dir() and any(one.rglob("*.py"))
    )


def drawn_packages(root: Path = ROOT) -> list[str]:
    """Give the packages that have a diagram: those with at least two packages inside."""

    def walk(package: str) -> Iterator[str]:
        inside = folders_in(package, root)
        if len(inside) > 1:
            yield package
        for one in inside:
            yield from walk(one)

    return [one for floor in PACKAGES for one in walk(floor)]


def imports_between(folders: Set[str], root: Path = ROOT) -> set[Arrow]:
    """Give which of some folders imports from which other one, imports inside functions too."""
    arrows = set()
    for folder in folders:
        for path in root.joinpath(*folder.split(".")).rglob("*.py"):
            for module in _imported(ast.parse(path.read_text(encoding="utf-8"))):
                target = next((one for one in folders if f"{module}.".startswith(f"{one}.")), None)
                if target is not None and target != folder:
                    arrows.add((folder, target))
    return arrows


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # Each name may be a module of its own: from auditors import law.
            yield from (f"{node.module}.{one.name}" for one in node.names)


def reached(arrows: Set[Arrow]) -> set[Arrow]:
    """Give every arrow that follows from some: a folder, and what it uses in the end."""
    found = set(arrows)
    while more := {(a, d) for a, b in found for c, d in found if b == c and a != d} - found:
        found |= more
    return found


def fewest(arrows: Set[Arrow]) -> set[Arrow]:
    """Leave out each arrow that follows from the others."""
    kept = set(arrows)
    for arrow in sorted(arrows):
        if arrow in reached(kept - {arrow}):
            kept.discard(arrow)
    return kept


def drawing_of(package: str, root: Path = ROOT) -> str:
    """Draw the folders inside a package, and what they import from each other."""
    folders = folders_in(package, root)
    lines = ["flowchart TD"]
    lines += [f"    {_node(one)}[{one.rpartition('.')[2]}]" for one in folders]
    arrows = fewest(imports_between(set(folders), root))
    lines += [f"    {_node(above)} --> {_node(below)}" for above, below in sorted(arrows)]
    return "\n".join(lines) + "\n"


def _node(folder: str) -> str:
    return folder.replace(".", "_")


def drawings(page: str) -> dict[str, str]:
    """Read the diagrams of a page by their package."""
    return {found["name"]: found["drawing"] for found in _DIAGRAM.finditer(page)}


def arrows_of(drawing: str) -> set[tuple[str, str]]:
    """Read the arrows of a diagram."""
    return set(re.findall(r"^ +(\w+) --> (\w+)$", drawing, flags=re.MULTILINE))


def nodes_of(drawing: str) -> set[str]:
    """Read the nodes of a diagram."""
    return set(re.findall(r"^ +(\w+)\[", drawing, flags=re.MULTILINE))


def explained(page: str) -> set[str]:
    """Read which folders have words beside them."""
    return {found["folder"].replace("/", ".") for found in _ROW.finditer(page)}


def draw_anew(page: str, root: Path = ROOT) -> str:
    """Give a page with all its diagrams drawn from the code; missing ones stand at its end."""
    wanted = {one: _block(one, drawing_of(one, root)) for one in drawn_packages(root)}
    had = set(drawings(page))
    page = _DIAGRAM.sub(lambda found: wanted.get(found["name"], ""), page)
    missing = "".join(f"\n### {one}\n\n{wanted[one]}" for one in wanted if one not in had)
    return page + missing


def _block(package: str, drawing: str) -> str:
    return f"<!-- drawn: {package} -->\n```mermaid\n{drawing}```\n"


def main() -> None:
    """Draw the house anew."""
    PAGE.write_text(draw_anew(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
