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
    for member in findings:
        at = course.of_coup(member.finding.coup)
        by_coup.setdefault(course.of_finding(member) if at is None else at, []).append(member)
    return [
        cluster for at in sorted(by_coup) for cluster in _of_coup(at, course.in_order(by_coup[at]))
    ]


def _of_coup(at: int, found: list[ToldFinding]) -> Iterator[Cluster]:
    deals = sorted(
        (member for member in found if member.finding.code in _DEALS),
        key=lambda one: _DEALS.index(one.finding.code),
    )
    rest = [member for member in found if member.finding.code not in _DEALS]
    if deals:
        followers = []
        if deals[0].finding.code in _EXPLAIN_PAYOUTS:
            followers = [member for member in rest if member.finding.code in _PAYOUTS]
            rest = [member for member in rest if member.finding.code not in _PAYOUTS]
        yield Cluster(at, (*deals, *followers))
    while rest:
        cause = min(rest, key=_first_of_a_wager)
        own = [member for member in rest if member is cause or _follows(cause, member)]
        yield Cluster(at, (cause, *(member for member in own if member is not cause)))
        rest = [member for member in rest if member not in own]


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
        kept = [cluster for cluster in run if id(cluster) not in taken]
        if not kept or (len(kept) < len(run) and len(kept) == 1):
            continue
        taken |= {id(cluster) for cluster in kept}
        yield _group(key, kept)
    for cluster in left:
        if id(cluster) not in taken:
            yield _group(_by_wager(cluster), [cluster])


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
        (cluster.cause.finding.wager, cluster.cause.finding.hand) == (finding.wager, finding.hand)
        for cluster in run
    )
    same_seat = all(cluster.cause.finding.seat == finding.seat for cluster in run)
    is_deal = key.code in _DEALS
    return Group(
        key.code,
        [member for cluster in run for member in cluster.findings],
        reach={cluster.at for cluster in run if cluster.cause.finding.coup is not None},
        wager=finding.wager if same_wager and not is_deal else None,
        hand=finding.hand if same_wager and not is_deal and finding.wager else None,
        seat=finding.seat if same_seat and not is_deal else None,
    )


def _runs(
    course: Course, clusters: list[Cluster], by: Callable[[Cluster], _Key]
) -> Iterator[tuple[_Key, list[Cluster]]]:
    by_key: dict[_Key, list[Cluster]] = {}
    for cluster in clusters:
        by_key.setdefault(by(cluster), []).append(cluster)
    for key, found in by_key.items():
        if (by is _by_seat and key.seat is None) or (by is _by_coup and key.code not in _PAYOUTS):
            continue
        could_fail = _occasions(course, key, found)
        run: list[Cluster] = []
        for cluster in found:
            if run and not _goes_on(could_fail, run[-1].at, cluster.at):
                yield key, run
                run = []
            run.append(cluster)
        yield key, run


def _occasions(course: Course, key: _Key, found: list[Cluster]) -> list[int] | None:
    """Count, coup by coup, those in which the same could have gone wrong.

    Returns:
        For each place how many such coups lie before it; None where nothing tells.
    """
    could_fail = _could_fail(key)
    if could_fail is None:
        return None
    known = [cluster for cluster in found if cluster.at < len(course.coups)]
    codes = {_outcome_code(course.coups[cluster.at], cluster) for cluster in known} - {None}
    before, counts = 0, []
    for coup in course.coups:
        counts.append(before)
        before += any(
            key.is_of(placed) and could_fail(placed) and (not codes or placed.outcome_code in codes)
            for placed in coup.wagers
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
    for placed in coup.wagers:
        if (placed.wager, placed.hand, placed.seat) == (finding.wager, finding.hand, finding.seat):
            return placed.outcome_code
    return None


def _goes_on(counts: list[int] | None, before: int, after: int) -> bool:
    if counts is None:
        return after - before <= COUPS_APART_MAX
    # The coup itself is one occasion; none may lie between.
    return after == before or counts[after] == counts[before + 1]
