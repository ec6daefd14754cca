"""Every mistake in the words of ``ladderman publish`` is one line, and nothing was taken."""

from __future__ import annotations

import errno
import gzip
import os
import random
import time
from pathlib import Path

import pytest

from dashboards.commands.devices.publish import register
from streams.process.clock import SystemClock
from streams.spool.event_spool import EventSpool, SpoolSource
from tests.support.texts.command_line import Answer, run_command

DRAFT = (
    '{"type":"seat_vacated","schema_version":1,"occurred_at":"2025-06-07T16:00:00.000000Z",'
    '"seat":"4"}\n'
)


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the command with spools of its own and a broker that is away."""
    monkeypatch.setenv("LADDERMAN_KAFKA_BOOTSTRAP", "127.0.0.1:9")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Answer:
        return run_command(register, "--spool", tmp_path / "spool", *arguments)

    return run


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--rate", "0"], "--rate 0: write a number of events a second above 0"),
        (["--patience", "-1"], "--patience -1: write a number of seconds"),
        (["--source", "a/b"], '--source "a/b": letters, digits and . _ - only'),
        (["--resend", "5..2"], '--resend "5..2": write two sequences, such as 100..250'),
        (["--resend", "0..2"], '--resend "0..2": write two sequences, such as 100..250'),
        (["--resend", "1..2"], "--resend needs --source: no spool is there"),
        (["--resend", "1..2", "f"], "--resend takes no file: it sends what is in the spool"),
        (["missing.jsonl"], "missing.jsonl: no such file or directory"),
    ],
)
def test_a_mistake_is_one_line(publish, tmp_path: Path, arguments: list[str], line: str) -> None:
    answer = publish(*arguments)
    assert answer.code == 2
    assert answer.err.startswith(line)
    assert not (tmp_path / "spool").exists()


def test_events_wait_where_the_broker_is_away(publish, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(DRAFT)
    answer = publish("d.jsonl", "--source", "BAC-03", "--patience", "0")
    assert answer.code == 3
    assert answer.err == (
        "2 events wait in the spool, none was acknowledged for 0 s; "
        "they are sent when ladderman publish runs again"
    )
    answer = publish("--resend", "1..2", "--source", "BAC-3")
    assert (answer.code, answer.err) == (2, "--source BAC-3: no spool of it; did you mean BAC-03?")


class Taker:
    """A log that takes everything."""

    def __init__(self, *_: object) -> None:
        pass

    def send(self, *_: object) -> None:
        pass

    send_keyed = send

    def close(self) -> None:
        pass


def test_rubbish_is_not_said_to_be_events(
    publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboards.commands.devices.publish.KafkaSender", Taker)
    (tmp_path / "r.jsonl").write_text("rubbish\n" + '{"a":1}\n' * 30)
    answer = publish("r.jsonl")
    assert answer.code == 1
    assert answer.out == (
        "0 events published, 31 lines are no events and were sent as they are; all acknowledged.\n"
    )
    lines = answer.err.splitlines()
    assert lines[0].startswith("line 1: ")
    assert lines[20] == "and 11 more lines that are no event"
    assert "ladderman dead-letters list --from topic" in lines[21]
    (tmp_path / "one.jsonl").write_text(DRAFT + "other rubbish\n")
    answer = publish("one.jsonl", "--source", "BAC-03")
    assert (answer.code, answer.out) == (
        1,
        "1 event published, 1 line is no event and was sent as it is; all acknowledged.\n",
    )


def test_what_a_full_disk_did_not_keep_is_not_said_to_wait_in_the_spool(
    publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d.jsonl").write_text(DRAFT)
    written = 0
    pwrite = os.pwrite

    def full(descriptor: int, content: bytes, position: int) -> int:
        nonlocal written
        written += len(content)
        if written > 500:  # room for the beginning of the feed
            raise OSError(errno.ENOSPC, "No space left on device")
        return pwrite(descriptor, content, position)

    monkeypatch.setattr("dashboards.commands.devices.publish.KafkaSender", Taker)
    with monkeypatch.context() as disk:
        disk.setattr("streams.spool.segments.os.pwrite", full)
        answer = publish("d.jsonl", "--source", "BAC-03", "--patience", "0")
    assert answer.code == 3
    assert answer.err.startswith(
        "1 event was not kept, the disk has no room: free some space and give the same lines "
        "again; 0 events wait in the spool"
    )
    answer = publish("d.jsonl", "--source", "BAC-03")
    assert answer.out == "1 event published; all acknowledged.\n"


def test_what_comes_before_the_break_of_a_file_is_sent(
    publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Taker):
        def send(self, *_: object) -> None:
            time.sleep(0.3)  # the file breaks off before all is sent

    monkeypatch.setattr("dashboards.commands.devices.publish.KafkaSender", Slow)
    path = tmp_path / "cut.jsonl.gz"
    lines = [DRAFT.replace('"4"', f'"{random.Random(n).random()}"') for n in range(4_000)]
    path.write_bytes(gzip.compress("".join(lines).encode())[:-5_000])
    answer = publish(path.name, "--source", "BAC-03")
    assert answer.code == 2
    assert "breaks off after line" in answer.err
    spool = EventSpool(tmp_path / "spool", SpoolSource("BAC-03"), SystemClock())
    assert spool.next_sequence > 100
    assert spool.waiting_count == 0
    spool.close()


def test_nothing_waiting_is_nothing_to_do(publish) -> None:
    answer = publish()
    assert (answer.code, answer.out) == (0, "0 events published; all acknowledged.\n")


def test_what_waited_is_said_to_be_sent(
    publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d.jsonl").write_text(DRAFT)
    assert publish("d.jsonl", "--source", "BAC-03", "--patience", "0").code == 3
    monkeypatch.setattr("dashboards.commands.devices.publish.KafkaSender", Taker)
    said = "0 events published, 2 that had waited in the spool sent; all acknowledged.\n"
    assert publish().out == said
    assert publish().out == "0 events published; all acknowledged.\n"
