"""The frontier, up to which everything has been said: what lies before it is taken in, in order.

It is the earliest of what the controller and every open linked table have said everything up to.
A table that is closed counts as past; one far behind the controller is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditors.progressive.ledger.state import LEFT_OUT_US, Source


def frontier_of(sources: Mapping[str, Source]) -> int:
    """Give the moment up to which everything is known."""
    heard = [one.watermark_us for one in sources.values() if one.is_controller]
    controller_us = min(heard) if heard else None
    # A table that is behind is held against what the controller said last.
    waited_us = max(heard) - LEFT_OUT_US if heard else 0
    earliest = controller_us
    latest = 0
    for is_controller, at_us, is_open, *_ in sources.values():
        if is_controller:
            continue
        if is_open and at_us >= waited_us:
            if earliest is None or at_us < earliest:
                earliest = at_us
        elif at_us > latest:
            latest = at_us
    if controller_us is None:
        # Its controller may only be late: what it said is taken in with what the tables said,
        # also where all of these have closed in the meantime.
        return (latest if earliest is None else earliest) - LEFT_OUT_US
    return latest if earliest is None else earliest


def all_closed_us(sources: Mapping[str, Source]) -> int | None:
    """Give when the last of the tables closed; None while one is open, or none was heard."""
    latest = None
    for one in sources.values():
        if one.is_controller:
            continue
        if one.is_open:
            return None
        if latest is None or one.watermark_us > latest:
            latest = one.watermark_us
    return latest


def left_out(sources: Mapping[str, Source]) -> tuple[str, ...]:
    """Name the open tables that are too far behind the controller to be waited for."""
    heard = [one.watermark_us for one in sources.values() if one.is_controller]
    if not heard:
        return ()
    waited_us = max(heard) - LEFT_OUT_US
    return tuple(
        sorted(
            name
            for name, one in sources.items()
            if not one.is_controller and one.is_open and one.watermark_us < waited_us
        )
    )
