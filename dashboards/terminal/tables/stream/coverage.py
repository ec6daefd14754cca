"""Coverage for people: the share, what lacks, and what was mended."""

from __future__ import annotations

from dashboards.documents.stream.coverage import summary
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from streams.reconcile.coverage import LISTED_MAX, Coverage, percent_text


def print_coverage(coverage: Coverage) -> None:
    """Write the share, the tables that lack something, and what was found."""
    console = table_console()
    write_line(console, f"{summary(coverage)}.", hang=4)
    write_line(
        console,
        f"Compared: {coverage.events:,} events, {coverage.records:,} records, "
        f"{coverage.dead_letters:,} dead letters; {coverage.pending:,} records are on their way.",
        hang=4,
    )
    incomplete = [(name, one) for name, one in sorted(coverage.tables.items()) if one.lacking]
    if incomplete:
        write_line(console)
        table = plain_table("table", "covered", "coups", "percent")
        for name, one in incomplete:
            percent = percent_text(one.covered, one.coups)
            add_row(table, name, f"{one.covered:,}", f"{one.coups:,}", percent)
        console.print(table)
    for place in coverage.partitions:
        if place.obstacle:
            write_line(console, f"Partition {place.partition}: {place.obstacle}.", hang=4)
    if coverage.lines:
        write_line(console)
    for line in coverage.lines:
        write_line(console, line, hang=4)
    rest = coverage.counts.total() - len(coverage.lines)
    if rest > 0:
        write_line(console, f"and {rest:,} more; the first {LISTED_MAX} of each kind are listed")
