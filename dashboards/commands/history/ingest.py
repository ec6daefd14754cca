"""``ladderman ingest``: files of events into the history of one machine, each event once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.event_order import told_in_order
from dashboards.options.history import DEFAULT_STORE, StoreOption
from dashboards.terminal.interruption import Interruption
from dashboards.terminal.progress import ByteProgress
from schemas.words.counting import counted
from streams.embedding.ingest import IngestCounts, IngestError, ingest_events
from streams.history.embedded.ingest_marks import read_marks
from streams.history.opening import history_path
from streams.history.store import HistoryError
from streams.host.errors import HostError
from streams.process.durable import PathInUseError
from streams.process.interpreter import collect_seldom
from streams.spool.errors import SpoolError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ingest", epilog="Example: ladderman ingest events.jsonl --store history")(ingest)


def ingest(
    files: Annotated[
        list[str],
        typer.Argument(help="Files of events, one a line (gzip too), or - for standard input."),
    ],
    store: StoreOption = DEFAULT_STORE,
) -> int:
    """Put files of events into a store and audit them.

    What is in the store already is left out.

    The same file may be given again, after a crash or with new lines at its end. Ctrl-C keeps what
    was read, and says how to go on.
    """
    ordered = told_in_order(files)
    interruption = Interruption()
    try:
        with interruption.listening(), ByteProgress("ingest", "lines") as progress:
            counts = _ingested(ordered, store, progress, interruption)
    except KeyboardInterrupt:
        return _stopped(store)
    _say_counts(counts, store)
    if counts.interrupted:
        return _stopped(store)
    if not counts.lines:
        raise UsageProblem(f"{', '.join(files)}: no event in it; write one a line")
    if counts.dead_letters == counts.taken > 0 and not counts.known:
        raise UsageProblem(
            f"{', '.join(files)}: no line is an event; what each lacks stands in "
            f"ladderman dead-letters list --store {store}, or try ladderman conform"
        )
    return ExitCode.DONE


def _say_counts(counts: IngestCounts, store: Path) -> None:
    events = max(0, counts.taken - counts.dead_letters)
    parts = [f"{events:,} new", f"{counts.known:,} known already"]
    if counts.dead_letters:
        parts.append(f"{counts.dead_letters:,} could not be read")
    typer.echo(
        f"{counts.lines:,} lines: {', '.join(parts)}; see ladderman history status --store {store}"
    )
    if counts.cut:
        were = "was" if counts.cut == 1 else "were"
        cut = f"{counted(counts.cut, 'line')} {were} longer than any event and {were} cut"
        sys.stderr.write(f"{cut}\n")
    if counts.dead_letters:
        unread = f"{counted(counts.dead_letters, 'line')} could not be read"
        sys.stderr.write(f"{unread}; see ladderman dead-letters list --store {store}\n")
    for line in (*counts.broken, *counts.waiting, *_late(counts, store)):
        sys.stderr.write(f"{line}\n")


def _stopped(store: Path) -> int:
    """Say what was kept of files that were not read to their end, and how to go on."""
    marks = read_marks(history_path(store))
    for mark in marks:
        sys.stderr.write(f"{mark.interrupted_line(store)}\n")
    kept = "what was read before that is kept" if marks else "nothing new was taken"
    sys.stderr.write(f"ladderman: stopped; {kept}\n")
    return ExitCode.INTERRUPTED


def _ingested(
    files: list[str], store: Path, progress: ByteProgress, interruption: Interruption
) -> IngestCounts:
    collect_seldom()
    try:
        return ingest_events(
            files,
            store,
            alert=_warn,
            report=lambda counts: progress.advance(
                counts.lines, counts.read_bytes, counts.total_bytes
            ),
            stop=interruption.stop,
            waits=interruption.breaking_off,
        )
    except IngestError as error:
        raise UsageProblem(str(error)) from None
    except (HistoryError, HostError, PathInUseError, SpoolError) as error:
        raise ServiceProblem(str(error)) from None


def _late(counts: IngestCounts, store: Path) -> Iterator[str]:
    """Say what came too late, and what can be done so that all of it is judged."""
    if not counts.late:
        return
    several = ", ".join(f"{source_id} {count:,}" for source_id, count in counts.late.items())
    events = counted(counts.late.total(), "event")
    yield (
        f"{events} came after being given up as missing ({several}); "
        "only coups of a shoe in play are judged again: to have all of them judged, give all files "
        f"at once to a new store, not {store}"
    )


def _warn(line: str) -> None:
    sys.stderr.write(f"ladderman: {line}\n")
