"""Beginning and end of a coup; the first event that names it begins it."""

from __future__ import annotations

from auditors.table.coup_records import close_coup, coups_to_drop
from auditors.table.events.coup_events import reached
from auditors.table.events.shoe_dealing import begin_dealing
from auditors.table.events.shoe_events import take_up_unknown
from auditors.table.events.table_events import check_dates, check_faults, compare_displays
from auditors.table.known.context import Folding
from auditors.table.known.coup_names import (
    begins_anew,
    may_begin,
    name_anew,
    names_beside,
    told_coup,
    was_told,
)
from auditors.table.known.gaming_dates import gaming_date_at
from auditors.table.known.rejections import reject, reject_unknown, say_used_again
from auditors.table.known.shoe_names import is_in_play, is_known_by_cards, is_known_shoe, told_id
from auditors.table.known.state import (
    COUPS_KEPT,
    OLD_COUPS_KEPT,
    WAGERS_KEPT,
    CoupState,
    TableState,
)
from auditors.values import evolve
from schemas.events import Capability, CoupEvent
from schemas.finding_facts.feed import EventUnusable
from schemas.findings import FindingCode


def known_coup(folding: Folding, event: CoupEvent) -> CoupState | None:
    """Find the coup of an event that refers to something told before."""
    coup = told_coup(folding.state, event.coup_id)
    if coup is not None:
        return _told_of(folding, coup)
    if was_told(folding.state, event.coup_id):
        _reject_long_closed(folding, event)
    else:
        reject_unknown(folding, event.type, f"coup {event.coup_id}")
    return None


def coup_of(folding: Folding, event: CoupEvent) -> CoupState | None:
    """Find the coup of an event, or begin it; None where it cannot be used."""
    coup = told_coup(folding.state, event.coup_id)
    if coup is not None and not coup.is_closed:
        return _told_of(folding, coup)
    if coup is None and not was_told(folding.state, event.coup_id):
        return _begun(folding, event)
    if _is_anew(folding, event):
        return _begun(folding, event, is_anew=True)
    if coup is not None:
        return _told_of(folding, coup)
    _reject_long_closed(folding, event)
    return None


def _is_anew(folding: Folding, event: CoupEvent) -> bool:
    """Whether an event begins a coup by an id that a coup of an earlier shoe had."""
    state, shoe_id = folding.state, event.shoe_id
    if shoe_id is None:
        return False  # it may be late
    if state.shoe is not None and is_in_play(state, shoe_id):
        return begins_anew(state, event, state.shoe.coup_count)
    return _may_come_into_play(state, shoe_id, event) and begins_anew(state, event, 0)


def _may_come_into_play(state: TableState, shoe_id: str, event: CoupEvent) -> bool:
    """Whether a shoe that is not in play comes into it with an event that names it.

    One of a table that tells no loadings may, also by an id that an earlier one had; so may one
    behind a gap, in which its loading may have been.
    """
    if not is_known_shoe(state, shoe_id):
        return True
    if not may_begin(event) or state.shoe is None:
        return False
    if is_known_by_cards(state, shoe_id):
        return True
    return state.is_after_gap or not state.shoe.is_told


def _told_of(folding: Folding, coup: CoupState) -> CoupState | None:
    """Note that a coup was going on when events went missing, and no other one began in between.

    A coup that had closed before them tells nothing about those that come next. To a coup of
    another feed, which this one did not name, nothing is added.
    """
    if coup.feed_id in folding.state.other_feeds:
        return None
    if not folding.state.is_after_gap or coup.is_closed:
        return coup
    folding.state.is_after_gap = False
    return coup


def _reject_long_closed(folding: Folding, event: CoupEvent) -> None:
    """Say that an event comes too late; of another feed, that was said when this one began."""
    if not folding.state.other_feeds:
        reject(folding, event.type, f"coup {event.coup_id} is long closed")


def _begun(folding: Folding, event: CoupEvent, *, is_anew: bool = False) -> CoupState | None:
    if not folding.state.filings:
        reject_unknown(folding, event.type, "the filing, which table_opened brings,")
        return None
    if not _has_shoe(folding, event):
        return None
    _drop_oldest(folding)
    state, shoe = folding.state, folding.state.shoe
    coup_no = shoe.coup_count + 1 if shoe else 1
    coup = CoupState(
        coup_id=name_anew(state, event.coup_id) if is_anew else event.coup_id,
        feed_id=folding.feed_id,
        shoe_id=shoe.shoe_id if shoe else None,
        coup_no=coup_no,
        filing=state.filings[-1][0],
        gaming_date=gaming_date_at(folding),
        dealer=state.dealer,
        first_sequence=folding.sequence,
        began_at_us=folding.occurred_at_us,
        last_sequence=folding.sequence,
        clock_offset_us=state.clock_offset_us,
        is_unverified=state.is_after_gap,
    )
    folding.state.coups = (*state.coups, coup)
    folding.state.opened_coups = state.opened_coups + 1
    folding.state.shoe = evolve(shoe, coup_count=coup_no) if shoe else None
    folding.state.is_after_gap = False
    _check_beginning(folding, event, coup, is_anew=is_anew)
    check_dates(folding, coup.gaming_date)
    if folding.state.is_display_due:
        compare_displays(folding)
    if Capability.CARDS not in state.reports and begin_dealing(folding):
        return folding.put_coup(evolve(coup, last_sequence=reached(folding, coup), is_overrun=True))
    return coup


def _check_beginning(folding: Folding, event: CoupEvent, coup: CoupState, *, is_anew: bool) -> None:
    """Look whether a coup begins by ids used before, or at a closed table: one finding says both.

    Where events are missing the opening may have been lost.
    """
    state = folding.state
    is_closed = not (state.is_open or state.had_gap or coup.is_unverified)
    kept = names_beside(folding, coup, is_anew=is_anew)
    if kept:
        closed = f"; coup {told_id(coup.coup_id)} begins while the table is closed"
        say_used_again(folding, event.type, kept, closed if is_closed else "")
    elif is_closed:
        folding.assert_of_feed(
            FindingCode.EVENT_REJECTED,
            str(folding.sequence),
            EventUnusable(
                sequence=folding.sequence,
                event_type=event.type,
                problem=f"coup {coup.coup_id} begins while the table is closed",
                then="judged",
            ),
        )


def _has_shoe(folding: Folding, event: CoupEvent) -> bool:
    """See that the shoe which an event names is in play; False where it was before."""
    shoe_id = event.shoe_id
    if shoe_id is None or is_in_play(folding.state, shoe_id):
        return True
    if not _may_come_into_play(folding.state, shoe_id, event):
        reject(folding, event.type, f"shoe {shoe_id} is not in play any more")
        return False
    take_up_unknown(folding, shoe_id, event.type)
    return True


def _drop_oldest(folding: Folding) -> None:
    """Make room for a coup; one that never closed is closed before it is forgotten."""
    for coup in coups_to_drop(folding.state, COUPS_KEPT - 1, WAGERS_KEPT):
        close_coup(folding, coup)
    state = folding.state
    dropped = coups_to_drop(state, COUPS_KEPT - 1, WAGERS_KEPT)
    if dropped:
        gone = tuple(told_id(one.coup_id) for one in dropped)
        folding.state.coups = state.coups[len(dropped) :]
        folding.state.old_coups = (*state.old_coups, *gone)[-OLD_COUPS_KEPT:]


def begin_deal(folding: Folding, coup: CoupState) -> CoupState:
    """Deal the first card of a coup: whatever was dealt before it is over."""
    for one in folding.state.coups:
        if one.coup_id != coup.coup_id and one.cards:
            close_coup(folding, one)
    check_faults(folding, coup.coup_id)
    return (
        folding.put_coup(evolve(coup, last_sequence=reached(folding, coup), is_overrun=True))
        if begin_dealing(folding)
        else coup
    )
