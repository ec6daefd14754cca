"""Every cell of the law as one readable page; a change of the law shows as a change of the page.

Reviewed against the regulation texts cell by cell. Written anew with LADDERMAN_WRITE_GOLDENS=1;
the difference is then to be reviewed like the law itself.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from auditors.law import Law, Outcome, Section, Wager, load_law
from auditors.law.model import Condition, Term

PAGE = Path(__file__).with_name("law_cells.txt")


def law_page(law: Law) -> str:
    """Write all sections, wagers, outcomes, letters, odds and paragraphs, and what is open."""
    lines = [line for section in law.sections.values() for line in section_lines(section)]
    for one in law.interpretations.values():
        codes = ", ".join(one.codes) or "not switchable"
        lines.append(f"{one.id} {one.kind.value}: {codes}; {' '.join(one.sections)}")
    return "\n".join(lines) + "\n"


def section_lines(section: Section) -> Iterator[str]:
    """Write one section."""
    yield f"{section.id} · {section.section} · {section.title}"
    for term in section.in_force:
        yield f"  in force {term_words(term)}"
    yield f"  offered in {' '.join(section.applies_to)}"
    yield f"  settles {section.settles} {section.settles_cite}".rstrip()
    for name, value in section.offering:
        if value:
            yield f"  offering {name} {value}"
    for one in section.refers_to:
        deleted = f", deleted {one.deleted}" if one.deleted else ""
        yield f"  refers to {one.section} {one.what}{deleted}"
    if section.progressive:
        for name in ("increment", "reserve"):
            rates = getattr(section.progressive, name)
            yield f"  {name} {section.progressive.cite} {cells(rates)}"
    if section.tableau:
        yield f"  player draws {section.tableau.player_draws}"
        yield f"  banker draws {section.tableau.banker_draws_if_player_stands} if player stands"
        for points, values in section.tableau.banker_draws_on_third_card.items():
            yield f"  banker on {points} draws against {values}"
    for name, value in section.cites or []:
        yield f"  {name}: {section.citation(value)}"
    for wager in section.wager:
        yield from wager_lines(section, wager)
    yield ""


def term_words(term: Term) -> str:
    """Write one term with its source."""
    until = f"until {term.until}" if term.until else "no end printed"
    return f"from {term.from_date} {until} ({term.source})"


def wager_lines(section: Section, wager: Wager) -> Iterator[str]:
    """Write one wager with its outcomes."""
    hands = f" on {' or '.join(wager.backs)}" if wager.backs else ""
    rule = f" {wager.match_reading} {wager.match}" if wager.match_reading else ""
    yield f"  {section.wager_id(wager)}{hands} · {wager.title}{rule}"
    yield f"    base wager {wager.base_wager} {wager.base_wager_cite}".rstrip()
    for outcome in wager.outcome:
        yield f"    {outcome.code} · {outcome.title}"
        yield f"      when {event(outcome)}"
        yield f"      pays {cells(outcome.pays)}{conditions(outcome)}"
        if section.kind != "house":
            yield f"      cited {section.citation(outcome.wins_cite, outcome.pays_cite)}"
    yield f"    {wager.loses.code} {wager.loses.cite}".rstrip()


def event(outcome: Outcome) -> str:
    """Write what has to happen."""
    if outcome.any_wins:
        return "any wins: " + " ".join(outcome.any_wins)
    if outcome.any_occurs:
        return "any occurs: " + " ".join(outcome.any_occurs)
    return " or ".join(facts(one) for one in outcome.conditions())


def facts(condition: Condition) -> str:
    """Write the facts of one condition."""
    words = []
    for name, wanted in condition.items():
        if isinstance(wanted, dict):
            wanted = f"{wanted['from']}..{wanted['to']}"  # noqa: PLW2901
        elif isinstance(wanted, list):
            wanted = "|".join(str(one) for one in wanted)  # noqa: PLW2901
        words.append(f"{name}={wanted}")
    return ", ".join(words)


def cells(pays: str | dict[str, str]) -> str:
    """Write the cells of a row, by letter where there are letters."""
    if isinstance(pays, str):
        return pays
    return " | ".join(f"{letter} {cell}" for letter, cell in pays.items())


def conditions(outcome: Outcome) -> str:
    """Write under which form and reading a row stands, and what the filing may set."""
    words = [f"{key}={value}" for key, value in (outcome.applies_if | outcome.reading).items()]
    if outcome.pays_from:
        words.append(f"unless {outcome.pays_from}")
    if outcome.only:
        words.append(f"only {''.join(outcome.only)}")
    return f"  [{'; '.join(words)}]" if words else ""


def test_the_law_is_the_one_that_was_reviewed() -> None:
    page = law_page(load_law())
    if os.environ.get("LADDERMAN_WRITE_GOLDENS"):
        PAGE.write_text(page, encoding="utf-8")
    assert page.splitlines() == PAGE.read_text(encoding="utf-8").splitlines()
