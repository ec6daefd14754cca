"""Replays in three forms: steps as they come, then verdicts and the comparison."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table

from auditors.clock import instant_of
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.replay import (
    ReplayPage,
    ToldStep,
)
from dashboards.documents.history.tables import DEFAULT_ZONE
from dashboards.terminal.answers import DocumentStream, LineStream
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from dashboards.terminal.formats import LinesFormat
from dashboards.terminal.tables.videos import write_videos
from schemas.events import Heartbeat
from schemas.findings import Finding
from schemas.money import grouped_minor
from schemas.records import CoupRow, Record, WagerRow
from schemas.words.counting import counted
from streams.replaying.replay import Replay

_DIFFERENT_SHOWN: Final = 8


class ReplayWriter(Protocol):
    """Writes a replay as it runs."""

    def begin(self, replay: Replay) -> None:
        """Write what is replayed, and from where."""
        ...

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        ...

    def end(self, page: ReplayPage) -> None:
        """Write the verdicts, where recordings are, and the comparison."""
        ...


class TableReplay:
    """Text for people: every event, what it did, findings as they are decided."""

    def __init__(self) -> None:
        self._console = table_console()
        self._zone = DEFAULT_ZONE
        self._date: tuple[datetime.date, str] | None = None

    def begin(self, replay: Replay) -> None:
        """Write what is replayed, and from where."""
        first, last = replay.coups[0], replay.coups[-1]
        what = f"coup {first.coup_id}"
        if len(replay.coups) > 1:
            what = f"{len(replay.coups)} coups, {first.coup_id} to {last.coup_id}"
        write_line(self._console, f"{replay.table_id}: {what}", style="bold")
        write_line(self._console, f"from checkpoint {replay.started_at} of {replay.source.name}")
        write_line(self._console)

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        console, event = self._console, told.step.event
        self._zone = told.zone or self._zone
        if isinstance(event, Heartbeat) and not (told.made or told.step.decided):
            return  # the table lived; there is nothing to tell
        if event is None:
            head = f"offset {told.step.offset}"
        else:
            zone = ZoneInfo(told.zone or DEFAULT_ZONE)
            local = instant_of(event.occurred_at_us).astimezone(zone)
            self._begin_date(local.date(), zone.key)
            head = f"{local:%H:%M:%S}.{local.microsecond // 1000:03d} event {event.sequence}"
        write_line(console, f"{head}  {told.said()}", hang=4)
        for line in told.made:
            write_line(console, f"> {line}", indent=4, hang=2)
        for finding in told.step.decided:
            _write_finding(console, finding)
        for finding in told.step.withdrawn:
            line = f"no longer stands: {finding.code.value} {finding.sentence}"
            write_line(console, line, indent=4, hang=2)

    def _begin_date(self, date: datetime.date, zone: str) -> None:
        """Write date and zone before the first step of a day: times stand without them."""
        if self._date != (date, zone):
            self._date = date, zone
            write_line(self._console, f"{date} ({zone})", style="dim")

    def end(self, page: ReplayPage) -> None:
        """Write the verdicts, where recordings are, and the comparison."""
        console = self._console
        write_line(console)
        records = page.coups
        if len(records) == 1:
            _write_coup(console, records[0])
        elif records:
            console.print(_coup_table(records))
        if page.videos:
            write_videos(console, page.videos, ZoneInfo(self._zone))
        write_line(console)
        for line in comparison_lines(page):
            write_line(console, line, hang=2)
        if page.is_simulated:
            write_line(console, "SIMULATED")
        write_line(console)
        write_line(console, ADVISORY)


def _write_finding(console: Console, finding: Finding) -> None:
    corrected = " (corrected)" if finding.status.value == "corrected" else ""
    head = f"! {finding.severity.value.upper()} {finding.code.value}{corrected}"
    write_line(console, f"{head}: {finding.sentence}", style="bold", indent=4, hang=2)


def _write_coup(console: Console, record: Record) -> None:
    coup = record.coup
    assert coup is not None
    write_line(console, _outcome(coup))
    if record.wagers:
        console.print(_wager_table(record))
    for finding in record.findings:
        _write_finding(console, finding)
    if not record.findings:
        write_line(console, "no finding stands")


def _outcome(coup: CoupRow) -> str:
    points = ""
    if coup.player_points is not None and coup.state != "voided":
        points = f" ({coup.player_points} to {coup.banker_points}, {coup.winner or 'undecided'})"
    marks: list[str] = [coup.state]
    marks += [] if coup.is_determined else ["undetermined"]
    marks += ["unverified"] if coup.is_unverified else []
    cards = f"Player {coup.player_cards or '-'}, Banker {coup.banker_cards or '-'}"
    return f"coup {coup.coup_no}: {cards}{points}; {', '.join(marks)}"


def _wager_table(record: Record) -> Table:
    table = plain_table("seat", "wager", "stake", "", "pays", "due", "paid", "differs")
    for number in (2, 5, 6, 7):
        table.columns[number].justify = "right"
    for number in (1, 2, 5, 6):
        table.columns[number].no_wrap = True
    for row in record.wagers:
        add_row(table, *_wager_cells(row, record.currency))
    return table


def _wager_cells(row: WagerRow, currency: str) -> tuple[str, ...]:
    difference = None
    if row.due_minor is not None and row.paid_minor is not None:
        difference = row.paid_minor - row.due_minor
    hand = f"@{row.hand}" if row.hand else ""
    return (
        row.seat,
        f"{row.wager}{hand}",
        _money(row.stake_minor, currency),
        row.outcome or row.status.value,
        row.pays or "",
        _money(row.due_minor, currency),
        _money(row.paid_minor, currency),
        _money(difference, currency) if difference else "",
    )


def _money(minor: int | None, currency: str) -> str:
    return "" if minor is None else grouped_minor(minor, currency)


def _coup_table(records: Sequence[Record]) -> Table:
    table = plain_table("coup", "Player", "Banker", "winner", "staked", "due", "paid", "findings")
    for number in (4, 5, 6, 7):
        table.columns[number].justify = "right"
    is_one_shoe = len({one.shoe_id for one in records}) == 1
    for record in records:
        coup = record.coup
        assert coup is not None
        add_row(
            table,
            str(coup.coup_no) if is_one_shoe else record.subject,
            coup.player_cards,
            coup.banker_cards,
            coup.state if coup.state == "voided" else coup.winner or coup.state,
            *(_money(one, record.currency) for one in (coup.stake_minor, coup.due_minor)),
            _money(coup.paid_minor, record.currency),
            str(len(record.findings) or ""),
        )
    return table


def comparison_lines(page: ReplayPage) -> list[str]:
    """Say the digest of what came out, and whether it is what stands."""
    compared = page.compared
    count = len(compared)
    lines = [f"digest {page.digest} of {counted(count, 'record')}"]
    different = page.differences
    if not different:
        dates = sorted({one.stored.gaming_date or "" for one in compared if one.stored} - {""})
        of = f" of {dates[0]}" if dates else ""
        to = f" to {dates[-1]}" if len(dates) > 1 else ""
        word = "record" if count == 1 else "records"
        lines.append(f"identical to the {word}{of}{to} in {page.read_from}")
        return lines
    lines.append(f"differs from {page.stored_digest} in {page.read_from}:")
    lines += different[:_DIFFERENT_SHOWN]
    if len(different) > _DIFFERENT_SHOWN:
        lines.append(f"and {len(different) - _DIFFERENT_SHOWN:,} more")
    return lines


class JsonLinesReplay:
    """One object a step, then the document of the replay as the last line."""

    def __init__(self) -> None:
        """Write to standard output."""
        self._lines = LineStream(sys.stdout)

    def begin(self, replay: Replay) -> None:
        """Write nothing yet."""

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        self._lines.write(told.as_json())

    def end(self, page: ReplayPage) -> None:
        """Write the document."""
        self._lines.write(page.as_json())


class JsonReplay:
    """One document with all steps in it, written as they come."""

    def __init__(self) -> None:
        """Write to standard output."""
        self._document = DocumentStream(sys.stdout, "steps")

    def begin(self, replay: Replay) -> None:
        """Write nothing yet."""

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        self._document.write(told.as_json())

    def end(self, page: ReplayPage) -> None:
        """Close the list and put the rest beside it."""
        self._document.close(page.as_json())


def replay_writer(output: str) -> ReplayWriter:
    """Give the writer of a form."""
    if output == LinesFormat.JSON:
        return JsonReplay()
    return JsonLinesReplay() if output == LinesFormat.JSONL else TableReplay()
