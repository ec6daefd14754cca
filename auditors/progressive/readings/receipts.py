"""What a controller moved from another progressive, held against its meters within the lag."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from auditors.progressive.ledger.amounts import effect_of_parts
from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.scaling import (
    amount_parts,
    parts_of_place,
    places_said,
)
from auditors.progressive.ledger.state import LAG_US, Level, Receipt
from auditors.progressive.readings.expectations import Counting
from auditors.settlement.asserting import Claim
from schemas.events import ProgressiveReading
from schemas.finding_facts.progressive import TransferNotTaken
from schemas.findings import FindingCode


class _Apart(NamedTuple):
    """What a reading has more than all else comes to, and below what nothing is told apart."""

    display: int
    reserve: int
    unit: int
    reserve_unit: int

    def is_all(self, receipts: tuple[Receipt, ...]) -> bool:
        """Whether these receipts are in the meters, and no others."""
        display = self.display - sum(one.open_display for one in receipts)
        reserve = self.reserve - sum(one.open_reserve for one in receipts)
        return abs(display) < self.unit and abs(reserve) < self.reserve_unit

    def is_part(self, receipt: Receipt) -> bool:
        """Whether it may be what is in the meters of a receipt so far."""
        return (
            0 <= self.display <= receipt.open_display and 0 <= self.reserve <= receipt.open_reserve
        )


def look_for_receipts(
    work: Work, level: Level, counting: Counting, effect: Effect, event: ProgressiveReading
) -> None:
    """See which receipts a reading has in it, and find those that it should have and has not."""
    waiting = tuple(one for one in level.receipts if one.is_open and not one.is_foreign)
    if not waiting or event.showing_table_id is not None:
        return
    apart = _apart(work, level, counting, event)
    shown = _shown(apart, waiting)
    late = [
        one for one in waiting if one.at_us + LAG_US <= effect.at_us and one not in (shown or ())
    ]
    settled = {one: one._replace(open_display=0, open_reserve=0) for one in (*(shown or ()), *late)}
    if shown is None and len(waiting) == 1 and (late or apart.is_part(waiting[0])):
        # Whatever it has more is what it took in of it so far.
        (one,) = waiting
        counting.display += apart.display
        counting.reserve += apart.reserve
        if late:
            _assert_other(work, level, counting, effect, one, (apart.display, apart.reserve))
        else:
            settled[one] = one._replace(
                open_display=one.open_display - apart.display,
                open_reserve=one.open_reserve - apart.reserve,
            )
    else:
        for one in late:
            _assert_other(work, level, counting, effect, one, (0, 0))
    for one in shown or ():
        counting.display += one.open_display
        counting.reserve += one.open_reserve
    level.receipts = tuple(settled.get(one, one) for one in level.receipts)


def _apart(work: Work, level: Level, counting: Counting, event: ProgressiveReading) -> _Apart:
    base, currency = level.baseline, work.currency
    display = amount_parts(event.display, currency) + amount_parts(event.overflow, currency)
    off = base.off_display if base and not counting.resets else 0
    off_reserve = base.off_reserve if base else 0
    return _Apart(
        display - counting.display - off,
        amount_parts(event.reserve, currency) - counting.reserve - off_reserve,
        # The display and what lies above the limit may both be cut.
        2 * parts_of_place(places_said(event.display, currency), currency),
        parts_of_place(places_said(event.reserve, currency), currency),
    )


def _shown(apart: _Apart, waiting: tuple[Receipt, ...]) -> tuple[Receipt, ...] | None:
    """Give the receipts that a reading has in it; None where none or some of them do not fit."""
    for count in range(len(waiting), -1, -1):
        for some in combinations(waiting, count):
            if apart.is_all(some):
                return some
    return None


def _assert_other(
    work: Work,
    level: Level,
    counting: Counting,
    effect: Effect,
    one: Receipt,
    has: tuple[int, int],
) -> None:
    """Find a receipt that the controller's meters do not have, or have otherwise."""
    counting.gap_display += one.open_display - has[0]
    counting.gap_reserve += one.open_reserve - has[1]
    said_display = one.display - one.open_display + has[0]
    said_reserve = one.reserve - one.open_reserve + has[1]
    evidence = {effect.sequence}
    if (one.source, one.feed) == (effect.source, effect.feed):
        evidence.add(one.sequence)
    work.assert_once(
        level,
        FindingCode.METER_DRIFT,
        work.subject(level, f"transfer_in/{one.transfer_id}"),
        TransferNotTaken(
            transfer_id=one.transfer_id,
            from_progressive_id=one.from_id,
            moved=effect_of_parts(one.display, one.reserve, work.currency),
            taken=effect_of_parts(said_display, said_reserve, work.currency),
            shown_by="reading",
            sequence=one.sequence,
        ),
        Origin(effect.source, effect.feed, tuple(sorted(evidence)), effect.at_us, act_us=one.at_us),
        Claim(citation=work.citations(level).meters),
    )
