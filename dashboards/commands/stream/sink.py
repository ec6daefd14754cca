"""``ladderman sink``: what stands on the topics gets into the history."""

from __future__ import annotations

from typing import Annotated

import typer

from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.starting import TopicsRefusedError
from streams.process.monitoring import MonitorError
from streams.process.settings_errors import SettingsError
from streams.sink.running import SinkMode, run_sink


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sink", epilog="Example: ladderman sink --settings floor.toml")(sink)


def sink(
    settings: SettingsOption = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Write all that the topics keep once more, then end."),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Name of this sink, the same after a restart."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Metrics and health; 0: any free port."),
    ] = None,
) -> int:
    """Write what workers decide into the history, until stopped.

    These are events, verdicts and dead letters.
    """
    loaded = settings_from(settings)
    try:
        monitor_port = loaded.listen.sink_port if port is None else port
        return run_sink(loaded, SinkMode(monitor_port, rebuild, name))
    except (TopicsRefusedError, SettingsError, MonitorError) as error:
        raise UsageProblem(str(error)) from None
    except (HistoryError, KafkaUnavailableError) as error:
        raise ServiceProblem(str(error)) from None
