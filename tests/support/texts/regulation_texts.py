"""The regulation texts as they were held when the law data was written, split into paragraphs.

The texts are not part of the product. They are found through ``LADDERMAN_TEXTS`` or in
``../shared/regulations`` beside the checkout; tests that need them are skipped elsewhere.
"""

import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.support.source_tree import ROOT

_MINI_FILE = "58-pa-code-627b.4-627b.6-rising-phoenix-golden-talons-harmony.txt"
_FILES = {
    "rising_phoenix": _MINI_FILE,
    "golden_talons": _MINI_FILE,
    "harmony_mini": _MINI_FILE,
    "eclipse": "58-pa-code-627b.7-eclipse.txt",
    "harmony_big": "58-pa-code-631b.10-harmony-progressive.txt",
    "majestic_match": "58-pa-code-631c.7-majestic-match.txt",
    "five_treasures": "58-pa-code-5-treasures-baccarat.txt",
}
_HEADINGS = {
    "rising_phoenix": "§ 627b.4. Rising Phoenix Baccarat.\n(a)",
    "golden_talons": "§ 627b.5. Golden Talons.\n(a)",
    "harmony_mini": "§ 627b.6. Harmony Progressive.\n(a)",
}
_UNITS = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_MARKER = re.compile(r"(?<![\d)])\(([a-z]{1,5}|\d{1,2})\)(?=\s+[A-Z\"'])")
_ROMAN = [tens + units for tens in ("", "x", "xx") for units in _UNITS][1:]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "—": "-", "–": "-", "|": " "})

SECTIONS = tuple(_FILES)
"""The ids of the sections whose texts are held."""


def texts_folder() -> Path:
    """Say where the texts should be."""
    return Path(os.environ.get("LADDERMAN_TEXTS", ROOT.parent / "shared" / "regulations"))


def texts_are_held() -> bool:
    """Say whether every text is there."""
    return all((texts_folder() / name).is_file() for name in _FILES.values())


@cache
def whole_text(section_id: str) -> str:
    """Give the file in which a section stands, as it is."""
    return (texts_folder() / _FILES[section_id]).read_text(encoding="utf-8")


def section_text(section_id: str) -> str:
    """Give a section from its heading to the next one, notes included."""
    text = whole_text(section_id)
    heading = _HEADINGS.get(section_id)
    if heading is None:
        return text
    start = text.index(heading)
    ends = [text.index(other) for other in _HEADINGS.values() if text.index(other) > start]
    return text[start : min(ends, default=len(text))]


def operative_text(section_id: str) -> str:
    """Give what the section orders, without the notes on authority and source."""
    return re.split(r"\nAuthority |\nNotes\n|\nAdopted by ", section_text(section_id))[0]


def plain(text: str) -> str:
    """Bring a text into one form: plain dashes and quotes, no table bars, single spaces."""
    spaced = re.sub(r"\)(?=\d)", ") ", text.translate(_TYPOGRAPHY))
    return " ".join(spaced.split()).casefold()


@cache
def paragraphs(section_id: str) -> dict[str, str]:
    """Give the paragraphs of a section by their path: ``(g)(4)(xiv)`` to its own text."""
    text = operative_text(section_id).translate(_TYPOGRAPHY)
    path: list[str] = []
    found: list[tuple[str, int, int]] = []
    for match in _MARKER.finditer(text):
        longer = _continued(path, match[1])
        if longer is not None:
            path = longer
            found.append(("".join(f"({one})" for one in path), match.start(), match.end()))
    ends = [start for _, start, _ in found[1:]] + [len(text)]
    return {name: plain(text[begin:end]) for (name, _, begin), end in zip(found, ends, strict=True)}


def _continued(path: list[str], marker: str) -> list[str] | None:
    """Give the path at a marker that goes on with the numbering; None for a mere reference."""
    if marker.isdigit():
        expected = int(path[1]) + 1 if len(path) > 1 else 1
        return [*path[:1], marker] if path and int(marker) == expected else None
    if len(path) > 1:
        following = _ROMAN[_ROMAN.index(path[2]) + 1] if len(path) > 2 else "i"
        if marker == following:
            return [*path[:2], marker]
    letter = _LETTERS[_LETTERS.index(path[0]) + 1] if path else "a"
    return [marker] if marker == letter else None


def section_numbers(text: str) -> set[str]:
    """List the section numbers that a text names, those inside a range included."""
    number = r"(\d{3}[a-z])\.(\d+)"
    found = {f"{chapter}.{section}" for chapter, section in re.findall(number, text)}
    for chapter, first, last in re.findall(rf"{number}[-–—]\1\.(\d+)", text):
        found |= {f"{chapter}.{one}" for one in range(int(first), int(last) + 1)}
    return found


def in_order(text: str, rows: list[str]) -> str:
    """Take rows out of a text, each after the one before.

    Returns:
        What is left of the text.

    Raises:
        AssertionError: A row is missing or stands elsewhere; it is named.
    """
    spans = []
    position = 0
    for row in rows:
        start = text.find(row, position)
        assert start >= 0, f"not printed at its place: {row!r}"
        position = start + len(row)
        spans.append((start, position))
    kept = [0, *(edge for span in spans for edge in span), len(text)]
    return " … ".join(text[a:b] for a, b in list(pairwise(kept))[::2])
