"""A history is carried away and brought back unchanged, and a change on the way is noticed."""

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from schemas.topics import TopicName
from streams.history.backup import MANIFEST, BackupError, Manifest, back_up, check_backup, restore
from streams.history.embedded.connections import Connections
from streams.history.embedded.store import ChdbStore
from streams.history.log_claim import claim_history
from streams.history.reading.digest import history_digests
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import QUERY_PACKAGES, everything, standing
from tests.support.history.history_records import NOON_US, a_coup, a_dead_letter, heartbeats, known

ROWS = {
    "coups": 5,
    "other_subjects": 2,
    "checkpoints": 1,
    "wagers": 9,
    "findings": 5,
    "events": 6,
    "dead_letters": 1,
    "logs": 2,
    "sink_marks": 0,
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep one engine running for the module."""
    path = tmp_path_factory.mktemp("backup") / "history"
    with Connections(path, "keeper") as connections, connections.borrow():
        yield path


def opened(path: Path, database: str) -> ChdbStore:
    """Open a database of the engine."""
    return ChdbStore(path, database=database, query_packages=QUERY_PACKAGES)


@pytest.fixture(scope="module")
def written(path: Path) -> tuple[object, ...]:
    """Fill the database ``full`` and give what stands in it, its trail and its digests."""
    with opened(path, "full") as store:
        store.migrate()
        claim_history(
            store,
            {TopicName.EVENTS: "log-1", TopicName.PROGRESSIVE_INPUTS: "log-2"},
            NOON_US,
            place="here",
        )
        HistoryWriter(store).write(everything(), heartbeats(6), [a_dead_letter()])
        return everything_of(store)


@pytest.fixture(scope="module")
def backup(path: Path, written: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Back the filled database up."""
    folder = tmp_path_factory.mktemp("backup") / "copy"
    with opened(path, "full") as store:
        manifest = back_up(store, folder, lambda: history_digests(store))
    assert manifest.row_counts() == ROWS
    assert manifest.digests is not None
    return folder


def everything_of(store: ChdbStore) -> tuple[object, ...]:
    """Give all that a history can say."""
    as_of = [store.query("coups_as_of", {"as_of_us": at}).rows() for at in (0, NOON_US, 2**62)]
    return standing(store), as_of, history_digests(store)


def restored(path: Path, database: str, folder: Path) -> tuple[Manifest, tuple[object, ...]]:
    """Restore a backup into a database and give what it says then."""
    with opened(path, database) as store:
        manifest = restore(store, folder, lambda: history_digests(store))
        return manifest, everything_of(store)


def changed_copy(backup: Path, tmp_path: Path) -> Path:
    """Copy a backup, to be changed."""
    return shutil.copytree(backup, tmp_path / "changed")


def test_what_is_restored_says_the_same(
    path: Path, written: tuple[object, ...], backup: Path
) -> None:
    manifest, found = restored(path, "restored", backup)
    assert found == written
    assert manifest.row_counts() == ROWS


def test_a_backup_can_be_checked_and_read_with_common_tools(backup: Path) -> None:
    manifest = json.loads((backup / MANIFEST).read_text())
    assert manifest["schema"] == "ladderman.history-backup/1"
    for one in manifest["files"]:
        raw = (backup / one["name"]).read_bytes()
        assert hashlib.sha256(raw).hexdigest() == one["sha256"]
        native = zstandard.ZstdDecompressor().stream_reader(raw).read()
        assert b"first_known" in native


def test_a_backup_is_private(backup: Path) -> None:
    found = {path: path.stat().st_mode & 0o777 for path in (backup, *backup.rglob("*"))}
    assert {mode for path, mode in found.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in found.items() if path.is_file()} == {0o600}


def test_a_filled_history_is_not_restored_into(path: Path, backup: Path) -> None:
    with (
        opened(path, "full") as store,
        pytest.raises(BackupError, match="already has coups"),
    ):
        restore(store, backup, lambda: history_digests(store))


def test_a_folder_with_something_in_it_is_not_written_into(path: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with opened(path, "full") as store, pytest.raises(BackupError, match="not empty"):
        back_up(store, tmp_path, lambda: history_digests(store))
    assert [one.name for one in tmp_path.iterdir()] == ["note.txt"]


def test_a_place_that_cannot_be_written_is_said_in_one_line(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with opened(path, "full") as store, pytest.raises(BackupError, match="cannot be written"):
        back_up(store, tmp_path / "file" / "copy", lambda: history_digests(store))


def flip(folder: Path) -> None:
    """Change one bit of one file."""
    file = max(folder.rglob("*.zst"), key=lambda one: one.stat().st_size)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)


def cut(folder: Path) -> None:
    """Cut one file."""
    file = max(folder.rglob("*.zst"))
    file.write_bytes(file.read_bytes()[:-10])


def lose(folder: Path) -> None:
    """Lose one file."""
    max(folder.rglob("*.zst")).unlink()


def add(folder: Path) -> None:
    """Add a file."""
    (folder / "coups" / "more.native.zst").write_bytes(b"")


def edit(folder: Path, **changes: object) -> None:
    """Change the manifest."""
    document = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(document | changes))


def restate(folder: Path) -> None:
    """State another number of rows for a file."""
    files = json.loads((folder / MANIFEST).read_text())["files"]
    edit(folder, files=[files[0] | {"row_count": 99}, *files[1:]])


def reach_out(folder: Path) -> None:
    """Name a file outside the backup."""
    files = json.loads((folder / MANIFEST).read_text())["files"]
    edit(folder, files=[*files, files[0] | {"name": "../../etc/passwd"}])


def name_twice(folder: Path) -> None:
    """Name a file twice."""
    files = json.loads((folder / MANIFEST).read_text())["files"]
    edit(folder, files=[*files, files[0]])


def replace_rows(raw: bytes) -> Callable[[Path], None]:
    """Give a change that puts other rows into a file, with a true digest of it."""

    def change(folder: Path) -> None:
        files = json.loads((folder / MANIFEST).read_text())["files"]
        packed = zstandard.ZstdCompressor().compress(raw)
        (folder / files[0]["name"]).write_bytes(packed)
        sha256 = hashlib.sha256(packed).hexdigest()
        other = files[0] | {"sha256": sha256, "byte_count": len(packed)}
        edit(folder, files=[other, *files[1:]])

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (flip, "was changed or cut"),
        (cut, "was changed or cut"),
        (lose, "is missing"),
        (add, "is not in its manifest"),
        (restate, "the manifest says 99"),
        (reach_out, "is of no table"),
        (lambda folder: (folder / MANIFEST).unlink(), "manifest.json is missing"),
        (lambda folder: (folder / MANIFEST).write_text("{"), "not readable"),
        (lambda folder: edit(folder, schema="other/1"), "not ladderman.history-backup/1"),
        (lambda folder: edit(folder, schema_version=99), "written with tables of version 99"),
        (lambda folder: edit(folder, files=None), "not readable"),
        (name_twice, "is named twice"),
        (lambda folder: edit(folder, digests=[]), "digests of what stood are missing"),
        (lambda folder: (folder / MANIFEST).write_text("[" * 200_000), "not readable"),
        (replace_rows(bytes(64 << 20)), "not readable"),
        (replace_rows(b"\1\1\7coup_id\7Unheard" + bytes(64)), "not readable"),
    ],
    ids=[
        "bit",
        "cut",
        "lost",
        "added",
        "rows",
        "outside",
        "no-manifest",
        "half-manifest",
        "other",
        "later",
        "no-files",
        "twice",
        "no-digests",
        "deep",
        "zeros",
        "unknown-type",
    ],
)
def test_a_changed_backup_is_refused_before_a_row_is_written(
    path: Path, backup: Path, tmp_path: Path, change: object, said: str
) -> None:
    folder = changed_copy(backup, tmp_path)
    assert callable(change)
    change(folder)
    with pytest.raises(BackupError, match=said) as caught:
        check_backup(folder)
    assert "\n" not in str(caught.value)
    with opened(path, "untouched") as store:
        with pytest.raises(BackupError, match=said):
            restore(store, folder, lambda: history_digests(store))
        store.migrate()
        filled = [name for name, rows, *_ in store.query("status_tables").rows() if rows]
        assert filled == ["schema_migrations"]


def test_a_restored_history_that_says_something_else_is_an_error(
    path: Path, backup: Path, tmp_path: Path
) -> None:
    folder = changed_copy(backup, tmp_path)
    digests = json.loads((folder / MANIFEST).read_text())["digests"]
    edit(folder, digests=[digests[0] | {"sha256": "0" * 64}, *digests[1:]])
    with opened(path, "differs") as store, pytest.raises(BackupError, match="is not what stood"):
        restore(store, folder, lambda: history_digests(store))


def test_a_backup_taken_while_somebody_writes_is_whole(path: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []

    def write(store: ChdbStore) -> None:
        offset = 1_000
        try:
            while not stop.is_set():
                coups = [a_coup(n, offset=offset, dealer=f"D{offset}") for n in range(1, 6)]
                HistoryWriter(store).write([known(one) for one in coups])
                offset += 1
        except BaseException as failure:
            failures.append(failure)

    with opened(path, "busy") as store:
        store.migrate()
        thread = threading.Thread(target=write, args=(store,))
        thread.start()
        while not store.query("standing_coups").rows():
            pass
        manifest = back_up(store, tmp_path / "copy", lambda: history_digests(store))
        stop.set()
        thread.join()
    assert failures == []
    assert manifest.digests is None  # it was written to meanwhile
    with opened(path, "calm") as store:
        restore(store, tmp_path / "copy", lambda: history_digests(store))
        assert store.query("incomplete_subjects").rows() == []
        assert len(store.query("standing_coups")) == 5
