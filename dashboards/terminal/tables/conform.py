"""Problems of a feed: for people, as lines, as one document; written as they come."""

from __future__ import annotations

from collections import Counter
from typing import IO, Protocol

from dashboards.terminal.answers import DocumentStream, LineStream
from dashboards.terminal.formats import LinesFormat
from schemas.words.counting import counted
from streams.conformance import ConformanceSummary, Problem


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
        self._lines = LineStream(out)

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        self._lines.write(_json(file, problem))

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Write the summary."""
        self._lines.write(summary.as_json(file))


class JsonWriter:
    """One document: the summary with all problems in it, written as they come."""

    def __init__(self, out: IO[str]) -> None:
        self._document = DocumentStream(out, "problems")

    def write(self, file: str, problem: Problem) -> None:
        """Write one problem."""
        self._document.write(_json(file, problem))

    def close(self, file: str, summary: ConformanceSummary) -> None:
        """Close the list and put the summary beside it."""
        self._document.close(summary.as_json(file))


def _json(file: str, problem: Problem) -> dict[str, object]:
    document = problem.as_json()
    return {"schema": document["schema"], "file": file} | document


def problem_writer(output: LinesFormat, out: IO[str]) -> ProblemWriter:
    """Give the writer of a form."""
    if output is LinesFormat.JSON:
        return JsonWriter(out)
    return JsonLinesWriter(out) if output is LinesFormat.JSONL else TableWriter(out)
