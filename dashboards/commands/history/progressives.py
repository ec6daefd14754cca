"""``ladderman progressives``: meters, readings, hits and liabilities, and the file of a hit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from auditors.progressive.hits.pack import MANIFEST, SUMS, review_reasons
from auditors.progressive.ledger.double_entry import day_liability
from auditors.progressive.ledger.state import READINGS_MAX
from dashboards.commands.help import HelpGroup
from dashboards.commands.history.hit_pack import gather_pack, hit_name, is_named, write_pack
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.instants import utc
from dashboards.documents.progressives import (
    LIABILITY_COLUMNS,
    PROGRESSIVE_COLUMNS,
    READING_COLUMNS,
    csv_row,
    hit_json,
    liability_json,
    progressive_json,
    reading_json,
    total_json,
)
from dashboards.errors import UsageProblem
from dashboards.options.gaming_date import parse_gaming_date
from dashboards.options.history import StoreChoice, opened, say_what_lacks
from dashboards.options.record_source import latest_state, zone_of
from dashboards.options.settings import SettingsOption
from dashboards.options.time_range import parse_instant
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.progressives import (
    Shown,
    print_liability,
    print_progressive,
    print_progressives,
)
from dashboards.terminal.writing import write_csv, write_json, write_json_lines
from schemas.findings import Finding
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record, RecordKind
from schemas.words.counting import counted
from schemas.words.suggestions import near_miss
from streams.history.opening import AnyHistory, place_of
from streams.history.reading.progressives import ProgressiveHistory
from streams.replaying.history_records import HistoryRecords

_READINGS_SHOWN: Final = 20
_NAMES_SHOWN: Final = 8
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
        levels = _with_pending(progressives, progressives.ledgers())
        zones = {record.table_id: _zone(history, row) for record, row in levels}
        name = progressives.name
    documents = [progressive_json(record, row) for record, row in levels]
    if output is FormatOption.JSON:
        write_json(
            {
                "schema": "ladderman.progressives/1",
                "read_from": name,
                "simulated": any(record.is_simulated for record, _ in levels),
                "advisory": ADVISORY,
                "progressives": documents,
            }
        )
    elif output is FormatOption.JSONL:
        write_json_lines(documents)
    elif output is FormatOption.CSV:
        write_csv(PROGRESSIVE_COLUMNS, [csv_row(one) for one in documents])
    else:
        print_progressives(levels, zones)


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
    with _history(store, settings) as (progressives, history):
        shown = _shown(progressives, history, progressive, at_us)
        name = progressives.name
    meters = [progressive_json(record, row) for record, row in shown.levels]
    readings = [reading_json(record, row) for record, row in shown.readings]
    hits = [hit_json(record, row) for record, row in shown.hits]
    findings = [one.as_json() for one in shown.findings]
    if output is FormatOption.JSON:
        write_json(
            {
                "schema": "ladderman.progressive-shown/1",
                "read_from": name,
                "at": utc(at_us),
                "simulated": shown.is_simulated,
                "advisory": ADVISORY,
                "progressives": meters,
                "readings": readings,
                "hits": hits,
                "findings": findings,
            }
        )
    elif output is FormatOption.JSONL:
        write_json_lines([*meters, *readings, *hits, *findings])
    elif output is FormatOption.CSV:
        write_csv(READING_COLUMNS, [csv_row(one) for one in readings])
    else:
        print_progressive(shown)


def _shown(
    progressives: ProgressiveHistory, history: AnyHistory, wanted: str, at_us: int | None
) -> Shown:
    levels = progressives.ledgers(wanted, at_us)
    if not levels:
        _refuse_unknown(progressives, wanted, at_us)
    if at_us is not None:
        return _shown_at(progressives, history, wanted, levels, at_us)
    levels = _with_pending(progressives, levels)
    findings: list[Finding] = []
    for record in progressives.with_findings(wanted):
        findings.extend(record.findings)
    return Shown(
        progressive_id=wanted,
        zone=_zone(history, levels[0][1]),
        at=None,
        levels=levels,
        readings=progressives.readings(wanted, limit=_READINGS_SHOWN),
        hits=progressives.hits(wanted),
        findings=findings,
    )


def _shown_at(
    progressives: ProgressiveHistory, history: AnyHistory, wanted: str,
    levels: Sequence[tuple[Record, LedgerRow]], at_us: int,
) -> Shown:  # fmt: skip
    """Give a progressive as it was known at a moment: what came to light later is not in it."""
    readings, hits, alone = (
        progressives.as_of(wanted, kind, at_us)
        for kind in (RecordKind.READING, RecordKind.HIT, RecordKind.PROGRESSIVE)
    )
    told = sorted((*readings, *hits, *alone), key=lambda one: one.occurred_at_us)
    shown = [(one, one.progressive) for one in readings if isinstance(one.progressive, ReadingRow)]
    pending = Counter(row.level for _, row in shown if row.state == "pending")
    return Shown(
        progressive_id=wanted,
        zone=_zone(history, levels[0][1]),
        at=utc(at_us),
        levels=tuple(
            (record, row.model_copy(update={"pending_count": pending[row.level]}))
            for record, row in levels
        ),
        readings=tuple(shown[-_READINGS_SHOWN:]),
        hits=tuple((one, one.progressive) for one in hits if isinstance(one.progressive, HitRow)),
        findings=[finding for one in told for finding in one.findings],
    )


def _with_pending(
    progressives: ProgressiveHistory, levels: Sequence[tuple[Record, LedgerRow]]
) -> tuple[tuple[Record, LedgerRow], ...]:
    """Count the readings that are pending now: a ledger that stands still is not put out again."""
    pending: Counter[tuple[str, int]] = Counter()
    for name in dict.fromkeys(record.table_id for record, _ in levels):
        for _, reading in progressives.readings(name, limit=READINGS_MAX):
            pending[name, reading.level] += reading.state == "pending"
    return tuple(
        (record, row.model_copy(update={"pending_count": pending[record.table_id, row.level]}))
        for record, row in levels
    )


def _refuse_unknown(progressives: ProgressiveHistory, wanted: str, at_us: int | None) -> None:
    known = list(dict.fromkeys(record.table_id for record, _ in progressives.ledgers()))
    if wanted in known:
        raise UsageProblem(
            f"progressive {wanted} had no ledger yet at {utc(at_us)} in {progressives.name}; "
            "name a later --at"
        )
    hint = near_miss(wanted, known) or f"; there are {_some(known)}"
    raise UsageProblem(f"no progressive {wanted} in {progressives.name}{hint}")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) or "none"


def _zone(history: AnyHistory, row: LedgerRow) -> str:
    """Give the time zone that a linked table has filed."""
    records = HistoryRecords("", history)
    for table, _, _ in row.tables:
        if (state := latest_state(records, table)) is not None:
            return zone_of(state)
    return zone_of(None)


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
    with _history(store, settings) as (progressives, _):
        days = progressives.days(date)
        if not days:
            known = progressives.dates()
            hint = f"there are {_some(known)}" if known else "no progressive was played there"
            raise UsageProblem(
                f"no liability of gaming date {date.isoformat()} in {progressives.name}; {hint}"
            )
        name = progressives.name
    documents = [liability_json(record, row) for record, row in days]
    totals = _totals(date.isoformat(), days)
    if output is FormatOption.JSON:
        write_json(
            {
                "schema": "ladderman.liabilities/1",
                "read_from": name,
                "gaming_date": date.isoformat(),
                "simulated": any(record.is_simulated for record, _ in days),
                "advisory": ADVISORY,
                "liabilities": documents,
                "totals": totals,
            }
        )
    elif output is FormatOption.JSONL:
        write_json_lines([*documents, *totals])
    elif output is FormatOption.CSV:
        write_csv(LIABILITY_COLUMNS, [csv_row(one) for one in (*documents, *totals)])
    else:
        print_liability(date.isoformat(), days)


def _totals(gaming_date: str, days: Sequence[tuple[Record, DayRow]]) -> list[dict[str, object]]:
    """Add up each currency by itself."""
    totals = []
    for currency in dict.fromkeys(record.currency for record, _ in days):
        of_it = [(record, row) for record, row in days if record.currency == currency]
        totals.append(
            total_json(
                gaming_date,
                currency,
                [day_liability(row, currency) for _, row in of_it],
                simulated=any(record.is_simulated for record, _ in of_it),
            )
        )
    return totals


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
    with _history(store, settings) as (progressives, _):
        record, row = _pick_hit(progressives, hit)
        content = gather_pack(progressives, record, row)
    files = write_pack(content, out)
    manifest = json.loads(next(one.content for one in files if one.path == MANIFEST))
    if output is FormatOption.JSON:
        write_json(manifest)
    elif output is FormatOption.JSONL:
        write_json_lines([manifest])
    elif output is FormatOption.CSV:
        write_csv(("path", "bytes", "sha256"), manifest["files"])
    else:
        _print_pack(out, record, row, manifest)


def _print_pack(out: Path, record: Record, row: HitRow, manifest: dict[str, Any]) -> None:
    mark = "SIMULATED; " if record.is_simulated else ""
    files = counted(len(manifest["files"]), "file")
    typer.echo(f"{mark}pack of hit {hit_name(row)} written to {out}: {files}")
    events = counted(manifest["events"], "event")
    typer.echo(f"evidence: {events}; check with: sha256sum -c {SUMS}")
    if reasons := review_reasons(row):
        typer.echo(f"for review: {'; '.join(reasons)}")
    typer.echo(ADVISORY)


def _pick_hit(progressives: ProgressiveHistory, wanted: str) -> tuple[Record, HitRow]:
    hits = progressives.hits()
    found = [one for one in hits if is_named(one[1], wanted.strip())]
    if len(found) == 1:
        return found[0]
    if not found:
        names = [hit_name(row) for _, row in hits]
        hint = near_miss(wanted, names) or f"; there are {_some(names)}"
        raise UsageProblem(f"no hit {wanted} in {progressives.name}{hint}")
    places = ", ".join(f"{row.table_id}/{row.coup_id}/{row.level}" for _, row in found)
    raise UsageProblem(f"hit {wanted} is ambiguous; write one of {places}")
