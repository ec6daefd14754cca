"""Incidents for people: the list, and all about one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console

from auditors.catalogue import Lane
from auditors.catalogue.places import ID_DIGITS, opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.coverage import Coverage
from auditors.incidents import Incident
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.incident_filters import Openness
from dashboards.documents.history.incidents import IncidentList, IncidentPage, checked_alike
from dashboards.documents.history.tables import DEFAULT_ZONE
from dashboards.documents.instants import moment
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from dashboards.terminal.tables.videos import write_videos
from schemas.findings import Finding, Severity
from schemas.money import grouped_minor
from schemas.words.counting import counted

_COUPS_SHOWN: Final = 12


_STYLES: Final[Mapping[Severity, str]] = {
    Severity.CRITICAL: "bold red",
    Severity.HIGH: "red",
    Severity.NOTICE: "yellow",
    Severity.INFO: "",
}
"""Colours are written to a terminal only, and to none that NO_COLOR is set for."""


def print_incidents(listed: IncidentList, *, with_checks: bool = False) -> None:
    """Write what was looked at, the incidents, those of devices apart, and what they come to.

    Args:
        listed: The incidents.
        with_checks: With every check, in place of one line about them all.
    """
    console = table_console()
    zones = {one.told.table_id: one.zone for one in listed.tables}
    if listed.is_simulated:
        write_line(console, "SIMULATED")
    looked_at = f"{counted(listed.coup_count, 'coup')} of {counted(listed.table_count, 'table')}"
    write_line(console, f"{counted(listed.finding_count, 'finding')} in {looked_at}")
    if with_checks:
        _write_checks(console, listed)
    else:
        write_line(console, _checks_line(listed))
    write_line(console)
    named = ", ".join(dict.fromkeys(zones.values()))
    head = f"when ({named or DEFAULT_ZONE})  id  severity  table  what"
    write_line(console, head, style="dim", indent=2, hang=4)
    devices = [one for one in listed.incidents if one.lane is Lane.DEVICES]
    others = [one for one in listed.incidents if one.lane is not Lane.DEVICES]
    for heading, incidents in (("devices", devices), ("incidents", others)):
        write_line(console, f"{heading}: {len(incidents):,}")
        for one in incidents:
            began = moment(one.first_occurred_at_us, zones[one.table_id])
            head = f"{began}  {one.id[:ID_DIGITS]}  {one.severity.value.upper()}  {one.table_id}"
            write_line(
                console, f"  {head}  {one.title}", hang=4, style=_STYLES.get(one.severity, "")
            )
    write_line(console, _totals_line(listed), style="bold")
    write_line(console)
    write_line(console, ADVISORY)


def _totals_line(listed: IncidentList) -> str:
    """Say how many incidents there are of each severity, and what of them is still open."""
    shown = listed.incidents
    counts = Counter(one.severity for one in shown)
    parts = [f"{counts[one]:,} {one.value}" for one in Severity if counts[one]]
    still = sum(Openness.of(one) is Openness.OPEN for one in shown)
    line = f"total: {counted(len(shown), 'incident')}"
    line += f": {', '.join(parts)}; {still:,} still open" if shown else ""
    left_out = listed.all_count - len(shown)
    return line + (f"; {left_out:,} left out by the filters" if left_out else "")


def _checked(listed: IncidentList) -> list[tuple[str, Coverage]]:
    return checked_alike(tuple(one for one in listed.tables if one.is_table or one.coverage.on))


def _checks_line(listed: IncidentList) -> str:
    """Say in one line how many checks were on, and at how many tables some were off."""
    covered = [one.coverage for one in listed.tables if one.is_table or one.coverage.on]
    if not covered:
        return "checks: none on, for no table was looked at"
    fewest, most = min(len(one.on) for one in covered), max(len(one.on) for one in covered)
    on = f"{most}" if fewest == most else f"{fewest} to {most}"
    off = sum(bool(one.off) for one in covered)
    where = f"; some off at {off:,} of {len(covered):,} tables and progressives" if off else ""
    return f"checks: {on} on{where}; all: ladderman incidents list --checks"


def _write_checks(console: Console, listed: IncidentList) -> None:
    for names, coverage in _checked(listed):
        write_line(console, f"{names}: checks on: {', '.join(coverage.on) or 'none'}", hang=2)
        for check, reason in coverage.off:
            write_line(console, f"{names}: check off: {check}: {reason}", hang=2)


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
        ("severity", f"{one.severity.value}, {_status(one)}"),
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
        ("differences", one.wrongly_paid_minor),
        ("paid minus due", one.difference_minor),
        ("corrected", one.corrected_minor),
        ("still outstanding", one.residual_minor),
    ):
        if minor is not None:
            facts.append((name, f"{grouped_minor(minor, one.currency)} {one.currency}"))
    return facts


def _status(one: Incident) -> str:
    return "still open" if Openness.of(one) is Openness.OPEN else "put right"


def _coups(one: Incident) -> str:
    if not one.coup_ids:
        return "none"
    shown = ", ".join(one.coup_ids[:_COUPS_SHOWN])
    more = len(one.coup_ids) - _COUPS_SHOWN
    return f"{len(one.coup_ids):,}: {shown}{f' and {more:,} more' if more > 0 else ''}"
