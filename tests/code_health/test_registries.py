"""A new event type or finding code touches few files: names stand where they are needed only."""

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from schemas.events import EVENT_TYPES
from schemas.findings import FindingCode
from tests.support.source_tree import PACKAGES, ROOT

KINDS = {".py", ".md", ".toml", ".sql"}

EVENT_FILES_MEDIAN_MAX = 8
CODE_FILES_MEDIAN_MAX = 6
"""Half of all events, and of all codes, are named in at most so many files of the product."""

EVENT_FILES_MAX = 20
CODE_FILES_MAX = 16
"""No event and no code is named in more."""

LISTS_OF_EVENTS = {
    "schemas/feed.md",  # what device makers read; its reference is made from the classes
    "dashboards/documents/history/event_words.py",  # what people read
}
LISTS_OF_CODES = {
    "schemas/findings.py",  # the codes
    "auditors/catalogue/findings.toml",  # what they mean
    "tests/unit/auditors/catalogue/test_catalogue.py",  # the severities that were agreed
    "tests/unit/auditors/table/test_every_code.py",  # a feed that brings each
}
"""Files that name more than half of them, so that a new one has to be written there too."""


FACTS_IMPORTED = re.compile(
    r"^from schemas\.finding_facts[\w.]* import (\([^)]*\)|.*)$", re.MULTILINE
)
FACTS_DEFINED = re.compile(r"^class (\w+)\(FactsPart\)", re.MULTILINE)
FACTS_NAMED = re.compile(r"\bfacts\.\w+|^    kind: Literal.*$", re.MULTILINE)


def without_facts(text: str) -> str:
    """Leave out of a module the facts of findings, which may be called like an event."""
    named = {name for names in FACTS_IMPORTED.findall(text) for name in re.findall(r"\w+", names)}
    named |= set(FACTS_DEFINED.findall(text))
    text = FACTS_NAMED.sub("", text)
    return re.sub(rf"\b(?:{'|'.join(sorted(named))})\b", "", text) if named else text


def words_by_file(folders: Iterable[str], root: Path = ROOT) -> dict[str, set[str]]:
    """Give what each file names: its words in capitals or mixed case, and those in quotes."""
    paths = [path for one in folders for path in sorted((root / one).rglob("*"))]
    texts = {
        path.relative_to(root).as_posix(): without_facts(path.read_text(encoding="utf-8"))
        for path in paths
        if path.suffix in KINDS
    }
    return {
        name: {*re.findall(r"\b[A-Z]\w+", text), *re.findall(r"""["'`](\w+)["'`]""", text)}
        for name, text in texts.items()
    }


def files_naming(names: Iterable[str], words: dict[str, set[str]]) -> list[str]:
    """List the files in which any of some names stands."""
    wanted = set(names)
    return [file for file, found in words.items() if wanted & found]


def lists_among(named: dict[str, list[str]]) -> set[str]:
    """Give the files that name more than half of all things."""
    files = {file for found in named.values() for file in found}
    return {file for file in files if 2 * sum(file in one for one in named.values()) > len(named)}


def events_in(folders: Iterable[str]) -> dict[str, list[str]]:
    words = words_by_file(folders)
    return {tag: files_naming({tag, one.__name__}, words) for tag, one in EVENT_TYPES.items()}


def codes_in(folders: Iterable[str]) -> dict[str, list[str]]:
    words = words_by_file(folders)
    return {code.value: files_naming({code.value}, words) for code in FindingCode}


def test_an_event_type_is_named_in_few_files() -> None:
    counts = {tag: len(files) for tag, files in events_in(PACKAGES).items()}
    assert min(counts.values()) >= 3  # its class, its page, its words
    assert median(counts.values()) <= EVENT_FILES_MEDIAN_MAX
    assert max(counts.values()) <= EVENT_FILES_MAX, max(counts, key=counts.__getitem__)


def test_a_finding_code_is_named_in_few_files() -> None:
    counts = {code: len(files) for code, files in codes_in(PACKAGES).items()}
    assert min(counts.values()) >= 4  # the code, its meaning, who finds it, who plants it
    assert median(counts.values()) <= CODE_FILES_MEDIAN_MAX
    assert max(counts.values()) <= CODE_FILES_MAX, max(counts, key=counts.__getitem__)


def test_nothing_else_lists_all_events_or_all_codes() -> None:
    assert lists_among(events_in((*PACKAGES, "tests"))) == LISTS_OF_EVENTS
    assert lists_among(codes_in((*PACKAGES, "tests"))) == LISTS_OF_CODES


def test_a_list_is_what_names_more_than_half() -> None:
    words = {"all.py": {"A", "B", "C"}, "half.py": {"A", "B"}, "one.py": {"A"}}
    named = {name: files_naming({name}, words) for name in "ABCD"}
    assert named["C"] == ["all.py"]
    assert lists_among(named) == {"all.py"}


def test_words_are_found_in_quotes_and_in_capitals(tmp_path: Path) -> None:
    folder = tmp_path / "streams"
    folder.mkdir()
    (folder / "told.py").write_text("if tag == 'seat_vacated' and CardDealt: heartbeat = 1\n")
    (folder / "told.txt").write_text("'heartbeat'")
    words = words_by_file(["streams"], tmp_path)
    assert words == {"streams/told.py": {"seat_vacated", "CardDealt"}}


def test_facts_of_a_finding_are_no_mention_of_the_event_of_that_name() -> None:
    told = "from schemas.finding_facts.shoe import (\n    CardRemoved,\n)\nx = CardRemoved()\n"
    assert "CardRemoved" not in without_facts(told)
    assert "CardRemoved" not in without_facts("x = facts.CardRemoved\n")
    own = 'class CardRemoved(FactsPart):\n    kind: Literal["card_removed"] = "card_removed"\n'
    assert "emoved" not in without_facts(own)
    assert "CardRemoved" in without_facts("from schemas.events import CardRemoved\n")
    assert "card_removed" in without_facts('TYPES = ("card_removed",)\n')
