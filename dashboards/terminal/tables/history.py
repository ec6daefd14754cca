"""The history itself for people: status, digests, backups."""

from __future__ import annotations

import typer
from rich.table import Table

from dashboards.documents.history.status import DigestList, StatusPage
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from streams.history.backup import Manifest
from streams.history.reading.holdings import runs_of


def print_status(page: StatusPage) -> None:
    """Write what is in a history, who has it open, and its tables."""
    document = page.as_json()
    console = table_console()
    owner = document["owner"]
    # Paths and commands are copied from the terminal: never wrapped.
    typer.echo(f"history   {document['path']}{' SIMULATED' * bool(document['simulated'])}")
    if isinstance(owner, dict):
        typer.echo(f"owner     process {owner['pid']} ({owner['command']})")
    for line in page.held.lacks:
        typer.echo(f"lacks     {line}")
    write_line(console, f"schema    version {document['schema_version']}")
    write_line(
        console,
        f"stands    {document['coups']:,} coups of {document['gaming_tables']} tables, "
        f"{document['wagers']:,} wagers, {document['findings']:,} findings, "
        f"{document['other_subjects']:,} other subjects",
        hang=10,
    )
    if document["first_gaming_date"]:
        write_line(console, f"gaming    {runs_of(page.held.gaming_dates)}", hang=10)
    if document["first_occurred_at"]:
        span = f"{document['first_occurred_at']} to {document['last_occurred_at']}"
        write_line(console, f"events    {span}")
    write_line(console)
    console.print(_tables_table(document["tables"]))


def _tables_table(tables: object) -> Table:
    table = plain_table("table", "rows on disk", "bytes", "parts")
    for column in table.columns[1:]:
        column.justify = "right"
    for one in tables if isinstance(tables, list) else ():
        counts = (one["row_count"], one["byte_count"], one["part_count"])
        add_row(table, one["name"], *(f"{count:,}" for count in counts))
    return table


def print_digests(found: DigestList) -> None:
    """Write one digest a line."""
    for one in found.digests:
        typer.echo(f"{one.sha256}  {one.of} ({one.row_count})")


def print_manifest(title: str, manifest: Manifest) -> None:
    """Write what a backup holds."""
    if manifest.digests is not None:
        # The same counts as those of the digest: subjects that stand, each once.
        counts = ", ".join(f"{one.row_count:,} {one.of}" for one in manifest.digests)
        typer.echo(f"{title}: {counts} that stand")
        title = "rows with all versions"
    counts = ", ".join(f"{count:,} {table}" for table, count in manifest.row_counts().items())
    typer.echo(f"{title}: {counts}")
