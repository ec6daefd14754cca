"""One process owns a history; others ask it, or learn in one line who owns it."""

import datetime
import errno
import http.client
import json
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from streams.history.embedded.owner import Owner, OwnerLock, owner_file, read_owner
from streams.history.embedded.store import ChdbStore
from streams.history.opening import digests_of, open_history
from streams.history.reading.digest import history_digests
from streams.history.sharing.api import HistoryApi
from streams.history.sharing.client import OwnerClient
from streams.history.sharing.shared import own_history
from streams.history.store import (
    HistoryError,
    StoreFaultError,
    StoreGoneError,
    StoreMissingError,
    StoreOwnedError,
)
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import HOSTILE, QUERY_PACKAGES
from tests.support.history.history_owner import owner_of
from tests.support.history.history_records import a_coup, a_finding, known


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChdbStore]:
    """Give a store with a coup in it; its engine runs for the whole module."""
    path = tmp_path_factory.mktemp("owner") / "history"
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as opened:
        opened.migrate()
        HistoryWriter(opened).write([known(a_coup(1, findings=(a_finding("w1"),)))])
        yield opened


@pytest.fixture
def api(store: ChdbStore) -> Iterator[HistoryApi]:
    """Serve the store's API."""
    with HistoryApi(store) as serving:
        yield serving


@pytest.fixture
def client(store: ChdbStore, api: HistoryApi) -> OwnerClient:
    """Ask the store as another process would."""
    owner = read_owner(store.path)
    assert owner is not None
    assert owner.address == api.address
    return OwnerClient(store.path, owner)


def test_what_the_owner_answers_is_what_it_would_say_itself(
    store: ChdbStore, client: OwnerClient
) -> None:
    for name in ("standing_coups", "standing_wagers", "standing_findings", "status_current"):
        assert client.query(name) == store.query(name)
    asked = {"table_id": "BAC-03", "coup_id": "S1/1", "as_of_us": 2**62}
    assert client.query("coup_record", asked) == store.query("coup_record", asked)
    with open_history(store.path) as shared:
        assert digests_of(shared) == history_digests(store)
        assert shared.query("standing_coups") == store.query("standing_coups")


def test_parameters_pass_through_the_owner_unchanged(client: OwnerClient) -> None:
    for text in [*HOSTILE, "date:2025-06-07", "text:x"]:
        asked = {
            "text": text,
            "maybe": text,
            "texts": (*HOSTILE, text),
            "number": 2**64 - 1,
            "numbers": (-1,),
            "day": datetime.date(2000, 1, 1),
            "truth": False,
        }
        (row,) = client.query("echo_parameters", asked).dicts()
        assert row == asked | {"texts": [*HOSTILE, text], "numbers": [-1]}


def test_a_long_answer_comes_whole(client: OwnerClient) -> None:
    assert (
        sum(block.row_count for block in client.blocks("count_up", {"count": 400_000})) == 400_000
    )
    assert client.query("count_up", {"count": 0}).rows() == []


def test_what_the_owner_refuses_is_said_in_its_words(client: OwnerClient) -> None:
    with pytest.raises(HistoryError, match="did you mean digest_coups"):
        client.query("digest_coup")
    with pytest.raises(HistoryError, match="count"):
        client.query("count_up")
    with pytest.raises(HistoryError, match="far enough"):
        client.query("break_off", {"count": 700_000})


def test_one_who_goes_away_in_the_middle_harms_nobody(client: OwnerClient) -> None:
    for _ in range(10):
        blocks = client.blocks("count_up", {"count": 2_000_000})
        next(blocks)
        blocks.close()  # type: ignore[attr-defined]
    assert client.query("count_up", {"count": 2}).rows() == [(0,), (1,)]


@pytest.mark.parametrize("token", [None, "", "wrong", "é"], ids=["none", "empty", "wrong", "odd"])
def test_without_the_token_nothing_is_answered(
    store: ChdbStore, client: OwnerClient, token: str | None
) -> None:
    stranger = OwnerClient(store.path, replace(client.owner, token=token))
    for ask in (lambda: stranger.query("standing_coups"), stranger.digests):
        with pytest.raises((HistoryError, UnicodeEncodeError)):
            ask()


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/query", b"", 422),
        ("/query", b"{", 422),
        ("/query", b"[]", 422),
        ("/query", b'{"name": "standing_coups"}', 422),
        ("/query", b'{"name": 7, "parameters": {}}', 422),
        ("/query", b'{"name": "count_up", "parameters": {"count": 1.5}}', 422),
        ("/query", b'{"name": "count_up", "parameters": {"count": {"a": 1}}}', 422),
        ("/query", b" " * 2_000_000, 422),
        ("/else", b"{}", 404),
    ],
    ids=["empty", "cut", "list", "short", "number", "float", "object", "huge", "elsewhere"],
)
def test_a_question_that_cannot_be_read_is_refused(
    client: OwnerClient, path: str, body: bytes, status: int
) -> None:
    connection = http.client.HTTPConnection(client.owner.address or "", timeout=20)
    try:
        connection.request("POST", path, body, {"Authorization": f"Bearer {client.owner.token}"})
        response = connection.getresponse()
        assert response.status == status
        assert len(response.read().splitlines()) == 1
    except BrokenPipeError:
        assert len(body) > 1_000_000  # refused before all of it was sent
    finally:
        connection.close()
    assert len(client.query("standing_coups")) == 1


def test_a_question_that_does_not_say_how_long_it_is_is_refused(
    client: OwnerClient, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = http.client.HTTPConnection(client.owner.address or "", timeout=20)
    connection.putrequest("POST", "/query")
    connection.putheader("Authorization", f"Bearer {client.owner.token}")
    connection.putheader("Content-Length", "much")
    connection.endheaders()
    assert connection.getresponse().status == 422
    connection.close()
    assert capsys.readouterr().err == ""


def test_the_api_can_neither_write_nor_take_a_query_of_the_asker(client: OwnerClient) -> None:
    for name in ("DROP TABLE coups", "../status", "SELECT 1"):
        with pytest.raises(HistoryError, match="no query"):
            client.query(name)


def test_many_ask_at_the_same_time(client: OwnerClient) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(client.query("standing_coups"))))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 12


def test_only_its_person_can_read_the_owner_file_and_its_address_goes_with_the_api(
    store: ChdbStore,
) -> None:
    file = owner_file(store.path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with HistoryApi(store) as api:
        owner = read_owner(store.path)
        assert owner is not None
        assert (owner.pid, owner.address) == (os.getpid(), api.address)
        assert api.address.startswith("127.0.0.1:")
        token = json.loads(file.read_text())["token"]
        assert len(token) >= 32
    assert token not in file.read_text()
    with pytest.raises(StoreOwnedError, match=f"owned by process {os.getpid()} "):
        open_history(store.path, wait_s=0)


def test_a_process_opens_one_history_at_a_time(store: ChdbStore, tmp_path: Path) -> None:
    with pytest.raises(StoreOwnedError, match="already has another history open"):
        ChdbStore(tmp_path / "other")
    assert read_owner(tmp_path / "other") is None
    with pytest.raises(StoreOwnedError, match="owned by process"):
        ChdbStore(store.path)
    assert len(store.query("standing_coups")) == 1


def test_a_second_process_learns_who_owns_the_history(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with owner_of(path) as owner:
        for opening in (partial(open_history, wait_s=0), partial(own_history, wait_s=0), ChdbStore):
            with pytest.raises(StoreOwnedError) as caught:
                opening(path)
            line = str(caught.value)
            assert f"owned by process {owner.pid} (history_owner.py " in line
            assert "\n" not in line


def test_one_who_asks_an_owner_that_was_killed_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with owner_of(path, "--api") as owner:
        named = read_owner(path)
        assert named is not None
        assert named.pid == owner.pid
        client = OwnerClient(path, named)
        assert len(client.query("standing_coups")) == 1
        owner.kill()
        owner.wait()
        with pytest.raises(StoreGoneError, match=f"process {owner.pid} .* does not answer"):
            client.query("standing_coups")
    assert read_owner(path) is None  # whatever its file says: the lock died with it


def test_an_owner_file_that_is_cut_or_foreign_still_names_nobody_wrongly(tmp_path: Path) -> None:
    path = tmp_path / "history"
    owner_file(path).write_text('{"pid": 1, "command": "old", "address": "127.0.0.1:1"}')
    assert read_owner(path) is None
    lock = OwnerLock.take(path)
    with pytest.raises(StoreOwnedError, match="which answers no questions; wait for it or stop"):
        OwnerLock.take(path)
    lock.announce("127.0.0.1:9", "token")
    with pytest.raises(StoreOwnedError, match="which alone writes it; wait for it or stop it"):
        OwnerLock.take(path)
    lock.announce(None, None)
    assert read_owner(path) == Owner(os.getpid(), read_owner(path).command)  # type: ignore[union-attr]
    owner_file(path).write_text("{")
    assert read_owner(path) == Owner(0, "starting")
    lock.close()
    lock.close()
    assert read_owner(path) is None


def test_a_history_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match="ladderman ingest FILE --store"):
        open_history(tmp_path / "none" / "history")
    with pytest.raises(StoreMissingError, match="ladderman sink begins one there"):
        ChdbStore(tmp_path / "none", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_history_on_a_medium_that_is_read_only_says_to_copy_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regulator is handed one; the engine writes beside what it reads."""

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreFaultError) as refused:
        read_owner(tmp_path / "store" / "history")
    assert str(refused.value).endswith(
        f"history.owner (Read-only file system); copy {tmp_path / 'store'} to where you may write, "
        "and name the copy"
    )
