"""The law for people: tables of 80 columns, each row with its paragraph."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from auditors.law.model import Interpretation, Law, Outcome, Section, Tableau, Wager
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.law.rules import (
    LOSS,
    concerning,
    conditions_of_offering,
    dangling_references,
    games_of,
    ordered_sections,
    standing_of,
    standing_words,
    stands_by_default,
    term_words,
)
from dashboards.terminal.console import add_row, plain_table, write_line

_CITE_MAX: Final = 16
_CELL_MAX: Final = 12
_CELLS_WIDTH_MAX: Final = 46
"""Columns of letters that fit beside the outcome and its paragraphs."""

_SETTLES: Final = {
    "after_first_four": "after the first four cards, before any third card",
    "after_result": "after the result is announced",
    "not_stated": "not stated",
}


def print_list(console: Console, law: Law, gaming_date: datetime.date) -> None:
    """Print all sections, wagers, references that lead nowhere, and interpretations."""
    write_line(console, f"Rules on gaming date {gaming_date}", "bold")
    write_line(console)
    table = plain_table("id", "section", "printed dates and source", "status")
    for section in ordered_sections(law):
        standing = standing_of(law, section, gaming_date)
        dates = "; ".join(f"{term_words(one)} ({one.source})" for one in section.in_force)
        cite = section.citation()
        name = f"{section.title}, {_short(law, cite)}" if cite else f"{section.title}, no citation"
        add_row(table, section.id, name, dates, standing_words(standing))
    console.print(table)
    _print_wagers(console, law)
    _print_dangling(console, law, gaming_date)
    _print_interpretations(console, law)
    write_line(console)
    write_line(console, "One section, wager or interpretation: ladderman rules show NAME")
    write_line(console, ADVISORY)


def _short(law: Law, citation: str) -> str:
    return citation.removeprefix(law.jurisdiction.code).strip(" ,")


def _print_wagers(console: Console, law: Law) -> None:
    write_line(console)
    write_line(console, "Wagers (id is section.wager)", "bold")
    table = plain_table("section", "paytables", "wagers")
    for section in ordered_sections(law):
        wagers = ", ".join(name for one in section.wager for name in _placed_as(section, one))
        add_row(table, section.id, ", ".join(section.paytables) or "one", wagers)
    console.print(table)


def _placed_as(section: Section, wager: Wager) -> list[str]:
    """Name a wager as it is written on the command line, once for each hand it can back."""
    name = wager.code or section.id
    return [f"{name}@{hand}" for hand in wager.backs] or [name]


def _print_dangling(console: Console, law: Law, gaming_date: datetime.date) -> None:
    write_line(console)
    write_line(console, "References that lead to no text held here", "bold")
    table = plain_table("section", "refers to", "why it leads nowhere")
    for section in ordered_sections(law):
        found = dangling_references(section, gaming_date)
        for one in found:
            if one.deleted:
                what = f" ({one.what})" if one.what else ""
                add_row(table, section.id, f"§ {one.section}{what}", f"deleted {one.deleted}")
        unseen = ", ".join(one.section for one in found if not one.deleted)
        if unseen:
            add_row(table, section.id, unseen, "text not seen")
    console.print(table)


def _print_interpretations(console: Console, law: Law) -> None:
    write_line(console)
    write_line(console, "Interpretations in force where nothing else is filed", "bold")
    table = plain_table("id", "kind", "code", "question")
    for one in law.interpretations.values():
        add_row(table, one.id, one.kind.value, one.default or "-", one.question)
    console.print(table)


def print_section(
    console: Console,
    law: Law,
    section: Section,
    wagers: Sequence[Wager],
    gaming_date: datetime.date,
) -> None:
    """Print a section, or some of its wagers, as a person reads it: conditions, rows, openings."""
    _print_head(console, law, section, wagers, gaming_date)
    cites = _Footnotes()
    _print_paytables(console, law, section, wagers, cites)
    cites.print(console)
    if section.progressive:
        write_line(console)
        write_line(console, f"Progressive rates, {section.progressive.cite}", "bold")
        table = plain_table("rate", *section.paytables)
        for name, rates in (
            ("increment", section.progressive.increment),
            ("reserve", section.progressive.reserve),
        ):
            add_row(table, name, *(rates[letter] for letter in section.paytables))
        console.print(table)
    if section.tableau:
        _print_tableau(console, section.tableau)
    _print_concerning(console, concerning(law, section, wagers))
    _print_references(console, section, gaming_date)
    for note in section.notes:
        write_line(console, f"Note: {note}", hang=4)
    write_line(console)
    write_line(console, ADVISORY)


def _print_head(
    console: Console,
    law: Law,
    section: Section,
    wagers: Sequence[Wager],
    gaming_date: datetime.date,
) -> None:
    title = section.title
    if len(wagers) < len(section.wager):
        title = f"{wagers[0].title} ({section.wager_id(wagers[0])})"
    cite = section.citation() or "house rules, no citation"
    write_line(console, f"{title}, {cite}", "bold")
    standing = standing_of(law, section, gaming_date)
    write_line(console, f"Gaming date {gaming_date}: {standing_words(standing)}")
    for term in section.in_force:
        temporary = ", temporary" if term.temporary else ""
        write_line(console, f"Printed dates: {term_words(term)} ({term.source}{temporary})")
    settles = next(iter({one.settles for one in wagers if one.settles}), section.settles)
    cited = f", {_cite(section, section.settles_cite)}" if section.settles_cite else ""
    write_line(console, f"Settled: {_SETTLES[settles]}{cited}")
    write_line(console, f"Offered at: {', '.join(games_of(law, section))}", hang=4)
    hands = sorted({hand for one in wagers for hand in one.backs}, reverse=True)
    if hands:
        ids = ", ".join(f"{section.wager_id(one)}@{hand}" for one in wagers for hand in hands)
        write_line(console, f"Placed on a chosen hand: {ids}", hang=4)
    conditions = conditions_of_offering(section, wagers)
    if conditions:
        write_line(console)
        table = plain_table("paragraph", "condition of offering")
        for words, paragraph in conditions:
            add_row(table, _cite(section, paragraph), words)
        console.print(table)


def _cite(section: Section, paragraph: str) -> str:
    """Write a paragraph as it is read beside its section: ``(f)``, or ``§ 627a.11``."""
    number = section.section.rpartition("§ ")[2]
    return f"§ {number}{paragraph}" if paragraph.startswith((".", " (")) else paragraph


class _Footnotes:
    """Paragraphs that are too long for a column, moved below the table."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def short(self, cite: str) -> str:
        """Give the paragraph itself, or the number of its note."""
        if len(cite) <= _CITE_MAX:
            return cite
        return f"[{self.numbers.setdefault(cite, len(self.numbers) + 1)}]"

    def print(self, console: Console) -> None:
        """Print the notes."""
        for cite, number in self.numbers.items():
            write_line(console, f"[{number}] {cite}")


def _print_paytables(
    console: Console, law: Law, section: Section, wagers: Sequence[Wager], cites: _Footnotes
) -> None:
    def default(outcome: Outcome) -> bool:
        return stands_by_default(law, outcome)

    def otherwise(outcome: Outcome) -> bool:
        return not stands_by_default(law, outcome)

    for letters in _letter_groups(section, wagers):
        write_line(console)
        if letters:
            write_line(console, f"Paytable{'s' * (len(letters) > 1)} {', '.join(letters)}", "bold")
        _print_rows(console, section, wagers, letters, default, cites, with_loss=True)
    if not any(otherwise(one) for wager in wagers for one in wager.outcome):
        return
    write_line(console)
    write_line(console, "Rows that stand instead under another interpretation", "bold")
    for letters in _letter_groups(section, wagers):
        _print_rows(console, section, wagers, letters, otherwise, cites, with_loss=False)


def _letter_groups(section: Section, wagers: Sequence[Wager]) -> list[tuple[str, ...]]:
    """Group the letters whose tables have the same rows, as many side by side as fit."""
    by_rows: dict[tuple[str, ...], list[str]] = {}
    for letter in section.paytables:
        rows = tuple(
            f"{wager.code}/{one.code}"
            for wager in wagers
            for one in wager.outcome
            if one.stands_under(letter)
        )
        by_rows.setdefault(rows, []).append(letter)
    groups: list[tuple[str, ...]] = []
    for letters in by_rows.values():
        width = 2 + max(
            min(len(one.odds(letter).text), _CELL_MAX)
            for wager in wagers
            for one in wager.outcome
            for letter in letters
            if one.stands_under(letter)
        )
        fits = max(1, _CELLS_WIDTH_MAX // width)
        groups += [tuple(letters[at : at + fits]) for at in range(0, len(letters), fits)]
    return groups or [()]


def _print_rows(
    console: Console,
    section: Section,
    wagers: Sequence[Wager],
    letters: tuple[str, ...],
    wanted: Callable[[Outcome], bool],
    cites: _Footnotes,
    *,
    with_loss: bool,
) -> None:
    named = ["wager"] if len(wagers) > 1 else []
    head = [*named, "outcome", "wins under", *(letters or ("pays",)), "paid under"]
    rows: list[list[str]] = []
    same_loss = False
    for wager in wagers:
        name = [wager.code] if named else []
        shown = [one for one in wager.outcome if wanted(one) and _stands_in(one, letters)]
        for one in shown:
            cells = [_cell(one, letter) for letter in letters or (None,)]
            wins, pays = (cites.short(_cite(section, at)) for at in (one.wins_cite, one.pays_cite))
            rows.append([*name, f"{one.title}{_qualified(one)}", wins, *cells, pays])
            name = [""] if named else []
        if with_loss and wager.loses.cite in [one.wins_cite for one in shown]:
            same_loss = True
        elif with_loss:
            losses, cite = (
                [LOSS] * (len(letters) or 1),
                cites.short(_cite(section, wager.loses.cite)),
            )
            rows.append([*name, "anything else", "", *losses, cite])
    if rows:
        console.print(_fitted_table(console, head, rows, wrapped=len(named)))
    if same_loss:
        where = "" if section.kind == "house" else ", under the paragraph that says when it wins"
        write_line(console, f"A wager that fits no row loses{where}.")


def _fitted_table(
    console: Console, head: Sequence[str], rows: Sequence[Sequence[str]], wrapped: int
) -> Table:
    """Build a table in which the outcome takes what the other columns leave of the width.

    Args:
        console: Gives the width.
        head: Names of the columns.
        rows: Cells of each row, in the order of the columns.
        wrapped: Index of the column that is wrapped to the width that is left.
    """
    table = plain_table(*head)
    columns = list(zip(head, *rows, strict=True))
    widths = [
        max(_unbroken(cell, whole=index < wrapped) for cell in cells)
        for index, cells in enumerate(columns)
    ]
    left = console.width - sum(widths) - 2 * (len(widths) - 1) + widths[wrapped]
    longest = max(len(cell) for cell in columns[wrapped])
    widths[wrapped] = max(widths[wrapped], min(left, longest))
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for row in rows:
        add_row(table, *row)
    return table


def _unbroken(cell: str, *, whole: bool) -> int:
    """Give the width below which a cell is broken badly: a short one whole, else its words."""
    if whole or len(cell) <= _CELL_MAX:
        return len(cell)
    return max(len(word) for word in cell.split())


def _stands_in(outcome: Outcome, letters: tuple[str, ...]) -> bool:
    return not letters or any(outcome.stands_under(letter) for letter in letters)


def _cell(outcome: Outcome, letter: str | None) -> str:
    return outcome.odds(letter).text


def _qualified(outcome: Outcome) -> str:
    """Say under which form or reading a row stands, where it is not the only one."""
    form = outcome.applies_if.get("commission")
    words = {"free": "commission-free", "standard": "standard commission"}
    parts = [words[form]] if form and words[form] not in outcome.title else []
    parts += [f"{id_} {code}" for id_, code in outcome.reading.items()]
    return f" [{', '.join(parts)}]" if parts else ""


def _print_tableau(console: Console, tableau: Tableau) -> None:
    write_line(console)
    write_line(console, "Third cards", "bold")
    write_line(console, f"Player draws on {_numbers(tableau.player_draws)}.")
    stands = _numbers(tableau.banker_draws_if_player_stands)
    write_line(console, f"Banker draws on {stands} where the Player has no third card.")
    for points, values in tableau.banker_draws_on_third_card.items():
        on = f"draws on a Player third card of {_numbers(values)}" if values else "stands"
        write_line(console, f"Banker {points} {on}.")


def _numbers(numbers: Sequence[int]) -> str:
    """Write numbers with runs drawn together: ``0 to 7, 9``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _print_concerning(console: Console, interpretations: Sequence[Interpretation]) -> None:
    if not interpretations:
        return
    write_line(console)
    write_line(console, "What the text leaves open or decides", "bold")
    for one in interpretations:
        write_line(console, f"{one.id} ({one.kind.value}) {one.question}", hang=4)
        in_force = f"{one.default}: " if one.default else ""
        write_line(console, f"{in_force}{one.answer}", indent=4)
        others = [f"{code} ({words})" for code, words in list(one.codes.items())[1:]]
        if others:
            write_line(console, f"otherwise: {'; '.join(others)}", indent=4)


def _print_references(console: Console, section: Section, gaming_date: datetime.date) -> None:
    found = dangling_references(section, gaming_date)
    if not found and not section.notes:
        return
    write_line(console)
    for one in found:
        if one.deleted:
            write_line(console, f"Refers to § {one.section}, deleted {one.deleted}.")
    unseen = ", ".join(one.section for one in found if not one.deleted)
    if unseen:
        write_line(console, f"Refers to texts not seen: {unseen}.", hang=4)


def print_interpretation(console: Console, law: Law, one: Interpretation) -> None:
    """Print an interpretation with its alternatives and how it is switched."""
    write_line(console, f"{one.id}: {one.question}", "bold")
    write_line(console, f"Answer: {one.answer}")
    write_line(console, f"Reason: {one.reason}")
    titles = [law.sections[id_].title for id_ in one.sections if id_ in law.sections]
    write_line(console, f"Concerns: {', '.join(titles)}")
    write_line(console, _KINDS[one.kind.value])
    if one.codes:
        write_line(console)
        table = plain_table("code", "meaning", "")
        for code, words in one.codes.items():
            add_row(table, code, words, "in force by default" if code == one.default else "")
        console.print(table)
        other = list(one.codes)[1]
        write_line(console)
        write_line(console, f"Switch it with --reading {one.id}={other}, or in the submission:")
        console.print(Text(f'  [readings]\n  {one.id} = "{other}"'))
    write_line(console)
    write_line(console, ADVISORY)


_KINDS: Final = {
    "text": "The text decides it; it cannot be switched.",
    "legal_status": "It is a question of what is in force; it cannot be switched.",
    "open": "The text leaves it open; a property may switch it.",
    "house_procedure": "It is the house's procedure; a property may switch it.",
}
