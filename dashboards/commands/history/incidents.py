"""``ladderman incidents``: many findings with one cause as one line, and all about one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from auditors.catalogue.places import ID_DIGITS
from dashboards.commands.help import HelpGroup
from dashboards.documents.history.incidents import (
    incident_page,
)
from dashboards.documents.history.incidents import list_incidents as list_of_incidents
from dashboards.options.history import StoreChoice
from dashboards.options.record_source import EventsOption, TableOption, record_source
from dashboards.options.refusals import refusals
from dashboards.options.settings import SettingsOption, links_from
from dashboards.options.time_range import FromOption, ToOption, parse_span
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.tables.incidents import print_incident, print_incidents

_CanaryOption = Annotated[
    bool,
    typer.Option("--canary", help="With those of the canary, a simulated table that watches us."),
]
_FormatChoice = Annotated[FormatOption, typer.Option("--format", help="How to write the answer.")]


def register(app: typer.Typer) -> None:
    """Add ``incidents list`` and ``incidents show``."""
    incidents = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman incidents list --from 2025-06-07",
        help="Findings with one cause, as one line each.",
        no_args_is_help=True,
    )
    app.add_typer(incidents, name="incidents")
    incidents.command("list", epilog="Example: ladderman incidents list --from 2025-06-07")(
        list_incidents
    )
    incidents.command("show", epilog="Example: ladderman incidents show 3f2a9c01")(show_incident)


def list_incidents(
    table: TableOption = None,
    begin: FromOption = None,
    end: ToOption = None,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    events: EventsOption = None,
    canary: _CanaryOption = False,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List incidents in the order in which they began, those of devices apart."""
    span = parse_span(begin, end)
    with record_source(store, events, settings, span) as source, refusals():
        listed = list_of_incidents(source, span, table, with_canary=canary)
    write_answer(listed, output, lambda: print_incidents(listed))


def show_incident(
    incident: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help=f"Id of the incident or of a finding in it ({ID_DIGITS} digits suffice), of a "
            "coup (or SHOE/NUMBER), a settlement or a wager.",
        ),
    ],
    table: TableOption = None,
    begin: FromOption = None,
    end: ToOption = None,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    events: EventsOption = None,
    canary: _CanaryOption = False,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show one incident: its findings, coups, money, evidence, and what to do."""
    span = parse_span(begin, end)
    hint = "; ladderman incidents list names them with their ids"
    flags = (("--table", table), ("--from", begin), ("--to", end))
    filters = " ".join(f"{flag} {value}" for flag, value in flags if value is not None)
    with record_source(store, events, settings, span) as source:
        with refusals():
            listed = list_of_incidents(source, span, table, with_canary=canary)
        with refusals(hint, filters=filters):
            page = incident_page(
                source, listed, incident, links=links_from(settings), with_canary=canary
            )
    write_answer(page, output, lambda: print_incident(page))
