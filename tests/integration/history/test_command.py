"""``ladderman history`` as a person meets it: on one's own history and beside a running owner."""

import datetime
import json
from pathlib import Path

import pytest

from dashboards.commands.history.history import register
from dashboards.errors import ExitCode
from streams.history.embedded.connections import Connections
from streams.history.embedded.store import ChdbStore
from streams.history.sharing import shared
from streams.history.writing.writer import HistoryWriter
from tests.contracts.history_store_contract import everything
from tests.support.history.history_owner import owner_of
from tests.support.history.history_records import heartbeats
from tests.support.texts.command_line import Answer, run_command


def history(*arguments: object) -> Answer:
    """Run one of the commands."""
    return run_command(register, "history", *arguments)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a store with records of every kind."""
    store = tmp_path_factory.mktemp("command") / "store"
    assert history("migrate", "--store", store).code == ExitCode.DONE
    with ChdbStore(store / "history") as opened:
        HistoryWriter(opened).write(everything(), heartbeats(3))
    return store


def test_a_history_begins_with_migrate_and_needs_it_once(tmp_path: Path) -> None:
    first = history("migrate", "--store", tmp_path)
    assert first.out.splitlines()[0] == "applied 0000_schema_migrations.sql"
    assert history("migrate", "--store", tmp_path).out == "nothing to do\n"


def test_the_status_shows_what_stands_and_marks_what_is_simulated(store: Path) -> None:
    lines = history("status", "--store", store).out.splitlines()
    assert lines[0] == f"history   {store / 'history'} SIMULATED"
    assert lines[1] == "schema    version 4"
    assert " ".join(" ".join(lines[2:4]).split()).startswith(
        "stands 4 coups of 1 tables, 7 wagers, 4 findings, 2 other subjects"
    )
    assert "gaming    2025-06-07, 2025-07-01" in lines
    assert any(line.startswith("coups ") for line in lines)


def test_the_status_is_one_document_with_its_schema(store: Path) -> None:
    document = history("status", "--store", store, "--format", "json").document
    assert document["schema"] == "ladderman.history-status/1"
    assert (document["coups"], document["simulated"], document["owner"]) == (4, True, None)
    assert document["last_gaming_date"] == datetime.date(2025, 7, 1).isoformat()
    assert document["first_occurred_at"] == "2025-06-07T16:00:00.000000Z"
    (line,) = history("status", "--store", store, "--format", "jsonl").objects
    assert line == document
    rows = history("status", "--store", store, "--format", "csv").out.splitlines()
    assert rows[0] == "name,row_count,byte_count,part_count"
    assert len(rows) == 12


def test_the_digest_is_written_like_that_of_sha256sum(store: Path) -> None:
    lines = history("digest", "--store", store).out.splitlines()
    rows = ["coups (4)", "wagers (7)", "findings (3)", "progressives (0)", "finding_facts (3)"]
    assert [line.split("  ")[1] for line in lines] == rows
    document = history("digest", "--store", store, "--format", "json").document
    assert document["schema"] == "ladderman.history-digests/1"
    assert [one["sha256"] for one in document["digests"]] == [line.split()[0] for line in lines]
    objects = history("digest", "--store", store, "--format", "jsonl").objects
    assert [one["schema"] for one in objects] == ["ladderman.history-digest/1"] * 5
    assert len(history("digest", "--store", store, "--format", "csv").out.splitlines()) == 6


def test_a_restored_backup_has_the_same_digest(store: Path, tmp_path: Path) -> None:
    copy, new = tmp_path / "copy", tmp_path / "new"
    written = history("backup", copy, "--store", store)
    assert (written.code, written.err) == (ExitCode.DONE, "")
    assert "5 coups" in written.out
    restored = history("restore", copy, "--store", new)
    assert restored.code == ExitCode.DONE
    assert restored.out.splitlines()[-1] == "digests are those of the backup"
    assert history("digest", "--store", new).out == history("digest", "--store", store).out
    again = history("restore", copy, "--store", new)
    assert again.code == ExitCode.BAD_USAGE
    assert "restore into a new folder" in again.err
    assert history("backup", copy, "--store", store).code == ExitCode.BAD_USAGE


def test_a_failed_restore_leaves_no_store_behind(store: Path, tmp_path: Path) -> None:
    copy, new = tmp_path / "copy", tmp_path / "new" / "store"
    written = history("backup", copy, "--store", store)
    counts = dict(
        reversed(one.split())
        for one in written.out.splitlines()[0]
        .partition(": ")[2]
        .removesuffix(" that stand")
        .split(", ")
    )
    digest = json.loads(history("digest", "--store", store, "--format", "json").out)["digests"]
    assert counts == {one["of"]: f"{one['row_count']:,}" for one in digest}
    assert written.out.splitlines()[1].startswith("rows with all versions: ")
    damaged = next(copy.rglob("*.zst"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    refused = history("restore", copy, "--store", new)
    assert refused.code == ExitCode.BAD_USAGE
    assert "was changed or cut" in refused.err
    assert not new.parent.exists()


def test_where_no_history_is_the_line_says_how_to_begin_one(tmp_path: Path) -> None:
    for command in ("status", "digest"):
        answer = history(command, "--store", tmp_path / "none")
        assert answer.code == ExitCode.BAD_USAGE
        assert answer.err == (
            f"no history at {tmp_path / 'none' / 'history'}; "
            f"ladderman ingest FILE --store {tmp_path / 'none'} makes one from a file of events"
        )
    assert history("restore", tmp_path / "none", "--store", tmp_path / "x").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_history_without_its_tables_asks_to_be_migrated(tmp_path: Path) -> None:
    with Connections(tmp_path / "history", "ladderman") as connections, connections.borrow():
        pass
    answer = history("status", "--store", tmp_path)
    assert answer.code == ExitCode.UNAVAILABLE
    assert "run ladderman history migrate" in answer.err


def test_beside_a_running_owner_the_commands_ask_it(tmp_path: Path) -> None:
    with owner_of(tmp_path / "history", "--api") as owner:
        document = history("status", "--store", tmp_path, "--format", "json").document
        assert document["owner"]["pid"] == owner.pid
        assert document["coups"] == 1
        assert f"owner     process {owner.pid} (" in history("status", "--store", tmp_path).out
        assert "coups (1)" in history("digest", "--store", tmp_path).out
        assert history("backup", tmp_path / "copy", "--store", tmp_path).code == ExitCode.DONE
        manifest = json.loads((tmp_path / "copy" / "manifest.json").read_text())
        assert manifest["digests"] is not None
        for words in (["migrate"], ["restore", tmp_path / "copy"]):
            answer = history(*words, "--store", tmp_path)
            assert answer.code == ExitCode.UNAVAILABLE
            assert f"owned by process {owner.pid} " in answer.err


def test_an_owner_that_answers_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "WAIT_SECONDS", 0.1)
    with owner_of(tmp_path / "history") as owner:
        answer = history("digest", "--store", tmp_path)
    assert answer.code == ExitCode.UNAVAILABLE
    assert f"owned by process {owner.pid} (" in answer.err
