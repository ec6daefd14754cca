"""Slips of chips and money, compared with what was reported under the same number before."""

from __future__ import annotations

from typing import Final, TypeAlias

from auditors.table.known.context import Folding
from auditors.table.known.rejections import reject
from auditors.table.known.state import SLIPS_KEPT, Slip
from auditors.table.steps import folds
from schemas.events import ChipsCredited, ChipsFilled, DropCounted, InventoryCounted
from schemas.finding_facts.payment import CountUnauthorised
from schemas.findings import FindingCode
from schemas.money import format_minor
from schemas.records import RecordKind

Count: TypeAlias = InventoryCounted | DropCounted

_WHAT: Final = {"inventory_counted": "an inventory", "drop_counted": "a drop"}


@folds(ChipsFilled)
def take_fill(folding: Folding, event: ChipsFilled) -> None:
    """Note the slip of a fill."""
    slip = Slip("fill", event.fill_id, event.type, event.amount_minor, folding.sequence)
    _is_new(folding, slip)


@folds(ChipsCredited)
def take_credit(folding: Folding, event: ChipsCredited) -> None:
    """Note the slip of a credit."""
    slip = Slip("credit", event.credit_id, event.type, event.amount_minor, folding.sequence)
    _is_new(folding, slip)


@folds(InventoryCounted, DropCounted)
def take_count(folding: Folding, event: Count) -> None:
    """Note a count; one that replaces another names who allowed it and why."""
    slip = Slip(
        "count",
        event.count_id,
        event.type,
        event.amount_minor,
        folding.sequence,
        event.corrects_count_id,
    )
    if _is_new(folding, slip):
        _check_authorised(folding, event)


def _is_new(folding: Folding, slip: Slip) -> bool:
    """Keep a slip of which nothing was told; one that contradicts what was told is not used."""
    slips = folding.state.slips
    for one in slips:
        if (one.kind, one.slip_id) == (slip.kind, slip.slip_id):
            if (one.event_type, one.amount_minor) != (slip.event_type, slip.amount_minor):
                reject(folding, slip.event_type, _contradiction(folding, one, slip))
            return False
    folding.state.slips = (*slips, slip)[-SLIPS_KEPT:]
    # The first one that replaced a count stays in force.
    first = next((one for one in slips if slip.replaces and one.replaces == slip.replaces), slip)
    if first.amount_minor != slip.amount_minor:
        reject(
            folding,
            slip.event_type,
            f"count {slip.replaces} was replaced by count {first.slip_id} "
            f"({_money(folding, first)}, event {first.sequence}) before, so count {slip.slip_id} "
            f"({_money(folding, slip)}) cannot replace it as well",
        )
    return True


def _contradiction(folding: Folding, told: Slip, said: Slip) -> str:
    if told.event_type != said.event_type:
        before, now = _WHAT[told.event_type], _WHAT[said.event_type]
    else:
        before, now = _money(folding, told), _money(folding, said)
    return (
        f"{said.kind} {said.slip_id} was told as {before} by event {told.sequence}, which stays in "
        f"force, and now as {now}"
    )


def _money(folding: Folding, slip: Slip) -> str:
    return format_minor(slip.amount_minor, folding.currency)


def _check_authorised(folding: Folding, event: Count) -> None:
    if event.corrects_count_id is None or (event.reason and event.authorised_by):
        return
    named = bool(event.authorised_by)
    folding.assert_once(
        RecordKind.TABLE,
        FindingCode.CORRECTION_UNAUTHORISED,
        event.count_id,
        CountUnauthorised(
            count_id=event.count_id,
            replaced_count_id=event.corrects_count_id,
            lacks="both" if not (named or event.reason) else "reason" if named else "supervisor",
        ),
    )
