"""Transfers: what came to a progressive from another one, or went to it.

The giving controller says a transfer once; both ledgers hear it. Where one controller has both, it
may say it again as an adjustment, before or after, or only show it in its meters: within the lag.
What another controller gave is taken in when the receiving one says so: nobody waits for the other,
so when its word is heard must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from auditors.progressive.hits.jackpots import wait_for
from auditors.progressive.ledger.amounts import effect_of_parts
from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.rows import begin_day
from auditors.progressive.ledger.scaling import amount_parts
from auditors.progressive.ledger.state import (
    LAG_US,
    MOVES_KEPT,
    RECEIPTS_KEPT,
    Due,
    Level,
    NamedMove,
    Receipt,
)
from auditors.settlement.asserting import Claim
from schemas.events import ProgressiveAdjusted, ProgressiveTransferred
from schemas.finding_facts.progressive import TransferNotTaken
from schemas.findings import Finding, FindingCode
from schemas.records import RecordKind


def move(level: Level, display: int, reserve: int, at_us: int) -> None:
    """Move the meters by what somebody says, as an adjustment of the day."""
    ledger = level.ledger._replace(
        display=level.ledger.display + display,
        reserve=level.ledger.reserve + reserve,
        adjusted=level.ledger.adjusted + display + reserve,
    )
    changed_us = max(level.changed_us, at_us)
    level.ledger = ledger
    level.changed_us = changed_us
    level.row_us = min(level.row_us, changed_us - 1)


def take_receipt(work: Work, level: Level, effect: Effect, event: ProgressiveTransferred) -> None:
    """Take in what another progressive gave."""
    if any(
        (one.source, one.transfer_id) == (effect.source, event.transfer_id)
        for one in level.receipts
    ):
        return
    if level.day is None:
        begin_day(level, effect.at_us)
    currency = work.currency
    display = amount_parts(event.display_moved, currency)
    display += amount_parts(event.overflow_moved, currency)
    reserve = amount_parts(event.reserve_moved, currency)
    receipt = Receipt(
        effect.at_us,
        effect.source,
        effect.feed,
        effect.sequence,
        event.transfer_id,
        event.progressive_id,
        event.level,
        display,
        reserve,
        display,
        reserve,
    )
    source = work.state.sources.get(effect.source)
    if source is None or not source.is_controller:
        receipt = receipt._replace(open_display=0, open_reserve=0, is_foreign=True)
        level.receipts = tuple(sorted((*level.receipts, receipt)))[-RECEIPTS_KEPT:]
        level.row_us = min(level.row_us, level.changed_us - 1)
        wait_for(level, Due(effect.at_us + LAG_US, "gift", "", "", effect))
        return
    others = []
    for one in level.named_moves:
        shown = None if one.is_mending else _part_shown(receipt, one)
        if shown is None:
            others.append(one)
        else:
            receipt = shown
    # What an adjustment said before was taken in with it.
    move(level, receipt.open_display, receipt.open_reserve, effect.at_us)
    level.receipts = tuple(sorted((*level.receipts, receipt)))[-RECEIPTS_KEPT:]
    level.named_moves = tuple(others)


def is_receipt(work: Work, level: Level, event: ProgressiveTransferred) -> bool:
    """Whether a transfer came to this level."""
    return (event.to_progressive_id, event.to_level) == (work.state.progressive_id, level.level)


def is_gift(work: Work, level: Level, event: ProgressiveTransferred) -> bool:
    """Whether a transfer went out of this level."""
    return (event.progressive_id, event.level) == (work.state.progressive_id, level.level)


def says_receipt(level: Level, effect: Effect, event: ProgressiveAdjusted, moved: int) -> bool:
    """Whether an adjustment only says again what came from another progressive.

    One that says it first is noted, so that the transfer is not taken in twice.
    """
    if event.reason not in ("other", "seed", "fault_corrected") or moved <= 0:
        return False
    said = NamedMove(
        effect.at_us,
        effect.feed,
        effect.sequence,
        event.meter == "reserve",
        moved,
        event.reason == "fault_corrected",
    )
    for number, receipt in enumerate(level.receipts):
        is_told = not receipt.is_foreign and event.reason != "fault_corrected"
        shown = _part_shown(receipt, said) if is_told else None
        if shown is not None:
            rest = level.receipts[number + 1 :]
            level.receipts = (*level.receipts[:number], shown, *rest)
            return True
    level.named_moves = (*level.named_moves, said)[-MOVES_KEPT:]
    return False


def look_for_gifts(work: Work, level: Level, at_us: int) -> None:
    """Hold what other controllers gave, and is due, against what the receiving one says of it.

    All are gone through anew, in order of time: one that is heard late may be the one that an
    adjustment says. What nobody says goes into the ledger all the same, and is found.
    """
    moves = sorted(level.named_moves)
    in_time = {}
    for one in level.receipts:
        if one.is_foreign and one.at_us + LAG_US <= at_us:
            rest = one._replace(open_display=one.display, open_reserve=one.reserve)
            in_time[one] = _said_of(rest, moves, _part_shown)
    rests = {one: _said_of(rest, moves, _said_later) for one, rest in in_time.items()}
    for one, rest in rests.items():
        _let_in(level, one, rest)
        _find_unsaid(work, level, one, in_time[one])
    level.receipts = tuple(
        rests[one]._replace(is_overdue=in_time[one].is_open) if one in rests else one
        for one in level.receipts
    )


def _said_of(
    receipt: Receipt,
    moves: list[NamedMove],
    part: Callable[[Receipt, NamedMove], Receipt | None],
) -> Receipt:
    """Take off a receipt what adjustments say of it; those say nothing else then."""
    for said in tuple(moves):
        shown = part(receipt, said)
        if shown is not None:
            receipt = shown
            moves.remove(said)
    return receipt


def _let_in(level: Level, before: Receipt, rest: Receipt) -> None:
    """Let the ledger have what nobody says of a receipt, as far as it has not yet."""
    due_us = rest.at_us + LAG_US
    display = rest.open_display - before.open_display
    reserve = rest.open_reserve - before.open_reserve
    if not (display or reserve):
        return
    move(level, display, reserve, due_us)
    if level.day is not None and due_us < level.day.begin_us:
        ledger, moved = level.ledger, display + reserve
        level.ledger = ledger._replace(
            adjusted=ledger.adjusted - moved, corrected=ledger.corrected + moved
        )


def _find_unsaid(work: Work, level: Level, before: Receipt, rest: Receipt) -> None:
    """Find what the receiving controller did not say in time; take it back where it did."""
    due_us = rest.at_us + LAG_US
    subject = work.subject(level, f"transfer_in/{rest.transfer_id}")
    findings: tuple[Finding, ...] = ()
    if rest.is_open:
        taken = rest.display - rest.open_display, rest.reserve - rest.open_reserve
        found = work.finding(
            level,
            FindingCode.METER_DRIFT,
            subject,
            TransferNotTaken(
                transfer_id=rest.transfer_id,
                from_progressive_id=rest.from_id,
                moved=effect_of_parts(rest.display, rest.reserve, work.currency),
                taken=effect_of_parts(*taken, work.currency),
                shown_by="controller",
                lag_us=LAG_US,
                sequence=rest.sequence,
            ),
            Origin(rest.source, rest.feed, (rest.sequence,), due_us, act_us=rest.at_us),
            Claim(citation=work.citations(level).meters),
        )
        findings = (found,)
    if findings or before.is_overdue:
        name = f"{FindingCode.METER_DRIFT.value}/{subject}"
        work.emit(level, RecordKind.PROGRESSIVE, name, due_us, findings=findings, feed=rest.feed)


def _said_later(receipt: Receipt, said: NamedMove) -> Receipt | None:
    """The same for an adjustment behind the lag, which must then say all that is open."""
    open_parts = receipt.open_reserve if said.is_reserve else receipt.open_display
    if said.at_us <= receipt.at_us or said.moved != open_parts:
        return None
    if said.is_reserve:
        return receipt._replace(open_reserve=0)
    return receipt._replace(open_display=0)


def _part_shown(receipt: Receipt, said: NamedMove) -> Receipt | None:
    """Give what is open of a receipt after an adjustment; None where that is another matter."""
    if abs(said.at_us - receipt.at_us) > LAG_US:
        return None
    open_parts = receipt.open_reserve if said.is_reserve else receipt.open_display
    if said.moved > open_parts:
        return None
    if said.is_reserve:
        return receipt._replace(open_reserve=open_parts - said.moved)
    return receipt._replace(open_display=open_parts - said.moved)
