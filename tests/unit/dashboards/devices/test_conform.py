"""``ladderman conform``: problems, how to mend them, a summary, and the exit codes."""

from pathlib import Path

import pytest

from dashboards.commands.devices.conform import register
from schemas import events as said
from schemas.wire.vectors import event_vectors
from tests.support.tables.conforming_day import Day
from tests.support.texts.command_line import Answer, run_command

VECTORS = b"".join(vector.raw + b"\n" for vector in event_vectors())


def conform(folder: Path, content: bytes, *options: str) -> Answer:
    path = folder / "feed.jsonl"
    path.write_bytes(content)
    return run_command(register, path, *options)


def broken() -> bytes:
    day = Day().begin()
    day.say(said.Heartbeat, 7)
    return b"".join(raw + b"\n" for raw in day.messages) + b"{half\n"


def test_a_conforming_feed_is_said_to_conform(tmp_path: Path) -> None:
    answer = conform(tmp_path, VECTORS)
    assert answer.code == 0
    assert "21 events in 21 lines\n" in answer.out
    assert "BAC-03: table, feed 7c9e6679f3b04d8a, events 1 to 21, none missing\n" in answer.out
    assert "       5  card_dealt\n" in answer.out
    assert "  errors: 0\n" in answer.out
    assert answer.out.endswith("feed.jsonl conforms to schemas/feed.md\n")


def test_problems_stand_with_line_event_and_advice(tmp_path: Path) -> None:
    answer = conform(tmp_path, broken())
    assert answer.code == 1
    assert (
        "feed.jsonl:3 BAC-01 event 3 heartbeat ERROR heartbeat\n"
        "    Nothing was sent for 7.0 s.\n"
        "    Mend: send heartbeat after 5 seconds without an event.\n"
    ) in answer.out
    assert "feed.jsonl:4 ERROR not_json\n    No JSON from character 2 on (" in answer.out
    assert "  errors: 2\n           1  heartbeat\n           1  not_json\n" in answer.out
    assert answer.out.endswith("feed.jsonl does not conform to schemas/feed.md\n")


@pytest.mark.parametrize("content", [broken(), VECTORS], ids=["broken", "conforming"])
def test_json_and_lines_hold_the_same_problems_and_the_same_summary(
    tmp_path: Path, content: bytes
) -> None:
    document = conform(tmp_path, content, "--format", "json").document
    *problems, summary = conform(tmp_path, content, "--format", "jsonl").objects
    assert document.pop("problems") == problems
    assert document == summary
    assert summary["schema"] == "ladderman.conformance/1"
    assert {one["schema"] for one in problems} <= {"ladderman.conformance-problem/1"}
    assert sum(summary["errors"].values()) == sum(one["level"] == "error" for one in problems)
    assert summary["conforming"] is (not summary["errors"])


def test_nothing_readable_is_bad_usage(tmp_path: Path) -> None:
    answer = conform(tmp_path, b"round,cards\n1,2\n")
    assert (answer.code, answer.err) == (
        2,
        f"{tmp_path / 'feed.jsonl'}: no event could be read; one JSON object a line is one",
    )
    missing = run_command(register, tmp_path / "none.jsonl")
    assert (missing.code, missing.err) == (
        2,
        f"{tmp_path / 'none.jsonl'}: no such file or directory",
    )


def test_a_simulated_feed_is_marked(tmp_path: Path) -> None:
    day = Day()
    day.say(said.FeedStarted, source_kind="table", simulated=True)
    answer = conform(tmp_path, day.messages[0])
    assert "1 event in 1 line; SIMULATED\n" in answer.out
    assert conform(tmp_path, day.messages[0], "--format", "json").document["simulated"] is True
