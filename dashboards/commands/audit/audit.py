"""``ladderman audit``: files of recorded rounds or events, every claim compared with the cards."""

from __future__ import annotations

import gc
import sys
import zoneinfo
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from auditors.coverage import coverage_of
from auditors.filings import check_submission
from auditors.law.model import Section
from auditors.rounds.auditing import RowAuditor, RowStatus
from auditors.rounds.mapping import (
    DeclaredMapping,
    MappingError,
    check_wager_names,
    read_header,
)
from auditors.settlement.rules import Rules
from auditors.settlement.terms import game_section
from dashboards.commands.audit.event_files import audit_events
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.audit.files import AuditSummary, FileSummary
from dashboards.documents.audit.preview import PREVIEW_SCHEMA, preview_json
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.event_order import told_in_order
from dashboards.options.gaming_date import parse_gaming_date
from dashboards.options.pairs import parse_pairs
from dashboards.options.submission import SubmissionOption
from dashboards.options.terms import (
    CommissionOption,
    DecksOption,
    PaytableOption,
    ReadingOption,
    TermsRequest,
    TieOddsOption,
    build_rules,
)
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.progress import ROWS_A_STEP, RowProgress
from dashboards.terminal.tables.audit import write_notes, write_summary, writer_for
from dashboards.terminal.tables.preview import write_preview
from dashboards.terminal.writing import write_json, write_json_lines
from schemas.findings import Finding
from streams.files.event_files import is_event_file
from streams.files.mapping_files import read_mapping
from streams.files.rounds import Damage, RoundsFile, RoundsFileError, open_rounds

_EXAMPLE: Final = """
Example: ladderman audit rounds.csv --map coup=round_no --map player_cards=PC \\
    --map banker_cards=BC --map winner=result --winner-values PUNTO=player --summary
"""


@dataclass(frozen=True)
class AuditRequest:
    """Under which terms files are audited, and how they are read."""

    rules: Rules
    game: Section
    declared: DeclaredMapping

    @classmethod
    def of(cls, rules: Rules, declared: DeclaredMapping) -> AuditRequest:
        """Ask for an audit under some rules; the main game is that of their submission."""
        return cls(rules, game_section(rules.law, rules.terms), declared)


FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Files of rounds (CSV) or of events (JSON lines), gzip too, or - for stdin.",
    ),
]
GamingDateOption = Annotated[
    str | None,
    typer.Option("--gaming-date", help="Gaming date of rows that state no time."),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option("--map", help="OURS=THEIRS[,THEIRS…]: which column says what."),
]
MappingOption = Annotated[Path | None, typer.Option("--mapping", help="The same in a TOML file.")]
CardOrderOption = Annotated[
    str | None,
    typer.Option("--card-order", help="Order in one column of cards: p1,b1,p2,b2,p3,b3."),
]
WinnerValuesOption = Annotated[
    list[str] | None,
    typer.Option("--winner-values", help="Words for winners: P=player,B=banker,T=tie."),
]
ZoneOption = Annotated[
    str | None, typer.Option("--zone", help="Time zone of times without an offset.")
]
PreviewOption = Annotated[
    bool, typer.Option("--preview", help="Show mapping, three rows and checks; stop.")
]
SummaryOption = Annotated[
    bool, typer.Option("--summary", help="Write the counts, not the findings.")
]
OutputOption = Annotated[FormatOption, typer.Option("--format", help="How to write the result.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLE)(audit)


def audit(
    files: FilesArgument,
    submission: SubmissionOption = None,
    paytable: PaytableOption = None,
    commission: CommissionOption = None,
    tie_odds: TieOddsOption = None,
    reading: ReadingOption = None,
    decks: DecksOption = None,
    gaming_date: GamingDateOption = None,
    column_map: MapOption = None,
    mapping: MappingOption = None,
    card_order: CardOrderOption = None,
    winner_values: WinnerValuesOption = None,
    zone: ZoneOption = None,
    preview: PreviewOption = False,
    summary: SummaryOption = False,
    output: OutputOption = FormatOption.TABLE,
) -> int:
    """Audit files of recorded rounds or events.

    Draws, winners, points, wagers, payouts and shoes are compared with the cards and the law.

    Events carry their own Rules Submission; options that say how rows are read are not for them.
    """
    terms = TermsRequest(
        submission=submission,
        paytables=paytable or (),
        commission=commission,
        readings=reading or (),
        tie_odds=tie_odds,
        decks=decks,
    )
    for_rows = (gaming_date, column_map, mapping, card_order, winner_values, zone, preview or None)
    if _are_events(files, terms, for_rows):
        return audit_events(told_in_order(files), output, summary=summary)
    rules = build_rules(terms)
    declared = _declared(mapping, column_map or [], winner_values or [], card_order)
    declared = replace(
        declared,
        zone=_zone(zone or declared.zone),
        gaming_date=parse_gaming_date(gaming_date) if gaming_date else None,
    )
    _check_wagers(rules, declared, mapping)
    request = AuditRequest.of(rules, declared)
    with ExitStack() as stack:
        opened = [open_file(stack, request, path) for path in files]
        if preview:
            return _preview(rules, opened, output)
        if summary:
            return _summarise(request, opened, output)
        return _write_findings(request, opened, output)


_OF_ROWS: Final = (
    "--gaming-date",
    "--map",
    "--mapping",
    "--card-order",
    "--winner-values",
    "--zone",
    "--preview",
)
_OF_TERMS: Final = {
    "submission": "--submission",
    "paytables": "--paytable",
    "commission": "--commission",
    "readings": "--reading",
    "tie_odds": "--tie-odds",
    "decks": "--decks",
}


def _are_events(files: list[str], terms: TermsRequest, for_rows: Sequence[object]) -> bool:
    """Say whether files hold events; then what only rows need must not be given.

    Raises:
        UsageProblem: Events and rows in one command, or an option that has no effect on events.
    """
    events = [path for path in files if is_event_file(path)]
    if not events:
        return False
    if len(events) < len(files):
        rows = next(path for path in files if path not in events)
        raise UsageProblem(f"{events[0]} holds events and {rows} does not; audit them apart")
    given = [flag for flag, value in zip(_OF_ROWS, for_rows, strict=True) if value]
    given += [flag for name, flag in _OF_TERMS.items() if getattr(terms, name)]
    if given:
        raise UsageProblem(
            f"{given[0]}: {events[0]} holds events, which carry their own Rules Submission and "
            "times; leave it out"
        )
    return True


def _declared(
    mapping: Path | None, pairs: list[str], winners: list[str], card_order: str | None
) -> DeclaredMapping:
    try:
        declared = read_mapping(mapping) if mapping else DeclaredMapping()
    except MappingError as error:
        raise UsageProblem(f"--mapping {error}") from None
    columns = {
        ours: tuple(one.strip() for one in theirs.split(","))
        for ours, theirs in parse_pairs(pairs, "--map").items()
    }
    words = [one for text in winners for one in text.split(",")]
    order = tuple(one.strip() for one in card_order.split(",")) if card_order else None
    return replace(
        declared,
        columns={**declared.columns, **columns},
        winner_words={**declared.winner_words, **parse_pairs(words, "--winner-values")},
        card_order=order or declared.card_order,
    )


def _check_wagers(rules: Rules, declared: DeclaredMapping, mapping: Path | None) -> None:
    try:
        check_wager_names(rules.law, declared, rules.terms.submission)
    except MappingError as error:
        raise UsageProblem(f"--mapping {mapping}: {error}") from None


def _zone(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageProblem(f"--zone {name}: no such time zone; write America/New_York") from None
    return name


def open_file(
    stack: ExitStack, request: AuditRequest, path: str, shown_as: str | None = None
) -> tuple[RoundsFile, RowAuditor]:
    """Open a file and read its header, before a line of any result is written.

    Args:
        stack: Closes the file.
        request: How it is read.
        path: Where it lies, or ``-`` for standard input.
        shown_as: Its name in findings; None: as it was named.

    Raises:
        UsageProblem: It cannot be read, or has no column of cards.
    """
    try:
        file = stack.enter_context(open_rounds(path))
        reading = read_header(request.rules.law, file.header, request.declared)
    except RoundsFileError as error:
        raise UsageProblem(str(error)) from None
    except MappingError as error:
        raise UsageProblem(f"{path}: {error}{_one_column(file.header)}") from None
    auditor = RowAuditor(request.rules, request.game, reading, shown_as or file.name)
    if request.declared.card_order and reading.columns.cards is None:
        auditor.notes.say(
            "card order", "the card order has no effect: no one column holds all cards of a coup"
        )
    filed = request.rules.terms.submission
    if filed is not None and check_submission(request.rules.law, filed, None):
        auditor.notes.say(
            "filing",
            f"Rules Submission {filed.rules_version} contradicts conditions of offering; "
            "ladderman submission check says which",
        )
    return file, auditor


def _one_column(header: Sequence[str]) -> str:
    """Say how cells are parted, where a header was not parted at all."""
    if len(header) > 1:
        return ""
    return "; a row's cells are parted by comma, semicolon, tab or bar"


def findings_of(
    request: AuditRequest, file: RoundsFile, auditor: RowAuditor, summary: FileSummary
) -> Iterator[Finding]:
    """Audit every row of a file, counting as it goes."""
    counts: Counter[RowStatus] = Counter()
    settled = 0
    with RowProgress(file.name) as progress, _rare_collection():
        for number, row in enumerate(file.rows(), start=1):
            if isinstance(row, Damage):
                status = RowStatus.UNREADABLE
                found: Sequence[Finding] = [auditor.damaged(row.line, row.message)]
            else:
                status, found = auditor.audit(*row)
            if status is RowStatus.SETTLED:
                settled += 1
            else:
                counts[status] += 1
            if number % ROWS_A_STEP == 0:
                progress.advance(number)
            for finding in found:
                summary.findings[finding.code.value] += 1
                yield finding
        for finding in auditor.finish():
            summary.findings[finding.code.value] += 1
            yield finding
    summary.settled = settled
    summary.undetermined = counts[RowStatus.UNDETERMINED]
    summary.unreadable = counts[RowStatus.UNREADABLE]
    summary.rows = settled + counts.total()
    summary.coverage = coverage_of(request.rules, auditor.mapping, auditor)
    if file.longer_row is not None:
        auditor.notes.say(
            "longer rows",
            f"line {file.longer_row} has more cells than the header; what is too much is not read",
        )
    summary.said = tuple(auditor.notes.said.values())


@contextmanager
def _rare_collection() -> Iterator[None]:
    """Let the cycle collector run rarely: rows make no cycles, and it would walk all of memory."""
    before = gc.get_threshold()
    gc.set_threshold(1_000_000, *before[1:])
    gc.freeze()  # the law and the rules stay for good
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def _exit_code(summaries: list[FileSummary]) -> ExitCode:
    if not any(one.rows > one.unreadable for one in summaries):
        names = ", ".join(one.file for one in summaries)
        why = "" if any(one.rows for one in summaries) else "; none stands under the header"
        raise UsageProblem(f"{names}: no row could be read; see --preview for the mapping{why}")
    return ExitCode.FOUND if any(one.findings for one in summaries) else ExitCode.DONE


def _preview(
    rules: Rules, opened: list[tuple[RoundsFile, RowAuditor]], output: FormatOption
) -> ExitCode:
    if output is FormatOption.CSV:
        raise UsageProblem("--preview is written as table, json or jsonl, not as csv")
    if output is FormatOption.TABLE:
        for file, auditor in opened:
            write_preview(sys.stdout, rules, file, auditor)
        return ExitCode.DONE
    files = [preview_json(rules, file, auditor) for file, auditor in opened]
    if output is FormatOption.JSON:
        write_json({"schema": PREVIEW_SCHEMA, "files": files})
    else:
        write_json_lines({"schema": PREVIEW_SCHEMA, **one} for one in files)
    return ExitCode.DONE


def _write_findings(
    request: AuditRequest, opened: list[tuple[RoundsFile, RowAuditor]], output: FormatOption
) -> ExitCode:
    writer = writer_for(output, sys.stdout)
    summaries = [FileSummary(file.name) for file, _ in opened]
    for (file, auditor), one in zip(opened, summaries, strict=True):
        for finding in findings_of(request, file, auditor, one):
            writer.write(finding)
    writer.close(summaries)
    return _exit_code(summaries)


def _summarise(
    request: AuditRequest, opened: list[tuple[RoundsFile, RowAuditor]], output: FormatOption
) -> ExitCode:
    if output not in (FormatOption.TABLE, FormatOption.JSON):
        raise UsageProblem(f"--summary is written as table or json, not as {output.value}")
    summaries = [FileSummary(file.name) for file, _ in opened]
    for (file, auditor), one in zip(opened, summaries, strict=True):
        for _ in findings_of(request, file, auditor, one):
            pass
    if output is FormatOption.JSON:
        write_json(AuditSummary(tuple(summaries)).as_json())
        write_notes(sys.stderr, summaries)
    else:
        for one in summaries:
            write_summary(sys.stdout, one)
        typer.echo(f"\n{ADVISORY}")
    return _exit_code(summaries)
