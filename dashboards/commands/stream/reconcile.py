"""``ladderman reconcile``: does the history hold every verdict that the log gives?"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.waiting import waiting_is_told
from dashboards.terminal.writing import add_row, plain_table, table_console, write_json, write_line
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.events_topic import NoEventsTopicError
from streams.process.monitoring import MonitorError
from streams.process.settings import Settings
from streams.process.settings_errors import SettingsError
from streams.reconcile.coverage import LISTED_MAX, Coverage, percent_text
from streams.reconcile.running import reconcile_once, run_reconciler


class CoverageFormat(StrEnum):
    """In which form the coverage is written."""

    TABLE = "table"
    JSON = "json"


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
        CoverageFormat, typer.Option("--format", help="How to write the coverage.")
    ] = CoverageFormat.TABLE,
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
    if output is CoverageFormat.JSON:
        write_json(coverage.as_json())
    else:
        _print(coverage)
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


def summary(coverage: Coverage) -> str:
    """Say the share, what it says nothing of, and what was found, in one line."""
    found = ", ".join(
        f"{kind.replace('_', ' ')} {count:,}" for kind, count in sorted(coverage.counts.items())
    )
    rest = f"; {_waiting(coverage)}" if coverage.waiting else ""
    return f"{coverage.sentence}{rest}{f'; found: {found}' if found else ''}"


def _waiting(coverage: Coverage) -> str:
    """Say what the share says nothing of, and on whom it waits."""
    reasons = (
        (coverage.not_folded, "no worker has kept as folded"),
        (coverage.waiting - coverage.not_folded, "the sink has not written"),
    )
    waits = " and ".join(f"{count:,} that {what}" for count, what in reasons if count)
    return f"not compared yet: {waits}"


def _print(coverage: Coverage) -> None:
    console = table_console()
    write_line(console, f"{summary(coverage)}.", hang=4)
    write_line(
        console,
        f"Compared: {coverage.events:,} events, {coverage.records:,} records, "
        f"{coverage.dead_letters:,} dead letters; {coverage.pending:,} records are on their way.",
        hang=4,
    )
    incomplete = [(name, one) for name, one in sorted(coverage.tables.items()) if one.lacking]
    if incomplete:
        write_line(console)
        table = plain_table("table", "covered", "coups", "percent")
        for name, one in incomplete:
            percent = percent_text(one.covered, one.coups)
            add_row(table, name, f"{one.covered:,}", f"{one.coups:,}", percent)
        console.print(table)
    for place in coverage.partitions:
        if place.obstacle:
            write_line(console, f"Partition {place.partition}: {place.obstacle}.", hang=4)
    if coverage.lines:
        write_line(console)
    for line in coverage.lines:
        write_line(console, line, hang=4)
    rest = coverage.counts.total() - len(coverage.lines)
    if rest > 0:
        write_line(console, f"and {rest:,} more; the first {LISTED_MAX} of each kind are listed")
