"""What came to a progressive from another one, or went to it?

The giving controller says a transfer once; both ledgers hear it. The receiving controller may say
it again as an adjustment, before or after, or only show it in its meters: within the lag.
"""

from __future__ import annotations

from auditors.progressive.context import Work
from auditors.progressive.effects import Effect
from auditors.progressive.rows import begin_day
from auditors.progressive.scaling import amount_parts
from auditors.progressive.state import (
    LAG_US,
    RECEIPTS_KEPT,
    Level,
    NamedMove,
    Receipt,
    change,
)
from schemas.events import ProgressiveAdjusted, ProgressiveTransferred


def move(level: Level, display: int, reserve: int, at_us: int) -> None:
    """Move the meters by what somebody says, as an adjustment of the day."""
    ledger = level.ledger._replace(
        display=level.ledger.display + display,
        reserve=level.ledger.reserve + reserve,
        adjusted=level.ledger.adjusted + display + reserve,
    )
    changed_us = max(level.changed_us, at_us)
    change(
        level, ledger=ledger, changed_us=changed_us, row_us=min(level.row_us, changed_us - 1)
    )  # fmt: skip


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
        effect.at_us, effect.source, effect.feed, effect.sequence, event.transfer_id,
        event.progressive_id, event.level, display, reserve, display, reserve,
    )  # fmt: skip
    others = []
    for one in level.named_moves:
        shown = _part_shown(receipt, one)
        if shown is None:
            others.append(one)
        else:
            receipt = shown
    # What an adjustment said before was taken in with it.
    move(level, receipt.open_display, receipt.open_reserve, effect.at_us)
    change(
        level,
        receipts=(*level.receipts, receipt)[-RECEIPTS_KEPT:],
        named_moves=tuple(others),
    )


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
    if event.reason not in ("other", "seed") or moved <= 0:
        return False
    said = NamedMove(effect.at_us, effect.feed, effect.sequence, event.meter == "reserve", moved)
    for number, receipt in enumerate(level.receipts):
        shown = _part_shown(receipt, said)
        if shown is not None:
            rest = level.receipts[number + 1 :]
            change(level, receipts=(*level.receipts[:number], shown, *rest))
            return True
    change(level, named_moves=(*level.named_moves, said)[-RECEIPTS_KEPT:])
    return False


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
