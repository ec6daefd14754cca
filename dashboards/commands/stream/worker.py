"""``ladderman worker``: one process that folds the tables of some partitions."""

from __future__ import annotations

from typing import Annotated

import typer

from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.starting import TopicsRefusedError
from streams.process.monitoring import MonitorError
from streams.process.settings_errors import SettingsError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("worker", epilog="Example: ladderman worker --settings floor.toml --name w1")(
        worker
    )


def worker(
    settings: SettingsOption = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Name of this worker, the same after a restart."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Metrics and health; 0: any free port."),
    ] = None,
) -> int:
    """Audit the tables that this worker is given, until stopped.

    It folds the tables of its partitions.
    """
    loaded = settings_from(settings)
    # The framework takes half a second to import, which no other command should wait for.
    from streams.worker.running import run_worker

    try:
        return run_worker(
            loaded,
            instance_id=name,
            monitor_port=loaded.listen.worker_port if port is None else port,
        )
    except (TopicsRefusedError, SettingsError, MonitorError) as error:
        raise UsageProblem(str(error)) from None
    except KafkaUnavailableError as error:
        raise ServiceProblem(str(error)) from None
