"""People see incidents of real tables; the canary's mistakes only where they ask for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboards.commands.history import history as history_command
from dashboards.commands.history import incidents as incidents_command
from dashboards.commands.history import replay as replay_command
from schemas.canary import CANARY_TABLE, is_canary
from streams.embedding.ingest import embedded_store, ingest_files
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from tests.support.source_tree import ROOT
from tests.support.tables.canary_day import canary_messages
from tests.support.texts.command_line import Answer, run_command

COUPS = 5
TABLE_COUPS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the events of a table and of the canary, in a file and in a store."""
    folder = tmp_path_factory.mktemp("canary")
    plants = (PlantRequest("banker_overpaid"),)
    floor = Floor(FloorConfig(tables=1, seed=7, coups=TABLE_COUPS, plants=plants))
    raws = [event.raw for event in floor.events()]
    path = folder / "events.jsonl"
    path.write_bytes(b"\n".join([*raws, *canary_messages(COUPS), b""]))
    with embedded_store(folder / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(path)])
    return folder


@pytest.fixture(params=["store", "events"])
def source(request: pytest.FixtureRequest, folder: Path) -> tuple[str, str]:
    place = {"store": folder / "store", "events": folder / "events.jsonl"}[request.param]
    return f"--{request.param}", str(place)


def incidents(*words: str) -> Answer:
    return run_command(incidents_command.register, "incidents", *words)


def test_incidents_are_of_real_tables_unless_the_canary_is_asked_for(
    source: tuple[str, str],
) -> None:
    usual = incidents("list", "--format", "jsonl", *source).objects
    assert [one["source"] for one in usual] == ["BAC-01"]
    every = incidents("list", "--canary", "--format", "jsonl", *source).objects
    assert len(every) > len(usual)
    assert {one["source"] for one in every} == {"BAC-01", CANARY_TABLE}
    named = incidents("list", "--table", CANARY_TABLE, "--format", "jsonl", *source).objects
    assert [one for one in every if one["source"] == CANARY_TABLE] == named


def test_one_incident_of_the_canary_is_shown_where_it_is_asked_for(
    source: tuple[str, str],
) -> None:
    every = incidents("list", "--canary", "--format", "jsonl", *source).objects
    wanted = next(one["id"] for one in every if one["source"] == CANARY_TABLE)
    assert incidents("show", wanted, *source).code == 2
    assert incidents("show", wanted, "--canary", *source).code == 0


def test_the_canary_is_suggested_to_nobody_and_replayed_all_the_same(
    source: tuple[str, str],
) -> None:
    wrong = incidents("list", "--table", "ladderman-canari", *source)
    assert "BAC-01" in wrong.err
    assert CANARY_TABLE not in wrong.err
    assert run_command(replay_command.register, "c-1/1", *source).code == 0


def test_the_status_counts_and_marks_without_the_canary(folder: Path) -> None:
    words = ("history", "status", "--store", folder / "store", "--format", "json")
    status = run_command(history_command.register, *words).document
    assert (status["coups"], status["gaming_tables"], status["findings"]) == (TABLE_COUPS, 1, 1)
    assert status["last_gaming_date"] == "2025-06-07"


def test_a_real_table_is_not_hidden_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join([*canary_messages(COUPS, simulated=False), b""]))
    assert incidents("list", "--events", str(path), "--format", "jsonl").objects
    assert not is_canary(CANARY_TABLE, is_simulated=False)
    assert not is_canary("BAC-01", is_simulated=True)


def test_histories_that_differ_by_the_canary_alone_have_equal_digests(
    folder: Path, tmp_path: Path
) -> None:
    events = (folder / "events.jsonl").read_bytes().splitlines()
    others = [raw for raw in events if CANARY_TABLE.encode() not in raw]
    assert len(others) < len(events)
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join(others))
    with embedded_store(tmp_path / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(path)])
    words = ("history", "digest", "--format", "json", "--store")
    with_canary, without = (
        run_command(history_command.register, *words, at).document["digests"]
        for at in (folder / "store", tmp_path / "store")
    )
    assert with_canary == without
    assert {one["of"]: one["row_count"] for one in without}["coups"] == TABLE_COUPS


def test_the_digest_holds_a_real_table_that_calls_itself_so(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join([*canary_messages(COUPS, simulated=False), b""]))
    with embedded_store(tmp_path / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(path)])
    words = ("history", "digest", "--format", "json", "--store", tmp_path / "store")
    digests = run_command(history_command.register, *words).document["digests"]
    counts = {one["of"]: one["row_count"] for one in digests}
    assert (counts["coups"], counts["wagers"], counts["findings"]) == (COUPS, COUPS, COUPS)


def test_a_history_of_the_canary_alone_is_not_simulated(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join([*canary_messages(1), b""]))
    with embedded_store(tmp_path / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(path)])
    words = ("history", "status", "--store", tmp_path / "store", "--format", "json")
    status = run_command(history_command.register, *words).document
    assert (status["simulated"], status["coups"], status["first_gaming_date"]) == (False, 0, None)


def test_queries_name_the_canary_as_the_product_does() -> None:
    texts = [path.read_text() for path in (ROOT / "streams" / "history" / "sql").glob("*.sql")]
    named = {name for text in texts for name in re.findall(r"'([a-z-]*canary[a-z-]*)'", text)}
    assert named == {CANARY_TABLE}
