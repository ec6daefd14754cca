"""Every command that reads a history reads the one that the settings name, on a server too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboards.commands.history import history as history_command
from dashboards.commands.history import incidents as incidents_command
from dashboards.commands.history import replay as replay_command
from dashboards.commands.stream import dead_letters as dead_letters_command
from dashboards.demo.kafka import refuse_used_server
from dashboards.errors import ExitCode, UsageProblem
from streams.embedding.ingest import embedded_store, ingest_files
from streams.history.opening import open_configured, place_of
from streams.history.store import SchemaError, StoreMissingError
from streams.operating.doctor import examine
from streams.operating.doctor_checks import State
from streams.process.settings import Settings, load_settings
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from tests.support.history.clickhouse_server import ClickHouseServer, running_server
from tests.support.texts.command_line import Answer, run_command

PLANTS = ("banker_overpaid", "event_lost")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouseServer]:
    with running_server(tmp_path_factory.mktemp("clickhouse") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a small floor in it, and one line that is no event."""
    directory = tmp_path_factory.mktemp("embedded")
    floor = FloorConfig(tables=2, seed=7, coups=20, plants=tuple(map(PlantRequest, PLANTS)))
    lines = [event.raw for event in Floor(floor).events()]
    path = directory / "events.jsonl"
    path.write_bytes(b"\n".join([*lines, b"no event", b""]))
    with embedded_store(directory / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(path)])
    return directory / "store"


def settings_file(folder: Path, server: ClickHouseServer, database: str) -> Path:
    """Write settings that name a database of the server."""
    path = folder / f"{database}.toml"
    path.write_text(
        "[history]\nstore = 'clickhouse'\n[clickhouse]\n"
        f"host = '{server.host}'\nport = {server.port}\ndatabase = '{database}'\n"
        f"user = '{server.user}'\npassword = '{server.password}'\n"
        f"[data]\ndirectory = '{folder / 'nothing'}'\n"
    )
    return path


@pytest.fixture(scope="module")
def on_server(
    server: ClickHouseServer, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Settings of a server that holds what the store holds, brought there by a backup."""
    folder = tmp_path_factory.mktemp("settings")
    path = settings_file(folder, server, server.create_database("floor"))
    backup = folder / "backup"
    assert run_command(history_command.register, "history", "backup", backup, "--store", store)
    restored = run_command(
        history_command.register, "history", "restore", backup, "--settings", path
    )
    assert restored.code == ExitCode.DONE, restored.err
    assert f"restored into {server.host}:{server.port}/floor" in restored.out
    return path


def history(*words: object) -> Answer:
    return run_command(history_command.register, "history", *words)


def test_status_and_digest_are_of_the_server(store: Path, on_server: Path) -> None:
    status = history("status", "--settings", on_server, "--format", "json").document
    assert status["path"].endswith("/floor")
    assert status["coups"] == 20
    assert status["owner"] is None
    ours = history("digest", "--settings", on_server)
    assert ours.out == history("digest", "--store", store).out


def test_incidents_of_the_server_are_those_of_the_store(store: Path, on_server: Path) -> None:
    words = ("incidents", "list", "--format", "jsonl")
    ours = run_command(incidents_command.register, *words, "--settings", on_server)
    theirs = run_command(incidents_command.register, *words, "--store", store)
    assert ours.out == theirs.out
    assert len(ours.objects) == len(PLANTS)
    shown = run_command(
        incidents_command.register,
        "incidents",
        "show",
        ours.objects[0]["id"],
        "--settings",
        on_server,
    )
    assert shown.code == ExitCode.DONE, shown.err


def test_a_coup_is_replayed_from_the_server(store: Path, on_server: Path) -> None:
    with open_configured(settings_of(on_server)) as reader:
        coup = reader.query("coup_ids_latest", {"limit": 1}).column("coup_id")[0]
        name = place_of(reader)
    ours = run_command(replay_command.register, coup, "--settings", on_server)
    theirs = run_command(replay_command.register, coup, "--store", store)
    assert ours.code == ExitCode.DONE, ours.err
    assert ours.out.split() == theirs.out.replace(str(store), name).split()


def test_dead_letters_are_of_the_server(on_server: Path) -> None:
    answer = run_command(
        dead_letters_command.register,
        "dead-letters",
        "list",
        "--settings",
        on_server,
        "--format",
        "jsonl",
    )
    assert len(answer.objects) == 1, answer.err


def test_the_environment_names_the_server_as_well(
    on_server: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LADDERMAN_SETTINGS", str(on_server))
    monkeypatch.chdir(tmp_path)
    assert history("status", "--format", "json").document["coups"] == 20


def test_a_named_store_wins_over_the_settings_that_lie_about(
    store: Path, on_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDERMAN_SETTINGS", str(on_server))
    status = history("status", "--store", store, "--format", "json").document
    assert status["path"] == str(store / "history")
    both = history("status", "--store", store, "--settings", on_server)
    assert (both.code, both.err) == (2, "--store and --settings: give one of them")


def test_a_database_without_a_history_is_one_line(server: ClickHouseServer, tmp_path: Path) -> None:
    path = settings_file(tmp_path, server, server.create_database("empty"))
    answer = history("status", "--settings", path)
    assert answer.code == ExitCode.BAD_USAGE
    assert answer.err == (
        f"no history at {server.host}:{server.port}/empty; ladderman history migrate begins one "
        "there"
    )
    with pytest.raises(StoreMissingError):
        open_configured(settings_of(path))
    check = next(one for one in examine(settings_of(path)) if one.area == "history")
    assert check.state is State.NOTE
    assert history("migrate", "--settings", path).out.startswith("applied ")
    assert history("status", "--settings", path, "--format", "json").document["coups"] == 0
    assert history("migrate", "--settings", path).out == "nothing to do\n"


def test_a_simulated_floor_goes_into_an_empty_database_only(
    server: ClickHouseServer, on_server: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageProblem, match=r"^clickhouse\.database floor: holds a history already"):
        refuse_used_server(settings_of(on_server), None)
    refuse_used_server(settings_of(on_server), tmp_path / "store")
    empty = settings_of(settings_file(tmp_path, server, server.create_database("stage")))
    for _ in range(2):
        refuse_used_server(empty, None)


def test_a_history_that_lacks_a_migration_is_not_read(
    server: ClickHouseServer, tmp_path: Path
) -> None:
    path = settings_file(tmp_path, server, server.create_database("half"))
    history("migrate", "--settings", path)
    server.rows("TRUNCATE TABLE schema_migrations", "half")
    server.rows(
        "INSERT INTO schema_migrations (name, content_hash) VALUES "
        "('0000_schema_migrations.sql', 'x')",
        "half",
    )
    with pytest.raises(SchemaError):
        open_configured(settings_of(path))


def settings_of(path: Path) -> Settings:
    return load_settings(path, environment={})
