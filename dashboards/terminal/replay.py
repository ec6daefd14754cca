"""In which form is a replay written? Steps as they come, then verdicts and the comparison."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table

from auditors.clock import instant_of
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.event_words import words_of
from dashboards.documents.videos import ShownVideo
from dashboards.options.record_source import DEFAULT_ZONE
from dashboards.terminal.videos import write_videos
from dashboards.terminal.writing import add_row, plain_table, table_console, write_line
from schemas.events import Heartbeat
from schemas.events.fields import format_instant
from schemas.findings import Finding
from schemas.money import format_minor
from schemas.records import CoupRow, Record, RecordKind, WagerRow
from schemas.words.counting import counted
from streams.replaying.replay import Compared, Replay, ReplayStep, digest_of

REPLAY_SCHEMA: Final = "ladderman.replay/1"
"""Name and version of the document."""

STEP_SCHEMA: Final = "ladderman.replay-step/1"
"""Name and version of one step, where steps are written one a line."""

_DIFFERENT_SHOWN: Final = 8


class ReplayFormat(StrEnum):
    """In which form a replay is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class ToldStep:
    """One step with what the engine made of it."""

    step: ReplayStep
    made: tuple[str, ...]
    currency: str
    zone: str | None
    """Time zone that the table has filed."""

    def said(self) -> str:
        """Say what the table said."""
        event = self.step.event
        if event is not None:
            return words_of(event, self.currency)
        return self.step.problem or "nothing more came; the waiting ended"

    def as_json(self) -> dict[str, object]:
        """Give the shape ``ladderman.replay-step/1``."""
        event = self.step.event
        return {
            "schema": STEP_SCHEMA,
            "offset": self.step.offset,
            "sequence": event.sequence if event else None,
            "type": event.type if event else None,
            "occurred_at": format_instant(event.occurred_at) if event else None,
            "coup": getattr(event, "coup_id", None),
            "said": self.said(),
            "made": list(self.made),
            "findings": [one.as_json() for one in self.step.decided],
            "withdrawn": [one.id for one in self.step.withdrawn],
        }


class ReplayWriter(Protocol):
    """Writes a replay as it runs."""

    def begin(self, replay: Replay) -> None:
        """Write what is replayed, and from where."""
        ...

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        ...

    def end(
        self, replay: Replay, compared: Sequence[Compared], videos: Sequence[ShownVideo]
    ) -> None:
        """Write the verdicts, where recordings are, and the comparison."""
        ...


def coup_records(replay: Replay) -> list[Record]:
    """Give the records of the coups that came out, in their order."""
    keys = [(RecordKind.COUP.value, one.coup_id) for one in replay.coups]
    return [replay.records[key] for key in keys if key in replay.records]


class TableReplay:
    """Text for people: every event, what it did, findings as they are decided."""

    def __init__(self) -> None:
        self._console = table_console()
        self._zone = DEFAULT_ZONE

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
            head = f"{local:%H:%M:%S}.{local.microsecond // 1000:03d} event {event.sequence}"
        write_line(console, f"{head}  {told.said()}", hang=4)
        for line in told.made:
            write_line(console, f"> {line}", indent=4, hang=2)
        for finding in told.step.decided:
            _write_finding(console, finding)
        for finding in told.step.withdrawn:
            line = f"no longer stands: {finding.code.value} {finding.sentence}"
            write_line(console, line, indent=4, hang=2)

    def end(
        self, replay: Replay, compared: Sequence[Compared], videos: Sequence[ShownVideo]
    ) -> None:
        """Write the verdicts, where recordings are, and the comparison."""
        console = self._console
        write_line(console)
        records = coup_records(replay)
        if len(records) == 1:
            _write_coup(console, records[0])
        elif records:
            console.print(_coup_table(records))
        if videos:
            write_videos(console, videos, ZoneInfo(self._zone))
        write_line(console)
        for line in comparison_lines(replay, compared):
            write_line(console, line, hang=2)
        if any(one.is_simulated for one in records):
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
    if coup.player_points is not None:
        points = f" ({coup.player_points} to {coup.banker_points}, {coup.winner or 'undecided'})"
    marks = [coup.state]
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
    return "" if minor is None else format_minor(minor, currency)


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
            coup.winner or coup.state,
            *(_money(one, record.currency) for one in (coup.stake_minor, coup.due_minor)),
            _money(coup.paid_minor, record.currency),
            str(len(record.findings) or ""),
        )
    return table


def comparison_lines(replay: Replay, compared: Sequence[Compared]) -> list[str]:
    """Say the digest of what came out, and whether it is what stands."""
    digest = digest_of(one.replayed for one in compared)
    count = len(compared)
    lines = [f"digest {digest} of {counted(count, 'record')}"]
    different = [one for one in compared if not one.is_identical]
    if not different:
        dates = sorted({one.stored.gaming_date or "" for one in compared if one.stored} - {""})
        of = f" of {dates[0]}" if dates else ""
        to = f" to {dates[-1]}" if len(dates) > 1 else ""
        word = "record" if count == 1 else "records"
        lines.append(f"identical to the {word}{of}{to} in {replay.source.name}")
        return lines
    stored = digest_of(one.stored for one in compared)
    lines.append(f"differs from {stored} in {replay.source.name}:")
    lines += [_difference(one) for one in different[:_DIFFERENT_SHOWN]]
    if len(different) > _DIFFERENT_SHOWN:
        lines.append(f"and {len(different) - _DIFFERENT_SHOWN:,} more")
    return lines


def _difference(one: Compared) -> str:
    name = f"{one.kind} {one.subject}"
    if one.stored is None:
        return f"{name}: nothing of it is kept"
    if one.replayed is None:
        return f"{name}: it is kept, and the replay does not give it"
    if one.stored.audit_epoch != one.replayed.audit_epoch:
        return (
            f"{name}: kept under audit epoch {one.stored.audit_epoch}, replayed under "
            f"{one.replayed.audit_epoch}"
        )
    ours, theirs = (record.model_dump(mode="json") for record in (one.replayed, one.stored))
    names = [key for key in ours if ours[key] != theirs[key] and key not in ("offset", "cause")]
    return f"{name}: other {', '.join(names)}"


def document(
    replay: Replay, compared: Sequence[Compared], videos: Sequence[ShownVideo]
) -> dict[str, object]:
    """Give ``ladderman.replay/1`` without its steps."""
    records = coup_records(replay)
    return {
        "schema": REPLAY_SCHEMA,
        "read_from": replay.source.name,
        "source": replay.table_id,
        "started_at": replay.started_at,
        "simulated": any(one.is_simulated for one in records),
        "coups": [_coup_json(one) for one in records],
        "videos": [one.as_json() for one in videos],
        "records": len(compared),
        "digest": digest_of(one.replayed for one in compared),
        "stored_digest": digest_of(one.stored for one in compared),
        "identical": all(one.is_identical for one in compared),
        "differences": [_difference(one) for one in compared if not one.is_identical],
    }


def _coup_json(record: Record) -> dict[str, object]:
    coup = record.coup
    assert coup is not None
    currency = record.currency
    return {
        "coup": record.subject,
        "coup_no": coup.coup_no,
        "shoe": record.shoe_id,
        "gaming_date": record.gaming_date,
        "state": coup.state,
        "determined": coup.is_determined,
        "unverified": coup.is_unverified,
        "player_cards": coup.player_cards,
        "banker_cards": coup.banker_cards,
        "player_points": coup.player_points,
        "banker_points": coup.banker_points,
        "winner": coup.winner,
        "announced_winner": coup.announced_winner,
        "staked": format_minor(coup.stake_minor, currency),
        "due": format_minor(coup.due_minor, currency),
        "paid": format_minor(coup.paid_minor, currency),
        "currency": currency,
        "rules_version": record.rules_version,
        "wagers": [_wager_json(row, currency) for row in record.wagers],
        "findings": [one.as_json() for one in record.findings],
    }


def _wager_json(row: WagerRow, currency: str) -> dict[str, object]:
    def money(minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, currency)

    return {
        "wager_id": row.wager_id,
        "wager": row.wager,
        "hand": row.hand,
        "seat": row.seat,
        "status": row.status.value,
        "paytable": row.paytable,
        "outcome": row.outcome,
        "outcome_code": row.outcome_code,
        "pays": row.pays,
        "stake": money(row.stake_minor),
        "due": money(row.due_minor),
        "paid": money(row.paid_minor),
        "citation": row.citation,
    }


class JsonLinesReplay:
    """One object a step, then the document of the replay as the last line."""

    def begin(self, replay: Replay) -> None:
        """Write nothing yet."""

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        sys.stdout.write(json.dumps(told.as_json(), ensure_ascii=False) + "\n")

    def end(
        self, replay: Replay, compared: Sequence[Compared], videos: Sequence[ShownVideo]
    ) -> None:
        """Write the document."""
        sys.stdout.write(json.dumps(document(replay, compared, videos), ensure_ascii=False) + "\n")


class JsonReplay:
    """One document with all steps in it, written as they come."""

    def __init__(self) -> None:
        self._is_first = True

    def begin(self, replay: Replay) -> None:
        """Open the document."""
        sys.stdout.write('{"steps": [')

    def step(self, told: ToldStep) -> None:
        """Write one step."""
        comma = "" if self._is_first else ","
        self._is_first = False
        sys.stdout.write(f"{comma}\n  {json.dumps(told.as_json(), ensure_ascii=False)}")

    def end(
        self, replay: Replay, compared: Sequence[Compared], videos: Sequence[ShownVideo]
    ) -> None:
        """Close the list and put the rest beside it."""
        rest = json.dumps(document(replay, compared, videos), ensure_ascii=False)
        sys.stdout.write(f"],\n {rest[1:]}\n")
