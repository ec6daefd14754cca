"""The coup that an id names, where a device used it for several.

Ids are for ever, and devices count their coups anew with a shoe or a day all the same. Records
replace each other by the name of their coup, so a coup whose id was used before in an earlier shoe
is named beside its shoe: nothing that was found in the earlier one goes.
"""

from __future__ import annotations

from typing import Final

from auditors.table.known.context import Folding
from auditors.table.known.shoe_names import BESIDE, told_id
from auditors.table.known.state import CoupState, TableState
from schemas.events import CoupEvent

_LATE_MAX: Final = 64
"""So many coups may lie between one that is over and a late event of it."""

_BEGINNINGS: Final = frozenset({"wager_placed", "no_more_bets", "card_dealt"})
"""What begins a coup; anything else about a coup that is over comes late."""


def told_coup(state: TableState, coup_id: str) -> CoupState | None:
    """Find the coup that a device means by an id: the latest at hand that it told by it."""
    beside = coup_id + BESIDE
    for coup in reversed(state.coups):
        if coup.coup_id == coup_id or coup.coup_id.startswith(beside):
            return coup
    return None


def was_told(state: TableState, coup_id: str) -> bool:
    """Whether a coup that is not at hand any more was told by an id."""
    return coup_id in _remembered(state)


def may_begin(event: CoupEvent) -> bool:
    """Whether an event is one of those with which coups begin; another may be late."""
    return event.type in _BEGINNINGS


def begins_anew(state: TableState, event: CoupEvent, coup_count: int) -> bool:
    """Whether an event begins a coup by an id that a coup of an earlier shoe had.

    Args:
        state: The table.
        event: Of the shoe in play.
        coup_count: Coups of that shoe so far.
    """
    if not may_begin(event):
        return False
    ids = [*_remembered(state), *[told_id(one.coup_id) for one in state.coups]]
    of_others = max(0, len(ids) - coup_count)
    return event.coup_id in ids[:of_others] and event.coup_id not in ids[of_others:]


def _remembered(state: TableState) -> tuple[str, ...]:
    """Give the ids of former coups among which one may come again, the latest last.

    Where ids begin with that of their shoe and its first one was new, all that follow are: then
    only late events have to be known, and these are few.
    """
    shoe, old = state.shoe, state.old_coups
    if shoe is not None and shoe.coup_count and state.coups:
        latest = state.coups[-1].coup_id
        if latest.startswith(shoe.shoe_id) and BESIDE not in latest:
            return old[-_LATE_MAX:]
    return old


def name_anew(state: TableState, coup_id: str) -> str:
    """Name a coup whose id was used before: beside its shoe.

    Not beside the event that brought the shoe into play: where the loading is lost that is another
    one than once it has come, and the coup would stand in the history by two names.
    """
    shoe = state.shoe
    return coup_id if shoe is None else f"{coup_id}{BESIDE}{shoe.shoe_id}"


def names_beside(folding: Folding, coup: CoupState, *, is_anew: bool) -> dict[str, str]:
    """Give the name of a coup that begins by an id used before, and that of such a shoe with it."""
    kept = {f"coup {told_id(coup.coup_id)}": coup.coup_id} if is_anew else {}
    shoe, place = folding.state.shoe, (folding.feed_id, folding.sequence)
    if shoe is None or BESIDE not in shoe.shoe_id:
        return kept
    if (shoe.feed_id, shoe.loaded_sequence) == place:
        kept |= {f"shoe {told_id(shoe.shoe_id)}": shoe.shoe_id}
    return kept
