"""How long a short command takes to start: help, version, a settlement, the list of rules."""

from __future__ import annotations

import resource
import subprocess
import sys

from tests.benchmarks.measuring import Measurement

SECONDS_MAX = {"--help": 0.35, "--version": 0.35, "settle": 0.6, "rules list": 0.6}
"""Processor time aimed at, by command."""

_DATE = ("--gaming-date", "2025-06-07")
_WORDS = {
    "--help": ("--help",),
    "--version": ("--version",),
    "settle": (
        "settle",
        "--player",
        "2S 3H KD",
        "--banker",
        "AC 2D 5H",
        "--wager",
        "banker=100",
        *_DATE,
    ),
    "rules list": ("rules", "list", *_DATE),
}
_RUNS = 5


def measure() -> list[Measurement]:
    """Measure each command in processes of its own, beside a Python that does nothing."""
    nothing = _seconds("-c", "pass")
    found = []
    for name, words in _WORDS.items():
        seconds = _seconds("-c", "from dashboards.start import main; main()", *words)
        ratio = {"times python -c pass": seconds / nothing}
        found.append(Measurement(f"ladderman {name}", seconds, "s", SECONDS_MAX[name], ratio))
    return found


def _seconds(*words: str) -> float:
    """Give the least processor time of several runs of Python."""
    taken = []
    for _ in range(_RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)
