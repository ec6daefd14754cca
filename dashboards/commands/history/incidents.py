"""``ladderman incidents``: many findings with one cause as one line, and all about one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import typer

from auditors.catalogue import Lane, load_catalogue
from auditors.catalogue.places import ID_DIGITS, opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.coverage import Coverage
from auditors.incidents import Incident, TableTold, incidents_of, opened_by
from auditors.incidents.titles import grouped
from dashboards.commands.help import HelpGroup
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.instants import moment
from dashboards.documents.videos import ShownVideo, shown_videos
from dashboards.errors import UsageProblem
from dashboards.options.history import StoreChoice
from dashboards.options.record_source import (
    EventsOption,
    TableOption,
    coverage_of,
    known_table,
    latest_state,
    ledger_coverage,
    record_source,
    zone_of,
)
from dashboards.options.settings import SettingsOption, links_from
from dashboards.options.time_range import FromOption, ToOption, parse_span, range_json
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.videos import write_videos
from dashboards.terminal.writing import (
    add_row,
    plain_table,
    table_console,
    write_csv,
    write_json,
    write_json_lines,
    write_line,
)
from schemas.canary import CANARY_TABLE
from schemas.findings import Finding
from schemas.words.counting import counted
from streams.replaying.sources import RecordSource
from streams.replaying.span import EVERYTHING, Span

INCIDENTS_SCHEMA: Final = "ladderman.incidents/1"
"""Name and version of the document that lists incidents."""

_COUPS_SHOWN: Final = 12
_CSV_COLUMNS: Final = (
    "id", "code", "lane", "severity", "status", "source", "title", "first_occurred_at",
    "last_occurred_at", "first_feed", "first_sequence", "coup_count", "first_coup", "last_coup",
    "staked", "difference", "wrongly_paid", "corrected", "residual", "currency", "simulated",
)  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class Found:
    """Incidents of one table with what is needed to tell them."""

    told: TableTold
    """What stands in the range."""
    whole: TableTold
    """All that stands about the table: incidents are made of it, so that no range changes them."""
    incidents: tuple[Incident, ...]
    """Those of which a finding lies in the range, as a whole."""
    zone: str
    coverage: Coverage
    is_table: bool = True
    """False for a progressive, and for what never opened a table."""


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
    with record_source(store, events, settings, span) as source:
        found = find_incidents(source, span, known_table(source, table), with_canary=canary)
        name = source.name
    incidents = [one for table_found in found for one in table_found.incidents]
    incidents.sort(key=lambda one: (one.first_occurred_at_us, one.id))
    if output is FormatOption.JSON:
        write_json(_document(name, span, found, incidents))
    elif output is FormatOption.JSONL:
        write_json_lines(one.as_json() for one in incidents)
    elif output is FormatOption.CSV:
        write_csv(_CSV_COLUMNS, [one.as_json() for one in incidents])
    else:
        _print_list(found, incidents)


def find_incidents(
    source: RecordSource, span: Span, table_id: str | None, *, with_canary: bool = False
) -> tuple[Found, ...]:
    """Group what stands in a range, table by table; the canary where it is asked for."""
    found = []
    asked = with_canary or table_id == CANARY_TABLE
    for told in source.told(span, table_id, with_canary=asked):
        whole = told
        if told.findings and not span.is_open:
            (whole,) = source.told(EVERYTHING, told.table_id, with_canary=asked)
        state = latest_state(source, told.table_id)
        is_table = state is not None or bool(told.coups)
        if is_table:
            zone, coverage = zone_of(state), coverage_of(state)
        else:
            zone, coverage = ledger_coverage(source, told.table_id)
        found.append(Found(told, whole, _within(told, whole), zone, coverage, is_table=is_table))
    return tuple(found)


def _within(told: TableTold, whole: TableTold) -> tuple[Incident, ...]:
    """Give the incidents of a table of which a finding lies in the range."""
    incidents = incidents_of(whole)
    if told is whole:
        return incidents
    ids = {one.finding.id for one in told.findings}
    return tuple(one for one in incidents if not ids.isdisjoint(one.finding_ids))


def _document(
    name: str, span: Span, found: tuple[Found, ...], incidents: list[Incident]
) -> dict[str, object]:
    return {
        "schema": INCIDENTS_SCHEMA,
        "read_from": name,
        "range": range_json(span),
        "simulated": any(one.told.is_simulated for one in found),
        "incidents": [one.as_json() for one in incidents],
        "tables": [
            {
                "source": one.told.table_id,
                "is_table": one.is_table,
                "coups": len(one.told.coups),
                "findings": len(one.told.findings),
                "checks_on": list(one.coverage.on),
                "checks_off": [
                    {"check": check, "reason": reason} for check, reason in one.coverage.off
                ],
            }
            for one in found
        ],
    }


def _print_list(found: tuple[Found, ...], incidents: list[Incident]) -> None:
    console = table_console()
    zones = {one.told.table_id: one.zone for one in found}
    if any(one.told.is_simulated for one in found):
        write_line(console, "SIMULATED")
    devices = [one for one in incidents if one.lane is Lane.DEVICES]
    others = [one for one in incidents if one.lane is not Lane.DEVICES]
    for heading, listed in (("incidents", others), ("devices", devices)):
        write_line(console, f"{heading}: {len(listed):,}")
        for one in listed:
            began = moment(one.first_occurred_at_us, zones[one.table_id])
            head = f"{began}  {one.id[:ID_DIGITS]}  {one.severity.value.upper()}  {one.table_id}"
            write_line(console, f"  {head}  {one.title}", hang=4)
    coups = sum(len(one.told.coups) for one in found)
    findings = sum(len(one.told.findings) for one in found)
    tables = sum(one.is_table for one in found)
    looked_at = f"{counted(coups, 'coup')} of {counted(tables, 'table')}"
    write_line(console, f"{counted(findings, 'finding')} in {looked_at}")
    for names, coverage in _alike(tuple(one for one in found if one.is_table or one.coverage.on)):
        write_line(console, f"{names}: checks on: {', '.join(coverage.on) or 'none'}", hang=2)
        for check, reason in coverage.off:
            write_line(console, f"{names}: check off: {check}: {reason}", hang=2)
    write_line(console)
    write_line(console, ADVISORY)


def _alike(found: tuple[Found, ...]) -> list[tuple[str, Coverage]]:
    """Give the tables that were checked alike, together."""
    alike: dict[Coverage, list[str]] = {}
    for one in found:
        alike.setdefault(one.coverage, []).append(one.told.table_id)
    return [(", ".join(names), coverage) for coverage, names in alike.items()]


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
    with record_source(store, events, settings, span) as source:
        known = known_table(source, table)
        found = find_incidents(source, span, known, with_canary=canary)
        picked = _pick(incident, found)
        if picked is None:
            raise UsageProblem(_not_found(incident, source, _Asked(table, begin, end), canary))
        one, where = picked
        rows = source.videos(
            one.table_id, one.coup_ids, one.first_occurred_at_us, one.last_occurred_at_us
        )
    videos = shown_videos(rows, links_from(settings))
    findings = _findings_of(one, where)
    if output in (FormatOption.JSON, FormatOption.JSONL):
        description = load_catalogue()[one.code]
        document = {
            **one.as_json(),
            "explanation": " ".join(description.explanation.split()),
            "what_to_do": " ".join(description.what_to_do.split()),
            "finding_details": [finding.as_json() for finding in findings],
            "videos": [video.as_json() for video in videos],
        }
        write_json(document) if output is FormatOption.JSON else write_json_lines([document])
    elif output is FormatOption.CSV:
        write_csv(("schema", *Finding.json_fields()), [finding.as_json() for finding in findings])
    else:
        _print_incident(one, where, findings, videos)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The filters of a command, as they were written."""

    table: str | None
    begin: str | None
    end: str | None

    @property
    def words(self) -> str:
        """Name the filters."""
        flags = (("--table", self.table), ("--from", self.begin), ("--to", self.end))
        return " ".join(f"{flag} {value}" for flag, value in flags if value is not None)


def _pick(wanted: str, found: tuple[Found, ...]) -> tuple[Incident, Found] | None:
    """Find the one incident that an id opens; None where none is."""
    if not wanted.strip():
        raise UsageProblem("give an id: of an incident, a finding, a coup, a settlement or a wager")
    matching = [
        (one, where) for where in found for one in opened_by(wanted, where.incidents, _by_id(where))
    ]
    if not matching:
        return None
    if len(matching) == 1:
        return matching[0]
    listed = "; ".join(f"{one.id[:ID_DIGITS]} {one.title}" for one, _ in matching[:4])
    more = f" and {len(matching) - 4} more" if len(matching) > 4 else ""
    raise UsageProblem(f"{wanted} is ambiguous, it opens {len(matching)} incidents: {listed}{more}")


def _not_found(wanted: str, source: RecordSource, asked: _Asked, canary: bool) -> str:
    """Say that an id opens nothing, or that a filter hides what it opens."""
    if asked.words:
        hidden = _pick(wanted, find_incidents(source, EVERYTHING, None, with_canary=canary))
        if hidden is not None:
            one, where = hidden
            began = moment(one.first_occurred_at_us, where.zone)
            return (
                f"{wanted} is in incident {one.id[:ID_DIGITS]} of {one.table_id}, {began} "
                f"({where.zone}): outside {asked.words}; leave that out to show it"
            )
    return (
        f"{wanted} opens no incident in {source.name}: no finding, coup, wager or settlement has "
        "that id, or its findings were withdrawn; ladderman incidents list names them with their "
        "ids"
    )


def _by_id(where: Found) -> dict[str, Finding]:
    return {one.finding.id: one.finding for one in where.whole.findings}


def _findings_of(incident: Incident, where: Found) -> list[Finding]:
    by_id = _by_id(where)
    return [by_id[id_] for id_ in incident.finding_ids]


def _print_incident(
    one: Incident, where: Found, findings: list[Finding], videos: Sequence[ShownVideo]
) -> None:
    console = table_console()
    if one.is_simulated:
        write_line(console, "SIMULATED")
    description = load_catalogue()[one.code]
    write_line(console, one.title, style="bold")
    facts = plain_table("", "")
    facts.show_header = False
    for name, value in _facts(one, where):
        add_row(facts, name, value)
    console.print(facts)
    write_line(console)
    write_line(console, " ".join(description.explanation.split()))
    write_line(console, f"What to do: {' '.join(description.what_to_do.split())}")
    write_line(console)
    for finding in findings:
        write_line(console, _finding_line(finding, where.zone), hang=4)
        write_line(console, finding.sentence, indent=4)
        evidence = ", ".join(str(at) for at in finding.evidence)
        cited = f"; {finding.citation}" if finding.citation else ""
        write_line(console, f"events {evidence or 'unknown'} of {finding.feed}{cited}", indent=4)
    write_line(console)
    if videos:
        write_videos(console, videos, ZoneInfo(where.zone))
        write_line(console)
    write_line(console, ADVISORY)


def _finding_line(finding: Finding, zone: str) -> str:
    """Name a finding in one line: when, its id, how severe, where and what."""
    at_us = finding.occurred_at_us
    at = "" if at_us is None else f"{moment(at_us, zone)}  "
    head = f"{at}{opening_id(finding)}  {finding.severity.value.upper()} {finding.code.value}"
    return f"{head}  {place_words(finding)}: {title_of(finding)}"


def _facts(one: Incident, where: Found) -> list[tuple[str, str]]:
    span = moment(one.first_occurred_at_us, where.zone)
    if one.last_occurred_at_us != one.first_occurred_at_us:
        span += f" to {moment(one.last_occurred_at_us, where.zone)}"
    facts = [
        ("id", one.id),
        ("table" if where.is_table else "progressive", one.table_id),
        ("when", f"{span} ({where.zone})"),
        ("severity", f"{one.severity.value}, {one.status.value}"),
        ("first event", f"{one.first_sequence} of feed {one.first_feed_id}"),
        ("findings", ", ".join(f"{count} {code.value}" for code, count in one.codes)),
    ]
    if where.is_table:
        facts += [
            ("shoes", ", ".join(one.shoe_ids) or "none"),
            ("coups", _coups(one)),
            ("staked", f"{grouped(one.staked_minor, one.currency)} {one.currency}"),
        ]
    else:
        # Coups of several tables; a progressive deals none of its own.
        named = dict.fromkeys(finding.coup for finding in _findings_of(one, where) if finding.coup)
        facts.append(("coups named", ", ".join(named) or "none"))
    for name, minor in (
        ("paid wrongly", one.wrongly_paid_minor),
        ("paid minus due", one.difference_minor),
        ("corrected", one.corrected_minor),
        ("residual", one.residual_minor),
    ):
        if minor is not None:
            facts.append((name, f"{grouped(minor, one.currency)} {one.currency}"))
    return facts


def _coups(one: Incident) -> str:
    if not one.coup_ids:
        return "none"
    shown = ", ".join(one.coup_ids[:_COUPS_SHOWN])
    more = len(one.coup_ids) - _COUPS_SHOWN
    return f"{len(one.coup_ids):,}: {shown}{f' and {more:,} more' if more > 0 else ''}"
