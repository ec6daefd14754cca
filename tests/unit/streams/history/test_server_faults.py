"""What a server says, and what a person reads of it."""

from __future__ import annotations

import time

import pytest
from clickhouse_driver import Client, errors

from streams.history.server.clients import ServerAddress, ServerClients
from streams.history.server.faults import (
    StoreRefusedError,
    StoreUnavailableError,
    connection_fault,
    server_fault,
)
from streams.history.store import HistoryError, StoreFaultError
from streams.process.settings import ClickHouseSettings

LABEL = "db:9000/ladderman"
TRACE = ". Stack trace:\n\n0. DB::Exception::Exception()\n1. main"


def said(code: int, text: str) -> HistoryError:
    return server_fault(
        LABEL, "auditor", errors.ServerException(f"DB::Exception: {text}{TRACE}", code)
    )


@pytest.mark.parametrize(
    ("code", "text", "kind", "line"),
    [
        (
            60,
            "Table ladderman.coups does not exist",
            StoreFaultError,
            "history db:9000/ladderman: Table ladderman.coups does not exist",
        ),
        (
            202,
            "Too many simultaneous queries. Maximum: 100",
            StoreUnavailableError,
            "history db:9000/ladderman: not now: Too many simultaneous queries. Maximum: 100; "
            "ask again later",
        ),
        (
            252,
            "Too many parts (3000). Merges are processing significantly slower than inserts",
            StoreUnavailableError,
            "history db:9000/ladderman: not now: Too many parts (3000). Merges are processing "
            "significantly slower than inserts; ask again later",
        ),
        (
            243,
            "Cannot reserve 1.00 MiB, not enough space",
            StoreUnavailableError,
            "history db:9000/ladderman: not now: Cannot reserve 1.00 MiB, not enough space; "
            "ask again later",
        ),
        (
            497,
            "auditor: Not enough privileges. To execute this query, it's necessary to have INSERT",
            StoreRefusedError,
            "history db:9000/ladderman: user auditor may not do this: auditor: Not enough "
            "privileges. To execute this query, it's necessary to have INSERT",
        ),
        (
            516,
            "auditor: Authentication failed: password is incorrect",
            StoreRefusedError,
            "history db:9000/ladderman: the server does not accept user auditor with this "
            "password; check both",
        ),
    ],
)
def test_an_answer_of_the_server_is_one_line_with_what_to_do(
    code: int, text: str, kind: type[HistoryError], line: str
) -> None:
    fault = said(code, text)
    assert type(fault) is kind
    assert str(fault) == line


def test_a_batch_over_several_partitions_is_our_fault_and_not_asked_again() -> None:
    fault = said(252, "Too many partitions for single INSERT block (more than 1)")
    assert not isinstance(fault, StoreUnavailableError)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (EOFError("Unexpected EOF"), "the server broke the connection off"),
        (ConnectionResetError(104, "reset"), "the server broke the connection off"),
        (TimeoutError("timed out"), "no answer within 20 s"),
        (errors.SocketTimeoutError("(db:9000)"), "the server cannot be reached (no answer)"),
        (
            errors.NetworkError("No route to host (db:9000)"),
            "the server cannot be reached (no route to host)",
        ),
        (errors.NetworkError("(db:9000)"), "the server cannot be reached (no reason given)"),
    ],
)
def test_a_connection_that_fails_is_one_line(fault: Exception, line: str) -> None:
    told = connection_fault(LABEL, fault, 20.0)
    assert isinstance(told, StoreUnavailableError)
    assert str(told).startswith(f"history {LABEL}: {line}")
    assert "\n" not in str(told)


def test_an_address_is_what_the_settings_say_and_keeps_the_password_to_itself() -> None:
    settings = ClickHouseSettings.model_validate(
        {
            "host": "db",
            "port": 9440,
            "database": "history",
            "user": "auditor",
            "password": "a word only they know",
            "tls": True,
            "connect_timeout_s": 3,
            "send_receive_timeout_s": 30,
            "sync_request_timeout_s": 4,
        }
    )
    address = ServerAddress.from_settings(settings)
    assert address == ServerAddress(
        "db",
        9440,
        "history",
        "auditor",
        "a word only they know",
        tls=True,
        connect_timeout_s=3.0,
        answer_timeout_s=30.0,
        ping_timeout_s=4.0,
    )
    assert "a word" not in repr(address)
    assert address.label == "db:9440/history"


def test_a_client_that_cannot_be_made_is_not_waited_for_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(_: ServerAddress, database: str) -> Client:
        raise ValueError(database)

    monkeypatch.setattr(ServerAddress, "client", refused)
    clients = ServerClients(ServerAddress(host="127.0.0.1", database="audit", answer_timeout_s=60))
    with pytest.raises(ValueError, match="audit"), clients.borrow():
        pytest.fail("there is no client to lend")
    before = time.monotonic()
    clients.close()
    assert time.monotonic() - before < 30
