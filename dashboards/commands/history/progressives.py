"""``ladderman progressives``: meters, readings, hits and liabilities, and the file of a hit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from auditors.progressive.hits.pack import (
    MANIFEST,
    SUMS,
    PackContent,
    PackFile,
    pack_files,
    review_reasons,
)
from dashboards.commands.help import HelpGroup
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.hit_pack import gather_pack, hit_name
from dashboards.documents.history.meters import (
    liability_page,
    meter_list,
    pick_hit,
    progressive_page,
)
from dashboards.errors import UsageProblem
from dashboards.options.gaming_date import parse_gaming_date
from dashboards.options.history import StoreChoice, opened, say_what_lacks
from dashboards.options.refusals import refusals
from dashboards.options.settings import SettingsOption
from dashboards.options.time_range import parse_instant
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.tables.progressives import (
    print_liability,
    print_progressive,
    print_progressives,
)
from dashboards.terminal.writing import write_csv, write_json, write_json_lines
from schemas.progressive_rows import HitRow
from schemas.records import Record
from schemas.words.counting import counted
from streams.history.opening import AnyHistory, place_of
from streams.history.reading.progressives import ProgressiveHistory

_FormatChoice = Annotated[FormatOption, typer.Option("--format", help="How to write the answer.")]


def register(app: typer.Typer) -> None:
    """Add ``progressives list|show|liability|pack``."""
    progressives = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman progressives list --store .ladderman",
        help="Progressive meters: ledger, readings, hits, liability.",
        no_args_is_help=True,
    )
    app.add_typer(progressives, name="progressives")
    for name, command, example in (
        ("list", list_progressives, "ladderman progressives list --store .ladderman"),
        ("show", show_progressive, "ladderman progressives show HARMONY-1 --at 2025-06-07T21:15Z"),
        ("liability", show_liability, "ladderman progressives liability --gaming-date 2025-06-07"),
        ("pack", write_hit_pack, "ladderman progressives pack H-17 --out hit-17"),
    ):
        progressives.command(name, epilog=f"Example: {example}")(command)


@contextmanager
def _history(
    store: Path | None, settings: Path | None
) -> Iterator[tuple[ProgressiveHistory, AnyHistory]]:
    with opened(store, settings) as history:
        say_what_lacks(history)
        yield ProgressiveHistory(str(store) if store else place_of(history), history), history


def list_progressives(
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List every meter: what it shows, its reserve, and readings that are not judged yet."""
    with _history(store, settings) as (progressives, history):
        listed = meter_list(progressives, history)
    write_answer(listed, output, lambda: print_progressives(listed))


def show_progressive(
    progressive: Annotated[str, typer.Argument(metavar="ID", help="The progressive.")],
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="As it was then: 2025-06-07T21:15-04:00."),
    ] = None,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show a progressive: its meters, latest readings, hits and findings.

    A reading is pending until all linked tables have said everything up to it. As CSV the readings
    are written.
    """
    at_us = None if at is None else parse_instant(at, "--at")
    with _history(store, settings) as (progressives, history), refusals(later="--at"):
        page = progressive_page(progressives, history, progressive, at_us)
    write_answer(page, output, lambda: print_progressive(page))


def show_liability(
    gaming_date: Annotated[
        str, typer.Option("--gaming-date", metavar="DATE", help="The accounting day.")
    ],
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show what every progressive was liable for over a gaming date, in double entry.

    Opening, contributions, jackpots, reseeds, adjustments, corrections, closing; each meter and
    all together.
    """
    date = parse_gaming_date(gaming_date)
    with _history(store, settings) as (progressives, _), refusals():
        page = liability_page(progressives, date)
    write_answer(page, output, lambda: print_liability(page))


def write_hit_pack(
    hit: Annotated[
        str, typer.Argument(metavar="HIT", help="The hit: its id, or TABLE/COUP of the coup.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder for the pack.")],
    store: StoreChoice = None,
    settings: SettingsOption = None,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Write the verification pack of a hit, for the file before payment.

    Cards, wagers, lock-out, meter history, recomputation step by step, and the events behind them
    with their hashes; sha256sum -c SHA256SUMS checks all of it.
    """
    if out.exists():
        raise UsageProblem(
            f"--out {out}: is there already; a pack is never written over, name a new folder"
        )
    with _history(store, settings) as (progressives, _), refusals():
        record, row = pick_hit(progressives, hit)
        content = gather_pack(progressives, record, row)
    files = _write_pack(content, out)
    manifest = json.loads(next(one.content for one in files if one.path == MANIFEST))
    if output is FormatOption.JSON:
        write_json(manifest)
    elif output is FormatOption.JSONL:
        write_json_lines([manifest])
    elif output is FormatOption.CSV:
        write_csv(("path", "bytes", "sha256"), manifest["files"])
    else:
        _print_pack(out, record, row, manifest)


def _write_pack(content: PackContent, folder: Path) -> tuple[PackFile, ...]:
    """Write a pack into a folder that is not there yet.

    Returns:
        The files.

    Raises:
        UsageProblem: The folder is there, or cannot be written.
    """
    files = pack_files(content)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageProblem(
            f"--out {folder}: is there already; a pack is never written over, name a new folder"
        ) from None
    except OSError as error:
        raise UsageProblem(f"--out {folder}: {error.strerror or error}") from None
    try:
        for one in files:
            path = folder / one.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.content)
    except OSError as error:
        raise UsageProblem(
            f"--out {folder}: {error.strerror or error}; the pack is incomplete, remove it"
        ) from None
    return files


def _print_pack(out: Path, record: Record, row: HitRow, manifest: dict[str, Any]) -> None:
    mark = "SIMULATED; " if record.is_simulated else ""
    files = counted(len(manifest["files"]), "file")
    typer.echo(f"{mark}pack of hit {hit_name(row)} written to {out}: {files}")
    events = counted(manifest["events"], "event")
    typer.echo(f"evidence: {events}; check with: sha256sum -c {SUMS}")
    if reasons := review_reasons(row):
        typer.echo(f"for review: {'; '.join(reasons)}")
    typer.echo(ADVISORY)
