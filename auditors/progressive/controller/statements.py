"""What the controller says apart from wagers and readings: hits, adjustments, parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from auditors.law.interpretations import ResetAmount
from auditors.progressive.controller.rates import check_rates
from auditors.progressive.controller.transfers import (
    is_gift,
    is_receipt,
    look_for_gifts,
    move,
    says_receipt,
    take_receipt,
)
from auditors.progressive.controller.turns import read_event
from auditors.progressive.hits.hit_rows import put_hit
from auditors.progressive.hits.jackpots import find_hit, put, take_hit, wait_for
from auditors.progressive.ledger.amounts import said_exactly
from auditors.progressive.ledger.context import Origin, Work, filed_of
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.scaling import SCALE, amount_parts, decimal_text
from auditors.progressive.ledger.state import (
    IDS_KEPT,
    LAG_US,
    TABLES_MAX,
    Due,
    Hit,
    Level,
    LinkedTable,
    Payment,
    ResetSaid,
)
from auditors.values import evolve
from schemas.events import (
    ProgressiveAdjusted,
    ProgressiveChipsCounted,
    ProgressiveHit,
    ProgressiveLinkLost,
    ProgressiveLinkRestored,
    ProgressivePaid,
    ProgressiveParametersChanged,
    ProgressiveRemoved,
    ProgressiveReset,
    ProgressiveTableJoined,
    ProgressiveTransferred,
)
from schemas.events.progressive import WINNERS_MAX, ProgressiveEvent
from schemas.finding_facts.progressive import (
    AdjustmentUnauthorised,
    ChipsDiffer,
    EndUnauthorised,
    IncrementLeft,
    LacksApproval,
    ParameterChanged,
    TransferUnauthorised,
)
from schemas.findings import FindingCode

_BY_TABLES: Final = frozenset({"coup_voided", "wager_withdrawn"})
"""Reasons for which the tables themselves say what is not to be counted."""


def event_of(effect: Effect) -> ProgressiveEvent:
    """Read the controller's event of an entry."""
    return read_event(effect.text)


def said_at(effect: Effect, coup: str | None = None) -> Origin:
    """Give where an entry of the controller was said."""
    return Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us, coup)


def take_said(work: Work, level: Level, effect: Effect) -> None:
    """Take in one event of the controller."""
    event = event_of(effect)
    take = _TAKING.get(type(event))
    if take is not None:
        take(work, level, effect, event)


def said_due(work: Work, level: Level, due: Due) -> None:
    """Check what the controller said, once all tables have spoken of that time."""
    effect = due.effect
    if effect is None:
        return
    event = event_of(effect)
    if isinstance(event, ProgressiveChipsCounted):
        _check_chips(work, level, effect, event)
    elif due.what == "gift":
        look_for_gifts(work, level, due.at_us)
    elif isinstance(event, ProgressiveRemoved):
        _check_removed(work, level, effect)
    elif isinstance(event, ProgressiveParametersChanged | ProgressiveTableJoined):
        check_rates(work, level, effect, event)


def _take_hit(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressiveHit)
    level.hits_ahead = tuple(one for one in level.hits_ahead if one != effect)
    hit = as_said(level, effect, event, work.currency)
    put(level, hit)
    if hit.cards is not None and hit.is_carded:
        take_hit(work, level, hit, effect.at_us)
    else:
        wait_for(level, Due(effect.at_us + LAG_US, "hit", hit.table_id, hit.coup_id))
    put_hit(work, level, find_hit(level, event.table_id, event.coup_id) or hit)


def as_said(level: Level, effect: Effect, event: ProgressiveHit, currency: str) -> Hit:
    """Give a hit as the controller says it."""
    return evolve(
        find_hit(level, event.table_id, event.coup_id) or Hit(event.table_id, event.coup_id),
        hit_id=event.hit_id,
        said_us=effect.at_us,
        said_clock_us=event.occurred_at_us,
        said_sequence=effect.sequence,
        said_source=effect.source,
        said_feed=effect.feed,
        said_wagers=event.wager_ids,
        said_amount=amount_parts(event.amount, currency),
    )


def _hit_called(level: Level, hit_id: str) -> Hit | None:
    return next((one for one in level.hits if one.hit_id == hit_id), None)


def _take_paid(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressivePaid)
    hit = _hit_called(level, event.hit_id)
    if hit is None or any(one.payment_id == event.payment_id for one in hit.payments):
        return
    payment = Payment(
        event.payment_id,
        event.wager_id,
        event.paid_minor,
        event.slip,
        effect.sequence,
        effect.at_us,
    )
    hit = evolve(hit, payments=(*hit.payments, payment)[: 2 * WINNERS_MAX])
    put(level, hit)
    put_hit(work, level, hit)


def _take_reset(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressiveReset)
    hit = _hit_called(level, event.hit_id)
    if hit is None or hit.reset_said is not None:
        return
    currency = work.currency
    reset = ResetSaid(
        effect.sequence,
        effect.at_us,
        amount_parts(event.display_before, currency),
        amount_parts(event.display_after, currency),
        amount_parts(event.reserve_funded, currency),
        amount_parts(event.house_funded, currency),
    )
    hit = _with_reserve_since(level, evolve(hit, reset_said=reset))
    put(level, hit)
    put_hit(work, level, hit)


def _with_reserve_since(level: Level, hit: Hit) -> Hit:
    """Let what came into the reserve since the hit go into the reset as well (D6).

    Under ``reserve_only`` the meter is set back to what the reserve holds at the reset; else the
    house pays so much less of the filed amount.
    """
    filed, ledger = hit.filed or filed_of(level), level.ledger
    if filed is None or hit.amount is None:
        return hit
    more = max(ledger.reserve, 0)
    if filed.readings.get(ResetAmount.ID) != ResetAmount.RESERVE_ONLY:
        more = min(more, hit.reset - hit.reserve_paid)
        house_funded = ledger.house_funded - more
        level.ledger = ledger._replace(reserve=ledger.reserve - more, house_funded=house_funded)
        return evolve(hit, reserve_paid=hit.reserve_paid + more)
    ledger = ledger._replace(display=ledger.display + more, reserve=ledger.reserve - more)
    level.ledger = ledger
    level.hit_moves = level.hit_moves + more
    return evolve(hit, reset=hit.reset + more, reserve_paid=hit.reserve_paid + more)


def _take_adjusted(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressiveAdjusted)
    if event.adjustment_id in level.adjustment_ids:
        return
    level.adjustment_ids = (*level.adjustment_ids, event.adjustment_id)[-IDS_KEPT:]
    if event.reason is None or event.approved_by is None:
        work.assert_once(
            level,
            FindingCode.ADJUSTMENT_UNAUTHORISED,
            work.subject(level, event.adjustment_id),
            AdjustmentUnauthorised(
                adjustment_id=event.adjustment_id,
                meter=event.meter,
                change=said_exactly(event.change, work.currency),
                lacks=_without_reason(event.reason, event.approved_by),
            ),
            said_at(effect, event.coup_id),
        )
        return
    if event.reason in _BY_TABLES:
        return
    moved = amount_parts(event.change, work.currency)
    is_reserve = event.meter == "reserve"
    if event.reason == "fault_corrected" and _mends(level, moved, is_reserve=is_reserve):
        # The ledger never had the fault that the controller puts right.
        level.mended = (*level.mended, (effect.feed, effect.sequence))[-IDS_KEPT:]
        return
    if says_receipt(level, effect, event, moved):
        return
    move(level, 0 if is_reserve else moved, moved if is_reserve else 0, effect.at_us)
    if any(one.is_overdue for one in level.receipts):
        look_for_gifts(work, level, effect.at_us)


def _without_reason(reason: str | None, approver: str | None) -> LacksApproval:
    if reason is None:
        return "reason_and_approver" if approver is None else "reason"
    return "approver"


def _without_authority(authority: str | None, approver: str | None) -> LacksApproval:
    if authority is None:
        return "authority_and_approver" if approver is None else "authority"
    return "approver"


def _mends(level: Level, moved: int, *, is_reserve: bool) -> bool:
    """Say whether an adjustment brings a meter nearer to what it is known to lack."""
    base = level.baseline
    if base is None:
        return False
    lacking = (
        base.gap_reserve - base.off_reserve if is_reserve else (base.gap_display - base.off_display)
    )
    return abs(lacking - moved) < abs(lacking)


def _take_transferred(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressiveTransferred)
    if is_receipt(work, level, event):
        take_receipt(work, level, effect, event)
    if not is_gift(work, level, event):
        return
    currency = work.currency
    display = amount_parts(event.display_moved, currency)
    overflow = amount_parts(event.overflow_moved, currency)
    reserve = amount_parts(event.reserve_moved, currency)
    move(level, -display - overflow, -reserve, effect.at_us)
    if event.authority is None or event.approved_by is None:
        work.assert_once(
            level,
            FindingCode.ADJUSTMENT_UNAUTHORISED,
            work.subject(level, event.transfer_id),
            TransferUnauthorised(
                transfer_id=event.transfer_id,
                to_progressive_id=event.to_progressive_id,
                display=said_exactly(event.display_moved, currency),
                lacks=_without_authority(event.authority, event.approved_by),
            ),
            said_at(effect),
        )


def _take_removed(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    """Note the end; what is owed stays owed until a transfer moves it."""
    assert isinstance(event, ProgressiveRemoved)
    if event.authority is None or event.approved_by is None:
        place = f"removed/{effect.source}/{effect.feed}/{effect.sequence}"
        work.assert_once(
            level,
            FindingCode.ADJUSTMENT_UNAUTHORISED,
            work.subject(level, place),
            EndUnauthorised(
                display=said_exactly(event.display, work.currency),
                lacks=_without_authority(event.authority, event.approved_by),
            ),
            said_at(effect),
        )
    wait_for(level, Due(effect.at_us + LAG_US, "removed", "", "", effect))


def _check_removed(work: Work, level: Level, effect: Effect) -> None:
    """See that the whole increment of a progressive that ended went somewhere."""
    filed, ledger = filed_of(level), level.ledger
    if filed is None:
        return
    # What the house put in is its own; the rest is what patrons paid in.
    house = filed.reset_minor if ledger.hits_count else filed.base_minor
    if ledger.hits_count and filed.readings.get(ResetAmount.ID) == ResetAmount.RESERVE_ONLY:
        house = 0
    display = max(ledger.display - house * SCALE, 0)
    reserve = max(ledger.reserve, 0)
    if display < SCALE and reserve < SCALE:
        return
    place = f"increment_left/{effect.source}/{effect.feed}/{effect.sequence}"
    work.assert_once(
        level,
        FindingCode.METER_DRIFT,
        work.subject(level, place),
        IncrementLeft(
            display=decimal_text(display, work.currency),
            reserve=decimal_text(reserve, work.currency),
            sequence=effect.sequence,
        ),
        said_at(effect),
    )


def _take_parameters(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    assert isinstance(event, ProgressiveParametersChanged)
    wait_for(level, Due(effect.at_us + LAG_US, "rate", event.table_id or "", "", effect))
    if event.parameter in ("reset", "limit") and event.value_after is not None:
        said = dict(level.said_parameters)
        said[event.parameter] = amount_parts(event.value_after, work.currency)
        level.said_parameters = tuple(sorted(said.items()))
    if event.authority is not None and event.approved_by is not None:
        return
    work.assert_once(
        level,
        FindingCode.PARAMETER_CHANGED_IN_USE,
        work.subject(level, f"{effect.source}/{effect.feed}/{effect.sequence}"),
        ParameterChanged(
            parameter=event.parameter,
            table_id=event.table_id,
            before=event.value_before,
            after=event.value_after,
            lacks=_without_authority(event.authority, event.approved_by),
        ),
        said_at(effect),
    )


def _take_link(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    del work
    assert isinstance(event, ProgressiveLinkLost | ProgressiveLinkRestored)
    table = level.tables.get(event.table_id) or LinkedTable(event.table_id)
    if event.table_id not in level.tables and len(level.tables) >= TABLES_MAX:
        return
    if isinstance(event, ProgressiveLinkLost):
        table = evolve(table, is_lost=True)
    else:
        table = evolve(table, is_lost=False, restored_us=max(table.restored_us, effect.at_us))
    level.tables = {**level.tables, table.table_id: table}


def _take_joined(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    del work
    assert isinstance(event, ProgressiveTableJoined)
    wait_for(level, Due(effect.at_us + LAG_US, "rate", event.table_id, "", effect))


def _take_chips(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    del work
    assert isinstance(event, ProgressiveChipsCounted)
    wait_for(level, Due(effect.at_us + LAG_US, "chips", event.table_id, event.coup_id, effect))


def _check_chips(work: Work, level: Level, effect: Effect, event: ProgressiveChipsCounted) -> None:
    """Compare the chips of a coup with the wagers that were accepted, where that is filed."""
    table = level.tables.get(event.table_id)
    if table is None or table.filed is None or not table.filed.is_chips_counted:
        return
    kept = next((age[event.coup_id] for age in table.ages if event.coup_id in age), None)
    if kept is None or kept.is_unverified or kept.wagers == event.chip_count:
        return
    late = sum(one.is_late for one in kept.entries or () if one.kind == "accept")
    if kept.wagers - late <= event.chip_count <= kept.wagers:
        return
    work.assert_once(
        level,
        FindingCode.PROGRESSIVE_CHIPS_MISMATCH,
        f"{event.table_id}/{event.coup_id}",
        ChipsDiffer(
            table_id=event.table_id,
            coup_id=event.coup_id,
            chip_count=event.chip_count,
            wager_count=kept.wagers,
            sequence=effect.sequence,
        ),
        Origin(event.table_id, table.feed_id, (kept.sequence,), effect.at_us, event.coup_id),
    )


_Take = Callable[[Work, Level, Effect, ProgressiveEvent], None]

_TAKING: Final[Mapping[type[ProgressiveEvent], _Take]] = {
    ProgressiveHit: _take_hit,
    ProgressivePaid: _take_paid,
    ProgressiveReset: _take_reset,
    ProgressiveAdjusted: _take_adjusted,
    ProgressiveTransferred: _take_transferred,
    ProgressiveRemoved: _take_removed,
    ProgressiveParametersChanged: _take_parameters,
    ProgressiveLinkLost: _take_link,
    ProgressiveLinkRestored: _take_link,
    ProgressiveTableJoined: _take_joined,
    ProgressiveChipsCounted: _take_chips,
}
