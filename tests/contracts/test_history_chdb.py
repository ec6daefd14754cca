"""The embedded engine keeps the promises of every history store."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.history.embedded.connections import Connections
from streams.history.embedded.store import ChdbStore
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import QUERY_PACKAGES, HistoryStoreContract
from tests.support.history.history_records import a_coup, a_wager, known

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


def test_a_batch_so_large_that_each_column_has_files_of_its_own(store: ChdbStore) -> None:
    """The engine lays such parts out in another way, and some of their files are empty by right."""
    wagers = tuple(a_wager(number) for number in range(1, 9))
    records = [known(a_coup(number, offset=number, wagers=wagers)) for number in range(1, 4_001)]
    assert sum(len(one.raw) for one in records) > 10 * 1024 * 1024
    assert HistoryWriter(store).write(records) == {"wagers": 32_000, "coups": 4_000}
    assert store.query("wager_sums").rows() == [(32_000, 4_000, 4_000)]
    assert store.query("incomplete_subjects").rows() == []
