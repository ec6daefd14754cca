"""What does a person who watches the demo read, and when are planted and found compared?"""

from __future__ import annotations

import shlex
import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dashboards.commands.audit.demo import _name_commands
from dashboards.demo import screen as demo_screen
from dashboards.demo.screen import (
    SETTLED_AFTER_US,
    DemoPlan,
    DemoScreen,
    command_line,
    console_script,
)
from streams.simulator.demo import demo_floor
from streams.simulator.live.floor import LiveFloor

PLACED_US = 1_000_000_000


def script_on(path: Path) -> Path:
    """Put an executable named as the console script into a folder."""
    path.mkdir()
    script = path / "ladderman"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return script


def test_commands_for_a_second_terminal_work_where_the_script_is_not_on_the_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    screen = DemoScreen(DemoPlan(demo_floor(), 7, 40.0, True), threading.Event())
    _name_commands(screen, Path("a store"))
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert len(printed) == 3
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for line in printed:
        ran = subprocess.run(
            line, shell=True, cwd=elsewhere, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 2, ran.stderr
        assert (
            str(tmp_path / "a store" / "history") in ran.stderr
        )  # it is not there, but understood


def test_commands_are_written_short_where_the_script_is_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = Path(console_script()[0])
    monkeypatch.setenv("PATH", str(own.parent))
    assert (
        command_line("history status", ["--store", "/s"]) == "ladderman history status --store /s"
    )
    other = script_on(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{other.parent}:{own.parent}")
    assert command_line("history status", ["--store", "/s"]) == (
        f"{shlex.quote(str(own))} history status --store /s"
    )


@pytest.mark.parametrize(("is_watched", "wait_s"), [(True, 60.0), (False, 0.0)])
def test_nothing_is_compared_before_every_fault_is_played_and_had_time_to_be_found(
    is_watched: bool, wait_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = SimpleNamespace(s=0.0)
    monkeypatch.setattr(demo_screen.time, "monotonic", lambda: now.s)
    floor = SimpleNamespace(unplaced=("burn_wrong",))
    screen = DemoScreen(DemoPlan(demo_floor(), 7, 2.0, is_watched), threading.Event())

    def is_time(at_us: int) -> bool:
        return screen.is_time_to_compare(cast("LiveFloor", floor), at_us)

    now.s = 1_000.0
    screen.begin()
    now.s += 3_600.0
    assert not is_time(PLACED_US - 1)
    floor.unplaced = ()
    assert not is_time(PLACED_US)
    assert not is_time(PLACED_US + SETTLED_AFTER_US - 1)
    now.s = 1_000.0 + wait_s - 0.1
    assert is_time(PLACED_US + SETTLED_AFTER_US) is not is_watched
    now.s = 1_000.0 + wait_s
    assert is_time(PLACED_US + SETTLED_AFTER_US)
