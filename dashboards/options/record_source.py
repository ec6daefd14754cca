"""The source that incidents and replays read: a history, or files of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from dashboards.errors import UsageProblem
from dashboards.options.event_order import told_in_order
from dashboards.options.history import opened, say_what_lacks
from streams.files.event_files import EventFileError, open_events
from streams.history.opening import place_of
from streams.replaying.file_records import FileRecords
from streams.replaying.history_records import HistoryRecords
from streams.replaying.sources import RecordSource
from streams.replaying.span import EVERYTHING, Span

EventsOption = Annotated[
    list[str] | None,
    typer.Option("--events", metavar="FILE", help="Read files of events in place of a store."),
]
TablesOption = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="TABLE", help="Only this table, such as BAC-03; repeatable."),
]


@contextmanager
def record_source(
    store: Path | None,
    events: Sequence[str] | None,
    settings: Path | None = None,
    span: Span = EVERYTHING,
) -> Iterator[RecordSource]:
    """Open what is asked for, and say what a history lacks of it.

    Args:
        store: The folder that ``--store`` names.
        events: The files that ``--events`` names.
        settings: The file that ``--settings`` names.
        span: The range that is asked for.

    Raises:
        UsageProblem: Several are given, or a file cannot be read.
        ServiceProblem: The history cannot be read.
    """
    if not events:
        with opened(store, settings) as history:
            say_what_lacks(history, span)
            yield HistoryRecords(str(store) if store else place_of(history), history)
        return
    if store is not None or settings is not None:
        raise UsageProblem(f"{'--store' if store else '--settings'} and --events: give one of them")
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(open_events(path)) for path in told_in_order(events)]
        except EventFileError as error:
            raise UsageProblem(f"--events {error}") from None
        records = FileRecords(files)
        if not records.event_count:
            raise UsageProblem(
                f"--events {records.name}: no event could be read; ladderman conform says why"
            )
        yield records
