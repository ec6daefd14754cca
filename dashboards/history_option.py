"""Which history does a command read? That of ``--store``, else the one that the settings name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.settings_option import settings_from
from streams.history.backup import BackupError
from streams.history.embedded.store import ChdbStore
from streams.history.opening import AnyHistory, history_path, open_configured, open_history
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.history.shared import own_history
from streams.history.store import HistoryError

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
    with one_line():
        if store is not None:
            history = open_history(history_path(store), query_packages=query_packages)
        else:
            history = open_configured(settings_from(settings), query_packages=query_packages)
        with history:
            yield history


@contextmanager
def opened_to_fill(
    store: Path | None, settings: Path | None
) -> Iterator[ChdbStore | ClickHouseServerStore]:
    """Open a history to begin it, bring it up to this version, or restore it.

    Raises:
        UsageProblem: Both are named, or a setting cannot be.
        ServiceProblem: It cannot be opened; one line says why.
    """
    _refuse_both(store, settings)
    with one_line():
        filled: ChdbStore | ClickHouseServerStore
        if store is not None:
            filled = own_history(history_path(store))
        elif (loaded := settings_from(settings)).history.store == "clickhouse":
            filled = ClickHouseServerStore(ServerAddress.from_settings(loaded.clickhouse))
        else:
            filled = own_history(loaded.data.history_directory)
        with filled:
            yield filled


def _refuse_both(store: Path | None, settings: Path | None) -> None:
    if store is not None and settings is not None:
        raise UsageProblem("--store and --settings: give one of them")


@contextmanager
def one_line() -> Iterator[None]:
    """Say in one line what is wrong with a history."""
    try:
        yield
    except BackupError as error:
        raise UsageProblem(str(error)) from None
    except HistoryError as error:
        raise ServiceProblem(str(error)) from None
