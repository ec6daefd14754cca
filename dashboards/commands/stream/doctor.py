"""``ladderman doctor``: what is configured, reachable and lagging, in words."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from dashboards.documents.stream.health import HealthPage
from dashboards.errors import ExitCode
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import DocumentFormat
from dashboards.terminal.tables.stream.health import print_health
from dashboards.terminal.waiting import waiting_is_told
from streams.operating.doctor import examine
from streams.operating.doctor_checks import State

_CODES: Final = {State.WRONG: ExitCode.FOUND, State.UNREACHABLE: ExitCode.UNAVAILABLE}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog="Example: ladderman doctor --settings floor.toml")(doctor)


def doctor(
    settings: SettingsOption = None,
    output: Annotated[
        DocumentFormat, typer.Option("--format", help="How to write the answer.")
    ] = DocumentFormat.TABLE,
) -> int:
    """Check settings, services and lags; suggest what to do.

    Nothing is changed.

    Exit 0: nothing is wrong; 1: something is; 3: Kafka or the history does not answer.
    """
    loaded = settings_from(settings)
    with waiting_is_told():
        page = HealthPage(loaded, tuple(examine(loaded)))
    write_answer(page, output, lambda: print_health(page))
    return _CODES.get(page.state, ExitCode.DONE)
