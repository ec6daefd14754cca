"""``incidents show`` and ``replay`` say where the recordings of their coups are."""

import datetime
import json
from pathlib import Path

import pytest

from dashboards.commands.history import incidents as incidents_command
from dashboards.commands.history import replay as replay_command
from schemas import events as said
from tests.support.tables.played_table import opened_table, play, written
from tests.support.tables.table_script import START, TableScript
from tests.support.texts.command_line import Answer, run_command

LINK = 'link = "https://video.example/play?camera={camera}&from={from}&until={until}"'
OFFSETS = "lead_s = 5\n[video.clock_offsets_ms]\nC1 = 2000"


def seconds(count: float) -> datetime.datetime:
    return START + datetime.timedelta(seconds=count)


def told(script: TableScript, first_s: float, last_s: float, **fields: object) -> None:
    """Tell a recording between two times, in seconds since the table opened."""
    script.say(
        said.VideoReference,
        **{"camera_id": "C1", **fields},
        recorded_from=seconds(first_s),
        recorded_until=seconds(last_s),
    )


@pytest.fixture
def events(tmp_path: Path) -> Path:
    script = play(opened_table(), 20_000)
    play(script)
    told(script, 5, 15, coup_id="S1/1", recording="R-1")
    told(script, 20, 30, coup_id="S1/2")
    told(script, 0, 3600, camera_id="C2")
    told(script, 7200, 7300, camera_id="C3")
    return written(tmp_path, script.messages)


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "video.toml"
    path.write_text(f"[video]\n{LINK}\n{OFFSETS}")
    monkeypatch.setenv("LADDERMAN_SETTINGS", str(path))


def shown(events: Path, *arguments: str) -> Answer:
    listed = run_command(
        incidents_command.register, "incidents", "list", "--events", events, "--format", "json"
    )
    (one,) = json.loads(listed.out)["incidents"]
    return run_command(
        incidents_command.register, "incidents", "show", one["id"], "--events", events, *arguments
    )


def replayed(events: Path, *arguments: str) -> Answer:
    return run_command(replay_command.register, "S1/1", "--events", events, *arguments)


@pytest.mark.parametrize("asked", [shown, replayed])
def test_both_say_camera_time_and_recording_and_no_link_where_none_is_set(
    events: Path, asked: type
) -> None:
    lines = [line for line in asked(events).out.splitlines() if line.startswith("video")]
    assert lines == [
        "video: camera C2, 2025-06-07 18:00:00 to 19:00:00",
        "video of coup S1/1: camera C1, 2025-06-07 18:00:05 to 18:00:15, recording R-1",
    ]
    assert "https://" not in asked(events).out


@pytest.mark.parametrize("asked", [shown, replayed])
@pytest.mark.usefixtures("links")
def test_both_give_the_link_whole_by_the_clock_of_the_camera(events: Path, asked: type) -> None:
    lines = asked(events).out.splitlines()
    assert (
        "  https://video.example/play?camera=C1"
        "&from=2025-06-07T21%3A59%3A58.000Z&until=2025-06-07T22%3A00%3A13.000Z"
    ) in lines
    assert (
        "  https://video.example/play?camera=C2"
        "&from=2025-06-07T21%3A59%3A55.000Z&until=2025-06-07T23%3A00%3A00.000Z"
    ) in lines


@pytest.mark.parametrize("asked", [shown, replayed])
def test_programs_get_the_same_as_data(events: Path, asked: type) -> None:
    document = json.loads(asked(events, "--format", "json").out)
    assert document["videos"] == [
        {
            "coup": None,
            "camera": "C2",
            "from": "2025-06-07T22:00:00.000000Z",
            "until": "2025-06-07T23:00:00.000000Z",
            "recording": None,
            "link": None,
        },
        {
            "coup": "S1/1",
            "camera": "C1",
            "from": "2025-06-07T22:00:05.000000Z",
            "until": "2025-06-07T22:00:15.000000Z",
            "recording": "R-1",
            "link": None,
        },
    ]
