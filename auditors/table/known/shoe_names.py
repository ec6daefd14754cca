"""The shoe that an id names, where a device used it for several.

Devices number their shoes anew with the day, or call them after the two boxes that take turns.
Records replace each other by the name of their shoe, so a shoe whose id was used before is named
beside the event that loaded it: nothing that was found in the earlier one goes.
"""

from __future__ import annotations

from typing import Final

from auditors.table.known.state import OLD_SHOES_KEPT, ShoeState, TableState

BESIDE: Final = ","
"""Stands between an id and what it is named beside; no id has it."""

APART_US: Final = 6 * 3_600_000_000
"""No shoe is dealt from again after so long, in microseconds."""


def told_id(name: str) -> str:
    """Give the id of a coup or shoe as its device told it."""
    return name.partition(BESIDE)[0]


def name_beside(told: str, feed_id: str, sequence: int) -> str:
    """Name what has an id that was used before: beside the event that loaded its shoe.

    Args:
        told: The id.
        feed_id: The feed of that event.
        sequence: Its number there.
    """
    return f"{told}{BESIDE}{feed_id}/{sequence}"


def is_in_play(state: TableState, shoe_id: str) -> bool:
    """Whether a device means the shoe in play by an id."""
    return state.shoe is not None and told_id(state.shoe.shoe_id) == shoe_id


def is_known_shoe(state: TableState, shoe_id: str) -> bool:
    """Whether a shoe of an id is in play, or was."""
    # States of format 2 know the latest shoes by their order of cards alone.
    return shoe_id in state.old_shoes or is_of_late(state, shoe_id)


def is_known_by_cards(state: TableState, shoe_id: str) -> bool:
    """Whether a state of format 2 knows an earlier shoe of an id by its order of cards alone.

    The build that left it refused a further loading by that id: it may be the shoe in play.
    """
    known = shoe_id in state.old_shoes or is_in_play(state, shoe_id)
    return not known and is_of_late(state, shoe_id)


def is_of_late(state: TableState, shoe_id: str) -> bool:
    """Whether a shoe of an id is in play, or was among the latest, so that it may be told again."""
    if is_in_play(state, shoe_id):
        return True
    return any(told_id(name) == shoe_id for name, _ in state.earlier_orders)


def is_told_again(state: TableState, shoe_id: str, feed_id: str, occurred_at_us: int) -> bool:
    """Whether a loading is that of the shoe in play, told a second time.

    Within a feed a device that tells a further loading has loaded again, once coups were played.
    In another feed it may have been started anew amid the shoe, and says where it stands.

    Args:
        state: The table.
        shoe_id: The shoe that is loaded.
        feed_id: The feed that tells it.
        occurred_at_us: When, microseconds since 1970 UTC.
    """
    shoe = state.shoe
    if shoe is None or not is_in_play(state, shoe_id) or is_dealt_out(state, occurred_at_us):
        return False
    return not shoe.coup_count or shoe.feed_id != feed_id


def is_dealt_out(state: TableState, occurred_at_us: int) -> bool:
    """Whether the shoe in play must be over: its end or the cover card came, or hours passed."""
    shoe = state.shoe
    if shoe is None or shoe.is_ended or shoe.last_dealt_no is not None:
        return True
    last_us = max([shoe.loaded_at_us, *[one.began_at_us for one in state.coups]])
    return occurred_at_us - last_us > APART_US


def with_old(state: TableState, shoe: ShoeState) -> tuple[str, ...]:
    """Give the ids of shoes that went out of play, now that a further one does."""
    told = told_id(shoe.shoe_id)
    return (*[one for one in state.old_shoes if one != told], told)[-OLD_SHOES_KEPT:]
