"""``ladderman reconcile``: does the history hold every verdict that the log gives?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dashboards.documents.stream.coverage import CoveragePage, summary
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import DocumentFormat
from dashboards.terminal.tables.stream.coverage import print_coverage
from dashboards.terminal.waiting import waiting_is_told
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.events_topic import NoEventsTopicError
from streams.process.monitoring import MonitorError
from streams.process.settings import Settings
from streams.process.settings_errors import SettingsError
from streams.reconcile.coverage import Coverage
from streams.reconcile.running import reconcile_once, run_reconciler


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reconcile", epilog="Example: ladderman reconcile --format json")(reconcile)


def reconcile(
    settings: SettingsOption = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Go on, round after round, until stopped.")
    ] = False,
    every: Annotated[float, typer.Option("--every", min=1, help="Seconds between rounds.")] = 60.0,
    canary: Annotated[
        bool,
        typer.Option("--canary", help="Let a canary table make a known mistake every minute."),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Metrics and health; 0: any free port."),
    ] = None,
    output: Annotated[
        DocumentFormat, typer.Option("--format", help="How to write the coverage.")
    ] = DocumentFormat.TABLE,
) -> int:
    """Compare the history with the log and mend what it lacks.

    It also says how much the verdicts cover.

    Only what the sink has passed is compared. Exit 0: complete; 1: something was found, and
    mended where it can be; 3: Kafka or the history is away.
    """
    loaded = settings_from(settings)
    if canary and not continuous:
        raise UsageProblem("--canary needs --continuous; a canary sings for as long as it runs")
    try:
        if continuous:
            return _go_on(loaded, every, canary, port)
        with waiting_is_told():
            coverage = reconcile_once(loaded)
    except (NoEventsTopicError, SettingsError, MonitorError) as error:
        raise UsageProblem(str(error)) from None
    except (HistoryError, KafkaUnavailableError) as error:
        raise ServiceProblem(str(error)) from None
    write_answer(CoveragePage(coverage), output, lambda: print_coverage(coverage))
    return ExitCode.DONE if coverage.is_complete else ExitCode.FOUND


def _go_on(settings: Settings, every_s: float, has_canary: bool, port: int | None) -> int:
    def make_canary() -> object:
        from streams.operating.canary import Canary

        return Canary(settings)

    return run_reconciler(
        settings,
        monitor_port=settings.listen.reconcile_port if port is None else port,
        tell=_tell,
        every_s=every_s,
        beside=make_canary if has_canary else None,
    )


def _tell(coverage: Coverage) -> None:
    typer.echo(summary(coverage))
    sys.stdout.flush()
