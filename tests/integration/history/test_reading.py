"""Views are right while somebody writes: the order of snapshots, and threads beside each other."""

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.history.embedded.connections import Connections
from streams.history.embedded.store import ChdbStore
from streams.history.migrations import MIGRATIONS
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import QUERY_PACKAGES
from tests.support.history.history_records import a_coup, a_finding, a_wager, known

PAUSE = "CROSS JOIN (SELECT (SELECT sleep(1)) AS slept) AS pause"
VIEWS = (MIGRATIONS / "views" / "current_and_as_of.sql").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the one engine of this module."""
    return tmp_path_factory.mktemp("reading") / "history"


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[ChdbStore]:
    """Give a store in which coup S1/1 stands with two wagers and a finding."""
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as opened:
        opened.migrate()
        HistoryWriter(opened).write([known(a_coup(1, offset=1, findings=(a_finding("w1"),)))])
        yield opened


def select_of(view: str) -> str:
    """Give the text of a view, as the file defines it."""
    found = re.search(rf"CREATE OR REPLACE VIEW {view} AS\n(.*?);\n", VIEWS, re.S)
    assert found is not None
    return found[1].replace("{as_of_us:UInt64}", "9223372036854775807")


def answer_while_written(path: Path, text: str, offset: int, store: ChdbStore) -> int:
    """Count the rows of a query that pauses in the middle, while a new version is written."""

    def write() -> None:
        time.sleep(0.3)
        stood = tuple(a_wager(number) for number in range(1, offset + 1))
        findings = tuple(a_finding(f"w{number}") for number in range(1, offset + 1))
        HistoryWriter(store).write(
            [known(a_coup(1, offset=offset, wagers=stood, findings=findings))]
        )

    thread = threading.Thread(target=write)
    with Connections(path, "ladderman") as connections, connections.borrow() as connection:
        thread.start()
        counted = int(str(connection.query(f"SELECT count() FROM ({text})", "TSV")))
    thread.join()
    return counted


def test_a_view_takes_the_snapshot_of_the_parents_first(path: Path, store: ChdbStore) -> None:
    """Between the two snapshots a whole new version is written: the earlier one is answered."""
    paused = select_of("as_of_wagers").replace("INNER JOIN wagers", f"{PAUSE}\nINNER JOIN wagers")
    assert "sleep" in paused
    before = len(store.query("standing_wagers"))
    assert answer_while_written(path, paused, 3, store) == before
    assert len(store.query("standing_wagers")) == 3


def test_findings_take_the_snapshot_of_the_parents_first(path: Path, store: ChdbStore) -> None:
    text = select_of("as_of_findings")
    paused = text.replace("INNER JOIN findings", f"{PAUSE}\nINNER JOIN findings")
    assert "sleep" in paused
    before = len(store.query("standing_findings"))
    assert answer_while_written(path, paused, 4, store) == before
    assert len(store.query("standing_findings")) == 4


def test_children_first_would_lose_the_wagers_of_a_new_version(
    path: Path, store: ChdbStore
) -> None:
    """The trap that the order avoids is real, so the two tests above can fail."""
    parents = re.search(r"FROM\n(\(.*?\n\)) AS parent", select_of("as_of_wagers"), re.S)
    assert parents is not None
    children_first = f"""
        SELECT w.wager_no FROM (SELECT * FROM wagers) AS w {PAUSE}
        INNER JOIN {parents[1]} AS parent
        ON w.table_id = parent.table_id AND w.coup_id = parent.coup_id
            AND w.version = parent.version
    """
    assert answer_while_written(path, children_first, 5, store) == 0
    assert len(store.query("standing_wagers")) == 5


def test_no_view_reads_its_parents_through_another_view() -> None:
    """A nested view is read later than the tables beside it."""
    definitions = re.findall(r"CREATE OR REPLACE VIEW (\w+) AS\n(.*?);\n", VIEWS, re.S)
    names = {name for name, _ in definitions}
    assert len(definitions) == len(names) == 14
    for name, text in definitions:
        used = set(re.findall(r"(?:FROM|JOIN) (\w+)", text)) & names
        alone = re.fullmatch(rf"SELECT \* FROM (as_of_\w+)\(as_of_us = {2**63 - 1}\)", text)
        assert used == ({alone[1]} if alone else set()), name


def test_many_threads_read_while_one_writes(store: ChdbStore) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []
    answers: list[int] = []

    def read() -> None:
        try:
            while not stop.is_set():
                ((wagers, coups, versions),) = store.query("wager_sums").rows()
                assert (coups, versions) in {(1, 1), (2, 2)}
                answers.append(wagers)
        except BaseException as failure:
            failures.append(failure)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for offset in range(10, 18):
        HistoryWriter(store).write([known(a_coup(2, offset=offset))])
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert len(answers) >= 4
