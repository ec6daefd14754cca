"""A history finds recordings by coup and by time, as files of the same events do."""

import datetime
from pathlib import Path

from schemas import events as said
from streams.embedding.ingest import embedded_store, ingest_files
from streams.files.event_files import open_events
from streams.history.opening import history_path, open_history
from streams.replaying.file_records import FileRecords
from streams.replaying.history_records import HistoryRecords
from tests.support.tables.played_table import opened_table, play, written
from tests.support.tables.table_script import START


def a_floor(folder: Path) -> Path:
    """Tell recordings of two coups, and of two stretches of time."""
    script = play(play(opened_table()))
    for camera, first_s, last_s, coup_id in (
        ("C1", 5, 15, "S1/1"),
        ("C1", 20, 30, "S1/2"),
        ("C2", 0, 3600, None),
        ("C3", 7200, 7300, None),
    ):
        begin, end = (START + datetime.timedelta(seconds=one) for one in (first_s, last_s))
        script.say(
            said.VideoReference,
            camera_id=camera,
            coup_id=coup_id,
            recorded_from=begin,
            recorded_until=end,
        )
    return written(folder, script.messages)


def test_a_history_finds_by_coup_and_by_time_what_the_file_finds(tmp_path: Path) -> None:
    events = a_floor(tmp_path)
    with embedded_store(tmp_path / "store", alert=lambda _: None) as (pipeline, _):
        ingest_files(pipeline, [str(events)])
    at_us = int(START.timestamp()) * 1_000_000
    with (
        open_events(str(events)) as file,
        open_history(history_path(tmp_path / "store")) as history,
    ):
        sources = FileRecords([file]), HistoryRecords("history", history)
        for coups, since_s, until_s, cameras in (
            ({"S1/1"}, 0, 1, ["C1", "C2"]),
            ({"S1/1", "S1/2"}, -10, -1, ["C1", "C1"]),
            (set(), 7300, 7400, ["C3"]),
            (set(), 3600, 7200, ["C2", "C3"]),
            ({"S1/3", "it's"}, 7301, 7302, []),
        ):
            asked = ("BAC-01", coups, at_us + since_s * 1_000_000, at_us + until_s * 1_000_000)
            found = [one.videos(*asked) for one in sources]
            assert found[0] == found[1]
            assert [row.camera_id for row in found[0]] == cameras
        assert sources[1].videos("BAC-02", {"S1/1"}, at_us, at_us) == []
