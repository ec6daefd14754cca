"""Lines of the demo: one a finding, one for the state of the floor."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from auditors.catalogue import Lane, load_catalogue
from auditors.catalogue.places import opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.clock import instant_of
from schemas.findings import Finding
from schemas.money import grouped_minor
from schemas.records import Record
from streams.simulator.live.floor import FloorFigures

ZONE: Final = ZoneInfo("America/New_York")
"""Where the simulated floor stands."""


def local_time(at_us: int) -> str:
    """Write the time of day at the floor."""
    return instant_of(at_us).astimezone(ZONE).strftime("%H:%M:%S")


def finding_line(finding: Finding, record: Record) -> str:
    """Write a finding as one line: when, its id, where, what, how much and why."""
    at_us = record.occurred_at_us if finding.occurred_at_us is None else finding.occurred_at_us
    place = place_words(finding) or record.table_id
    head = f"{local_time(at_us)} {opening_id(finding)} {place}"
    return f"{head}: {title_of(finding)} — {_why(finding)}"


def _why(finding: Finding) -> str:
    if finding.difference_minor is None or load_catalogue()[finding.code].lane is not Lane.PAYOUT:
        return finding.sentence
    basis = "; ".join(
        one
        for one in (
            finding.citation,
            f"Rules Submission {finding.rules_version}" if finding.rules_version else None,
        )
        if one
    )
    paid, due = _money(finding, finding.paid_minor), _money(finding, finding.due_minor)
    return f"paid {paid}, due {due}{f' ({basis})' if basis else ''}"


def _money(finding: Finding, minor: int | None) -> str:
    return "?" if minor is None else grouped_minor(minor, finding.currency)


def status_line(figures: FloorFigures, elapsed_s: float, speed: str, lag: int | None = None) -> str:
    """Write how far the floor is: coups, money settled, pace.

    Args:
        figures: How much has been played.
        elapsed_s: Seconds since it began.
        speed: The pace in words.
        lag: Events that are not folded yet; None where none can wait.
    """
    pace = figures.events / elapsed_s if elapsed_s > 0 else 0
    staked = grouped_minor(figures.stake_minor)
    return (
        f"{local_time(figures.at_us)} {figures.coups:,} coups, "
        f"{staked} staked and settled, {pace:,.0f} events/s, {speed}"
        f"{'' if lag is None else f', lag {lag:,} events'}"
    )
