"""Was vigorish that was marked at a seat collected in time: before the seat or the shoe ended?"""

from __future__ import annotations

from auditors.asserting import Claim
from auditors.table.context import Folding
from auditors.table.rejecting import reject_unknown
from auditors.table.shoe_records import assert_of_shoe, keep_shoe, shoe_finding, shoe_in_play
from auditors.table.state import HASHES_KEPT, SEATS_MAX, CoupState, Outstanding, ShoeState
from schemas.events import Capability, VigorishCollected
from schemas.findings import FindingCode, FindingStatus
from schemas.money import DEFAULT_CURRENCY, MINOR_MAX, format_minor


def mark_vigorish(folding: Folding, coup: CoupState, seat: str, change_minor: int) -> None:
    """Add vigorish that was marked at a seat in a coup, or take away what was unmarked."""
    shoe = folding.state.shoe
    if change_minor and shoe is not None and shoe.shoe_id == coup.shoe_id:
        _change(folding, shoe, seat, change_minor)


def _change(folding: Folding, shoe: ShoeState, seat: str, change_minor: int) -> None:
    marked = dict(shoe.marked)
    total = marked.get(seat, 0) + change_minor
    marked[seat] = max(-MINOR_MAX, min(MINOR_MAX, total))
    kept = sorted((name, minor) for name, minor in marked.items() if minor)
    keep_shoe(folding, marked=tuple(kept[:SEATS_MAX]))


def collect_vigorish(folding: Folding, event: VigorishCollected) -> None:
    """Note marked vigorish that was collected, also where it comes too late."""
    shoe = folding.state.shoe
    if shoe is None or shoe.shoe_id != event.shoe_id:
        if all(shoe_id != event.shoe_id for shoe_id, _ in folding.state.earlier_orders):
            reject_unknown(folding, event.type, f"shoe {event.shoe_id}")
        return
    if event.collection_id in shoe.collection_ids:
        return
    ids = (*shoe.collection_ids, event.collection_id)[-HASHES_KEPT:]
    shoe = keep_shoe(folding, collection_ids=ids)
    # Whoever sits there now pays what is marked now; only what goes beyond that pays an old debt.
    marked = max(0, dict(shoe.marked).get(event.seat, 0))
    rest = event.collected_minor - min(event.collected_minor, marked)
    late = next((one for one in shoe.outstanding if one.seat == event.seat), None)
    put_right = min(rest, late.due_minor - late.collected_minor) if late is not None else 0
    if late is not None and put_right:
        _put_out(folding, late._replace(collected_minor=late.collected_minor + put_right))
    if now := event.collected_minor - put_right:
        _change(folding, shoe_in_play(folding), event.seat, -now)


def judge_vacated(folding: Folding, seat: str) -> None:
    """Judge whether a seat that is left still has marked vigorish."""
    shoe = folding.state.shoe
    if shoe is not None and not shoe.is_ended:
        _judge(folding, seat, "the seat was vacated")


def judge_ended(folding: Folding) -> None:
    """Judge whether any seat still has marked vigorish when the shoe ends."""
    for seat, _ in shoe_in_play(folding).marked:
        _judge(folding, seat, "the shoe ended")


def _judge(folding: Folding, seat: str, when: str) -> None:
    shoe = shoe_in_play(folding)
    minor = dict(shoe.marked).get(seat, 0)
    if minor <= 0 or shoe.is_unverified or Capability.VIGORISH not in folding.state.reports:
        return
    keep_shoe(folding, marked=tuple(one for one in shoe.marked if one[0] != seat))
    before = next((one for one in shoe.outstanding if one.seat == seat), None)
    if before is None:
        if len(shoe.outstanding) >= SEATS_MAX:
            return
        after = Outstanding(seat, minor, 0, folding.sequence, when)
    else:
        after = before._replace(due_minor=before.due_minor + minor, when=when)
    _put_out(folding, after)


def _put_out(folding: Folding, one: Outstanding) -> None:
    """Say what was not collected in time, and what was collected since."""
    shoe = shoe_in_play(folding)
    others = tuple(other for other in shoe.outstanding if other.seat != one.seat)
    keep_shoe(folding, outstanding=tuple(sorted((*others, one), key=lambda each: each.seat)))
    currency = folding.submission.currency if folding.submission else DEFAULT_CURRENCY
    due, collected = one.due_minor, one.collected_minor
    since = ""
    if collected:
        residual = format_minor(due - collected, currency)
        since = f"; {format_minor(collected, currency)} was collected later, residual {residual}"
    found = shoe_finding(
        folding, FindingCode.VIGORISH_OUTSTANDING, f"{one.seat}/{shoe.shoe_id}",
        f"Seat {one.seat}: marked vigorish of {format_minor(due, currency)} was not collected when "
        f"{one.when}{since}.",
        Claim(due_minor=due, paid_minor=0), one.seat,
    )  # fmt: skip
    if collected:
        is_right = collected == due
        update = {
            "corrected_minor": -collected,
            "residual_minor": collected - due,
            "status": FindingStatus.CORRECTED if is_right else FindingStatus.STANDING,
        }
        found = found.model_copy(update=update)
    assert_of_shoe(folding, found, is_renewed=True)
