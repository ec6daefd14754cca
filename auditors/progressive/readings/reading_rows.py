"""Rows of a reading: while it waits, and once it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditors.progressive.controller.statements import event_of
from auditors.progressive.ledger.chunks import effects_in
from auditors.progressive.ledger.context import Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import LAG_US, Level
from schemas.events import ProgressiveReading
from schemas.findings import Finding
from schemas.progressive_rows import MeterComparison, ReadingRow
from schemas.records import RecordKind


@dataclass(slots=True)
class Judged:
    """What became of a reading."""

    is_right: bool | None = None
    is_complete: bool | None = None
    compared: list[MeterComparison] = field(default_factory=list)
    left_out: tuple[str, ...] = ()
    findings: list[Finding] = field(default_factory=list)


def put_pending(work: Work, level: Level, effect: Effect) -> None:
    """Show a reading that waits until every table has spoken of that time."""
    event = event_of(effect)
    assert isinstance(event, ProgressiveReading)
    put_reading(work, level, effect, event, None)


def show_waiting(work: Work, level: Level) -> None:
    """Show the readings that wait once more: their gaming date goes by the filing in force."""
    for effect in (*effects_in(level.done), *effects_in(level.pending)):
        if effect.kind == "read":
            put_pending(work, level, effect)


def put_reading(
    work: Work, level: Level, effect: Effect, event: ProgressiveReading, judged: Judged | None
) -> None:
    """Put a reading out."""
    shown = judged or Judged()
    row = ReadingRow(
        level=level.level,
        sequence=effect.sequence,
        state="pending" if judged is None else "judged",
        showing_table_id=event.showing_table_id,
        display=event.display,
        reserve=event.reserve,
        overflow=event.overflow,
        in_count=event.in_count,
        hits_count=event.hits_count,
        wins_minor=event.wins_minor,
        is_arithmetic_right=shown.is_right,
        is_complete=shown.is_complete,
        compared=tuple(shown.compared),
        left_out=shown.left_out,
        known_us=effect.at_us if judged is None else effect.at_us + LAG_US,
    )
    subject = f"{level.level}/{effect.feed}/{effect.sequence}"
    work.emit(
        level,
        RecordKind.READING,
        subject,
        effect.at_us,
        row=row,
        findings=tuple(shown.findings),
        feed=effect.feed,
    )
