"""``ladderman simulate``: files whole or not at all, and every mistake one line."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dashboards.commands.audit import audit as audit_command
from dashboards.commands.audit.simulate import parse_duration, parse_plant, parse_start, register
from dashboards.errors import UsageProblem
from schemas.wire import parse_event
from tests.support.texts.command_line import Answer, run_command


def simulate(*arguments: object) -> Answer:
    return run_command(register, *arguments)


def test_events_and_truth_are_written_one_a_line(tmp_path: Path) -> None:
    out, truth = tmp_path / "events.jsonl", tmp_path / "truth.jsonl"
    answer = simulate(
        "--coups", 60, "--plant", "winner_underpaid=2", "--out", out, "--truth", truth
    )
    assert answer.code == 0
    lines = out.read_bytes().splitlines()
    assert len({parse_event(line).source_id for line in lines}) == 13
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    assert [one["plant"] for one in truths] == ["winner_underpaid"] * 2
    assert sorted(tmp_path.iterdir()) == [out, truth]


def test_the_same_command_writes_the_same_file(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    for path in (first, second):
        simulate("--tables", 2, "--duration", "5m", "--seed", 3, "--out", path)
    assert first.read_bytes() == second.read_bytes()


def test_a_start_is_taken_with_its_offset(tmp_path: Path) -> None:
    out = tmp_path / "events.jsonl"
    simulate("--tables", 1, "--coups", 1, "--start", "2025-01-02T03:04:05+00:00", "--out", out)
    first = parse_event(out.read_bytes().splitlines()[0])
    assert first.occurred_at.isoformat()[:16] == "2025-01-02T03:04"


def test_a_start_beyond_a_printed_term_is_said(tmp_path: Path) -> None:
    arguments = ("--tables", 1, "--coups", 1, "--out", tmp_path / "x", "--start")
    assert simulate(*arguments, "2025-06-07T18:00-04:00").err == ""
    late = simulate(*arguments, "2026-08-05T18:00-04:00").err
    assert late.startswith("on 2026-08-05, by the printed dates: ")
    assert "golden_talons (lapsed)" in late
    early = simulate(*arguments, "2023-08-04T18:00-04:00").err
    assert "golden_talons (not yet in force)" in early


def test_standard_output_takes_the_events(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    import typer

    app = typer.Typer()
    register(app)
    app(["--tables", "1", "--coups", "1", "--out", "-"], standalone_mode=False)
    lines = capfdbinary.readouterr().out.splitlines()
    assert parse_event(lines[0]).type == "feed_started"
    assert {parse_event(line).source_id for line in lines} == {"BAC-01", "PRG-01"}


def test_the_list_names_every_plant_with_its_codes() -> None:
    out = simulate("--list-plants").out
    assert "banker_overpaid: WAGER_OVERPAID\n" in out
    assert "duplicates_139: nothing\n" in out
    assert "Parx: a queen of diamonds missing" in out


@pytest.mark.parametrize("name", ["broken_line", "event_rejected", "clock_back"])
def test_truth_names_what_an_audit_of_the_file_finds(name: str, tmp_path: Path) -> None:
    """Also where a line is no event: in a stream that is a dead letter and no finding."""
    out, truth = tmp_path / "events.jsonl", tmp_path / "truth.jsonl"
    simulate("--coups", 60, "--plant", name, "--out", out, "--truth", truth)
    (planted,) = (json.loads(line) for line in truth.read_text().splitlines())
    audited = run_command(audit_command.register, out, "--format", "jsonl")
    found = [one for one in audited.objects if one["schema"] == "ladderman.finding/2"]
    assert [one["code"] for one in found] == planted["codes"]
    assert {one["source"] for one in found} == {planted["source"]}
    assert f"{name}: {' '.join(planted['codes'])}\n" in simulate("--list-plants").out
    if name == "broken_line":
        assert found[0]["line"] is not None
        words = " ".join(simulate("--list-plants").out.split())
        assert "a dead letter and no finding in a stream" in words


@pytest.mark.parametrize("name", ["shoe_repeated", "cover_card_overrun"])
def test_a_fault_that_the_day_is_too_short_for_is_said(name: str, tmp_path: Path) -> None:
    out, truth = tmp_path / "events.jsonl", tmp_path / "truth.jsonl"
    answer = simulate("--coups", 60, "--plant", name, "--out", out, "--truth", truth)
    assert answer.code == 2
    assert list(tmp_path.iterdir()) == []
    assert f"--plant {name}: no place for it was found in this day" in answer.err


def test_a_profile_needs_no_file() -> None:
    out = simulate("--tables", 2, "--coups", 20, "--profile").out
    assert out.startswith("SIMULATED floor\ncoups             20\n")
    assert "the exact odds" in out
    assert "never placed in this time: " in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--plant", "banker_overpayed", "--out", "x"],
            "--plant: no plant 'banker_overpayed'; did you mean banker_overpaid?",
        ),
        (["--plant", "wager_late=0", "--out", "x"], "the count is a whole number from 1"),
        (["--plant", "wager_late=many", "--out", "x"], '--plant "wager_late=many"'),
        (["--duration", "8x", "--out", "x"], '--duration "8x": write it like 8h, 90m or 1h30m'),
        (["--duration", "0h", "--out", "x"], "simulate more than nothing"),
        (["--start", "2025-06-07T18:00", "--out", "x"], "without an offset"),
        (["--start", "yesterday", "--out", "x"], '--start "yesterday": not an instant'),
        (["--tables", "0", "--out", "x"], "--tables 0: a floor has 1 to 1000 tables"),
        (["--coups", "0", "--out", "x"], "--coups 0"),
        ([], "--out is missing"),
        (["--out", "x", "--truth", "x"], "--out and --truth both name"),
        (["--out", "."], "--out .: is a folder; name a file to write"),
        (["--out", "x", "--truth", "."], "--truth .: is a folder; name a file to write"),
        (["--out", "no/x"], "--out no/x: No such file or directory"),
        (
            ["--tables", "2", "--plant", "majestic_after_third_card", "--out", "x"],
            "suits none of the 2 tables",
        ),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(
    arguments: list[str], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = simulate(*arguments)
    assert answer.code == 2
    assert line in answer.err
    assert "\n" not in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    answer = simulate("--tables", 1, "--coups", 1, "--out", tmp_path / "no" / "events.jsonl")
    assert answer.code == 2
    assert "No such file or directory" in answer.err


def test_a_fault_that_finds_no_place_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "events.jsonl"
    answer = simulate("--coups", 12, "--plant", "zender_late_maximum", "--out", out)
    assert answer.code == 2
    assert "--plant zender_late_maximum: no place for it was found" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_durations_are_read_in_every_unit() -> None:
    assert parse_duration("1h30m") == datetime.timedelta(minutes=90)
    assert parse_duration(" 2D ") == datetime.timedelta(days=2)
    assert parse_duration("45s") == datetime.timedelta(seconds=45)


def test_a_z_is_an_offset() -> None:
    assert parse_start("2025-06-07T22:00Z").utcoffset() == datetime.timedelta(0)


def test_years_that_no_event_can_have_are_refused() -> None:
    with pytest.raises(UsageProblem, match="years 2001 to 2190"):
        parse_start("1999-01-01T00:00Z")


def test_a_plant_is_asked_for_once_unless_counted() -> None:
    assert parse_plant("wager_late").count == 1
    assert parse_plant("wager_late = 3").count == 3


def test_a_pipe_or_device_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Neither side waits for the other: a day of one coup has room in the pipe.
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reading:  # noqa: PTH123
        answer = simulate("--tables", 1, "--coups", 1, "--out", pipe)
        assert answer.code == 0
        assert pipe.is_fifo()
        assert parse_event(reading.read().splitlines()[0]).type == "feed_started"


def test_a_link_goes_on_naming_the_file_behind_it(tmp_path: Path) -> None:
    link, real = tmp_path / "link", tmp_path / "real"
    link.symlink_to(real)
    simulate("--tables", 1, "--coups", 1, "--out", link)
    assert link.is_symlink()
    assert real.read_bytes()


def test_links_that_lead_nowhere_or_to_one_file_are_refused(tmp_path: Path) -> None:
    link, loop = tmp_path / "link", tmp_path / "loop"
    link.symlink_to("real")
    loop.symlink_to("loop")
    answer = simulate("--coups", 1, "--out", loop)
    assert answer.code == 2
    assert f"--out {loop}: is a link to itself; name a file to write" in answer.err
    answer = simulate("--coups", 1, "--out", link, "--truth", tmp_path / "real")
    assert answer.code == 2
    assert "--out and --truth both name" in answer.err
    assert sorted(tmp_path.iterdir()) == [link, loop]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room here")
@pytest.mark.parametrize("flag", ["--out", "--truth"])
def test_where_there_is_no_room_the_file_is_named(flag: str, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    other = {"--out": "--truth", "--truth": "--out"}[flag]
    words = ["--coups", "60", "--plant", "banker_overpaid", flag, full, other, tmp_path / "other"]
    answer = subprocess.run(
        [sys.executable, "-c", "from dashboards.start import main; main()", "simulate", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 3
    assert answer.stderr == (
        f"ladderman: cannot write {full} (No space left on device); "
        "make room, or write it elsewhere\n"
    )
    assert list(tmp_path.iterdir()) == [full]
