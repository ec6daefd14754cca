"""Lapses for people: what ends, when, and the wagers of it that are still offered."""

from __future__ import annotations

from rich.console import Console

from dashboards.documents.advisory import ADVISORY
from dashboards.documents.law.lapses import LapseList
from dashboards.terminal.console import write_line


def print_lapses(console: Console, listed: LapseList) -> None:
    """Print the sections that have lapsed or lapse soon, the nearest first."""
    offered = f"wagers that {listed.filing} offers" if listed.filing else "all wagers held"
    write_line(
        console,
        f"Printed terms that have ended, or end within {listed.within_days:,} days of gaming date "
        f"{listed.gaming_date}; {offered}",
    )
    write_line(console)
    if not listed.lapses:
        write_line(console, "None.")
    for lapse in listed.lapses:
        later = lapse.successor
        registered = (
            f"{later.authority} is registered from {later.from_date}"
            if later
            else "no successor is registered"
        )
        write_line(
            console,
            f"{lapse.section.id}: last day {lapse.last_day}, {lapse.words}; {registered}",
            "bold",
        )
        names = ", ".join(name.partition(".")[2] or name for name in lapse.offered)
        write_line(console, f"    offers {names}", hang=4)
    write_line(console)
    write_line(console, ADVISORY)
