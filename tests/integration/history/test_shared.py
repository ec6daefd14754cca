"""Several processes read one history at once, also while one writes it and while owners end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from streams.history.embedded.owner import is_wanted, owner_file, read_owner, wanted
from streams.history.embedded.store import ChdbStore
from streams.history.opening import history_path, open_history
from streams.history.sharing.api import HistoryApi
from streams.history.sharing.shared import own_history
from streams.history.store import StoreFaultError
from streams.history.writing.writer import HistoryWriter
from streams.process import bounded_server as server_module
from tests.contracts.history_store_contract import QUERY_PACKAGES
from tests.support.history.history_owner import owner_of
from tests.support.history.history_records import a_coup, known
from tests.support.source_tree import ROOT
from tests.support.tables.table_script import TableScript

PATIENCE_S = 60
FIRST_COUPS, ALL_COUPS = 10, 30
ROWS = 5_000_000


@contextmanager
def reader_of(path: Path, answers: int = 10) -> Iterator[subprocess.Popen[str]]:
    """Run a process that reads a history until its standard input ends."""
    command = [sys.executable, "-m", "tests.support.history_reader", str(path), str(answers)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as reader:
        try:
            yield reader
        finally:
            reader.kill()


def answers_of(reader: subprocess.Popen[str]) -> list[tuple[int, int, bool]]:
    """Let a reader come to its end in good order and give all its answers."""
    out, err = reader.communicate("", timeout=PATIENCE_S)
    assert (reader.returncode, err) == (0, "")
    return [tuple(json.loads(line)) for line in out.splitlines()]


def until_owned_by_a_reader(path: Path) -> int:
    """Wait until a reader answers the others; give its process."""
    until_s = time.monotonic() + PATIENCE_S
    while (owner := read_owner(path)) is None or not owner.is_reader:
        assert time.monotonic() < until_s
        time.sleep(0.01)
    return owner.pid


def ingest(file: Path, store: Path) -> subprocess.CompletedProcess[str]:
    """Put a file into a store in a process of its own."""
    words = [str(Path(sys.executable).parent / "ladderman"), "ingest", str(file)]
    return subprocess.run(
        [*words, "--store", str(store)], capture_output=True, text=True, check=False
    )


def test_four_read_while_one_writes_and_the_owner_is_killed(tmp_path: Path) -> None:
    script, store = TableScript().open().shoe(), tmp_path / "store"
    files, coups = [], 0
    for end in (FIRST_COUPS, ALL_COUPS):
        while coups < end:
            script.honest_coup()
            coups += 1
        files.append(tmp_path / f"{end}.jsonl")
        files[-1].write_bytes(b"".join(line + b"\n" for line in script.messages))
    assert ingest(files[0], store).returncode == 0
    path = history_path(store)
    with ExitStack() as stack:
        readers = [stack.enter_context(reader_of(path)) for _ in range(5)]
        until_owned_by_a_reader(path)
        written = ingest(files[1], store)
        assert (written.returncode, written.stderr) == (0, "")
        killed = until_owned_by_a_reader(path)
        os.kill(killed, signal.SIGKILL)
        found = [answers_of(reader) for reader in readers if reader.pid != killed]
    assert len(found) == 4
    for answers in found:
        counts = [coups for coups, _, _ in answers]
        assert counts == sorted(counts)
        assert counts[-1] == ALL_COUPS
        assert len({wagers for coups, wagers, _ in answers if coups == ALL_COUPS}) == 1
    assert read_owner(path) is None
    with open_history(path, query_packages=QUERY_PACKAGES, wait_s=0) as history:
        assert len(history.query("standing_coups")) == ALL_COUPS


def test_a_reader_goes_on_when_the_owner_is_killed_and_owns_the_history_then(
    tmp_path: Path,
) -> None:
    path = tmp_path / "history"
    with (
        owner_of(path, "--api") as owner,
        open_history(path, query_packages=QUERY_PACKAGES) as history,
    ):
        assert history.owner is not None
        assert history.owner.pid == owner.pid
        before = history.query("standing_coups")
        owner.kill()
        owner.wait()
        assert history.query("standing_coups") == before
        assert history.owner is None
        named = read_owner(path)
        assert named is not None
        assert (named.pid, named.is_reader) == (os.getpid(), True)


def test_an_owner_that_is_killed_amid_a_long_answer_costs_no_row(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with (
        owner_of(path, "--api") as owner,
        open_history(path, query_packages=QUERY_PACKAGES) as history,
    ):

        def counted() -> int:
            return sum(block.row_count for block in history.blocks("count_up", {"count": ROWS}))

        begun_s = time.monotonic()
        assert counted() == ROWS
        # Amid the second answer, on a machine of whatever speed.
        killing = threading.Timer((time.monotonic() - begun_s) / 2, owner.kill)
        killing.start()
        assert counted() == ROWS
        killing.join()
        assert counted() == ROWS
        assert history.owner is None


def test_a_reader_that_owns_the_history_hands_it_over_to_one_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with ChdbStore(path) as begun:
        begun.migrate()
    with reader_of(path, 1_000_000) as reader:
        assert until_owned_by_a_reader(path) == reader.pid
        assert reader.stdout is not None
        assert json.loads(reader.stdout.readline()) == [0, 0, True]
        with own_history(path) as store, HistoryApi(store):
            HistoryWriter(store).write([known(a_coup(1, offset=1))])
            assert not is_wanted(path)
            owners = answers_of(reader)
        assert owners[-1][0] == 1
        assert owners[-1][2] is False


def test_no_reader_takes_a_history_that_one_waits_to_write(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with ChdbStore(path) as begun:
        begun.migrate()
    with wanted(path), pytest.raises(Exception, match="another process waits to write it"):
        open_history(path, query_packages=QUERY_PACKAGES, wait_s=0)
    assert not is_wanted(path)
    with open_history(path, query_packages=QUERY_PACKAGES, wait_s=0) as history:
        assert len(history.query("standing_coups")) == 0
    with pytest.raises(StoreFaultError, match="already closed"):
        history.query("standing_coups")


def test_one_who_drips_or_says_nothing_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "history"
    monkeypatch.setattr(server_module, "CALLERS_MAX", 6)
    monkeypatch.setattr(server_module, "QUESTION_SECONDS_MAX", 0.5)
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as store, ExitStack() as stack:
        store.migrate()
        serving = HistoryApi(store)
        address, port = serving.address.split(":")
        silent = [
            stack.enter_context(socket.create_connection((address, int(port)))) for _ in range(6)
        ]
        silent[0].sendall(b"POST /query HTTP/1.1\r\nX: ")
        ended = threading.Event()

        def drip() -> None:
            while not ended.wait(0.1):
                try:
                    silent[0].sendall(b"x")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        began_s = time.monotonic()
        with open_history(path, query_packages=QUERY_PACKAGES) as history:
            assert len(history.query("standing_coups")) == 0
        dripping.join(5)
        assert not dripping.is_alive()
        ended.set()
        assert time.monotonic() - began_s < 5
        silent.append(stack.enter_context(socket.create_connection((address, int(port)))))
        began_s = time.monotonic()
        serving.close()
        assert time.monotonic() - began_s < 3


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_the_api_knows_no_other_method(tmp_path: Path, method: str) -> None:
    path = tmp_path / "history"
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as store, HistoryApi(store) as serving:
        address, port = serving.address.split(":")
        with socket.create_connection((address, int(port))) as caller:
            caller.sendall(f"{method} /query HTTP/1.0\r\n\r\n".encode())
            assert b" 501 " in caller.recv(100)


def test_an_owner_file_that_names_a_dead_owner_delays_nobody(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with owner_of(path, "--api") as owner:
        owner.kill()
        owner.wait()
    assert json.loads(owner_file(path).read_text())["address"]
    began_s = time.monotonic()
    with open_history(path, query_packages=QUERY_PACKAGES, wait_s=0) as history:
        assert len(history.query("standing_coups")) == 1
    assert time.monotonic() - began_s < 5
