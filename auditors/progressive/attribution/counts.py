"""What the controller's counts by table lack or have too much, and what that would come to.

A controller that reports no single wagers still says how many it counted for each table, and their
stakes. Where those differ from the ledger, the number and the sum of the stakes are known even
where nobody can say which wagers they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from auditors.progressive.attribution.candidates import ONE_EVENT
from auditors.progressive.attribution.fitting import Added, CountGap, Guess
from auditors.progressive.attribution.interval import Cause
from auditors.progressive.attribution.problem import Problem

SETS_MAX: Final = 256
"""At most so many ways to place what is lacking before or after a lock-out are tried."""


def count_gaps(problem: Problem) -> tuple[CountGap, ...]:
    """Compare the counts by table with the ledger; nothing where all agree or none are said."""
    counts: dict[str, int] = {}
    coin_in: dict[str, int] = {}
    for one in problem.wagers:
        counts[one.table_id] = counts.get(one.table_id, 0) + 1
        coin_in[one.table_id] = coin_in.get(one.table_id, 0) + one.stake_minor
    gaps = (
        CountGap(
            table.table_id,
            counts.get(table.table_id, 0) - table.read_count,
            coin_in.get(table.table_id, 0) - table.read_coin_in_minor,
        )
        for table in problem.interval.tables
        if table.read_count is not None
    )
    return tuple(one for one in gaps if one.count or one.coin_in_minor)


def counts_alone(gaps: tuple[CountGap, ...]) -> tuple[Guess, ...]:
    """Give the causes where the meters have all that was accepted, and only counts differ."""
    return tuple(Guess(Cause.COUNT_DIFFERS, 0, 0, ONE_EVENT, by_count=one) for one in gaps)


def guesses_by_count(problem: Problem, gaps: tuple[CountGap, ...]) -> Iterator[tuple[Guess, ...]]:
    """Give the sets of causes, one for each table, that make the counts right.

    Returns:
        Nothing where some table's difference is no number of its wagers.
    """
    options = [tuple(_of_table(problem, gap)) for gap in gaps]
    for number, chosen in enumerate(product(*options)):
        if number >= SETS_MAX:
            return
        yield chosen


def _of_table(problem: Problem, gap: CountGap) -> Iterator[Guess]:
    """Give what a table's difference may come to: by where its wagers stand to the lock-out."""
    cause = Cause.WAGERS_NOT_COUNTED if gap.count > 0 else Cause.COUNTED_TWICE
    count, coin_in = abs(gap.count), abs(gap.coin_in_minor)
    if not count or (gap.count > 0) != (gap.coin_in_minor > 0):
        return
    sign = -1 if gap.count > 0 else 1
    kinds: dict[tuple[object, ...], list[Added]] = {}
    for one in problem.wagers:
        if one.table_id == gap.table_id:
            kinds.setdefault((one.is_shown, one.rates), []).append(one)
    is_found = False
    for wagers in kinds.values():
        members = _possible(wagers, count, coin_in)
        if members:
            is_found = True
            first = members[0]
            display, reserve = (
                sign * (coin_in * rate * problem.scale).numerator for rate in first.rates
            )
            yield Guess(
                cause,
                display * first.is_shown,
                reserve,
                ONE_EVENT,
                members,
                0,
                count,
                by_count=gap,
            )
    if not is_found and sign > 0:
        yield from _beyond(problem, gap)


def _beyond(problem: Problem, gap: CountGap) -> Iterator[Guess]:
    """Give what was counted too much where no accepted wager has such a stake."""
    for table in problem.interval.tables:
        shown, hidden = table.increment_filed, table.reserve_filed
        if table.table_id == gap.table_id and shown is not None and hidden is not None:
            display, reserve = (
                (-gap.coin_in_minor * rate * problem.scale).numerator for rate in (shown, hidden)
            )
            yield Guess(
                Cause.COUNTED_TWICE, display, reserve, ONE_EVENT, count=-gap.count, by_count=gap
            )


def _possible(wagers: list[Added], count: int, coin_in: int) -> tuple[Added, ...]:
    """Give the wagers of which some are lacking; none where so many cannot have that stake."""
    stakes = sorted(one.stake_minor for one in wagers)
    if len(stakes) < count or not sum(stakes[:count]) <= coin_in <= sum(stakes[-count:]):
        return ()
    if count == 1:
        return tuple(one for one in wagers if one.stake_minor == coin_in)
    if coin_in == count * stakes[0]:
        return tuple(one for one in wagers if one.stake_minor == stakes[0])
    return tuple(wagers)
