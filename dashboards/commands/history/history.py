"""``ladderman history``: what is kept, its digests, and how it is carried away and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dashboards.commands.help import HelpGroup
from dashboards.commands.history.republish import republish
from dashboards.documents.history.status import (
    DigestList,
    holdings,
    status_page,
)
from dashboards.errors import UsageProblem
from dashboards.options.history import (
    StoreChoice,
    opened,
    opened_to_fill,
    say_what_lacks,
)
from dashboards.options.settings import SettingsOption
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.tables.history import print_digests, print_manifest, print_status
from streams.history.backup import back_up, restore
from streams.history.embedded.ingest_marks import IngestMarks
from streams.history.embedded.store import ChdbStore
from streams.history.opening import digests_of, place_of
from streams.history.reading.digest import history_digests

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
        page = status_page(history)
    write_answer(page, output, lambda: print_status(page))


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
        found = DigestList(tuple(digests_of(history)))
    write_answer(found, output, lambda: print_digests(found))


def write_backup(
    folder: _BackupFolder, store: StoreChoice = None, settings: SettingsOption = None
) -> None:
    """Write the whole history into a new folder, with rows and SHA-256 of every file."""
    with opened(store, settings) as history:
        say_what_lacks(history)
        marks = holdings(history).interrupted
        manifest = back_up(history, folder, lambda: digests_of(history), marks)
    print_manifest(f"backup written to {folder}", manifest)
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
    print_manifest(f"restored into {place}", manifest)
    if manifest.digests is not None:
        typer.echo("digests are those of the backup")
