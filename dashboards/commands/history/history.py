"""``ladderman history``: what is kept, its digests, and how it is carried away and back."""

from __future__ import annotations

import datetime
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table

from dashboards.commands.help import HelpGroup
from dashboards.commands.history.republish import republish
from dashboards.documents.instants import utc
from dashboards.errors import UsageProblem
from dashboards.options.history import (
    StoreChoice,
    holdings,
    opened,
    opened_to_fill,
    say_what_lacks,
)
from dashboards.options.settings import SettingsOption
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.writing import (
    add_row,
    plain_table,
    table_console,
    write_csv,
    write_json,
    write_json_lines,
    write_line,
)
from streams.history.backup import Manifest, back_up, restore
from streams.history.embedded.ingest_marks import IngestMarks
from streams.history.embedded.store import ChdbStore
from streams.history.opening import AnyHistory, digests_of, place_of
from streams.history.reading.digest import Digest, history_digests
from streams.history.reading.holdings import Holdings, runs_of
from streams.history.reading.status import HistoryStatus, history_status
from streams.history.sharing.shared import SharedHistory

STATUS_SCHEMA: Final = "ladderman.history-status/1"
"""Name and version of the status in JSON."""

DIGESTS_SCHEMA: Final = "ladderman.history-digests/1"
"""Name and version of the document of all digests."""

DIGEST_SCHEMA: Final = "ladderman.history-digest/1"
"""Name and version of one digest, where digests are written one a line."""

_FormatChoice = Annotated[FormatOption, typer.Option("--format", help="How to write the answer.")]
_BackupFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the backup.")]


def register(app: typer.Typer) -> None:
    """Add ``history`` with its commands."""
    history = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman history status --store .ladderman",
        help="The history: status, digests, backup and restore.",
        no_args_is_help=True,
    )
    app.add_typer(history, name="history")
    for name, command, example in (
        ("status", show_status, "ladderman history status --store .ladderman"),
        ("migrate", migrate, "ladderman history migrate --store .ladderman"),
        ("digest", show_digest, "ladderman history digest --format json"),
        ("backup", write_backup, "ladderman history backup /mnt/backup/2025-06-07"),
        ("restore", read_backup, "ladderman history restore /mnt/backup/2025-06-07 --store new"),
        ("republish", republish, "ladderman history republish --prefix ladderman-2"),
    ):
        history.command(name, epilog=f"Example: {example}")(command)


def show_status(
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show rows, subjects, the time that is spanned, size, schema and owner."""
    with opened(store, settings) as history:
        status = history_status(history)
        document = {**status_json(history, status), **holdings_json(holdings(history))}
    if output is FormatOption.TABLE:
        _print_status(document)
    elif output is FormatOption.CSV:
        write_csv(("name", "row_count", "byte_count", "part_count"), _tables_json(status))
    elif output is FormatOption.JSONL:
        write_json_lines([document])
    else:
        write_json(document)


def migrate(store: StoreChoice = None, settings: SettingsOption = None) -> None:
    """Begin a history, or bring its tables and views up to this version."""
    with opened_to_fill(store, settings) as history:
        names = history.migrate()
    for name in names:
        typer.echo(f"applied {name}")
    if not names:
        typer.echo("nothing to do")


def show_digest(
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Give one SHA-256 each for the coups, wagers, findings and progressives that stand.

    Equal digests mean equal verdicts, whatever was delivered twice, late or in another order.
    """
    with opened(store, settings) as history:
        say_what_lacks(history)
        digests = digests_of(history)
    rows = [_digest_json(one) for one in digests]
    if output is FormatOption.TABLE:
        for one in digests:
            typer.echo(f"{one.sha256}  {one.of} ({one.row_count})")
    elif output is FormatOption.JSONL:
        write_json_lines(rows)
    elif output is FormatOption.CSV:
        write_csv(("of", "row_count", "sha256"), rows)
    else:
        write_json({"schema": DIGESTS_SCHEMA, "digests": [_bare(row) for row in rows]})


def write_backup(
    folder: _BackupFolder, store: StoreChoice = None, settings: SettingsOption = None
) -> None:
    """Write the whole history into a new folder, with rows and SHA-256 of every file."""
    with opened(store, settings) as history:
        say_what_lacks(history)
        marks = holdings(history).interrupted
        manifest = back_up(history, folder, lambda: digests_of(history), marks)
    _print_manifest(f"backup written to {folder}", manifest)
    if manifest.digests is None:
        typer.echo("the history was written to meanwhile, so the backup has no digest", err=True)


def read_backup(
    folder: _BackupFolder, store: StoreChoice = None, settings: SettingsOption = None
) -> None:
    """Check a backup and bring it into an empty history; its digests must be the same."""
    if not folder.is_dir():
        raise UsageProblem(f"no backup at {folder}; name the folder that backup wrote")
    with opened_to_fill(store, settings, removed_if_refused=True) as history:
        manifest = restore(history, folder, lambda: history_digests(history))
        place = place_of(history)
        if isinstance(history, ChdbStore):
            for mark in manifest.interrupted:
                IngestMarks(history.path).put(mark)
    for mark in manifest.interrupted:
        typer.echo(
            f"the backup is of a history that is not whole: ingest of {mark.title} was "
            f"interrupted after {mark.progress}",
            err=True,
        )
    _print_manifest(f"restored into {place}", manifest)
    if manifest.digests is not None:
        typer.echo("digests are those of the backup")


def status_json(history: AnyHistory, status: HistoryStatus) -> dict[str, object]:
    """Give the document ``ladderman.history-status/1``."""
    owner = history.owner if isinstance(history, SharedHistory) else None
    return {
        "schema": STATUS_SCHEMA,
        "path": place_of(history),
        "owner": None if owner is None else {"pid": owner.pid, "command": owner.command},
        "schema_version": status.schema_version,
        "byte_count": status.byte_count,
        "simulated": status.has_simulated,
        "gaming_tables": status.table_count,
        "coups": status.coup_count,
        "wagers": status.wager_count,
        "findings": status.finding_count,
        "other_subjects": status.other_subject_count,
        "first_gaming_date": _iso(status.first_gaming_date),
        "last_gaming_date": _iso(status.last_gaming_date),
        "first_occurred_at": utc(status.first_occurred_at_us),
        "last_occurred_at": utc(status.last_occurred_at_us),
        "tables": _tables_json(status),
    }


def holdings_json(held: Holdings) -> dict[str, object]:
    """Give what a history holds and lacks, for the document of its status."""
    return {
        "gaming_dates": [day.isoformat() for day in held.gaming_dates],
        "simulated_and_real": held.is_mixed,
        "interrupted_ingests": [asdict(mark) for mark in held.interrupted],
        "ingests_under_way": [asdict(mark) for mark in held.under_way],
        "lacks": list(held.lacks),
    }


def _tables_json(status: HistoryStatus) -> list[dict[str, object]]:
    return [
        {
            "name": table.name,
            "row_count": table.row_count,
            "byte_count": table.byte_count,
            "part_count": table.part_count,
        }
        for table in status.tables
    ]


def _print_status(document: dict[str, object]) -> None:
    console = table_console()
    owner = document["owner"]
    # Paths and commands are copied from the terminal: never wrapped.
    typer.echo(f"history   {document['path']}{' SIMULATED' * bool(document['simulated'])}")
    if isinstance(owner, dict):
        typer.echo(f"owner     process {owner['pid']} ({owner['command']})")
    lacks = document["lacks"]
    for line in lacks if isinstance(lacks, list) else ():
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
        held = document["gaming_dates"]
        days = tuple(map(datetime.date.fromisoformat, held if isinstance(held, list) else ()))
        write_line(console, f"gaming    {runs_of(days)}", hang=10)
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


def _print_manifest(title: str, manifest: Manifest) -> None:
    if manifest.digests is not None:
        # The same counts as those of the digest: subjects that stand, each once.
        counts = ", ".join(f"{one.row_count:,} {one.of}" for one in manifest.digests)
        typer.echo(f"{title}: {counts} that stand")
        title = "rows with all versions"
    counts = ", ".join(f"{count:,} {table}" for table, count in manifest.row_counts().items())
    typer.echo(f"{title}: {counts}")


def _digest_json(digest: Digest) -> dict[str, object]:
    return {
        "schema": DIGEST_SCHEMA,
        "of": digest.of,
        "row_count": digest.row_count,
        "sha256": digest.sha256,
    }


def _bare(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "schema"}


def _iso(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()
