"""Health for people: what is set, and every check with what to do."""

from __future__ import annotations

from typing import Final

import typer

from dashboards.documents.stream.health import HealthPage, changed_settings
from dashboards.documents.texts import escaped
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from streams.operating.doctor_checks import Check, State

_STYLES: Final = {State.WRONG: "bold red", State.UNREACHABLE: "bold red", State.NOTE: "yellow"}


def print_health(page: HealthPage) -> None:
    """Write what is set, what was found, and what to do about it."""
    settings, checks = page.settings, list(page.checks)
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


def _verdict(checks: list[Check]) -> str:
    bad = sum(one.state in (State.WRONG, State.UNREACHABLE) for one in checks)
    if bad:
        return f"{bad} of {len(checks)} checks {'needs' if bad == 1 else 'need'} somebody."
    noted = sum(one.state is State.NOTE for one in checks)
    notes = f"; {noted} {'note' if noted == 1 else 'notes'}" if noted else ""
    return f"Nothing is wrong{notes}."
