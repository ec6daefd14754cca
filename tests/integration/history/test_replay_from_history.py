"""Incidents and replays read from a history say what files of the same events say."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from auditors.incidents import incidents_of
from dashboards.commands.history import incidents as incidents_command
from dashboards.commands.history import replay as replay_command
from schemas.records import encode_record
from streams.embedding.ingest import embedded_store, ingest_files
from streams.files.event_files import open_events
from streams.history.opening import history_path, open_history
from streams.history.writing.entries import KnownRecord
from streams.history.writing.writer import HistoryWriter
from streams.replaying.file_records import FileRecords
from streams.replaying.history_records import HistoryRecords
from streams.replaying.replay import Replay
from streams.replaying.span import EVERYTHING, Span
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from tests.support.history.history_owner import owner_of
from tests.support.tables.played_table import opened_table, play, with_shoe, written
from tests.support.texts.command_line import run_command

PLANTS = ("banker_overpaid", "device_fault_open", "hollywood_removed_card", "event_lost")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables with a few faults, as a file of events."""
    path = tmp_path_factory.mktemp("floor") / "events.jsonl"
    plants = tuple(PlantRequest(name) for name in PLANTS)
    events = Floor(FloorConfig(tables=2, seed=7, coups=60, plants=plants)).events()
    path.write_bytes(b"".join(event.raw + b"\n" for event in events))
    return path


@pytest.fixture(scope="module")
def store(floor: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same events in a store."""
    directory = tmp_path_factory.mktemp("store")
    with embedded_store(directory, alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(floor)])
    return directory


@pytest.fixture
def both(floor: Path, store: Path) -> Iterator[tuple[FileRecords, HistoryRecords]]:
    with ExitStack() as stack:
        files = FileRecords([stack.enter_context(open_events(str(floor)))])
        history = stack.enter_context(open_history(history_path(store)))
        yield files, HistoryRecords("history", history)


def test_a_history_tells_of_tables_what_the_file_tells(
    both: tuple[FileRecords, HistoryRecords],
) -> None:
    files, history = both
    assert history.tables() == files.tables()
    ours, theirs = history.told(EVERYTHING), files.told(EVERYTHING)
    assert [one.table_id for one in ours] == [one.table_id for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        by_id = [sorted(table.findings, key=lambda told: told.finding.id) for table in (one, other)]
        assert by_id[0] == by_id[1]
        assert replace(one, findings=()) == replace(other, findings=())
        assert incidents_of(one) == incidents_of(other)
    assert sum(len(incidents_of(one)) for one in ours) == len(PLANTS)


def test_a_history_finds_coups_and_shoes_as_the_file_does(
    both: tuple[FileRecords, HistoryRecords],
) -> None:
    files, history = both
    places = files.coups_in("BAC-01", EVERYTHING)
    middle = Span(from_us=places[5].began_at_us, until_us=places[9].began_at_us)

    def without_offsets(found: tuple) -> list:
        return [replace(one, offset=0) for one in found]

    for asked in (
        lambda source: source.coups_in("BAC-01", EVERYTHING),
        lambda source: source.coups_in("BAC-01", middle),
        lambda source: source.coups_in("BAC-01", Span(first_date="2025-06-08")),
        lambda source: source.coups_named(places[3].coup_id),
        lambda source: source.coups_of_shoe(places[3].shoe_id),
    ):
        assert without_offsets(asked(history)) == without_offsets(asked(files))
    assert list(history.shoe_ids()) == list(files.shoe_ids())
    assert sorted(history.coup_ids(10_000)) == sorted(files.coup_ids(10_000))


def test_every_shoe_in_the_history_is_replayed_identically(
    both: tuple[FileRecords, HistoryRecords],
) -> None:
    _, history = both
    for shoe_id in history.shoe_ids():
        replay = Replay(history, history.coups_of_shoe(shoe_id), is_whole=True)
        assert sum(1 for _ in replay.steps()) > 100
        compared = replay.comparison()
        assert [one.subject for one in compared if not one.is_identical] == []
        assert len(compared) > len(replay.coups) - 1


def test_the_commands_read_the_store(store: Path) -> None:
    listed = run_command(
        incidents_command.register, "incidents", "list", "--store", store, "--format", "jsonl"
    )
    payout = next(one for one in listed.objects if one["code"] == "WAGER_OVERPAID")
    shown = run_command(
        incidents_command.register, "incidents", "show", payout["id"][:8], "--store", store
    )
    assert payout["title"] in " ".join(shown.out.split())
    assert shown.out.startswith("SIMULATED\n")
    replayed = run_command(replay_command.register, payout["first_coup"], "--store", store)
    assert replayed.code == 0
    assert "identical to the record of 2025-06-07 in" in " ".join(replayed.out.split())
    assert "\nSIMULATED\n" in replayed.out


def test_a_record_edited_in_the_history_is_found_by_its_replay(floor: Path, tmp_path: Path) -> None:
    with embedded_store(tmp_path, alert=lambda _: None) as (pipeline, store):
        ingest_files(pipeline, [str(floor)])
        source = HistoryRecords("history", store)
        place = source.coups_in("BAC-01", EVERYTHING)[4]
        record = source.record_of("BAC-01", "coup", place.coup_id)
        assert record is not None
        assert record.coup is not None
        paid = record.coup.model_copy(update={"paid_minor": record.coup.paid_minor + 100})
        edited = record.model_copy(update={"coup": paid, "offset": record.offset + 1})
        HistoryWriter(store).write([KnownRecord(edited, encode_record(edited), 2**50)])
        replay = Replay(source, source.coups_named(place.coup_id))
        assert sum(1 for _ in replay.steps()) > 10
        (one,) = replay.comparison()
        assert one.stored is not None
        assert one.stored.coup == paid
        assert not one.is_identical


def test_the_commands_ask_the_process_that_owns_the_history(tmp_path: Path) -> None:
    asked = (incidents_command.register, "incidents", "list", "--store", tmp_path)
    with owner_of(tmp_path / "history", "--api"):
        listed = run_command(*asked, "--format", "json")
        assert listed.code == 0
        assert [one["coups"] for one in listed.document["tables"]] == [1]
    with owner_of(tmp_path / "history"):
        refused = run_command(*asked)
        assert refused.code == 3
        assert "is owned by process" in refused.err


def test_a_history_names_what_was_told_by_an_id_that_was_used_again(tmp_path: Path) -> None:
    script = opened_table(shoe_id="1")
    for shoe_id in ("2", "1", "X1"):
        with_shoe(play(script).end_shoe(), shoe_id)
    path = written(tmp_path, play(script).messages)
    with (
        embedded_store(tmp_path / "store", alert=lambda _: None) as (pipeline, store),
        ExitStack() as stack,
    ):
        ingest_files(pipeline, [str(path)])
        history = HistoryRecords("history", store)
        file = FileRecords([stack.enter_context(open_events(str(path)))])
        for told in ("1", "2", "1/1", "X1", ""):
            for of_shoes in (False, True):
                names = history.names_beside(told, of_shoes=of_shoes)
                assert names == file.names_beside(told, of_shoes=of_shoes)
        (again,) = history.names_beside("1", of_shoes=True)
        assert [one.coup_no for one in history.coups_of_shoe(again)] == [1]
