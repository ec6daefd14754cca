"""Exact odds for people: tables of 80 columns, with what the law says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table

from auditors.law.interpretations import ProgressiveShare
from auditors.law.model import Law, Section
from auditors.odds.exact import OutcomeOdds, nearest_float
from auditors.odds.listing import ListedOdds
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.law.odds import OddsReport
from dashboards.terminal.console import add_row, plain_table, write_line
from schemas.money import grouped_minor

_RARE = Fraction(1, 10_000)


def print_odds(console: Console, law: Law, report: OddsReport, *, with_outcomes: bool) -> None:
    """Print the odds section by section.

    Args:
        console: Where to.
        law: For the words of sections and interpretations.
        report: The odds.
        with_outcomes: Whether each outcome is shown with its price and paragraphs.
    """
    write_line(console, f"Exact odds of a full shoe of {report.decks} decks, before any rounding.")
    by_section: dict[str, list[ListedOdds]] = {}
    for one in report.entries:
        by_section.setdefault(one.odds.priced.section.id, []).append(one)
    for section_id, listed in by_section.items():
        write_line(console)
        write_line(console, _heading(law.sections[section_id]), style="bold")
        for one in listed:
            if with_outcomes and not one.is_alternative:
                _print_outcomes(console, one)
        if any(one.odds.has_meter for one in listed):
            _print_progressive(console, report, listed)
        else:
            _print_edges(console, listed)
        _print_readings(console, law, listed)
    write_line(console)
    write_line(console, "--format json gives every number as an exact fraction too.")
    write_line(console, ADVISORY)


def _table(*columns: str, right: int) -> Table:
    """A table whose last columns are numbers, set to the right."""
    table = plain_table(*columns)
    for column in table.columns[len(columns) - right :]:
        column.justify, column.no_wrap = "right", True
    return table


def _print_outcomes(console: Console, entry: ListedOdds) -> None:
    """Show what wins, what it pays, how likely it is, and where the text says so."""
    odds = entry.odds
    terms = _terms(entry)
    write_line(console)
    write_line(console, f"{odds.priced.name}{', ' if terms else ''}{terms}")
    is_cited = odds.citation is not None
    table = _table("Outcome", "Pays", *(["Paragraphs"] if is_cited else []), "Chance", right=1)
    for one in odds.outcomes:
        cites = [_paragraphs(odds.priced.section, one)] if is_cited else []
        add_row(table, one.title, one.pays, *cites, chance(one.probability))
    console.print(table)
    write_line(console)


def _paragraphs(section: Section, one: OutcomeOdds) -> str:
    """Name paragraphs as the heading of the section leaves them to be named."""
    return ", ".join(
        f"§ {section.chapter}{cite}" if cite.startswith(".") else cite for cite in one.paragraphs
    )


def _print_edges(console: Console, listed: Sequence[ListedOdds]) -> None:
    table = _table("Wager", "Terms", "Win", "Push", "House edge", right=3)
    for one in listed:
        odds = one.odds
        edge = "no odds filed" if odds.house_edge is None else percent(odds.house_edge)
        add_row(
            table,
            odds.priced.name,
            _terms(one),
            percent(odds.win_probability),
            percent(odds.push_probability) if odds.push_probability else "",
            edge,
        )
    console.print(table)


def _print_progressive(console: Console, report: OddsReport, listed: Sequence[ListedOdds]) -> None:
    has_stake = report.stake_minor is not None
    meters = ["Break-even meter"] if has_stake else []
    table = _table("Terms", "Win", "Jackpot", "Return without it", *meters, right=3 + len(meters))
    for one in listed:
        odds = one.odds
        cells = [
            percent(odds.win_probability),
            chance(odds.jackpot_probability or Fraction(0)),
            percent(odds.return_without_jackpot or Fraction(0)),
        ]
        cells += [report.break_even_meter(one) or ""] if has_stake else []
        add_row(table, _terms(one), *cells)
    console.print(table)
    if report.stake_minor is None:
        write_line(
            console, "No house edge without a meter; --stake 5.00 shows where it breaks even."
        )
        return
    stake = f"{grouped_minor(report.stake_minor, report.currency)} {report.currency}"
    write_line(
        console,
        f"Break-even meter: at a stake of {stake}, rounded up to the next payable amount; the "
        f"wager is taken to win the meter alone ({ProgressiveShare.ID}).",
    )


def _terms(entry: ListedOdds) -> str:
    letter = entry.odds.priced.letter
    parts = [f"paytable {letter}"] if letter else []
    if entry.commission is not None:
        free = entry.commission == "free"
        parts.append("commission-free" if free else f"vigorish {entry.commission}")
    parts += [entry.tie_odds] if entry.tie_odds else []
    parts += [f"{id_}={code}" for id_, code in (entry.interpretation or {}).items()]
    return ", ".join(parts)


def _print_readings(console: Console, law: Law, listed: Sequence[ListedOdds]) -> None:
    """Say in words what each reading shown would mean."""
    shown = {
        (id_, code): None for one in listed for id_, code in (one.interpretation or {}).items()
    }
    for id_, code in sorted(shown, key=lambda one: int(one[0][1:])):
        meaning = law.interpretations[id_].codes[code]
        write_line(console, f"{id_}={code}: {meaning}.", style="dim")


def percent(value: Fraction) -> str:
    """Write a share in per cent with four decimals."""
    return f"{nearest_float(value * 100):.4f} %"


def chance(value: Fraction) -> str:
    """Write a probability in per cent, or as 1 in so many where it is small."""
    if 0 < value < _RARE:
        return f"1 in {round(1 / value):,}"
    return percent(value)


def _heading(section: Section) -> str:
    return f"{section.title}: {section.citation('') or section.section}"
