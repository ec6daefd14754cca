"""The law data says what the regulation texts print: cells, order, dates, paragraphs."""

import datetime
import re

import pytest

from auditors.law import Outcome, Section, load_law
from tests.support.texts.regulation_texts import (
    SECTIONS,
    in_order,
    operative_text,
    paragraphs,
    plain,
    section_numbers,
    section_text,
    texts_are_held,
    texts_folder,
    whole_text,
)

pytestmark = pytest.mark.skipif(
    not texts_are_held(), reason=f"the regulation texts are not in {texts_folder()}"
)

PRINTED_TOGETHER = {"harmony_mini": ["ABC", "DEF", "GHI"], "harmony_big": ["ABC", "DEF", "GHI"]}
"""Letters of the tables of a section, where it prints several."""

PRINTED_LAST = {"golden_talons": 2}
"""Rows that stand first in the data, because (g) puts the natural before the margins."""

CELL = re.compile(r"[\d,.]+ (?:to|for) 1\b|[\d.]+% of progressive|\bn/a\b|\bloss\b|\bpush\b")

CELLS_IN_WORDS = {"golden_talons": ["1 to 1"]}
"""Odds that a paragraph mentions besides the tables."""

HARMONY_WORDS = {
    "six_of_a_kind": "six-of-a-kind",
    "four_8s": "four 8's and only four cards",
    "four_of_a_kind": "four-of-a-kind and only four cards",
    "six_zero_value_cards": "any combination of six 0-value cards",
    "tie_0": "point counts of 0",
    "tie_1_to_5": "a point count between 1 and 5",
    "tie_6_to_9": "a point count between 6 and 9",
    "tie_one_colour": "all of the same color",
    "any_tie": "regardless of hand composition",
    "tie_5_cards": "a total of five cards",
    "tie_6_cards": "a total of six cards",
    "tie_4_cards": "a total of four cards",
}

sections = pytest.mark.parametrize("section_id", SECTIONS)


def law_section(section_id: str) -> Section:
    """Give one section of the shipped law."""
    return load_law().sections[section_id]


def printed_rows(section: Section) -> list[str]:
    """Write the rows of a section's tables as the text prints them, under the default readings."""
    groups = PRINTED_TOGETHER.get(section.id) or ["".join(section.paytables)]
    rows: list[str] = []
    for letters in groups:
        for wager in section.wager:
            for outcome in wager.outcome:
                row = printed_row(outcome, letters)
                if row and stands_by_default(outcome):
                    rows.append(row)
    last = PRINTED_LAST.get(section.id, 0)
    return rows[last:] + rows[:last]


def stands_by_default(outcome: Outcome) -> bool:
    """Say whether an outcome is part of its wager under the default readings."""
    defaults = load_law().default_readings()
    return all(defaults[id_] == code for id_, code in outcome.reading.items())


def printed_row(outcome: Outcome, letters: str) -> str | None:
    """Write one row under some letters; None where the text prints no odds for it there."""
    if isinstance(outcome.pays, str):
        is_printed = "not seen" not in outcome.pays_cite and outcome.pays != "push"
        return plain(f"{outcome.title} {outcome.pays}") if is_printed else None
    cells = [outcome.pays[letter] for letter in letters if outcome.stands_under(letter)]
    return plain(f"{outcome.title} {' '.join(cells)}") if cells else None


def cited_paragraphs(section: Section) -> set[str]:
    """List every paragraph that the data of a section cites, one path each."""
    cites = [section.settles_cite, *(v for _, v in section.offering if isinstance(v, str))]
    cites += [value for _, value in section.cites] if section.cites else []
    rates = section.progressive
    cites += [rates.cite, rates.award_cite] if rates else []
    for wager in section.wager:
        cites += [wager.loses.cite, wager.base_wager_cite]
        cites += [cite for one in wager.outcome for cite in (one.wins_cite, one.pays_cite)]
    return {path for cite in cites for path in paths_in(cite)}


def paths_in(cite: str) -> list[str]:
    """Give the paths that a citation names in its own section."""
    own, _, _ = cite.partition(", referring to ")
    return re.findall(r"(?:\([a-z]+\)|\(\d+\))+", own)


@sections
def test_every_cell_is_printed_in_its_row_and_order_and_none_is_left_over(section_id: str) -> None:
    section = law_section(section_id)
    left = in_order(plain(operative_text(section_id)), printed_rows(section))
    assert CELL.findall(left) == CELLS_IN_WORDS.get(section_id, [])


@sections
def test_other_readings_price_by_a_row_that_is_printed_for_the_wager(section_id: str) -> None:
    for wager in law_section(section_id).wager:
        printed = [one.pays for one in wager.outcome if stands_by_default(one)]
        assert [one.code for one in wager.outcome if one.pays not in printed] == []


@sections
def test_every_paragraph_that_is_cited_exists(section_id: str) -> None:
    section = law_section(section_id)
    assert cited_paragraphs(section) - set(paragraphs(section_id)) == set()


def test_the_paragraphs_of_every_text_are_found() -> None:
    counts = {section_id: len(paragraphs(section_id)) for section_id in SECTIONS}
    assert counts == {
        "rising_phoenix": 49,
        "golden_talons": 10,
        "harmony_mini": 24,
        "eclipse": 17,
        "harmony_big": 24,
        "majestic_match": 7,
        "five_treasures": 18,
    }


@pytest.mark.parametrize("section_id", ["rising_phoenix", "eclipse", "five_treasures"])
def test_the_paragraph_that_says_when_a_wager_wins_names_the_wager(section_id: str) -> None:
    section, texts = law_section(section_id), paragraphs(section_id)
    for wager in section.wager:
        name = {"player": "player's hand", "banker": "banker's hand", "tie": "tie wager"}.get(
            wager.code, plain(wager.title)
        )
        for outcome in wager.outcome:
            path = paths_in(outcome.wins_cite)[-1]
            parent = texts.get(path.rpartition("(")[0], "")
            assert name in texts[path] or name in parent, f"{wager.code}: {path}: {texts[path]}"


@pytest.mark.parametrize("section_id", ["harmony_mini", "harmony_big"])
def test_the_paragraph_that_says_when_harmony_wins_describes_the_row(section_id: str) -> None:
    (wager,) = law_section(section_id).wager
    assert {one.code for one in wager.outcome} == set(HARMONY_WORDS)
    for outcome in wager.outcome:
        assert HARMONY_WORDS[outcome.code] in paragraphs(section_id)[outcome.wins_cite]


@pytest.mark.parametrize("section_id", ["harmony_mini", "harmony_big"])
def test_the_rates_are_those_of_the_letters(section_id: str) -> None:
    section = law_section(section_id)
    assert section.progressive is not None
    rows = []
    for letters in PRINTED_TOGETHER[section_id]:
        for title, rates in (
            ("Incrementation rate", section.progressive.increment),
            ("Reserve incrementation rate", section.progressive.reserve),
        ):
            rows.append(plain(f"{title} {' '.join(rates[letter] for letter in letters)}"))
    left = in_order(plain(operative_text(section_id)), rows)
    assert re.findall(r"[\d.]+%(?! of progressive)", left) == []


@pytest.mark.parametrize("section_id", ["rising_phoenix", "golden_talons", "harmony_mini"])
def test_the_dates_are_those_of_the_source_note(section_id: str) -> None:
    note = re.search(
        r"effective (\w+ \d+, \d{4}), expire (\w+ \d+, \d{4}), (\d+ Pa\.B\. \d+)",
        section_text(section_id),
    )
    assert note is not None
    (term,) = law_section(section_id).in_force
    assert (term.from_date, term.until, term.source) == (
        in_words(note[1]),
        in_words(note[2]),
        note[3],
    )


def test_the_dates_of_harmony_at_the_big_table_are_those_of_its_note() -> None:
    note = re.search(
        r"Vol (\d+), No\. (\d+)\..*effective (\S+), expire (\S+) ", section_text("harmony_big")
    )
    assert note is not None
    (term,) = law_section("harmony_big").in_force
    assert (term.from_date, term.until) == (in_figures(note[3]), in_figures(note[4]))
    assert term.source == f"Pa.B. Vol. {note[1]}, No. {note[2]}"


def test_the_end_of_eclipse_is_that_of_its_heading() -> None:
    heading = re.search(r"\[Effective until (\S+)\]", section_text("eclipse"))
    assert heading is not None
    (term,) = law_section("eclipse").in_force
    assert (term.from_date, term.until) == ("not_shown", in_figures(heading[1]))


@pytest.mark.parametrize("section_id", ["majestic_match", "five_treasures"])
def test_a_text_without_dates_has_none_in_the_data(section_id: str) -> None:
    assert re.findall(r"\bexpire|[Ee]ffective until", section_text(section_id)) == []
    (term,) = law_section(section_id).in_force
    assert (term.from_date, term.until) == ("not_shown", None)


def test_the_deleted_sections_are_those_of_the_texts() -> None:
    notes = re.findall(
        r"§ (627b\.\d)[^§]*?deleted \w+ \d+, \d{4}, effective (\w+ \d+, \d{4}), (\d+ Pa\.B\. \d+)",
        whole_text("rising_phoenix"),
    )
    printed = {number: (in_words(day), source) for number, day, source in notes}
    deleted = load_law().deleted.values()
    assert {one.section: (one.from_date, one.source) for one in deleted} == printed


@sections
def test_every_section_that_a_text_points_to_is_declared(section_id: str) -> None:
    section = law_section(section_id)
    own = section_numbers(section.section)
    named = section_numbers(operative_text(section_id)) - own
    declared = section_numbers(" ".join(one.section for one in section.refers_to))
    assert declared == named


def test_the_decks_and_cover_cards_of_rising_phoenix_are_those_of_the_text() -> None:
    offering = law_section("rising_phoenix").offering
    text = paragraphs("rising_phoenix")[offering.decks_cite]
    assert "six or eight decks" in text
    assert "two cover cards" in text
    assert (offering.decks, offering.cover_cards) == ((6, 8), 2)


def in_words(text: str) -> datetime.date:
    """Read ``August 5, 2023``."""
    return datetime.datetime.strptime(text, "%B %d, %Y").replace(tzinfo=datetime.UTC).date()


def in_figures(text: str) -> datetime.date:
    """Read ``3/25/2023``, month first."""
    month, day, year = (int(part) for part in text.split("/"))
    return datetime.date(year, month, day)
