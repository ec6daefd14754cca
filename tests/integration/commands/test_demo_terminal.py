"""A Ctrl-C at a demo that make runs: the demo ends in order, and make returns what it returns."""

from __future__ import annotations

import os
import pty
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT

CHILD = """
import os, sys, time
from dashboards.demo.foreground import own_foreground
try:
    with own_foreground():
        print("READY", flush=True)
        time.sleep(30)
except KeyboardInterrupt:
    print("ENDED", flush=True)
    os._exit(7)
"""

PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
while True:
    try:
        code = child.wait()
        break
    except KeyboardInterrupt:
        print("BOTH", flush=True)
print("CODE", code, os.tcgetpgrp(0) == os.getpgrp(), flush=True)
"""


def said_at_ctrl_c() -> str:
    """Run parent and child on a terminal of their own, and type Ctrl-C once the child is there."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests may ignore it
        words = [sys.executable, "-c", PARENT, CHILD]
        os.execv(sys.executable, words)
    said, is_typed, until = b"", False, time.monotonic() + 30
    while time.monotonic() < until:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break  # everybody has left the terminal
        said += part
        if b"READY" in said and not is_typed:
            os.write(terminal, b"\x03")
            is_typed = True
    os.close(terminal)
    os.waitpid(process, 0)
    return said.decode()


pytestmark = pytest.mark.skipif(
    not Path("/dev/ptmx").exists(), reason="the system has no pseudo terminals"
)


def test_make_does_not_get_the_ctrl_c_of_a_demo_that_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAKELEVEL", "1")
    said = said_at_ctrl_c()
    assert "ENDED" in said
    assert "BOTH" not in said
    assert "CODE 7 True" in said  # and the terminal is the parent's again


def test_without_make_nothing_about_the_terminal_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MAKELEVEL", raising=False)
    said = said_at_ctrl_c()
    assert "ENDED" in said
    assert "BOTH" in said
