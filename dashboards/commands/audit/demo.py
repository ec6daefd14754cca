"""``ladderman demo``: a simulated floor with planted faults, audited live on this machine."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Final

import typer

from dashboards.demo.foreground import own_foreground
from dashboards.demo.screen import DemoPlan, DemoScreen, command_line
from dashboards.documents.advisory import ADVISORY
from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.terminal.interruption import Interruption
from streams.history.store import HistoryError
from streams.host.errors import HostError
from streams.process.clock import SystemClock
from streams.simulator.demo import demo_floor

WATCHED_SPEED: Final = 40.0
"""Simulated seconds a second where a person watches."""

_EXAMPLE: Final = "Example: ladderman demo --seed 7 --exit-when-done"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", epilog=_EXAMPLE)(demo)


def demo(
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another floor.")] = 7,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            help="Folder of the store, which stays; else a temporary one, which is removed.",
        ),
    ] = None,
    keep_store: Annotated[
        bool, typer.Option("--keep-store", help="Let the temporary store stay, and name it.")
    ] = False,
    speed: Annotated[
        float | None,
        typer.Option("--speed", min=1, max=10_000, help="Simulated seconds a second; 40."),
    ] = None,
    exit_when_done: Annotated[
        bool, typer.Option("--exit-when-done", help="End once planted and found are compared.")
    ] = False,
    kafka: Annotated[
        bool,
        typer.Option(
            "--kafka", help="Through a Kafka broker, two workers and a sink that it starts here."
        ),
    ] = False,
) -> int:
    """Play a simulated floor with planted faults; audit it live.

    Fourteen faults are planted.
    """
    is_watched = sys.stdout.isatty() and not exit_when_done
    if speed is None and sys.stdout.isatty():
        speed = WATCHED_SPEED
    plan = DemoPlan(demo_floor(seed), seed, speed, is_watched)
    if store is not None:
        _refuse_used(store)
    if kafka:
        # Only the few who want it wait for what it stands on.
        from dashboards.demo.kafka import play_through_kafka

        if keep_store and store is None:
            store = _temporary_folder()
        return play_through_kafka(plan, store)
    typer.echo(plan.title)
    sys.stdout.flush()
    directory, stays = store or _temporary_folder(), keep_store or store is not None
    try:
        with own_foreground():
            return _play(plan, directory, stays=stays)
    except (HistoryError, HostError) as error:
        raise ServiceProblem(str(error)) from None
    finally:
        if not stays:
            _remove(directory)


def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="ladderman-demo-"))


def _remove(directory: Path) -> None:
    """Remove a temporary store; one more Ctrl-C meanwhile does not leave half of it."""
    try:
        shutil.rmtree(directory, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _refuse_used(store: Path) -> None:
    if store.exists() and (not store.is_dir() or any(store.iterdir())):
        raise UsageProblem(f"--store {store}: is not an empty folder; name a new one")


def _play(plan: DemoPlan, directory: Path, *, stays: bool) -> int:
    """Play until the comparison, and on until Ctrl-C where somebody watches."""
    # The embedded engine takes half a second to load, after the first line is there.
    from streams.embedding.ingest import embedded_store
    from streams.process.interpreter import collect_seldom
    from streams.simulator.live.floor import LiveFloor, Watch

    interruption = Interruption()
    screen = DemoScreen(plan, interruption.stop)
    screen.line(f"SIMULATED: nothing below happened anywhere; simulated time runs {plan.rate}.")
    watch = Watch(screen.say)
    with (
        interruption.listening(),
        embedded_store(directory, alert=_warn, observe=watch.observe) as (pipeline, _),
    ):
        floor = LiveFloor(plan.config, pipeline, watch, SystemClock())
        collect_seldom()
        screen.begin()
        for figures in floor.play(plan.speed, interruption.stop):
            if screen.is_status_due:
                screen.status(figures)
            if screen.is_time_to_compare(floor, figures.at_us):
                pipeline.deliver()
                screen.status(figures)
                screen.compare(floor.compare())
                if plan.is_watched:
                    _name_commands(screen, directory)
                else:
                    interruption.stop.set()
    if stays:
        typer.echo(f"\nThe store stays in {directory}")
    else:
        typer.echo("\nThe store is removed; --keep-store or --store DIR lets it stay")
    code = screen.end()
    typer.echo(ADVISORY)
    return code


def _name_commands(screen: DemoScreen, directory: Path) -> None:
    screen.line("In a second terminal, right now:")
    for words in ("incidents list", "replay --table BAC-03", "history status"):
        screen.line(f"  {command_line(words, ['--store', str(directory.absolute())])}")
    screen.line("The floor goes on until Ctrl-C.\n")


def _warn(line: str) -> None:
    sys.stderr.write(f"ladderman: {line}\n")
