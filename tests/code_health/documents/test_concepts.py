"""The pages of concepts are true of the code: folders that are drawn exist, arrows are imports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.house_picture import (
    COMMAND,
    PAGE,
    arrows_of,
    draw_anew,
    drawing_of,
    drawings,
    drawn_packages,
    explained,
    fewest,
    folders_in,
    imports_between,
    nodes_of,
    reached,
)
from tests.support.source_tree import PACKAGES, ROOT

CONCEPTS = sorted({*(ROOT / "infra" / "concepts").glob("*.md")} - {PAGE})
HOUSE = PAGE.read_text(encoding="utf-8")


def names(folders: set[str]) -> set[str]:
    """Write folders as a diagram names them."""
    return {one.replace(".", "_") for one in folders}


@pytest.mark.parametrize("package", drawn_packages())
def test_every_folder_is_drawn_with_what_it_imports(package: str) -> None:
    drawing = drawings(HOUSE).get(package)
    assert drawing is not None, f"house.md has no diagram of {package}; draw it: {COMMAND}"
    folders = set(folders_in(package))
    real = {(_one(a), _one(b)) for a, b in reached(imports_between(folders))}
    drawn = reached(arrows_of(drawing))
    wrong = [
        *(f"draw {one}" for one in sorted(names(folders) - nodes_of(drawing))),
        *(f"take out {one}" for one in sorted(nodes_of(drawing) - names(folders))),
        *(f"draw {a} --> {b}" for a, b in sorted(fewest(real - drawn))),
        *(f"take out {a} --> {b}" for a, b in sorted(arrows_of(drawing) - real)),
    ]
    assert wrong == [], f"the diagram of {package} is not the code; {COMMAND} draws it anew"


def _one(folder: str) -> str:
    return folder.replace(".", "_")


def test_the_four_floors_are_drawn_with_what_they_import() -> None:
    floors = HOUSE.partition("```mermaid")[2].partition("```")[0]
    assert nodes_of(floors) == set(PACKAGES)
    assert reached(arrows_of(floors)) == reached(imports_between(set(PACKAGES)))


def test_nothing_is_drawn_that_has_no_diagram_in_the_code() -> None:
    assert set(drawings(HOUSE)) - set(drawn_packages()) == set()


def test_every_folder_of_the_four_floors_has_words_and_every_word_a_folder() -> None:
    folders = {one for floor in PACKAGES for one in folders_in(floor)}
    inner = {one for package in drawn_packages() for one in folders_in(package)}
    wrong = [
        *(
            f"say in a row of house.md what {one} does"
            for one in sorted(folders - explained(HOUSE))
        ),
        *(f"{one} has a row and no folder" for one in sorted(explained(HOUSE) - folders - inner)),
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "page", [one for one in CONCEPTS if one != PAGE], ids=lambda page: page.name
)
def test_a_page_names_only_files_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    places = re.findall(rf"`((?:{'|'.join(PACKAGES)}|infra|tests)/[\w./-]+)`", text)
    links = re.findall(r"\]\(([\w./-]+\.md)\)", text)
    missing = [one for one in places if not (ROOT / one).exists()]
    missing += [one for one in links if not (page.parent / one).exists()]
    assert missing == [], f"{page.name} names what is not there"


def test_a_superseded_decision_names_a_page_that_exists() -> None:
    folder = ROOT / "infra" / "decisions"
    for path in sorted(folder.glob("*.md")):
        for link in re.findall(r"\]\((\.\./concepts/[\w-]+\.md)\)", path.read_text("utf-8")):
            assert (folder / link).exists(), f"{path.name}: {link}"


def a_house(root: Path) -> Path:
    """Build a floor of three rooms: one imports the next, and the first also the last."""
    for floor in PACKAGES:
        (root / floor).mkdir(parents=True)
    for room, code in {
        "a": "from streams.b import x\nfrom streams import c\n",
        "b": "def f():\n    import streams.c.deep\n",
        "c": "",
    }.items():
        (root / "streams" / room).mkdir()
        (root / "streams" / room / "one.py").write_text(code)
    return root


def test_arrows_that_follow_from_others_are_left_out(tmp_path: Path) -> None:
    drawing = drawing_of("streams", a_house(tmp_path))
    assert nodes_of(drawing) == {"streams_a", "streams_b", "streams_c"}
    assert arrows_of(drawing) == {("streams_a", "streams_b"), ("streams_b", "streams_c")}
    assert ("streams_a", "streams_c") in reached(arrows_of(drawing))


def test_a_page_is_drawn_anew_in_its_place(tmp_path: Path) -> None:
    root = a_house(tmp_path)
    page = "before\n<!-- drawn: streams -->\n```mermaid\nold\n```\nafter\n"
    drawn = draw_anew(page, root)
    assert drawn.startswith("before\n<!-- drawn: streams -->\n```mermaid\nflowchart TD\n")
    assert drawn.endswith("```\nafter\n")
    assert draw_anew("", root).count("<!-- drawn: streams -->") == 1


def test_a_ring_of_imports_is_drawn_as_a_ring() -> None:
    ring = {("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")}
    assert reached(fewest(ring)) == reached(ring)
