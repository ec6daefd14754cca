"""The history while the ClickHouse server, or the way to it, fails.

The real driver over real sockets against the real engine, on loopback. Nothing may be lost, nothing
counted twice, and what cannot go on says why in one line.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streams.history.server.clients import ServerAddress
from streams.history.server.faults import StoreRefusedError, StoreUnavailableError
from streams.history.server.store import ClickHouseServerStore
from streams.history.store import HistoryError, StoreFaultError
from tests.support.history.clickhouse_server import (
    REVISION_WITHOUT_PARAMETERS,
    ClickHouseServer,
    running_server,
)
from tests.support.history.server_events import columns_of_events, sequences_in
from tests.support.stream.faulty_wire import FaultyWire

QUERIES = ("tests.support.history.server_queries",)
HISTORY = "ladderman"


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouseServer]:
    with running_server(tmp_path_factory.mktemp("clickhouse") / "data") as server:
        server.create_database(HISTORY)
        with opened(address_of(server, server.port)) as store:
            store.migrate()
        yield server


@pytest.fixture
def server(shared_server: ClickHouseServer) -> ClickHouseServer:
    """Give the server, running and without events whatever the test before did to it."""
    if not shared_server.is_running:
        shared_server.start()
    shared_server.rows("TRUNCATE TABLE events", HISTORY)
    return shared_server


@pytest.fixture
def wire(server: ClickHouseServer) -> Iterator[FaultyWire]:
    with FaultyWire(server.port) as wire:
        yield wire


@pytest.fixture
def address(server: ClickHouseServer, wire: FaultyWire) -> ServerAddress:
    """Give the way to the history over the wire."""
    return address_of(server, wire.port)


@pytest.fixture
def store(address: ServerAddress) -> Iterator[ClickHouseServerStore]:
    with opened(address) as store:
        yield store


def address_of(server: ClickHouseServer, port: int) -> ServerAddress:
    return ServerAddress(server.host, port, HISTORY, server.user, server.password, patience_s=60)


def opened(address: ServerAddress, **changes: Any) -> ClickHouseServerStore:
    return ClickHouseServerStore(replace(address, **changes), query_packages=QUERIES)


def said(trouble: pytest.ExceptionInfo[HistoryError]) -> str:
    line = str(trouble.value)
    assert "\n" not in line
    assert ClickHouseServer.password not in line
    return line


# ---- it will not have us


def test_a_wrong_password_is_refused_in_one_line_at_once(
    server: ClickHouseServer, address: ServerAddress
) -> None:
    for changes in ({"password": "12345"}, {"user": "nobody"}):
        tried = replace(address, **changes)
        began = time.monotonic()
        with pytest.raises(StoreRefusedError) as trouble:
            ClickHouseServerStore(tried)
        assert time.monotonic() - began < address.patience_s / 2
        assert said(trouble) == (
            f"history {address.label}: the server does not accept user {tried.user} "
            "with this password; check both"
        )


def test_a_wrong_database_is_refused_and_the_near_one_named(
    address: ServerAddress, wire: FaultyWire
) -> None:
    with pytest.raises(StoreRefusedError) as trouble:
        opened(address, database="laderman")
    assert said(trouble) == (
        f"history {wire.host}:{wire.port}/laderman: the server has no database laderman; "
        "did you mean ladderman?"
    )
    with pytest.raises(StoreRefusedError) as trouble:
        opened(address, database="casino")
    assert said(trouble) == (
        f"history {wire.host}:{wire.port}/casino: the server has no database casino; "
        "create it, or correct the name"
    )


def test_a_database_dropped_while_in_use_is_said(
    server: ClickHouseServer, address: ServerAddress, wire: FaultyWire
) -> None:
    server.create_database("short_lived")
    with opened(address, database="short_lived") as store:
        server.rows("DROP DATABASE short_lived")
        with pytest.raises(StoreRefusedError) as trouble:
            store.query("many_rows", {"rows": 1})
    assert said(trouble) == (
        f"history {wire.host}:{wire.port}/short_lived: the server has no database short_lived; "
        "create it, or correct the name"
    )


def test_a_server_that_cannot_bind_parameters_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    data = tmp_path_factory.mktemp("old") / "data"
    with running_server(data, REVISION_WITHOUT_PARAMETERS) as old:
        address = ServerAddress(old.host, old.port, "default", old.user, old.password)
        with pytest.raises(StoreRefusedError) as trouble:
            ClickHouseServerStore(address)
    assert said(trouble) == (
        f"history {address.label}: the server is ClickHouse 18.1, which cannot bind "
        "parameters of queries; use 22.8 or later"
    )


def test_tls_is_spoken_and_a_certificate_that_nobody_vouches_for_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("tls")
    certificate = self_signed_certificate(folder)
    with running_server(folder / "data", certificate=certificate) as server:
        address = replace(address_of(server, server.port), database="default", tls=True)
        trusting = replace(address, tls_ca_file=certificate)
        with ClickHouseServerStore(trusting, query_packages=QUERIES) as store:
            assert len(store.query("many_rows", {"rows": 200_000})) == 200_000
        with pytest.raises(StoreUnavailableError) as trouble:
            ClickHouseServerStore(replace(address, patience_s=0.2))
        assert "certificate verify failed" in said(trouble)


def self_signed_certificate(folder: Path) -> Path:
    """Make a certificate for the loopback address, its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    certificate = folder / "server.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=loopback"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    certificate.write_text(certificate.read_text() + (folder / "key.pem").read_text())
    return certificate


def test_a_password_is_never_shown(address: ServerAddress) -> None:
    assert ClickHouseServer.password not in repr(address)
    assert ClickHouseServer.password not in address.label


# ---- it is away


def test_a_server_that_is_away_at_the_start_is_said_in_one_line(
    address: ServerAddress, wire: FaultyWire
) -> None:
    wire.refuse()
    with pytest.raises(StoreUnavailableError) as trouble:
        opened(address, patience_s=0.3)
    assert said(trouble) == (
        f"history {address.label}: the server cannot be reached (connection refused); "
        "is it running there?"
    )


def test_a_server_that_comes_within_patience_is_waited_for(
    address: ServerAddress, wire: FaultyWire
) -> None:
    wire.refuse()
    coming = threading.Timer(0.5, wire.accept)
    coming.start()
    with opened(address) as store:
        assert len(store.query("many_rows", {"rows": 3})) == 3
    coming.join()


def test_a_server_that_goes_away_for_longer_than_patience_is_said_and_used_when_it_is_back(
    address: ServerAddress, wire: FaultyWire
) -> None:
    with opened(address, patience_s=0.3) as store:
        store.insert("events", columns_of_events(1, 3))
        wire.refuse()
        for attempt in (
            lambda: store.query("sequences"),
            lambda: list(store.blocks("sequences")),
            lambda: store.insert("events", columns_of_events(4, 6)),
        ):
            with pytest.raises(StoreUnavailableError) as trouble:
                attempt()
            assert said(trouble) == (
                f"history {address.label}: the server cannot be reached (connection refused); "
                "is it running there?"
            )
        wire.accept()
        store.insert("events", columns_of_events(4, 6))
        assert sequences_in(store) == [1, 2, 3, 4, 5, 6]


def test_a_restarted_server_has_kept_everything_and_the_same_store_goes_on(
    server: ClickHouseServer, store: ClickHouseServerStore
) -> None:
    store.insert("events", columns_of_events(1, 1000))
    server.stop()
    server.start()
    assert store.migrate() == ()
    store.insert("events", columns_of_events(1001, 1100))
    assert sequences_in(store) == list(range(1, 1101))


def test_a_killed_server_has_kept_everything_that_was_acknowledged(
    server: ClickHouseServer, store: ClickHouseServerStore
) -> None:
    store.insert("events", columns_of_events(1, 1000))
    server.kill()
    server.start()
    assert sequences_in(store) == list(range(1, 1001))


def test_a_server_killed_while_rows_stream_in_loses_and_doubles_nothing(
    server: ClickHouseServer, store: ClickHouseServerStore
) -> None:
    faults: list[BaseException] = []

    def write() -> None:
        try:
            for first in range(1, 2001, 100):
                store.insert("events", columns_of_events(first, first + 99))
        except BaseException as fault:
            faults.append(fault)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        before = store.query("copies").column("copies")[0]
        while writer.is_alive() and store.query("copies").column("copies")[0] < before + 300:
            time.sleep(0.01)
        server.kill()
        server.start()
    writer.join()
    assert faults == []
    assert sequences_in(store) == list(range(1, 2001))


# ---- the connection breaks


def test_a_connection_lost_between_queries_is_made_again(
    store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    store.insert("events", columns_of_events(1, 3))
    wire.cut()
    assert sequences_in(store) == [1, 2, 3]


def test_a_query_whose_answer_breaks_off_is_asked_again_and_answered_whole(
    store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    store.query("many_rows", {"rows": 1})
    before = wire.connection_count
    for broken_after in (1, 100, 1_000_000):
        wire.cut_after(answered=broken_after)
        answer = store.query("many_rows", {"rows": 200_000})
        assert answer.column("number") == list(range(200_000))
    assert wire.connection_count == before + 3


def test_blocks_that_break_off_say_so_instead_of_ending_early(
    address: ServerAddress, store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    blocks = store.blocks("many_rows", {"rows": 2_000_000})
    first = next(blocks)
    assert first.columns[0][0] == 0
    wire.cut()
    with pytest.raises(StoreUnavailableError) as trouble:
        list(blocks)
    assert said(trouble) == (
        f"history {address.label}: the server broke the connection off; ask again when it is back"
    )
    assert len(store.query("many_rows", {"rows": 5})) == 5


def test_blocks_that_nobody_reads_to_the_end_do_not_disturb_the_next_query(
    store: ClickHouseServerStore,
) -> None:
    with closing(store.blocks("many_rows", {"rows": 2_000_000})) as blocks:
        next(blocks)
    assert store.query("many_rows", {"rows": 2}).column("number") == [0, 1]


def test_an_insert_that_breaks_off_on_the_way_is_written_once(
    store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    store.insert("events", columns_of_events(1, 10))
    for broken_after, first in ((50, 11), (5_000, 1011), (100_000, 2011)):
        wire.cut_after(sent=broken_after)
        assert store.insert("events", columns_of_events(first, first + 999)) == 1000
    assert sequences_in(store) == list(range(1, 3011))
    assert store.query("copies").column("copies") == [3010]


def test_an_insert_whose_acknowledgement_is_lost_is_written_again_and_read_once(
    server: ClickHouseServer, address: ServerAddress, store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    server.rows("SYSTEM STOP MERGES", address.database)
    try:
        store.insert("events", columns_of_events(1, 500))
        before = wire.answered_bytes
        store.insert("events", columns_of_events(501, 1000))
        wire.cut_after(answered=wire.answered_bytes - before - 1)  # all but "end of stream"
        store.insert("events", columns_of_events(1001, 1500))
        assert store.query("copies").column("copies") == [2000]
        assert sequences_in(store) == list(range(1, 1501))
    finally:
        server.rows("SYSTEM START MERGES", address.database)
    server.rows("OPTIMIZE TABLE events FINAL", address.database)
    assert store.query("copies").column("copies") == [1500]
    assert sequences_in(store) == list(range(1, 1501))


def test_a_migration_that_breaks_off_is_finished_by_itself(
    server: ClickHouseServer, address: ServerAddress, wire: FaultyWire
) -> None:
    server.create_database("half_made")
    with opened(address, database="half_made") as store:
        wire.cut_after(answered=400)
        applied = store.migrate()
        assert "0001_history_tables.sql" in applied
        store.check_schema()
        store.insert("events", columns_of_events(1, 3))
        assert sequences_in(store) == [1, 2, 3]


def test_threads_share_a_store_whose_connections_are_cut_again_and_again(
    store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                first = 1 + number * 1000 + turn * 100
                store.insert("events", columns_of_events(first, first + 99))
                answer = store.query("many_rows", {"rows": 1000 + number})
                assert len(answer) == 1000 + number
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        time.sleep(0.1)
        wire.cut()
    for thread in threads:
        thread.join()
    assert faults == []
    assert sequences_in(store) == [
        1 + number * 1000 + turn for number in range(4) for turn in range(1000)
    ]


# ---- it is slow


def test_a_query_that_takes_too_long_is_said_and_not_asked_again(
    address: ServerAddress, wire: FaultyWire
) -> None:
    with opened(address, answer_timeout_s=1.5) as store:
        store.query("many_rows", {"rows": 1})
        before = wire.connection_count
        with pytest.raises(StoreUnavailableError) as trouble:
            store.query("slow")
        assert said(trouble) == (
            f"history {address.label}: no answer within 1.5 s; "
            "the server is overloaded or the query too wide, ask again later"
        )
        assert wire.connection_count == before
        assert len(store.query("many_rows", {"rows": 7})) == 7


def test_an_insert_that_takes_too_long_is_written_again_and_read_once(
    address: ServerAddress, wire: FaultyWire
) -> None:
    with opened(address, answer_timeout_s=1.5) as store:
        store.insert("events", columns_of_events(1, 10))
        before = wire.answered_bytes
        store.insert("events", columns_of_events(11, 20))
        wire.hold_after(answered=wire.answered_bytes - before - 1)  # all but "end of stream"
        with pytest.raises(StoreUnavailableError) as trouble:
            store.insert("events", columns_of_events(21, 30))
        assert said(trouble) == (
            f"history {address.label}: no answer within 1.5 s; "
            "the server is overloaded or the query too wide, ask again later"
        )
        wire.release_answers()
        assert sequences_in(store) == list(range(1, 31))
        store.insert("events", columns_of_events(21, 30))
        assert sequences_in(store) == list(range(1, 31))


def test_a_server_that_is_slow_but_not_too_slow_is_waited_for(
    store: ClickHouseServerStore, wire: FaultyWire
) -> None:
    wire.delay_s = 0.1
    store.insert("events", columns_of_events(1, 10))
    assert sequences_in(store) == list(range(1, 11))


def test_a_server_that_accepts_and_says_nothing_is_not_waited_for_for_ever(
    address: ServerAddress, wire: FaultyWire
) -> None:
    wire.hold_answers()
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError) as trouble:
        opened(address, answer_timeout_s=0.3, ping_timeout_s=0.3, patience_s=0.5)
    assert time.monotonic() - began < 10
    assert said(trouble) == (
        f"history {address.label}: the server cannot be reached (no answer); "
        "is it running there, and is no firewall between?"
    )


# ---- and the rest


def test_a_closed_store_says_that_it_is_closed(address: ServerAddress) -> None:
    store = opened(address)
    store.query("many_rows", {"rows": 1})
    store.close()
    store.close()
    with pytest.raises(StoreFaultError, match="already closed in this process"):
        store.query("many_rows", {"rows": 1})
    with pytest.raises(StoreFaultError, match="already closed in this process"):
        store.insert("events", columns_of_events(1, 1))


def test_rows_of_two_months_in_one_insert_are_refused_whole(
    address: ServerAddress, store: ClickHouseServerStore
) -> None:
    columns = columns_of_events(1, 2)
    columns["occurred_at_us"][1] += 40 * 86_400_000_000
    with pytest.raises(HistoryError) as trouble:
        store.insert("events", columns)
    assert said(trouble) == (
        f"history {address.label}: rows of several partitions in one insert; "
        "insert those of each month apart"
    )
    assert sequences_in(store) == []
