"""``ladderman doctor``: what is configured, reachable and lagging, in words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from dashboards.errors import ExitCode
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.waiting import waiting_is_told
from dashboards.terminal.writing import (
    add_row,
    escaped,
    plain_table,
    table_console,
    write_json,
    write_line,
)
from streams.operating.doctor import examine
from streams.operating.doctor_checks import Check, State, worst
from streams.process.settings import Settings, described

DOCTOR_SCHEMA: Final = "ladderman.doctor/1"
"""Name and version of the document."""

_STYLES: Final = {State.WRONG: "bold red", State.UNREACHABLE: "bold red", State.NOTE: "yellow"}
_CODES: Final = {State.WRONG: ExitCode.FOUND, State.UNREACHABLE: ExitCode.UNAVAILABLE}


class DoctorFormat(StrEnum):
    """In which form the answer is written."""

    TABLE = "table"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog="Example: ladderman doctor --settings floor.toml")(doctor)


def doctor(
    settings: SettingsOption = None,
    output: Annotated[
        DoctorFormat, typer.Option("--format", help="How to write the answer.")
    ] = DoctorFormat.TABLE,
) -> int:
    """Check settings, services and lags; suggest what to do.

    Nothing is changed.

    Exit 0: nothing is wrong; 1: something is; 3: Kafka or the history does not answer.
    """
    loaded = settings_from(settings)
    with waiting_is_told():
        checks = examine(loaded)
    state = worst(checks)
    if output is DoctorFormat.JSON:
        write_json(
            {
                "schema": DOCTOR_SCHEMA,
                "state": state.value,
                "settings": dict(described(loaded)),
                "checks": [one.as_json() for one in checks],
            }
        )
    else:
        _print(loaded, checks)
    return _CODES.get(state, ExitCode.DONE)


def _print(settings: Settings, checks: list[Check]) -> None:
    console = table_console()
    table = plain_table("set", "to")
    for key, value in changed_settings(settings):
        add_row(table, key, value)
    if table.row_count:
        console.print(table)
    else:
        write_line(console, "Nothing is set; everything has its default.")
    write_line(console)
    for one in checks:
        style = _STYLES.get(one.state, "")
        says = escaped(one.says)
        end = "" if says.endswith(("?", ".")) else "."
        write_line(console, f"{one.state.value:12}{one.area}: {says}{end}", style, hang=12)
        if one.do is not None and one.state is not State.FINE:
            typer.echo(f"{'':12}→ {escaped(one.do)}")  # not wrapped: it may be a command
    write_line(console)
    write_line(console, _verdict(checks))


def changed_settings(settings: Settings) -> list[tuple[str, str]]:
    """Give the settings that are not at their default; of a secret only that it is set."""
    defaults = dict(described(Settings.model_construct()))
    return [(key, value) for key, value in described(settings) if defaults.get(key) != value]


def _verdict(checks: list[Check]) -> str:
    bad = sum(one.state in (State.WRONG, State.UNREACHABLE) for one in checks)
    if bad:
        return f"{bad} of {len(checks)} checks {'needs' if bad == 1 else 'need'} somebody."
    noted = sum(one.state is State.NOTE for one in checks)
    notes = f"; {noted} {'note' if noted == 1 else 'notes'}" if noted else ""
    return f"Nothing is wrong{notes}."
