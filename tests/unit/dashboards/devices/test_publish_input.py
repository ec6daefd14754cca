"""Lines are taken until somebody wants the end: of a file no more, of a device what is there."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboards.commands.devices.publish_input import StoppableInput
from dashboards.terminal.interruption import Interruption
from streams.process.clock import SystemClock
from tests.support.clocks import SetClock


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard input as a device writes to it."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as there:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(there))
        yield writes
    os.close(writes)


def test_a_file_is_taken_no_further(tmp_path: Path) -> None:
    path, interruption = tmp_path / "lines", Interruption()
    path.write_bytes(b"a\n" * 2_000)
    lines = StoppableInput(str(path), interruption, SystemClock())
    taken = 0
    for group in lines.groups(None):
        taken += len(group)
        interruption.stop.set()
    assert 0 < taken < 2_000
    assert not lines.is_at_end


def test_a_file_that_gives_nothing_holds_up_no_end(tmp_path: Path) -> None:
    pipe, interruption = tmp_path / "pipe", Interruption()
    os.mkfifo(pipe)
    writes = os.open(pipe, os.O_RDWR)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
    with interruption.listening():
        lines = StoppableInput(str(pipe), interruption, SystemClock())
        os.write(writes, b"zz" + b"one\ntwo\n")  # more than a look at its beginning takes
        assert [line.raw for group in lines.groups(None) for line in group] == [b"zzone", b"two"]
    os.close(writes)
    assert not lines.is_at_end


def test_what_a_device_has_written_is_taken_and_no_more_waited_for(device: int) -> None:
    interruption = Interruption()
    os.write(device, b"one\ntwo\n")
    interruption.stop.set()
    lines = StoppableInput("-", interruption, SystemClock())
    assert [line.raw for group in lines.groups(None) for line in group] == [b"one", b"two"]


def test_a_device_that_never_rests_is_not_listened_to_for_ever(device: int) -> None:
    interruption, clock = Interruption(), SetClock()
    interruption.stop.set()
    lines = StoppableInput("-", interruption, clock)
    os.write(device, b"line\n")
    count = 0
    for group in lines.groups(None):
        count += len(group)
        clock.advance(1)
        os.write(device, b"line\n")
    assert 5 <= count <= 7


def test_a_slow_pace_holds_up_no_end(tmp_path: Path) -> None:
    path, interruption = tmp_path / "lines", Interruption()
    path.write_bytes(b"a\nb\nc\n")
    threading.Timer(0.2, interruption.stop.set).start()
    lines = StoppableInput(str(path), interruption, SystemClock())
    assert sum(len(group) for group in lines.groups(0.001)) == 1
