"""``ladderman conform``: event by event, what is wrong with a feed and how to mend it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import IO, Annotated, Final, Protocol

import typer

from dashboards.errors import ExitCode, UsageProblem
from dashboards.terminal.progress import ROWS_A_STEP, RowProgress
from schemas.words.counting import counted
from streams.conformance import ConformanceCheck, ConformanceSummary, Problem
from streams.files.event_files import DamagedLine, EventFile, EventFileError, open_events

_EXAMPLE: Final = "Example: ladderman schema vectors --out v && ladderman conform v/feed.jsonl"


class ConformFormat(StrEnum):
    """In which form the problems are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


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
            ConformFormat, typer.Option("--format", help="How to write the problems.")
        ] = ConformFormat.TABLE,
    ) -> ExitCode:
        """Check a feed event by event, and show how to mend it.

        Exit code 0: the feed conforms. 1: it does not. 2: nothing could be read.
        """
        try:
            with open_events(file) as opened:
                return _conform(opened, _WRITERS[output](sys.stdout))
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


class ProblemWriter(Protocol):
    """Writes problems as they come, then the summary."""

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        ...

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Write what stands at the end."""
        ...


class TableWriter:
    """Three lines for people: where, what, and how to mend it."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        place = [f"{file}:{problem.line}"]
        if problem.source is not None:
            place.append(f"{problem.source} event {problem.sequence}")
        if problem.type is not None:
            place.append(problem.type)
        head = f"{' '.join(place)} {problem.level.value.upper()} {problem.rule}"
        self._out.write(f"{head}\n    {_sentence(problem.problem)}\n")
        self._out.write(f"    Mend: {_stopped(problem.advice)}\n")

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Write what was in the file, and whether it conforms."""
        out = self._out
        mark = "; SIMULATED" if summary.is_simulated else ""
        events = counted(summary.types.total(), "event")
        out.write(f"\n{file}: {events} in {counted(summary.lines, 'line')}{mark}\n")
        for feed in summary.feeds:
            kind = (feed.kind or "unknown kind").replace("_", " ")
            missing = f"{feed.missing:,} missing" if feed.missing else "none missing"
            out.write(
                f"  {feed.source}: {kind}, feed {feed.feed}, events {feed.first_sequence} to "
                f"{feed.last_sequence}, {missing}\n"
            )
        for tag, count in _by_count(summary.types):
            out.write(f"    {count:>8,}  {tag}\n")
        for level, counts in (("errors", summary.errors), ("hints", summary.hints)):
            out.write(f"  {level}: {counts.total():,}\n")
            for rule, count in _by_count(counts):
                out.write(f"    {count:>8,}  {rule}\n")
        verdict = "conforms" if summary.is_conforming else "does not conform"
        if summary.has_events:
            out.write(f"{file} {verdict} to schemas/feed.md\n")


def _sentence(clause: str) -> str:
    """Begin with a capital where a word stands first, and end with a stop."""
    first = clause.partition(" ")[0]
    return _stopped(clause[:1].upper() + clause[1:] if first.isalpha() else clause)


def _stopped(clause: str) -> str:
    return clause if clause.endswith("?") else f"{clause}."


def _by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


class JsonLinesWriter:
    """One object a problem, then the summary as the last line."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        self._out.write(_json(file, problem) + "\n")

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Write the summary."""
        self._out.write(json.dumps(summary.as_json(file), ensure_ascii=False) + "\n")


class JsonWriter:
    """One document: the summary with all problems in it, written as they come."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._is_first = out, True

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        self._out.write(f"{self._opening()}{_json(file, problem)}")

    def _opening(self) -> str:
        if not self._is_first:
            return ",\n  "
        self._is_first = False
        return '{"problems": [\n  '

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Close the list and put the summary beside it."""
        head = self._opening() if self._is_first else ""
        rest = json.dumps(summary.as_json(file), ensure_ascii=False)
        self._out.write(f"{head}],\n {rest[1:]}\n")


def _json(file: str, problem: Problem) -> str:
    document = problem.as_json()
    return json.dumps({"schema": document["schema"], "file": file} | document, ensure_ascii=False)


_WRITERS: Final = {
    ConformFormat.TABLE: TableWriter,
    ConformFormat.JSON: JsonWriter,
    ConformFormat.JSONL: JsonLinesWriter,
}
