"""The embedded engine keeps the promises of every history store."""

import datetime
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.finding_facts import decode_facts
from schemas.finding_facts.payment import NotSettled
from schemas.findings import FIELDS_SINCE_FINDING_2
from streams.history.embedded.connections import Connections
from streams.history.embedded.store import ChdbStore
from streams.history.migrations import load_migrations
from streams.history.reading.digest import history_digests
from streams.history.writing.decoded_records import told_at_once
from streams.history.writing.entries import ToldRecord, told
from streams.history.writing.rows import coup_columns, finding_columns
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import QUERY_PACKAGES, HistoryStoreContract
from tests.support.history.history_records import a_coup, a_finding, a_wager, known

_numbers = itertools.count()

EVERYTHING = {
    "table_id": "",
    "with_canary": False,
    "first_date": datetime.date(1970, 1, 1),
    "last_date": datetime.date(2199, 12, 31),
    "from_us": -(2**62),
    "until_us": 2**62,
}


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


def test_rows_of_an_earlier_version_are_read_and_keep_their_digests(
    engine_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [told(known(a_coup(1, offset=9, findings=(a_finding("w1"),))))]
    old, whole = finding_columns(records), load_migrations()
    of_record = {"occurred_at_us", "gaming_date"}  # of the record that lists a finding, as ever
    added = {"act_occurred_at_us", "act_gaming_date", *FIELDS_SINCE_FINDING_2} - of_record
    with ChdbStore(engine_path, database=f"history_{next(_numbers)}") as store:
        with monkeypatch.context() as earlier:
            earlier.setattr("streams.history.embedded.store.load_migrations", lambda: whole[:4])
            store.migrate()
        earlier_rows = {name: column for name, column in old.items() if name not in added}
        store.insert("findings", earlier_rows)
        store.insert("coups", coup_columns(records))
        assert store.migrate() == (whole[4].name, whole[5].name)
        (row,) = store.query("told_findings", EVERYTHING).dicts()
        assert row["sentence"] == a_finding("w1").sentence
        assert {name for name in added if row[name] is not None} == set()
        before = {one.of: one for one in history_digests(store)}
    with ChdbStore(engine_path, database=f"history_{next(_numbers)}") as store:
        store.migrate()
        store.insert("findings", {**earlier_rows, "title": ["Banker overpaid 5.00"]})
        store.insert("coups", coup_columns(records))
        after = {one.of: one for one in history_digests(store)}
    assert {of for of in before if before[of] != after[of]} == {"finding_facts"}


def test_facts_come_back_as_they_were_told(store: ChdbStore) -> None:
    facts = NotSettled(wager_name="Dragon 7", refunded_minor=1_250)
    found = a_finding("w1", title="Dragon 7 not settled", facts=facts, gaming_date="2025-06-07")
    (one,) = [known(a_coup(1, offset=9, findings=(found,)))]
    from_bytes = told_at_once([one.raw])
    assert from_bytes is not None
    values = finding_columns([told(one)])
    of_bytes = finding_columns([ToldRecord(from_bytes[0], one.raw, one.known_at_us)])
    for name in ("facts", "title", "act_gaming_date", "finding_id"):
        assert list(values[name]) == list(of_bytes[name])
    HistoryWriter(store).write([one])
    (row,) = store.query("told_findings", EVERYTHING).dicts()
    assert decode_facts(row["facts"]) == facts
    assert (row["title"], str(row["act_gaming_date"])) == ("Dragon 7 not settled", "2025-06-07")


def test_a_batch_so_large_that_each_column_has_files_of_its_own(store: ChdbStore) -> None:
    """The engine lays such parts out in another way, and some of their files are empty by right."""
    wagers = tuple(a_wager(number) for number in range(1, 9))
    records = [known(a_coup(number, offset=number, wagers=wagers)) for number in range(1, 4_001)]
    assert sum(len(one.raw) for one in records) > 10 * 1024 * 1024
    assert HistoryWriter(store).write(records) == {"wagers": 32_000, "coups": 4_000}
    assert store.query("wager_sums").rows() == [(32_000, 4_000, 4_000)]
    assert store.query("incomplete_subjects").rows() == []
