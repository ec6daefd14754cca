"""Findings of coups that have one cause: those of one fault, coup after coup.

First the findings of a coup are put under the one that explains the others. Then the same code on
the same wager, or at the same seat, is one incident as long as no coup lies between in which the
same could have gone wrong and did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from auditors.incidents.causes import COUPS_APART_MAX
from auditors.incidents.course import Course
from auditors.incidents.groups import Cluster, Group
from auditors.incidents.surroundings import ToldCoup, ToldFinding, ToldWager
from schemas.findings import FindingCode as Code

_DEALS: Final = (
    Code.CARD_AFTER_NATURAL,
    Code.THIRD_CARD_NOT_DRAWN,
    Code.THIRD_CARD_DRAWN_IN_ERROR,
    Code.DEAL_ORDER,
    Code.RESULT_MISANNOUNCED,
    Code.CARD_UNREADABLE,
    Code.WINNING_WAGERS_MISREPORTED,
    Code.POINTS_MISANNOUNCED,
)
"""Faults of the deal, the one that explains the others first."""

_EXPLAIN_PAYOUTS: Final = frozenset(_DEALS[:5])
"""Faults of the deal after which wrong payouts follow."""

_PAYOUTS: Final = frozenset(
    {Code.WAGER_OVERPAID, Code.WAGER_UNDERPAID, Code.LOSER_PAID, Code.LOSER_NOT_COLLECTED}
)
_LATE: Final = frozenset({Code.WAGER_LATE, Code.WAGER_CHANGED_LATE})
_WON: Final = frozenset({Code.WAGER_OVERPAID, Code.WAGER_UNDERPAID})
_LOST: Final = frozenset({Code.LOSER_PAID, Code.LOSER_NOT_COLLECTED})


def clusters_of(course: Course, findings: Iterable[ToldFinding]) -> list[Cluster]:
    """Put the findings of each coup under those that explain them."""
    by_coup: dict[int, list[ToldFinding]] = {}
    for one in findings:
        at = course.of_coup(one.finding.coup)
        by_coup.setdefault(course.of_finding(one) if at is None else at, []).append(one)
    return [
        cluster for at in sorted(by_coup) for cluster in _of_coup(at, course.in_order(by_coup[at]))
    ]


def _of_coup(at: int, found: list[ToldFinding]) -> Iterator[Cluster]:
    deals = sorted(
        (one for one in found if one.finding.code in _DEALS),
        key=lambda one: _DEALS.index(one.finding.code),
    )
    rest = [one for one in found if one.finding.code not in _DEALS]
    if deals:
        followers = []
        if deals[0].finding.code in _EXPLAIN_PAYOUTS:
            followers = [one for one in rest if one.finding.code in _PAYOUTS]
            rest = [one for one in rest if one.finding.code not in _PAYOUTS]
        yield Cluster(at, (*deals, *followers))
    while rest:
        cause = min(rest, key=_first_of_a_wager)
        own = [one for one in rest if one is cause or _follows(cause, one)]
        yield Cluster(at, (cause, *(one for one in own if one is not cause)))
        rest = [one for one in rest if one not in own]


def _first_of_a_wager(told: ToldFinding) -> bool:
    """Sort late changes first: a wrong payout of the same wager follows from one."""
    return told.finding.code not in _LATE


def _follows(cause: ToldFinding, other: ToldFinding) -> bool:
    """Whether a finding follows from another of the same coup."""
    one, two = cause.finding, other.finding
    if one.code in _LATE:
        same = (one.seat, one.wager, one.hand) == (two.seat, two.wager, two.hand)
        return same and two.code in _PAYOUTS
    if one.code in _PAYOUTS and two.code is Code.CORRECTION_UNAUTHORISED:
        return not set(one.evidence).isdisjoint(two.evidence)
    return False


@dataclass(frozen=True, slots=True)
class _Key:
    """By what findings are one cause."""

    code: Code
    rules_version: str | None
    wager: str | None = None
    hand: str | None = None
    seat: str | None = None
    at: int | None = None
    """Place of the one coup that it is about."""

    def is_of(self, wager: ToldWager) -> bool:
        """Whether a wager of a coup is one of those that the cause is about."""
        return (
            (self.wager is None or wager.wager == self.wager)
            and (self.hand is None or wager.hand == self.hand)
            and (self.seat is None or wager.seat == self.seat)
        )


def run_groups(course: Course, clusters: Iterable[Cluster]) -> Iterator[Group]:
    """Group clusters of one fault, coup after coup; the longest runs are told first."""
    left = list(clusters)
    ways = (_by_wager, _by_seat, _by_coup)
    runs = [(key, run) for by in ways for key, run in _runs(course, left, by)]
    runs.sort(key=lambda one: -len(one[1]))
    taken: set[int] = set()
    for key, run in runs:
        kept = [one for one in run if id(one) not in taken]
        if not kept or (len(kept) < len(run) and len(kept) == 1):
            continue
        taken |= {id(one) for one in kept}
        yield _group(key, kept)
    for one in left:
        if id(one) not in taken:
            yield _group(_by_wager(one), [one])


def _by_wager(cluster: Cluster) -> _Key:
    finding = cluster.cause.finding
    if finding.wager is None and finding.code in _PAYOUTS:
        return _by_seat(cluster)
    return _Key(cluster.code, finding.rules_version, finding.wager, finding.hand)


def _by_seat(cluster: Cluster) -> _Key:
    finding = cluster.cause.finding
    return _Key(cluster.code, finding.rules_version, seat=finding.seat)


def _by_coup(cluster: Cluster) -> _Key:
    return _Key(cluster.code, cluster.cause.finding.rules_version, at=cluster.at)


def _group(key: _Key, run: list[Cluster]) -> Group:
    """Make a group; one finding alone is about its wager at its seat."""
    finding = run[0].cause.finding
    same_wager = all(
        (one.cause.finding.wager, one.cause.finding.hand) == (finding.wager, finding.hand)
        for one in run
    )
    same_seat = all(one.cause.finding.seat == finding.seat for one in run)
    is_deal = key.code in _DEALS
    return Group(
        key.code,
        [one for cluster in run for one in cluster.findings],
        reach={one.at for one in run if one.cause.finding.coup is not None},
        wager=finding.wager if same_wager and not is_deal else None,
        hand=finding.hand if same_wager and not is_deal and finding.wager else None,
        seat=finding.seat if same_seat and not is_deal else None,
    )


def _runs(
    course: Course, clusters: list[Cluster], by: Callable[[Cluster], _Key]
) -> Iterator[tuple[_Key, list[Cluster]]]:
    by_key: dict[_Key, list[Cluster]] = {}
    for one in clusters:
        by_key.setdefault(by(one), []).append(one)
    for key, found in by_key.items():
        if (by is _by_seat and key.seat is None) or (by is _by_coup and key.code not in _PAYOUTS):
            continue
        could_fail = _occasions(course, key, found)
        run: list[Cluster] = []
        for one in found:
            if run and not _goes_on(could_fail, run[-1].at, one.at):
                yield key, run
                run = []
            run.append(one)
        yield key, run


def _occasions(course: Course, key: _Key, found: list[Cluster]) -> list[int] | None:
    """Count, coup by coup, those in which the same could have gone wrong.

    Returns:
        For each place how many such coups lie before it; None where nothing tells.
    """
    could_fail = _could_fail(key)
    if could_fail is None:
        return None
    known = [one for one in found if one.at < len(course.coups)]
    codes = {_outcome_code(course.coups[one.at], one) for one in known} - {None}
    before, counts = 0, []
    for coup in course.coups:
        counts.append(before)
        before += any(
            key.is_of(one) and could_fail(one) and (not codes or one.outcome_code in codes)
            for one in coup.wagers
        )
    return [*counts, before]


def _could_fail(key: _Key) -> Callable[[ToldWager], bool] | None:
    if key.code in _WON:
        return lambda wager: wager.outcome in ("win", "push") and wager.paid_minor is not None
    if key.code in _LOST:
        return lambda wager: wager.outcome == "lose" and wager.paid_minor is not None
    if key.code is Code.VIGORISH_WRONG:
        return lambda wager: bool(wager.vigorish_minor)
    if key.code is Code.WAGER_NOT_SETTLED:
        return lambda wager: wager.outcome is not None
    return None


def _outcome_code(coup: ToldCoup, cluster: Cluster) -> str | None:
    """Give by which outcome the wager of a finding won or lost."""
    finding = cluster.cause.finding
    if finding.wager is None or cluster.code not in _WON:
        return None
    for one in coup.wagers:
        if (one.wager, one.hand, one.seat) == (finding.wager, finding.hand, finding.seat):
            return one.outcome_code
    return None


def _goes_on(counts: list[int] | None, before: int, after: int) -> bool:
    if counts is None:
        return after - before <= COUPS_APART_MAX
    # The coup itself is one occasion; none may lie between.
    return after == before or counts[after] == counts[before + 1]
