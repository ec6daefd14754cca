"""``ladderman submission``: write, check and compare what a property files for a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from auditors.filings import check_submission, diff_submissions
from auditors.law import Law, law_in_force
from auditors.settlement.asserting import Place
from dashboards.commands.help import HelpGroup
from dashboards.documents.law.submission import FilingCheck, FilingDiff
from dashboards.documents.law.submission_template import submission_template
from dashboards.documents.texts import quoted
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.gaming_date import GamingDateOption, gaming_date_or_today
from dashboards.options.jurisdiction import JurisdictionOption, law_named
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import LinesFormat
from dashboards.terminal.tables.submission import checks_words, print_check, print_diff
from schemas.rules_submission import DEFAULT_JURISDICTION, Game, RulesSubmission
from schemas.words.suggestions import near_miss
from streams.files.submission_files import (
    SubmissionFileError,
    read_submission,
    write_submission_text,
)

_FormatChoice = Annotated[LinesFormat, typer.Option("--format", help="How to write it.")]
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
    output: _FormatChoice = LinesFormat.TABLE,
) -> int:
    """Say in plain words what a filing contradicts; exit 1 where something is found."""
    filed = _read(file)
    day = gaming_date_or_today(gaming_date, filed)
    place = Place(file=file.name, currency=filed.currency, rules_version=filed.rules_version)
    findings = check_submission(law_in_force(filed.jurisdiction), filed, day, place=place)
    check = FilingCheck(file, filed, day, findings)
    write_answer(check, output, lambda: print_check(check))
    if output is LinesFormat.JSONL:
        sys.stderr.write(checks_words(check.coverage) + "\n")
    return ExitCode.FOUND if findings else ExitCode.DONE


def diff_files(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The first filing.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The second filing.")],
    output: _FormatChoice = LinesFormat.TABLE,
) -> int:
    """Show what changed between two filings and what it changes; exit 1 where they differ."""
    changes = diff_submissions(_read(before), _read(after))
    diff = FilingDiff(before, after, changes)
    write_answer(diff, output, lambda: print_diff(diff))
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
