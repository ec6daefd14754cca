"""Disks fill up, files get damaged, processes are killed: one line each, and nothing is lost."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from streams.history.embedded.owner import owner_file
from streams.history.embedded.store import ChdbStore
from streams.history.opening import open_history
from streams.history.store import HistoryError, StoreFaultError
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import QUERY_PACKAGES
from tests.support.history.history_records import a_coup, known
from tests.support.source_tree import ROOT

COUPS = 300
CHILD = """
import os, sys
from pathlib import Path
from streams.history.embedded.store import ChdbStore
from streams.history.writing.writer import HistoryWriter
from tests.support.history.history_records import a_coup, known

with ChdbStore(Path(sys.argv[1])) as store:
    store.migrate()
    for offset in range(1, 1_000_000):
        HistoryWriter(store).write([known(a_coup(n, offset=offset)) for n in range(1, 21)])
        print(offset, flush=True)
"""


def incompressible(offset: int) -> list[object]:
    """Give records whose rows take room on the disk."""
    return [
        known(a_coup(n, offset=offset, dealer=os.urandom(30).hex())) for n in range(1, COUPS + 1)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a history with some coups, closed."""
    path = tmp_path / "history"
    with ChdbStore(path) as store:
        store.migrate()
        HistoryWriter(store).write([known(a_coup(n, offset=n)) for n in range(1, COUPS + 1)])
    return path


def refused(path: Path) -> str:
    """Open a history and read all of it; give the one line with which that is refused."""
    with pytest.raises(HistoryError) as caught, open_history(path) as history:
        for name in ("digest_coups", "digest_wagers", "status_current"):
            history.query(name)
    line = str(caught.value)
    assert line.startswith(f"history {path}")
    assert "\n" not in line
    assert "DB::" not in line
    return line


def biggest_data_file(path: Path) -> Path:
    """Give the largest file of rows."""
    return max(path.glob("store/*/*/*/data.bin"), key=lambda one: one.stat().st_size)


def test_a_write_that_the_system_cuts_short_is_an_error_and_can_be_repeated(path: Path) -> None:
    """The engine itself reports success here, and so would lose the rows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    records = incompressible(10_000)
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, hard))
        try:
            with pytest.raises(StoreFaultError, match="did not take all rows"):
                HistoryWriter(store).write(records)
            versions = {row[1] & 0xFFFF for row in store.query("standing_coups").rows()}
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert 10_000 not in versions
        HistoryWriter(store).write(records)
        assert {row[1] & 0xFFFF for row in store.query("standing_coups").rows()} == {10_000}
        assert store.query("incomplete_subjects").rows() == []
    with open_history(path) as history:  # what was put aside on purpose is no damage
        assert len(history.query("digest_coups")) == COUPS


def small_disk(folder: Path) -> bool:
    """Mount a file system of 12 MB, where this machine lets us."""
    command = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)]
    return (
        shutil.which("mount") is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


def test_a_full_disk_is_an_error_and_loses_nothing_acknowledged(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if not small_disk(folder):
        pytest.skip("mounting a small file system needs the rights of the system's administrator")
    ballast = folder / "ballast"
    try:
        with ChdbStore(folder / "history", query_packages=QUERY_PACKAGES) as store:
            store.migrate()
            acknowledged = 0
            with pytest.raises(StoreFaultError, match="the disk is full; free some space"):
                for offset in range(1, 100):
                    HistoryWriter(store).write(incompressible(offset))
                    acknowledged = offset
                    with ballast.open("ab") as file:
                        file.write(bytes(700_000))
            found = {row[1] & 0xFFFF for row in store.query("standing_coups").rows()}
            assert found == {acknowledged}
            assert store.query("incomplete_subjects").rows() == []
            ballast.unlink()
            HistoryWriter(store).write(incompressible(acknowledged + 1))
            found = {row[1] & 0xFFFF for row in store.query("standing_coups").rows()}
            assert found == {acknowledged + 1}
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_process_killed_while_it_writes_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "history"
    command = [sys.executable, "-c", CHILD, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(5):
            acknowledged = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read().split()
        acknowledged = int(rest[-1]) if rest else acknowledged
    with ChdbStore(path, query_packages=QUERY_PACKAGES) as store:
        store.check_schema()
        versions = [row[1] & 0xFFFF for row in store.query("standing_coups").rows()]
        assert len(versions) == 20
        assert min(versions) >= acknowledged
        assert store.query("incomplete_subjects").rows() == []


def test_a_flipped_bit_is_damage_and_never_another_answer(path: Path) -> None:
    file = biggest_data_file(path)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)
    assert "is damaged" in refused(path)


def test_a_cut_file_is_damage_even_though_the_engine_goes_on_without_it(path: Path) -> None:
    os.truncate(biggest_data_file(path), 50)
    for _ in range(2):  # the engine has put it aside the first time
        assert "was put aside" in refused(path)
    with ChdbStore(path) as store, pytest.raises(StoreFaultError, match="is damaged"):
        store.migrate()


def test_a_lost_table_is_damage(path: Path) -> None:
    for definition in path.glob("store/*/*/coups.sql"):
        definition.unlink()
    assert "is damaged" in refused(path)


def test_an_unreadable_definition_is_damage(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for definition in path.glob("store/*/*/coups.sql"):
        definition.write_text("garbage")
    assert "the engine cannot read its tables" in refused(path)
    capfd.readouterr()  # the engine itself writes what it could not read


@pytest.mark.parametrize("below", ["file/history", "file/deep/history"])
def test_a_path_that_cannot_be_made_is_one_line(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFaultError, match="choose a folder that you may write to") as caught:
        ChdbStore(tmp_path / below)
    assert "\n" not in str(caught.value)


def test_a_read_only_file_system_is_one_line() -> None:
    with pytest.raises(StoreFaultError, match="choose a folder that you may write to"):
        ChdbStore(Path("/proc/ladderman/history"))


def test_a_file_in_the_place_of_the_history_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("mine")
    with pytest.raises(HistoryError) as caught:
        ChdbStore(path)
    assert "\n" not in str(caught.value)
    assert path.read_text() == "mine"
    owner_file(path).unlink()
