"""The screen of a demo, and its end: the same on files of one machine and on Kafka."""

from __future__ import annotations

import shlex
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from dashboards.demo.lines import finding_line, status_line
from dashboards.errors import ExitCode
from schemas.findings import Finding
from schemas.records import Record
from streams.simulator.comparing import Comparison
from streams.simulator.floor import FloorConfig
from streams.simulator.live.floor import FloorFigures, LiveFloor

COMPARE_AFTER_S: Final = 60.0
"""Seconds after which planted and found are compared, where a person watches."""

STATUS_EVERY_S: Final = 5.0
SETTLED_AFTER_US: Final = 300 * 1_000_000
"""Simulated time after the last planted fault in which everything about it is told."""


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """What is played, how fast, and for whom."""

    config: FloorConfig
    seed: int
    speed: float | None
    """Simulated seconds a second; None: as fast as it goes."""
    is_watched: bool
    """A person watches: it goes on after the comparison, until Ctrl-C."""
    compare_after_s: float = COMPARE_AFTER_S
    """When planted and found are compared where a person watches a paced floor."""

    @property
    def rate(self) -> str:
        """The pace in words."""
        return "as fast as it goes" if self.speed is None else f"{self.speed:g} x the clock"

    @property
    def title(self) -> str:
        """The first line."""
        start = self.config.start
        return (
            f"Ladderman demo: {self.config.tables} simulated tables, {start:%a %Y-%m-%d} "
            f"{start:%H:%M} EDT, seed {self.seed}"
        )


def console_script() -> list[str]:
    """Give the words that start this very command line in a process of its own."""
    return [str(Path(sys.executable).with_name("ladderman"))]


def command_line(words: str, options: Sequence[str]) -> str:
    """Write a command of this installation so that it works in any folder of a second terminal.

    Args:
        words: The command and what stands before its options.
        options: The options, as they are.
    """
    script = console_script()[0]
    found = shutil.which("ladderman")
    # Who began it with make has no ladderman on the path, and another one there is not this one.
    is_found = found is not None and Path(found).resolve() == Path(script).resolve()
    start = "ladderman" if is_found else shlex.quote(script)
    return f"{start} {words} {shlex.join(options)}"


class DemoScreen:
    """Shows one run of a demo."""

    def __init__(self, plan: DemoPlan, stop: threading.Event) -> None:
        """Show nothing yet.

        Args:
            plan: What is played.
            stop: Set where the person, or the comparison, ends the run.
        """
        self._plan, self._stop = plan, stop
        self._comparison: Comparison | None = None
        self._placed_us = 0
        self._began_s = self._said_s = time.monotonic()

    def begin(self) -> None:
        """Play from now on."""
        self._began_s = self._said_s = time.monotonic()

    @property
    def is_status_due(self) -> bool:
        """Whether the state of the floor was not shown for a while."""
        return time.monotonic() - self._said_s >= STATUS_EVERY_S

    def status(self, figures: FloorFigures, lag: int | None = None) -> None:
        """Show how far the floor is."""
        self._said_s = time.monotonic()
        self.line(status_line(figures, self._said_s - self._began_s, self._plan.rate, lag))

    def say(self, finding: Finding, record: Record) -> None:
        """Show a finding."""
        self.line(finding_line(finding, record))

    def line(self, text: str) -> None:
        """Show a line at once."""
        typer.echo(text)
        sys.stdout.flush()

    def is_time_to_compare(self, floor: LiveFloor, at_us: int) -> bool:
        """Say whether every fault is in the stream and has had time to be found.

        Where somebody watches a paced floor it is never sooner than the plan says.
        """
        if self._comparison is not None or floor.unplaced:
            return False
        self._placed_us = self._placed_us or at_us
        if at_us < self._placed_us + SETTLED_AFTER_US:
            return False
        is_paced = self._plan.speed is not None and self._plan.is_watched
        return not is_paced or time.monotonic() - self._began_s >= self._plan.compare_after_s

    def compare(self, comparison: Comparison) -> None:
        """Show what was planted against what was found."""
        self._comparison = comparison
        self.line(
            f"\nplanted {comparison.planted}, found {comparison.found}, "
            f"false {len(comparison.false)}"
        )
        for truth in comparison.missing:
            codes = ", ".join(code.value for code in truth.codes)
            self.line(f"  not found: {truth.plant} at {truth.source}, coup {truth.coup}: {codes}")
        for finding in comparison.false:
            self.line(f"  false: {finding.code.value} at {finding.source}: {finding.sentence}")

    def end(self) -> ExitCode:
        """Give the exit code of the run."""
        if self._comparison is None:
            self.line("stopped before planted and found could be compared")
            return ExitCode.INTERRUPTED
        return ExitCode.DONE if self._comparison.agrees else ExitCode.FOUND

    @property
    def is_compared(self) -> bool:
        """Whether planted and found were compared."""
        return self._comparison is not None
