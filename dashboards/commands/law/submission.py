"""``ladderman submission``: write, check and compare what a property files for a table."""

from __future__ import annotations

import datetime
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from auditors.filings import Change, check_submission, checks_on_and_off, diff_submissions
from auditors.law import Law, law_in_force
from auditors.settlement.asserting import Place
from auditors.settlement.terms import filed_game
from dashboards.commands.help import HelpGroup
from dashboards.commands.law.rules import GamingDateOption
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.submission_template import submission_template
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.gaming_date import gaming_date_or_today
from dashboards.options.pairs import quoted
from dashboards.options.terms import JurisdictionOption, law_named
from dashboards.terminal.writing import (
    add_row,
    plain_table,
    table_console,
    write_json,
    write_json_lines,
    write_line,
)
from schemas.findings import Finding
from schemas.rules_submission import DEFAULT_JURISDICTION, Game, RulesSubmission
from schemas.words.suggestions import near_miss
from streams.files.submission_files import (
    SubmissionFileError,
    read_submission,
    write_submission_text,
)

CHECK_SCHEMA: Final = "ladderman.findings/1"
DIFF_SCHEMA: Final = "ladderman.submission-diff/1"
CHANGE_SCHEMA: Final = "ladderman.submission-change/1"


class SubmissionFormat(StrEnum):
    """In which form an answer about a filing is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


_FormatChoice = Annotated[SubmissionFormat, typer.Option("--format", help="How to write it.")]
_FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Rules Submission, TOML.")]


def register(app: typer.Typer) -> None:
    """Add ``submission new``, ``submission check`` and ``submission diff``."""
    submission = typer.Typer(
        cls=HelpGroup,
        no_args_is_help=True,
        epilog="Example: ladderman submission new --out RS-1.toml",
        help="What a property files: write one, check it, compare two.",
    )
    app.add_typer(submission, name="submission")
    submission.command("new", epilog="Example: ladderman submission new --out RS-1.toml")(
        new_submission
    )
    submission.command("check", epilog="Example: ladderman submission check RS-1.toml")(check_file)
    submission.command("diff", epilog="Example: ladderman submission diff RS-1.toml RS-2.toml")(
        diff_files
    )


def new_submission(
    game: Annotated[
        str, typer.Option("--game", help="minibaccarat, baccarat or rising_phoenix.")
    ] = Game.MINIBACCARAT.value,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write; default standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    gaming_date: GamingDateOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
) -> None:
    """Write a commented Rules Submission to start from.

    Sections that are not in force on the gaming date are written as comments.
    """
    plays = _game(game)
    day = gaming_date_or_today(gaming_date)
    text = submission_template(_law_with(jurisdiction, plays), plays, day)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        write_submission_text(out, text, replace=force)
    except SubmissionFileError as error:
        raise UsageProblem(str(error)) from None
    typer.echo(f"{out} written; see what is wrong with it: ladderman submission check {out}")


def check_file(
    file: _FileArgument,
    gaming_date: GamingDateOption = None,
    output: _FormatChoice = SubmissionFormat.TABLE,
) -> int:
    """Say in plain words what a filing contradicts; exit 1 where something is found."""
    filed = _read(file)
    day = gaming_date_or_today(gaming_date, filed)
    place = Place(file=file.name, currency=filed.currency, rules_version=filed.rules_version)
    findings = check_submission(law_in_force(filed.jurisdiction), filed, day, place=place)
    if output is SubmissionFormat.TABLE:
        _print_check(filed, day, findings)
    elif output is SubmissionFormat.JSON:
        write_json(_check_document(file, filed, day, findings))
    else:
        write_json_lines(finding.as_json() for finding in findings)
        sys.stderr.write(_checks_words(day) + "\n")
    return ExitCode.FOUND if findings else ExitCode.DONE


def diff_files(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The first filing.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The second filing.")],
    output: _FormatChoice = SubmissionFormat.TABLE,
) -> int:
    """Show what changed between two filings and what it changes; exit 1 where they differ."""
    changes = diff_submissions(_read(before), _read(after))
    if output is SubmissionFormat.TABLE:
        _print_diff(before, after, changes)
    elif output is SubmissionFormat.JSON:
        write_json(
            {
                "schema": DIFF_SCHEMA,
                "before": str(before),
                "after": str(after),
                "changes": [_change_json(one) for one in changes],
            }
        )
    else:
        write_json_lines(_change_json(one) for one in changes)
    return ExitCode.FOUND if changes else ExitCode.DONE


def _law_with(jurisdiction: str, game: Game) -> Law:
    """Give the law of a jurisdiction that has a game."""
    law = law_named(jurisdiction)
    if game.value not in law.sections:
        raise UsageProblem(
            f"--game {game.value}: the law of {law.jurisdiction.title} as held has no such game"
        )
    return law


def _game(text: str) -> Game:
    games = [one.value for one in Game]
    try:
        return Game(text)
    except ValueError:
        hint = near_miss(text, games) or f"; write {', '.join(games)}"
        raise UsageProblem(f"--game {quoted(text)}: no such game{hint}") from None


def _read(path: Path) -> RulesSubmission:
    try:
        return read_submission(path)
    except SubmissionFileError as error:
        raise UsageProblem(str(error)) from None


def _check_document(
    file: Path, filed: RulesSubmission, day: datetime.date, findings: tuple[Finding, ...]
) -> dict[str, object]:
    on, off = checks_on_and_off(day)
    return {
        "schema": CHECK_SCHEMA,
        "findings": [finding.as_json() for finding in findings],
        "summary": {
            "file": str(file),
            "rules_version": filed.rules_version,
            "game": filed.game.value,
            "gaming_date": day.isoformat(),
            "defects": len(findings),
            "checks_on": list(on),
            "checks_off": [{"check": name, "reason": reason} for name, reason in off],
            "advisory": ADVISORY,
        },
    }


def _print_check(filed: RulesSubmission, day: datetime.date, findings: tuple[Finding, ...]) -> None:
    console, law = table_console(), law_in_force(filed.jurisdiction)
    game = filed_game(law, filed).title
    head = f"Rules Submission {filed.rules_version}, {game}, gaming date {day}"
    write_line(console, head, "bold")
    write_line(console)
    for finding in findings:
        write_line(console, f"{finding.severity.value.upper()} {finding.sentence}", hang=4)
        if finding.citation:
            write_line(console, finding.citation, indent=4)
    if findings:
        write_line(console)
        write_line(console, f"{len(findings)} {'defect' if len(findings) == 1 else 'defects'}.")
    else:
        write_line(console, "No defect found.")
    write_line(console, _checks_words(day), hang=4)
    write_line(console, ADVISORY)


def _checks_words(day: datetime.date) -> str:
    on, off = checks_on_and_off(day)
    words = [f"{name} ({reason})" for name, reason in off]
    return f"Checks on: {', '.join(on)}. Checks off: {', '.join(words) or 'none'}."


def _print_diff(before: Path, after: Path, changes: tuple[Change, ...]) -> None:
    console = table_console()
    if not changes:
        write_line(console, f"{before} and {after} file the same.")
        return
    table = plain_table("field", "before", "after", "what it changes")
    for one in changes:
        add_row(table, one.field, one.before or "not filed", one.after or "not filed", one.effect)
    console.print(table)
    write_line(console)
    write_line(console, f"{len(changes)} {'change' if len(changes) == 1 else 'changes'}.")


def _change_json(change: Change) -> dict[str, object]:
    return {
        "schema": CHANGE_SCHEMA,
        "field": change.field,
        "before": change.before,
        "after": change.after,
        "effect": change.effect,
    }
