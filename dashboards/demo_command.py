"""``ladderman demo``: a simulated floor with planted faults, audited live on this machine."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dashboards.demo_lines import finding_line, status_line
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options import ADVISORY
from schemas.findings import Finding
from schemas.records import Record
from streams.clock import SystemClock
from streams.history.store import HistoryError
from streams.host.errors import HostError
from streams.simulator.comparing import Comparison
from streams.simulator.demo import demo_floor

if TYPE_CHECKING:
    from streams.live_floor import LiveFloor

COMPARE_AFTER_S: Final = 60.0
"""When planted and found are compared, at the latest, where the floor is paced."""

WATCHED_SPEED: Final = 40.0
"""Simulated seconds a second where a person watches."""

STATUS_EVERY_S: Final = 5.0
SETTLED_AFTER_US: Final = 300 * 1_000_000
"""Simulated time after the last planted fault in which everything about it is told."""

_EXAMPLE: Final = "Example: ladderman demo --seed 7 --exit-when-done"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", epilog=_EXAMPLE)(demo)


def demo(
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another floor.")] = 7,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="Folder of the store; a new temporary one where left out."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option("--speed", min=1, max=10_000, help="Simulated seconds a second; 40."),
    ] = None,
    exit_when_done: Annotated[
        bool, typer.Option("--exit-when-done", help="End once planted and found are compared.")
    ] = False,
) -> int:
    """Play a simulated floor with fourteen planted faults and audit it live."""
    config = demo_floor(seed)
    start = config.start
    typer.echo(
        f"Ladderman demo: {config.tables} simulated tables, {start:%a %Y-%m-%d} 18:00 EDT, "
        f"seed {seed}"
    )
    sys.stdout.flush()
    directory = _directory(store)
    is_watched = sys.stdout.isatty() and not exit_when_done
    if speed is None and sys.stdout.isatty():
        speed = WATCHED_SPEED
    try:
        return _Demo(seed, directory, speed, is_watched=is_watched).run()
    except (HistoryError, HostError) as error:
        raise ServiceProblem(str(error)) from None


def _directory(store: Path | None) -> Path:
    if store is None:
        return Path(tempfile.mkdtemp(prefix="ladderman-demo-"))
    if store.exists() and (not store.is_dir() or any(store.iterdir())):
        raise UsageProblem(f"--store {store}: is not an empty folder; name a new one")
    return store


class _Demo:
    """One run of the demo."""

    def __init__(
        self, seed: int, directory: Path, speed: float | None, *, is_watched: bool
    ) -> None:
        self._config, self._directory = demo_floor(seed), directory
        self._speed, self._is_watched = speed, is_watched
        self._stop = threading.Event()
        self._comparison: Comparison | None = None
        self._placed_us = 0

    def run(self) -> int:
        """Play until the comparison, and on until Ctrl-C where somebody watches."""
        # The embedded engine takes half a second to load, after the first line is there.
        from streams.history.api import HistoryApi
        from streams.ingest import embedded_store
        from streams.live_floor import LiveFloor, Watch

        rate = "as fast as it goes" if self._speed is None else f"{self._speed:g} x the clock"
        typer.echo(f"SIMULATED: nothing below happened anywhere; simulated time runs {rate}.")
        watch = Watch(self._say)
        clock = SystemClock()
        with (
            _interruptible(self._stop),
            embedded_store(self._directory, alert=_warn, observe=watch.observe) as (pipeline, at),
            HistoryApi(at),
        ):
            floor = LiveFloor(self._config, pipeline, watch, clock)
            began_s = said_s = time.monotonic()
            for figures in floor.play(self._speed, self._stop):
                now_s = time.monotonic()
                if now_s - said_s >= STATUS_EVERY_S:
                    said_s = now_s
                    typer.echo(status_line(figures, now_s - began_s, rate))
                    sys.stdout.flush()
                if self._comparison is None and self._is_time(
                    floor, now_s - began_s, figures.at_us
                ):
                    pipeline.deliver()
                    typer.echo(status_line(figures, now_s - began_s, rate))
                    self._compare(floor.compare())
                    if not self._is_watched:
                        self._stop.set()
            if self._comparison is None:
                self._compare(floor.compare())
        typer.echo(f"\nThe store stays in {self._directory}")
        typer.echo(ADVISORY)
        assert self._comparison is not None
        if self._comparison.agrees:
            return ExitCode.DONE
        return ExitCode.FOUND

    def _is_time(self, floor: LiveFloor, elapsed_s: float, at_us: int) -> bool:
        """Whether every fault is in the stream and has had time to be found."""
        if self._speed is not None and self._is_watched:
            return elapsed_s >= COMPARE_AFTER_S
        if floor.unplaced:
            return False
        self._placed_us = self._placed_us or at_us
        return at_us >= self._placed_us + SETTLED_AFTER_US

    def _say(self, finding: Finding, record: Record) -> None:
        typer.echo(finding_line(finding, record))
        sys.stdout.flush()

    def _compare(self, comparison: Comparison) -> None:
        self._comparison = comparison
        typer.echo(
            f"\nplanted {comparison.planted}, found {comparison.found}, "
            f"false {len(comparison.false)}"
        )
        for truth in comparison.missing:
            codes = ", ".join(code.value for code in truth.codes)
            typer.echo(f"  not found: {truth.plant} at {truth.source}, coup {truth.coup}: {codes}")
        for finding in comparison.false:
            typer.echo(f"  false: {finding.code.value} at {finding.source}: {finding.sentence}")
        if self._is_watched:
            typer.echo("In a second terminal, right now:")
            for words in ("incidents list", "replay --table BAC-03", "history status"):
                typer.echo(f"  ladderman {words} --store {self._directory}")
            typer.echo("The floor goes on until Ctrl-C.\n")
        sys.stdout.flush()


@contextmanager
def _interruptible(stop: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C end the play in order; the second one breaks off."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _warn(line: str) -> None:
    sys.stderr.write(f"ladderman: {line}\n")
