"""Are the clocks of a table and of the controller further apart than anything is in flight?

Nothing else would say so: a wager that is counted a minute after it was accepted, by the two
clocks, is missing at first and found late; its readings are right and never complete.
"""

from __future__ import annotations

from typing import Final

from auditors.progressive.ledger.context import Said, Work
from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.state import LAG_US, Level
from auditors.progressive.readings.expectations import Counting
from auditors.settlement.asserting import Claim
from auditors.values import evolve
from schemas.findings import FindingCode

_WAGERS_MIN: Final = 6
"""Some that are late may have another reason; they are found by themselves."""

_SECOND_US: Final = 1_000_000


def assert_clocks(
    work: Work, level: Level, counting: Counting, reading: Effect, up_to: list[Effect],
    base: Position,
) -> None:  # fmt: skip
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
    work: Work, level: Level, table_id: str, reading: Effect, span: tuple[int, int],
    sequences: tuple[int, ...],
) -> None:  # fmt: skip
    word = "after" if span[0] > 0 else "before"
    near, far = sorted(abs(one) // _SECOND_US for one in span)
    seconds = f"{near}" if near == far else f"{near} to {far}"
    work.assert_once(
        level, FindingCode.LINK_DISAGREES, work.subject(level, f"{table_id}/clock"),
        f"The wagers of {table_id} that reading {reading.sequence} adds were counted {seconds} s "
        f"{word} the table accepted them, by the two clocks, like all for some time; a wager is "
        f"in flight for {LAG_US // _SECOND_US} s at most. One of the clocks is wrong, or the "
        "controller counts too late.",
        Said(reading.source, reading.feed, tuple(sorted({*sequences})), reading.at_us),
        Claim(citation=work.citations(level).linked_meters),
    )  # fmt: skip


def _as_told(level: Level, count: Effect) -> Effect | None:
    """Give the wager as its table told it, also where it was found missing before."""
    table = level.tables.get(count.table)
    kept = find_coup(table, count.coup) if table is not None and count.coup else None
    entries = kept.entries or () if kept is not None else ()
    return next((one for one in entries if one.kind == "accept" and one.name == count.name), None)
