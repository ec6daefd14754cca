"""``ladderman incidents``: many findings with one cause as one line, and all about one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from auditors.catalogue.places import ID_DIGITS
from dashboards.commands.help import HelpGroup
from dashboards.documents.history.incident_filters import IncidentFilter, IncidentOrder, Openness
from dashboards.documents.history.incidents import (
    incident_page,
)
from dashboards.documents.history.incidents import list_incidents as list_of_incidents
from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem
from dashboards.options.history import StoreChoice
from dashboards.options.record_source import EventsOption, TablesOption, record_source
from dashboards.options.refusals import refusals
from dashboards.options.settings import SettingsOption, links_from
from dashboards.options.time_range import FromOption, ToOption, parse_span
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.tables.incidents import print_incident, print_incidents
from schemas.findings import FindingCode, Severity
from schemas.words.suggestions import near_miss

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
    table: TablesOption = None,
    begin: FromOption = None,
    end: ToOption = None,
    severity: Annotated[
        list[Severity] | None, typer.Option("--severity", help="Only these; repeatable.")
    ] = None,
    code: Annotated[
        list[str] | None,
        typer.Option("--code", metavar="CODE", help="Only with such findings; repeatable."),
    ] = None,
    status: Annotated[Openness | None, typer.Option("--status", help="Only these.")] = None,
    order: Annotated[
        IncidentOrder | None,
        typer.Option("--order", help="Which stands first; newest for people, else oldest."),
    ] = None,
    checks: Annotated[
        bool, typer.Option("--checks", help="With every check that is on or off, and why.")
    ] = False,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    events: EventsOption = None,
    canary: _CanaryOption = False,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List incidents, those of devices apart, and what they come to."""
    only = IncidentFilter(frozenset(severity or ()), frozenset(map(_code, code or ())), status)
    is_read = output is FormatOption.TABLE
    order = order or (IncidentOrder.NEWEST if is_read else IncidentOrder.OLDEST)
    span = parse_span(begin, end)
    with record_source(store, events, settings, span) as source, refusals():
        listed = list_of_incidents(
            source, span, table or (), with_canary=canary, only=only, order=order
        )
    write_answer(listed, output, lambda: print_incidents(listed, with_checks=checks))


def _code(text: str) -> FindingCode:
    wanted = text.strip().upper()
    try:
        return FindingCode(wanted)
    except ValueError:
        hint = near_miss(wanted, FindingCode) or "; incidents list --format json names them"
        raise UsageProblem(f"--code {quoted(text)}: no such code{hint}") from None


def show_incident(
    incident: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help=f"Id of the incident or of a finding in it ({ID_DIGITS} digits suffice), of a "
            "coup (or SHOE/NUMBER), a settlement or a wager.",
        ),
    ],
    table: TablesOption = None,
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
    tables = [("--table", one) for one in table or ()]
    flags = (*tables, ("--from", begin), ("--to", end))
    filters = " ".join(f"{flag} {value}" for flag, value in flags if value is not None)
    with record_source(store, events, settings, span) as source:
        with refusals():
            listed = list_of_incidents(source, span, table or (), with_canary=canary)
        with refusals(hint, filters=filters):
            page = incident_page(
                source, listed, incident, links=links_from(settings), with_canary=canary
            )
    write_answer(page, output, lambda: print_incident(page))
