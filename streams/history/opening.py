"""Opening a history for reading, whoever owns it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from streams.history.embedded.store import ChdbStore
from streams.history.reading.digest import Digest, history_digests
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.history.sharing.shared import SharedHistory
from streams.history.store import HISTORY_FOLDER, StoreMissingError, missing_line
from streams.process.settings import Settings

AnyHistory: TypeAlias = SharedHistory | ClickHouseServerStore
"""A history that can be asked: on this machine, or on a server."""


def history_path(store: Path) -> Path:
    """Give the folder of the history inside a store."""
    return store / HISTORY_FOLDER


def open_configured(settings: Settings, *, query_packages: Sequence[str] = ()) -> AnyHistory:
    """Open the history that the settings name for reading, on a server or on this machine.

    Args:
        settings: Where it is.
        query_packages: Packages whose ``.sql`` files can be asked besides the history's own.

    Raises:
        HistoryError: As :func:`open_history`; or the server is away, or refuses us.
    """
    if settings.history.store == "clickhouse":
        address = ServerAddress.from_settings(settings.clickhouse)
        return _open_server(address, query_packages)
    return open_history(settings.data.history_directory, query_packages=query_packages)


def _open_server(address: ServerAddress, query_packages: Sequence[str]) -> ClickHouseServerStore:
    store = ClickHouseServerStore(address, query_packages=query_packages)
    try:
        if not store.applied():
            raise StoreMissingError(
                f"no history at {address.label}; ladderman history migrate begins one there"
            )
        store.check_schema()
    except BaseException:
        store.close()
        raise
    return store


def open_history(
    path: Path, *, query_packages: Sequence[str] = (), wait_s: float | None = None
) -> SharedHistory:
    """Open a history for reading: as its owner, or through the process that owns it.

    Args:
        path: The folder of the history.
        query_packages: Packages of the product whose ``.sql`` files can be asked besides the
            history's own.
        wait_s: So long an owner is waited for that answers no questions; None: the usual time.

    Raises:
        StoreMissingError: There is no history.
        StoreOwnedError: Another process owns it and answers no questions.
        SchemaError: Another version of the product wrote it.
        StoreFaultError: It cannot be used.
    """
    if not path.is_dir():
        raise StoreMissingError(missing_line(path))
    return SharedHistory(path, query_packages=query_packages, wait_s=wait_s)


def place_of(history: AnyHistory | ChdbStore) -> str:
    """Say where a history is: its folder, or server and database."""
    if isinstance(history, ClickHouseServerStore):
        return history.address.label
    return str(history.path)


def digests_of(history: AnyHistory) -> tuple[Digest, ...]:
    """Digest what stands; the owner does it itself."""
    return history.digests() if isinstance(history, SharedHistory) else history_digests(history)
