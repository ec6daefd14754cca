"""The history that the settings name, opened for writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TypeAlias

from streams.history.embedded.store import ChdbStore
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.history.sharing.api import HistoryApi
from streams.history.sharing.shared import own_history
from streams.process.settings import Settings

WritableHistory: TypeAlias = ChdbStore | ClickHouseServerStore
"""A history that can be written: owned by this process, or on a server."""


@contextmanager
def open_to_write(settings: Settings) -> Iterator[WritableHistory]:
    """Open the history of the settings, migrated, for the length of a block.

    An embedded one answers other processes meanwhile.

    Raises:
        HistoryError: It cannot be opened, belongs to another process, or is of a later version.
    """
    if settings.history.store == "clickhouse":
        address = ServerAddress.from_settings(settings.clickhouse)
        with closing(ClickHouseServerStore(address)) as server:
            server.migrate()
            yield server
        return
    path = settings.data.history_directory
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(own_history(path)) as store:
        store.migrate()
        with HistoryApi(store):
            yield store
