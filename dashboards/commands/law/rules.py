"""``ladderman rules``: what the law is, as held here, on a gaming date."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from auditors.law.interpretations import SupremeLoss
from auditors.law.model import Interpretation, Law, Section, Wager
from auditors.settlement.terms import TermsError, resolve_wager
from dashboards.commands.help import HelpGroup
from dashboards.documents.rules import (
    INTERPRETATION_SCHEMA,
    interpretation_json,
    list_document,
    ordered_sections,
    outcome_rows,
    section_document,
    section_summary,
)
from dashboards.errors import UsageProblem
from dashboards.options.gaming_date import gaming_date_or_today
from dashboards.options.pairs import quoted
from dashboards.options.terms import JurisdictionOption, law_named
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.rules import print_interpretation, print_list, print_section
from dashboards.terminal.writing import table_console, write_csv, write_json, write_json_lines
from schemas.rules_submission import DEFAULT_JURISDICTION
from schemas.words.suggestions import near_miss

_LIST_COLUMNS: Final = (
    "id", "title", "citation", "status", "first_day", "last_day", "lapses_in_days", "source",
    "applies_to", "settles", "paytables", "wagers", "dangling_references",
)  # fmt: skip
_OUTCOME_COLUMNS: Final = (
    "gaming_date", "section", "wager", "paytable", "outcome", "outcome_code", "pays", "commission",
    "interpretations", "wins_citation", "pays_citation",
)  # fmt: skip
_CODE_COLUMNS: Final = ("id", "kind", "code", "is_default", "meaning", "question")

GamingDateOption = Annotated[
    str | None,
    typer.Option("--gaming-date", metavar="DATE", help="Gaming date, YYYY-MM-DD; default today."),
]
_FormatChoice = Annotated[FormatOption, typer.Option("--format", help="How to write the answer.")]


def register(app: typer.Typer) -> None:
    """Add ``rules list`` and ``rules show``."""
    rules = typer.Typer(
        cls=HelpGroup,
        no_args_is_help=True,
        epilog="Example: ladderman rules list --gaming-date 2026-08-05",
        help="The law as held: sections, paytables, interpretations.",
    )
    app.add_typer(rules, name="rules")
    rules.command("list", epilog="Example: ladderman rules list --gaming-date 2026-08-05")(
        list_rules
    )
    rules.command("show", epilog="Example: ladderman rules show golden_talons")(show_rule)


def list_rules(
    gaming_date: GamingDateOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List sections, wagers and interpretations, with what is in force on a gaming date.

    CSV holds the sections alone.
    """
    law, day = law_named(jurisdiction), gaming_date_or_today(gaming_date)
    document = list_document(law, day)
    sections = [section_summary(law, one, day) for one in ordered_sections(law)]
    if output is FormatOption.TABLE:
        print_list(table_console(), law, day)
    elif output is FormatOption.JSON:
        write_json(document)
    elif output is FormatOption.JSONL:
        write_json_lines(sections)
        write_json_lines(interpretation_json(one) for one in law.interpretations.values())
    else:
        write_csv(_LIST_COLUMNS, [_list_row(one) for one in sections])


def show_rule(
    name: Annotated[
        str,
        typer.Argument(
            help="A section by id or number (golden_talons), a wager (eclipse.sun_7) or an "
            f"interpretation ({SupremeLoss.ID})."
        ),
    ],
    gaming_date: GamingDateOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show a paytable with its paragraphs, one wager, or an interpretation."""
    law = law_named(jurisdiction)
    found = find_rule(law, name)
    if isinstance(found, Interpretation):
        _write_interpretation(law, found, output)
    else:
        _write_section(law, found, gaming_date_or_today(gaming_date), output)


@dataclass(frozen=True, slots=True)
class FoundWagers:
    """What a name stands for: a whole section, or one wager of it."""

    section: Section
    wagers: tuple[Wager, ...]


def find_rule(law: Law, name: str) -> FoundWagers | Interpretation:
    """Find a section by id or number, a wager, or an interpretation.

    Raises:
        UsageProblem: Nothing of that name, with the near miss; or several wagers of a bare name.
    """
    asked = name.strip()
    if found := law.interpretations.get(asked.upper()):
        return found
    section = law.sections.get(asked.lower()) or _by_number(law, asked)
    if section is not None:
        return FoundWagers(section, section.wager)
    bare = asked.lower().partition("@")[0]
    if bare in law.wagers:
        owner, wager = law.wagers[bare]
        return FoundWagers(owner, (wager,))
    try:
        owner, wager = law.wagers[resolve_wager(law, bare).id]
    except TermsError as error:
        message = str(error)
    else:
        return FoundWagers(owner, (wager,))
    if "ambiguous" in message:
        raise UsageProblem(message)
    words = {id_.rpartition(".")[2] for id_ in law.wagers}
    hint = near_miss(bare, [*law.sections, *law.wagers, *words]) or near_miss(
        asked.upper(), law.interpretations
    )
    raise UsageProblem(
        f"no section, wager or interpretation {quoted(name)}{hint or '; see ladderman rules list'}"
    )


def _by_number(law: Law, text: str) -> Section | None:
    code = law.jurisdiction.code
    cited = f"{code} § {text.removeprefix(code).strip(' §')}"
    return next((one for one in law.sections.values() if one.section == cited), None)


def _write_section(law: Law, found: FoundWagers, day: datetime.date, output: FormatOption) -> None:
    if output is FormatOption.TABLE:
        print_section(table_console(), law, found.section, found.wagers, day)
    elif output is FormatOption.JSON:
        write_json(section_document(law, found.section, found.wagers, day))
    else:
        rows = outcome_rows(found.section, found.wagers, day)
        if output is FormatOption.JSONL:
            write_json_lines(rows)
        else:
            write_csv(_OUTCOME_COLUMNS, (_outcome_row(one) for one in rows))


def _write_interpretation(law: Law, found: Interpretation, output: FormatOption) -> None:
    if output is FormatOption.TABLE:
        print_interpretation(table_console(), law, found)
    elif output is FormatOption.CSV:
        write_csv(
            _CODE_COLUMNS,
            [
                {
                    "schema": INTERPRETATION_SCHEMA,
                    "id": found.id,
                    "kind": found.kind.value,
                    "code": code,
                    "is_default": "yes" if code == found.default else "no",
                    "meaning": meaning,
                    "question": found.question,
                }
                for code, meaning in (found.codes or {"": found.answer}).items()
            ],
        )
    elif output is FormatOption.JSON:
        write_json(interpretation_json(found))
    else:
        write_json_lines([interpretation_json(found)])


def _list_row(section: dict[str, object]) -> dict[str, object]:
    """Flatten a section for CSV: lists become words with blanks between."""
    row = dict(section)
    terms, wagers, dangling = (
        row.pop(key) for key in ("in_force", "wagers", "dangling_references")
    )
    assert isinstance(terms, list) and isinstance(wagers, list) and isinstance(dangling, list)
    row["source"] = "; ".join(one["source"] for one in terms)
    row["wagers"] = " ".join(one["wager"] for one in wagers)
    row["dangling_references"] = "; ".join(f"{one['section']} {one['reason']}" for one in dangling)
    for key in ("applies_to", "paytables"):
        words = row[key]
        row[key] = " ".join(words) if isinstance(words, list) else words
    return row


def _outcome_row(row: dict[str, object]) -> dict[str, object]:
    readings = row["interpretations"]
    flat = json.dumps(readings) if readings else ""
    if isinstance(readings, dict):
        flat = " ".join(f"{id_}={code}" for id_, code in readings.items())
    return {**row, "interpretations": flat}
