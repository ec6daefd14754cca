"""Incidents for people: the list, and all about one."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from auditors.catalogue import Lane
from auditors.catalogue.places import ID_DIGITS, opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.incidents import Incident
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.incidents import IncidentList, IncidentPage, checked_alike
from dashboards.documents.instants import moment
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from dashboards.terminal.tables.videos import write_videos
from schemas.findings import Finding
from schemas.money import grouped_minor
from schemas.words.counting import counted

_COUPS_SHOWN: Final = 12


def print_incidents(listed: IncidentList) -> None:
    """Write the list, those of devices apart, and what was looked at."""
    console = table_console()
    zones = {one.told.table_id: one.zone for one in listed.tables}
    if listed.is_simulated:
        write_line(console, "SIMULATED")
    devices = [one for one in listed.incidents if one.lane is Lane.DEVICES]
    others = [one for one in listed.incidents if one.lane is not Lane.DEVICES]
    for heading, incidents in (("incidents", others), ("devices", devices)):
        write_line(console, f"{heading}: {len(incidents):,}")
        for one in incidents:
            began = moment(one.first_occurred_at_us, zones[one.table_id])
            head = f"{began}  {one.id[:ID_DIGITS]}  {one.severity.value.upper()}  {one.table_id}"
            write_line(console, f"  {head}  {one.title}", hang=4)
    looked_at = f"{counted(listed.coup_count, 'coup')} of {counted(listed.table_count, 'table')}"
    write_line(console, f"{counted(listed.finding_count, 'finding')} in {looked_at}")
    for names, coverage in checked_alike(
        tuple(one for one in listed.tables if one.is_table or one.coverage.on)
    ):
        write_line(console, f"{names}: checks on: {', '.join(coverage.on) or 'none'}", hang=2)
        for check, reason in coverage.off:
            write_line(console, f"{names}: check off: {check}: {reason}", hang=2)
    write_line(console)
    write_line(console, ADVISORY)


def print_incident(page: IncidentPage) -> None:
    """Write all about one incident."""
    one, console = page.incident, table_console()
    if one.is_simulated:
        write_line(console, "SIMULATED")
    write_line(console, one.title, style="bold")
    facts = plain_table("", "")
    facts.show_header = False
    for name, value in _facts(page):
        add_row(facts, name, value)
    console.print(facts)
    write_line(console)
    write_line(console, page.explanation)
    write_line(console, f"What to do: {page.what_to_do}")
    write_line(console)
    for finding in page.findings:
        write_line(console, _finding_line(finding, page.zone), hang=4)
        write_line(console, finding.sentence, indent=4)
        evidence = ", ".join(str(at) for at in finding.evidence)
        cited = f"; {finding.citation}" if finding.citation else ""
        write_line(console, f"events {evidence or 'unknown'} of {finding.feed}{cited}", indent=4)
    write_line(console)
    if page.videos:
        write_videos(console, page.videos, ZoneInfo(page.zone))
        write_line(console)
    write_line(console, ADVISORY)


def _finding_line(finding: Finding, zone: str) -> str:
    """Name a finding in one line: when, its id, how severe, where and what."""
    at_us = finding.occurred_at_us
    at = "" if at_us is None else f"{moment(at_us, zone)}  "
    head = f"{at}{opening_id(finding)}  {finding.severity.value.upper()} {finding.code.value}"
    return f"{head}  {place_words(finding)}: {title_of(finding)}"


def _facts(page: IncidentPage) -> list[tuple[str, str]]:
    one, where = page.incident, page.table
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
            ("staked", f"{grouped_minor(one.staked_minor, one.currency)} {one.currency}"),
        ]
    else:
        # Coups of several tables; a progressive deals none of its own.
        named = dict.fromkeys(finding.coup for finding in page.findings if finding.coup)
        facts.append(("coups named", ", ".join(named) or "none"))
    for name, minor in (
        ("paid wrongly", one.wrongly_paid_minor),
        ("paid minus due", one.difference_minor),
        ("corrected", one.corrected_minor),
        ("residual", one.residual_minor),
    ):
        if minor is not None:
            facts.append((name, f"{grouped_minor(minor, one.currency)} {one.currency}"))
    return facts


def _coups(one: Incident) -> str:
    if not one.coup_ids:
        return "none"
    shown = ", ".join(one.coup_ids[:_COUPS_SHOWN])
    more = len(one.coup_ids) - _COUPS_SHOWN
    return f"{len(one.coup_ids):,}: {shown}{f' and {more:,} more' if more > 0 else ''}"
