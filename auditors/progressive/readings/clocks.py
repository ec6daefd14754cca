"""Clocks of a table and of the controller that are further apart than anything is in flight.

Nothing else would show it: a wager that is counted a minute after it was accepted, by the two
clocks, is missing at first and found late; its readings are right and never complete.
"""

from __future__ import annotations

from typing import Final

from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.state import LAG_US, Level
from auditors.progressive.readings.expectations import Counting
from auditors.settlement.asserting import Claim
from auditors.values import evolve
from schemas.finding_facts.progressive import ClocksApart
from schemas.findings import FindingCode

_WAGERS_MIN: Final = 6
"""Some that are late may have another reason; they are found by themselves."""


def assert_clocks(
    work: Work,
    level: Level,
    counting: Counting,
    reading: Effect,
    up_to: list[Effect],
    base: Position,
) -> None:
    """Find the tables all of whose wagers were counted beyond the lag, late or early.

    Args:
        work: The message that is folded.
        level: The meter.
        counting: What the reading should have in it.
        reading: The reading.
        up_to: Entries up to it.
        base: Position of the reading before.
    """
    apart: dict[str, list[tuple[int, int]]] = {}
    for one in up_to:
        if one.kind != "count" or one[:4] <= base:
            continue
        accepted = counting.accepts.get((one.table, one.name)) or _as_told(level, one)
        table = level.tables.get(one.table)
        if accepted is None or table is None or table.is_lost:
            continue
        if accepted.at_us > table.restored_us:
            apart.setdefault(one.table, []).append((one.at_us - accepted.at_us, one.sequence))
    for table_id, found in sorted(apart.items()):
        least, most = min(found)[0], max(found)[0]
        table = level.tables[table_id]
        run = 0
        if least > LAG_US:
            run = max(table.apart, 0) + len(found)
        elif most < -LAG_US:
            run = min(table.apart, 0) - len(found)
        run = max(-_WAGERS_MIN, min(run, _WAGERS_MIN))
        if run != table.apart:
            level.tables = {**level.tables, table_id: evolve(table, apart=run)}
        if abs(run) == _WAGERS_MIN:
            sequences = (min(sequence for _, sequence in found), reading.sequence)
            _assert_apart(work, level, table_id, reading, (least, most), sequences)


def _assert_apart(
    work: Work,
    level: Level,
    table_id: str,
    reading: Effect,
    span: tuple[int, int],
    sequences: tuple[int, ...],
) -> None:
    least, most = sorted(abs(microseconds) for microseconds in span)
    work.assert_once(
        level,
        FindingCode.LINK_DISAGREES,
        work.subject(level, f"{table_id}/clock"),
        ClocksApart(
            table_id=table_id,
            counted="after" if span[0] > 0 else "before",
            least_us=least,
            most_us=most,
            lag_us=LAG_US,
            sequence=reading.sequence,
        ),
        Origin(reading.source, reading.feed, tuple(sorted({*sequences})), reading.at_us),
        Claim(citation=work.citations(level).linked_meters),
    )


def _as_told(level: Level, count: Effect) -> Effect | None:
    """Give the wager as its table told it, also where it was found missing before."""
    table = level.tables.get(count.table)
    kept = find_coup(table, count.coup) if table is not None and count.coup else None
    entries = kept.entries or () if kept is not None else ()
    return next((one for one in entries if one.kind == "accept" and one.name == count.name), None)
