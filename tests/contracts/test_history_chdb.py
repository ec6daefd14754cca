"""The embedded engine keeps the promises of every history store."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.history.chdb_store import ChdbStore
from streams.history.connections import Connections
from tests.contracts.history_store_contract import QUERY_PACKAGES, HistoryStoreContract

_numbers = itertools.count()


@pytest.fixture(scope="module")
def engine_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep one engine running for the module: opening it anew costs more than a database."""
    path = tmp_path_factory.mktemp("engine") / "history"
    with Connections(path, "keeper") as connections, connections.borrow():
        yield path


@pytest.fixture
def store(engine_path: Path) -> Iterator[ChdbStore]:
    """Give a migrated, empty store in a database of its own."""
    name = f"history_{next(_numbers)}"
    with ChdbStore(engine_path, database=name, query_packages=QUERY_PACKAGES) as opened:
        opened.migrate()
        yield opened


class TestEmbeddedHistory(HistoryStoreContract):
    """The embedded engine."""
