"""How does a command get at a history, whoever owns it?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from streams.history.chdb_store import ChdbStore
from streams.history.client import OwnerClient
from streams.history.digest import Digest, history_digests
from streams.history.owner import read_owner
from streams.history.store import StoreMissingError, StoreOwnedError

HISTORY_FOLDER: Final = "history"
"""Where the history lies inside the folder that ``--store`` names."""

AnyHistory: TypeAlias = ChdbStore | OwnerClient
"""A history that can be asked: owned by this process, or by one that answers."""


def history_path(store: Path) -> Path:
    """Give the folder of the history inside a store."""
    return store / HISTORY_FOLDER


def open_history(path: Path, *, query_packages: Sequence[str] = ()) -> AnyHistory:
    """Open a history for reading: as its owner, or through the process that owns it.

    Args:
        path: The folder of the history.
        query_packages: Packages whose ``.sql`` files can be asked besides the history's own; an
            owner answers those that it was opened with itself.

    Raises:
        StoreMissingError: There is no history.
        StoreOwnedError: Another process owns it and answers no questions.
        SchemaError: Another version of the product wrote it.
        StoreFaultError: It cannot be used.
    """
    if not path.is_dir():
        raise StoreMissingError(f"no history at {path}; ladderman history migrate begins one there")
    if (client := _client(path)) is not None:
        return client
    try:
        store = ChdbStore(path, query_packages=query_packages, create=False)
    except StoreOwnedError:
        # Somebody became the owner between our two looks; perhaps it answers.
        if (client := _client(path)) is not None:
            return client
        raise
    try:
        store.check_schema()
    except BaseException:
        store.close()
        raise
    return store


def digests_of(history: AnyHistory) -> tuple[Digest, ...]:
    """Digest what stands; the owner does it itself."""
    return history.digests() if isinstance(history, OwnerClient) else history_digests(history)


def _client(path: Path) -> OwnerClient | None:
    owner = read_owner(path)
    if owner is None:
        return None
    if owner.address is None:
        raise StoreOwnedError(owner.owned_line(path))
    return OwnerClient(path, owner)
