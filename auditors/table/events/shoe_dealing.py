"""Dealt cards and their shoe: too many of a card, a repeated run, a missing record."""

from __future__ import annotations

from typing import Literal

from auditors.table.events.composition import check_excess
from auditors.table.known.context import Folding
from auditors.table.known.shoe_order import UNREAD, card_of, level_of, mark_of, repeat_ending_at
from auditors.table.known.shoe_records import assert_of_shoe, shoe_finding, shoe_in_play
from auditors.table.known.state import CARDS_OUT_MAX, Removal, ShoeState
from auditors.values import evolve
from schemas.events import Capability
from schemas.finding_facts.shoe import CardRemoved, OrderRepeated, ShoeUninspected
from schemas.findings import FindingCode


def begin_dealing(folding: Folding) -> bool:
    """Count a coup of which the first card is dealt.

    Returns:
        Whether it comes after the last one that the cover card permits, or the shoe had ended.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return False
    shoe = folding.put_shoe(evolve(shoe_in_play(folding), dealt_count=shoe.dealt_count + 1))
    if shoe.is_ended and not (folding.state.had_gap or shoe.is_unverified):
        return True  # of a shoe that was loaded since, nothing was lost
    is_judged = shoe.last_dealt_no is not None and folding.can(Capability.COVER_CARD)
    return is_judged and shoe.dealt_count > (shoe.last_dealt_no or 0)


def deal_from_shoe(
    folding: Folding, card: str | None, coup_began: int, *, is_begun: bool = True
) -> None:
    """Count a card that was dealt, and judge what only the shoe tells of it.

    Args:
        folding: The event on its way.
        card: The card; None where it could not be read.
        coup_began: Sequence of the first card of its coup.
        is_begun: Whether its coup lies already; else whatever was removed went before it.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return
    if not shoe.order:
        _check_inspected(folding, shoe)
    mark = mark_of(card)
    shoe = shoe_in_play(folding)
    if len(shoe.order) < CARDS_OUT_MAX:
        folding.put_shoe(
            evolve(
                shoe_in_play(folding), order=shoe.order + mark, levels=shoe.levels | level_of(mark)
            )
        )
    for one in shoe.removed if shoe.removed and folding.can(Capability.REMOVALS) else ():
        if not is_begun or _was_removed_before(one, shoe, coup_began):
            found = shoe_finding(
                folding,
                FindingCode.CARD_REMOVED,
                one.removal_id,
                CardRemoved(card=one.card, removed_sequence=one.sequence),
            )
            assert_of_shoe(folding, found)
    if mark != UNREAD:
        check_excess(folding, mark)
        _check_order(folding)


def _was_removed_before(removal: Removal, shoe: ShoeState, coup_began: int) -> bool:
    """Whether a card was removed before the coup that is dealt: in an earlier feed, perhaps."""
    if removal.dealt_count is None:  # of a state that does not know it
        return removal.sequence < coup_began
    return removal.dealt_count < shoe.dealt_count


def read_from_shoe(folding: Folding, card: str, back: int) -> None:
    """Name a card that was dealt unread, now that it was read.

    Args:
        folding: The event on its way.
        card: The card.
        back: Which of the unread cards that came out it is, counted from the last one.
    """
    shoe, place = shoe_in_play(folding), -1
    for _ in range(back):
        place = shoe.order.rfind(UNREAD, 0, place if place >= 0 else len(shoe.order))
    if place < 0:
        return
    mark = mark_of(card)
    order = shoe.order[:place] + mark + shoe.order[place + 1 :]
    folding.put_shoe(
        evolve(shoe_in_play(folding), order=order, levels=shoe.levels | level_of(mark))
    )
    check_excess(folding, mark)


def _check_inspected(folding: Folding, shoe: ShoeState) -> None:
    """Look for a record of shuffle and inspection when the first card is dealt."""
    if shoe.is_unverified:
        return
    lacking: list[Literal["shuffle", "inspection"]] = [
        word
        for capability, is_there, word in _records_of(shoe)
        if not is_there and folding.can(capability)
    ]
    if lacking:
        found = shoe_finding(
            folding,
            FindingCode.SHOE_NOT_INSPECTED,
            shoe.shoe_id,
            ShoeUninspected(lacks="both" if len(lacking) > 1 else lacking[0]),
        )
        assert_of_shoe(folding, found)


def _records_of(
    shoe: ShoeState,
) -> tuple[tuple[Capability, bool, Literal["shuffle", "inspection"]], ...]:
    """Give the records of a shoe: which capability reports each, and whether it is there."""
    return (
        (Capability.SHUFFLE, shoe.is_shuffled, "shuffle"),
        (Capability.INSPECTION, shoe.is_inspected, "inspection"),
    )


def _check_order(folding: Folding) -> None:
    """Look for a run that was dealt before; one finding for a run, however long it goes on."""
    shoe, state = shoe_in_play(folding), folding.state
    end = len(shoe.order) - 1
    if shoe.run is not None:
        if _goes_on(folding, shoe, end):
            return
        shoe = folding.put_shoe(evolve(shoe_in_play(folding), run=None))
    if Capability.CARDS not in state.reports:
        return
    repeat = repeat_ending_at(shoe.order, end, state.earlier_orders)
    if repeat is None:
        return
    folding.put_shoe(evolve(shoe_in_play(folding), run=(repeat.first, repeat.earlier)))
    run = " ".join(card_of(mark) for mark in shoe.order[repeat.first : end + 1])
    found = shoe_finding(
        folding,
        FindingCode.SHOE_ORDER_REPEATED,
        f"{shoe.shoe_id}/{repeat.first + 1}",
        OrderRepeated(
            cards=run,
            first=repeat.first + 1,
            last=end + 1,
            earlier=repeat.earlier + 1,
            earlier_shoe=repeat.shoe_id or None,
        ),
    )
    assert_of_shoe(folding, found)


def _goes_on(folding: Folding, shoe: ShoeState, end: int) -> bool:
    """Whether the latest card goes on with a run that is repeated."""
    assert shoe.run is not None
    first, earlier = shoe.run
    before = shoe.order[first:end]
    sources = [shoe.order] if earlier < first else []
    sources += [marks for _, marks in folding.state.earlier_orders]
    return any(
        marks[earlier : earlier + len(before)] == before
        and marks[earlier + len(before) : earlier + len(before) + 1] == shoe.order[end]
        for marks in sources
    )
