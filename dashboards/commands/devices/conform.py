"""``ladderman conform``: event by event, what is wrong with a feed and how to mend it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from dashboards.errors import ExitCode, UsageProblem
from dashboards.terminal.formats import LinesFormat
from dashboards.terminal.progress import ROWS_A_STEP, RowProgress
from dashboards.terminal.tables.conform import (
    ProblemWriter,
    problem_writer,
)
from streams.conformance import ConformanceCheck, Problem
from streams.files.event_files import DamagedLine, EventFile, EventFileError, open_events

_EXAMPLE: Final = "Example: ladderman schema vectors --out v && ladderman conform v/feed.jsonl"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def conform(
        file: Annotated[
            str,
            typer.Argument(
                metavar="FILE", help="File of events, one a line (gzip too), or - for stdin."
            ),
        ],
        output: Annotated[
            LinesFormat, typer.Option("--format", help="How to write the problems.")
        ] = LinesFormat.TABLE,
    ) -> ExitCode:
        """Check a feed event by event, and show how to mend it.

        Exit code 0: the feed conforms. 1: it does not. 2: nothing could be read.
        """
        try:
            with open_events(file) as opened:
                return _conform(opened, problem_writer(output, sys.stdout))
        except EventFileError as error:
            raise UsageProblem(str(error)) from None


def _conform(file: EventFile, writer: ProblemWriter) -> ExitCode:
    check = ConformanceCheck()
    for problem in _problems(check, file):
        writer.write(file.name, problem)
    writer.close(file.name, check.summary)
    if not check.summary.has_events:
        raise UsageProblem(f"{file.name}: no event could be read; one JSON object a line is one")
    return ExitCode.DONE if check.summary.is_conforming else ExitCode.FOUND


def _problems(check: ConformanceCheck, file: EventFile) -> Iterator[Problem]:
    with RowProgress(file.name, "events") as progress:
        for count, line in enumerate(file.lines(), start=1):
            if count % ROWS_A_STEP == 0:
                progress.advance(count)
            if isinstance(line, DamagedLine):
                yield from check.damaged(line)
            else:
                yield from check.line(line.line, line.raw)
    yield from check.finish()
