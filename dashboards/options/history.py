"""The history that a command reads: that of ``--store``, else the one that the settings name."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from dashboards.documents.history.status import holdings
from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.options.settings import settings_from
from streams.history.backup import BackupError
from streams.history.embedded.removal import FolderBefore
from streams.history.embedded.store import ChdbStore
from streams.history.opening import (
    AnyHistory,
    history_path,
    open_configured,
    open_history,
)
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.history.sharing.shared import own_history
from streams.history.store import HistoryError, StoreMissingError
from streams.replaying.span import EVERYTHING, FIRST_DATE, LAST_DATE, Span

DEFAULT_STORE: Final = Path(".ladderman")
"""The store where none is named."""

StoreOption = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="The store; its history is in DIR/history.")
]

StoreChoice = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="The store, with its history in DIR/history; default: what the settings name, "
        f"which is {DEFAULT_STORE} where they name nothing.",
    ),
]


@contextmanager
def opened(
    store: Path | None, settings: Path | None = None, *, query_packages: Sequence[str] = ()
) -> Iterator[AnyHistory]:
    """Open a history for reading, through its owner where there is one.

    Args:
        store: The folder that ``--store`` names.
        settings: The file that ``--settings`` names.
        query_packages: Packages of further queries.

    Raises:
        UsageProblem: Both are named, or a setting cannot be.
        ServiceProblem: It cannot be read; one line says why.
    """
    _refuse_both(store, settings)
    history: AnyHistory
    with one_line():
        if store is not None:
            history = open_history(history_path(store), query_packages=query_packages)
        else:
            history = open_configured(settings_from(settings), query_packages=query_packages)
        with history:
            yield history


@contextmanager
def opened_to_fill(
    store: Path | None, settings: Path | None, *, removed_if_refused: bool = False
) -> Iterator[ChdbStore | ClickHouseServerStore]:
    """Open a history to begin it, bring it up to this version, or restore it.

    Args:
        store: The folder that ``--store`` names.
        settings: The file that ``--settings`` names.
        removed_if_refused: Whether a history on this machine that was made for the block goes
            again where the block refuses what was to be put into it.

    Raises:
        UsageProblem: Both are named, or a setting cannot be.
        ServiceProblem: It cannot be opened; one line says why.
    """
    _refuse_both(store, settings)
    with one_line():
        loaded = settings_from(settings) if store is None else None
        if loaded is not None and loaded.history.store == "clickhouse":
            address = ServerAddress.from_settings(loaded.clickhouse)
            with ClickHouseServerStore(address) as server:
                yield server
            return
        path = history_path(store) if store else settings_from(settings).data.history_directory
        before = FolderBefore.of(path.parent)
        is_made_here = False
        try:
            with own_history(path) as filled:
                is_made_here = not before.holds(path.name) and not filled.applied()
                yield filled
        except BaseException:
            if removed_if_refused and is_made_here:
                before.remove_made(path.absolute())
            raise


def say_what_lacks(history: AnyHistory, span: Span = EVERYTHING) -> None:
    """Say on standard error what a history lacks, before anything is answered from it."""
    held = holdings(history)
    first, last = (
        None if day == open_end else datetime.date.fromisoformat(day)
        for day, open_end in ((span.first_date, FIRST_DATE), (span.last_date, LAST_DATE))
    )
    for line in (*held.lacks, *held.lacks_of(first, last, span.from_us, span.until_us)):
        sys.stderr.write(f"{line}\n")


def _refuse_both(store: Path | None, settings: Path | None) -> None:
    if store is not None and settings is not None:
        raise UsageProblem("--store and --settings: give one of them")


@contextmanager
def one_line() -> Iterator[None]:
    """Say in one line what is wrong with a history."""
    try:
        yield
    except (BackupError, StoreMissingError) as error:
        raise UsageProblem(str(error)) from None
    except HistoryError as error:
        raise ServiceProblem(str(error)) from None
