"""Wagers that the controller counted around a lock-out, kept until the meter is set back."""

from __future__ import annotations

from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import (
    EARLIEST,
    OPEN_COUNTS_MAX,
    RECENT_COUNTS,
    CountedLately,
    Level,
)
from auditors.progressive.readings.expectations import Counting


def counted_lately(
    level: Level, counting: Counting, reading: Effect, up_to: list[Effect]
) -> tuple[CountedLately, ...]:
    """Give what was counted up to a reading, as far as a reset that is said later may need it."""
    if not level.has_counts:
        return ()
    base = level.baseline
    position = base.position if base is not None else EARLIEST
    kept = level.recent if position[2] == reading.feed else ()
    counts = [one for one in up_to if one.kind == "count" and one[:4] > position]
    lock = _open_lock(level, counting, reading.sequence)
    if lock is None:
        return (*kept, *(_counted(counting, one) for one in counts[-RECENT_COUNTS:]))[
            -RECENT_COUNTS:
        ]
    found = (*kept, *(_counted(counting, one) for one in counts))
    behind = next((at for at, one in enumerate(found) if one.sequence > lock), len(found))
    return found[max(0, behind - RECENT_COUNTS) : behind + OPEN_COUNTS_MAX]


def _open_lock(level: Level, counting: Counting, until: int) -> int | None:
    """Give the first lock-out of hits after which the meter is not set back yet."""
    locks = [
        lock.sequence
        for hit in level.hits
        if (hit.reset_said is None or hit.reset_said.sequence > until)
        and (lock := counting.locks.get((hit.table_id, hit.coup_id))) is not None
    ]
    return min(locks, default=None)


def _counted(counting: Counting, one: Effect) -> CountedLately:
    accepted = counting.accepts.get((one.table, one.name))
    if accepted is not None and accepted.stake == one.stake:
        display = accepted.display
    else:
        display = one.stake * counting.rates_at(one.table, one.at_us)[0]
    return CountedLately(one.sequence, one.at_us, one.table, one.name, one.coup, one.stake, display)
