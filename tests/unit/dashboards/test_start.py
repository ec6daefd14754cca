"""Told to stop before it has begun, a command says so in one line and ends with the right code."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.support.source_tree import ROOT

STOPPED_AT_AN_IMPORT = """
import builtins, os, signal, sys
from dashboards import start

real = builtins.__import__

def told_to_stop(name, *rest, **more):
    if name == {name!r}:
        builtins.__import__ = real
        {how}
    return real(name, *rest, **more)

builtins.__import__ = told_to_stop
sys.argv = ["ladderman", "publish", "-"]
start.main()
"""
TERM = "os.kill(os.getpid(), signal.SIGTERM)"
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
SWALLOWED = f"""
        try:
            {TERM}
        except BaseException:
            raise ValueError("some library makes an error of its own of it") from None
"""


@pytest.mark.parametrize("name", ["typer", "dashboards.commands.devices.publish_input", "kafka"])
@pytest.mark.parametrize("how", [TERM, INTERRUPT, SWALLOWED])
def test_a_command_that_is_stopped_while_it_starts_says_so(name: str, how: str) -> None:
    code = STOPPED_AT_AN_IMPORT.format(name=name, how=how)
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        check=False,
        # Who runs the tests in the background ignores it, and so would what is started here.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"ladderman: stopped\n")


def test_a_signal_that_is_ignored_stays_so() -> None:
    code = (
        "import os, signal; from dashboards.stop_order import StopOrder; "
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); StopOrder.hear(); "
        "os.kill(os.getpid(), signal.SIGTERM); print('goes on')"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"goes on\n")
