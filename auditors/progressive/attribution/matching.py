"""Wagers that the controller counted otherwise than the tables accepted them, one by one.

Consecutive wagers of a table with equal stake and rates that were not counted are one group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auditors.progressive.attribution.interval import (
    AcceptedThere,
    Cause,
    CountedThere,
    Interval,
    VoidedThere,
)


@dataclass(frozen=True, slots=True)
class Unlike:
    """Wagers that one side has otherwise than the other, all for one cause."""

    cause: Cause
    accepted: tuple[AcceptedThere, ...] = ()
    """As the table has them, in order; empty where no table accepted it."""
    counted: CountedThere | None = None
    """The controller's event, where there is one."""


def unlike_voids(interval: Interval) -> Iterator[VoidedThere]:
    """Give the voided coups with which the controller did not do what is filed (D9)."""
    for one in interval.voids:
        if one.is_reversed != one.is_reversal_filed:
            yield one


def unlike_wagers(interval: Interval) -> Iterator[Unlike]:
    """Give what was not counted, counted again, counted unasked, or counted with another stake."""
    if not interval.has_wager_events:
        return
    yield from _not_counted(interval)
    accepted = {(one.table_id, one.wager_id): one for one in interval.accepted}
    times: dict[tuple[str, str], int] = {}
    for one in interval.counted:
        key = (one.table_id, one.wager_id)
        before = times.get(key, one.times_before)
        times[key] = before + 1
        there = accepted.get(key)
        known = () if there is None else (there,)
        if before:
            yield Unlike(Cause.COUNTED_TWICE, known, one)
        elif there is None:
            yield Unlike(Cause.NOT_ACCEPTED, (), one)
        elif there.stake_minor != one.stake_minor:
            yield Unlike(Cause.STAKE_DIFFERS, known, one)


def _not_counted(interval: Interval) -> Iterator[Unlike]:
    counted = {(one.table_id, one.wager_id) for one in interval.counted}
    open_runs: dict[str, list[AcceptedThere]] = {}
    for one in interval.accepted:
        run = open_runs.setdefault(one.table_id, [])
        is_missing = (one.table_id, one.wager_id) not in counted
        if run and not (is_missing and _are_equal(run[-1], one)):
            yield Unlike(Cause.WAGERS_NOT_COUNTED, tuple(run))
            run.clear()
        if is_missing:
            run.append(one)
    for run in open_runs.values():
        if run:
            yield Unlike(Cause.WAGERS_NOT_COUNTED, tuple(run))


def _are_equal(one: AcceptedThere, other: AcceptedThere) -> bool:
    return (
        one.stake_minor == other.stake_minor
        and one.increment_rate == other.increment_rate
        and one.reserve_rate == other.reserve_rate
        and one.place.feed_id == other.place.feed_id
    )
