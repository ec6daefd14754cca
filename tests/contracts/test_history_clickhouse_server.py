"""A ClickHouse server keeps the promises of every history store: the real driver, a real socket.

First that the loopback server of these tests is one: what the driver sends and reads comes through
unchanged.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

import pytest
from clickhouse_driver import errors
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from tests.contracts.history_store_contract import QUERY_PACKAGES, TABLES, HistoryStoreContract
from tests.support.history.clickhouse_server import ClickHouseServer, running_server

ALL_QUERIES = (*QUERY_PACKAGES, "tests.support.history.server_queries")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouseServer]:
    with running_server(tmp_path_factory.mktemp("clickhouse") / "data") as server:
        yield server


def opened(server: ClickHouseServer, database: str) -> ClickHouseServerStore:
    address = ServerAddress(server.host, server.port, database, server.user, server.password)
    return ClickHouseServerStore(address, query_packages=ALL_QUERIES)


@pytest.fixture(scope="module")
def migrated(server: ClickHouseServer) -> Iterator[ClickHouseServerStore]:
    with opened(server, server.create_database("history")) as store:
        store.migrate()
        yield store


@pytest.fixture
def store(server: ClickHouseServer, migrated: ClickHouseServerStore) -> ClickHouseServerStore:
    """Give the migrated store, empty again."""
    with server.client("history") as client:
        client.execute("SYSTEM START MERGES")
        for table in TABLES:
            client.execute(f"TRUNCATE TABLE {table}")
    return migrated


@pytest.fixture(scope="module")
def questions(server: ClickHouseServer) -> Iterator[ClickHouseServerStore]:
    """Give a store without tables, for questions that need none."""
    with opened(server, server.create_database("questions")) as store:
        yield store


class TestHistoryOnAServer(HistoryStoreContract):
    """A server, through clickhouse-driver."""


# ---- parameters are bound by the server

texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=60, deadline=None)
@given(
    text=texts,
    texts_=st.lists(texts, max_size=4),
    number=st.integers(-(2**63), 2**63 - 1),
    numbers=st.lists(st.integers(0, 2**64 - 1), max_size=4),
    flag=st.booleans(),
    day=st.dates(datetime.date(1900, 1, 1), datetime.date(2299, 12, 31)),
    maybe=st.none() | texts,
)
def test_what_is_bound_comes_back_whatever_it_is(
    questions: ClickHouseServerStore,
    text: str,
    texts_: list[str],
    number: int,
    numbers: list[int],
    flag: bool,
    day: datetime.date,
    maybe: str | None,
) -> None:
    bound = {
        "text": text,
        "texts": texts_,
        "number": number,
        "numbers": numbers,
        "flag": flag,
        "day": day,
        "maybe": maybe,
    }
    assert questions.query("as_bound", bound).dicts() == [bound]


def test_the_text_of_a_query_travels_without_its_values(
    questions: ClickHouseServerStore, server: ClickHouseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clickhouse_driver.connection import Connection

    sent: list[str] = []
    send_query = Connection.send_query

    def listen(self: Connection, query: str, *args: object, **kwargs: object) -> None:
        sent.append(query)
        send_query(self, query, *args, **kwargs)

    monkeypatch.setattr(Connection, "send_query", listen)
    questions.query("many_rows", {"rows": 12_345})
    assert "{rows:UInt64}" in sent[-1]
    assert "12345" not in sent[-1]


# ---- the loopback server is a server


def test_values_of_every_type_come_through_unchanged(server: ClickHouseServer) -> None:
    row = server.rows(
        "SELECT 1, 'é', unhex('ff00'), toDate('2149-06-06'), toDate32('1900-01-01'),"
        " fromUnixTimestamp64Micro(1, 'UTC'),"
        " [1, 2], map('a', 1), true, toLowCardinality('x'), CAST(NULL AS Nullable(Int8)),"
        " toDecimal64('1.2345', 4), toFixedString('ab', 4), toUUID("
        "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 1.5, tuple(1, 'b'),"
        " CAST('it''s, (b)' AS Enum8('it''s, (b)' = 1, 'c' = 2)), toInt128(-5)"
    )[0]
    assert row == (
        1,
        "é",
        b"\xff\x00",
        datetime.date(2149, 6, 6),
        datetime.date(1900, 1, 1),
        datetime.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=datetime.UTC),
        [1, 2],
        {"a": 1},
        True,
        "x",
        None,
        Decimal("1.2345"),
        "ab",
        UUID("61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
        1.5,
        (1, "b"),
        "it's, (b)",
        -5,
    )


def test_an_answer_without_rows_still_names_its_columns(server: ClickHouseServer) -> None:
    with server.client() as client:
        assert client.execute(
            "SELECT number AS n, 'x' AS word FROM numbers(3) WHERE number > {floor:UInt64}",
            {"floor": 7},
            with_column_types=True,
        ) == ([], [("n", "UInt64"), ("word", "String")])


@pytest.mark.parametrize(
    ("text", "code", "sign"),
    [
        ("SELECT nothing_of_the_kind", 47, "nothing_of_the_kind"),
        ("SELEC 1", 62, "Syntax error"),
        ("SELECT throwIf(number = 150000, 'boom') FROM numbers(200000)", 395, "boom"),
        ("DROP TABLE nowhere", 60, "nowhere"),
    ],
)
def test_errors_have_the_code_and_the_words_of_the_engine(
    server: ClickHouseServer, text: str, code: int, sign: str
) -> None:
    with server.client() as client:
        with pytest.raises(errors.ServerException) as caught:
            client.execute(text)
        assert caught.value.code == code
        assert sign in caught.value.message
        assert client.execute("SELECT 1") == [(1,)]


def test_rows_that_the_engine_refuses_are_an_error_and_none_is_kept(
    server: ClickHouseServer,
) -> None:
    server.rows("CREATE TABLE small (a UInt8, CONSTRAINT low CHECK a < 10) ENGINE = Memory")
    with server.client() as client:
        with pytest.raises(errors.ServerException, match="violated") as caught:
            client.execute("INSERT INTO small (a) VALUES", [[1, 20]], columnar=True)
        assert caught.value.code == 469
        assert client.execute("INSERT INTO small VALUES", [(3,), (4,)]) == 2
        assert client.execute("SELECT a FROM small ORDER BY a") == [(3,), (4,)]


def test_settings_hold_for_their_query_alone(server: ClickHouseServer) -> None:
    with server.client() as client:
        asked = "SELECT getSetting('max_block_size')"
        usual = client.execute(asked)
        assert client.execute(asked, settings={"max_block_size": 77}) == [(77,)]
        assert client.execute(asked, settings={"nothing_of_the_kind": 1}) == usual
        with pytest.raises(errors.ServerException):
            client.execute(asked, settings={"max_block_size": "many"})
        assert client.execute(asked) == usual


def test_a_query_can_be_cancelled(server: ClickHouseServer) -> None:
    with server.client() as client:
        progress = client.execute_with_progress("SELECT number FROM numbers(100000000)")
        next(iter(progress))
        rows = client.cancel()
        assert len(rows) < 100_000_000
        assert client.execute("SELECT 1") == [(1,)]


def test_compression_is_refused_clearly(
    server: ClickHouseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server.client() as client:
        client.execute("SELECT 1")
        monkeypatch.setattr(client.connection, "compression", 1)
        with pytest.raises(errors.ServerException, match="Compression is not spoken") as caught:
            client.execute("SELECT 1")
        assert caught.value.code == 48
