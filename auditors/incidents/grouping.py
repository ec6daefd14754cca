"""Puts every finding of a table under its cause and says how far each cause reaches."""

from __future__ import annotations

from collections import Counter
from typing import Final

from auditors.catalogue import load_catalogue
from auditors.incidents.causes import (
    fault_groups,
    feed_groups,
    filing_groups,
    gap_groups,
    paytable_groups,
    shoe_groups,
)
from auditors.incidents.course import Course
from auditors.incidents.groups import Group
from auditors.incidents.runs import clusters_of, run_groups
from auditors.incidents.surroundings import TableTold, ToldFinding
from auditors.incidents.titles import title_of
from auditors.incidents.values import Incident
from schemas.findings import FindingCode, FindingStatus, Severity

_BY_THE_LAST: Final = frozenset(
    {
        FindingCode.RESULT_MISANNOUNCED,
        FindingCode.POINTS_MISANNOUNCED,
        FindingCode.WINNING_WAGERS_MISREPORTED,
        FindingCode.THIRD_CARD_NOT_DRAWN,
        FindingCode.WAGER_LATE,
        FindingCode.WAGER_CHANGED_LATE,
        FindingCode.SETTLED_TWICE,
        FindingCode.STAKE_TAKEN_TWICE,
    }
)
_ORDER: Final = (Severity.INFO, Severity.NOTICE, Severity.HIGH, Severity.CRITICAL)


def incidents_of(table: TableTold) -> tuple[Incident, ...]:
    """Group what stands about a table into incidents, each finding in exactly one.

    Args:
        table: Its findings, with all coups of the range.

    Returns:
        The incidents in the order in which they began.
    """
    course = Course(table)
    groups = _groups(course)
    found = [_incident(course, group) for group in groups]
    return tuple(sorted(found, key=lambda one: (one.first_occurred_at_us, one.id)))


def _groups(course: Course) -> list[Group]:
    findings = course.table.findings
    groups = [
        *shoe_groups(course, findings),
        *gap_groups(course, findings),
        *feed_groups(course, findings),
        *filing_groups(course, findings),
    ]
    clusters = clusters_of(course, _left(findings, groups))
    taken: list[Group] = []
    for make in (fault_groups, paytable_groups):
        taken += make(course, [cluster.cause for cluster in clusters], clusters)
        used = {told.finding.id for group in taken for told in group.findings}
        clusters = [cluster for cluster in clusters if cluster.cause.finding.id not in used]
    return [*groups, *taken, *run_groups(course, clusters)]


def _left(findings: tuple[ToldFinding, ...], groups: list[Group]) -> list[ToldFinding]:
    used = {told.finding.id for group in groups for told in group.findings}
    return [member for member in findings if member.finding.id not in used]


def _incident(course: Course, group: Group) -> Incident:
    table = course.table
    found = course.in_order(group.findings)
    own = course.in_order(group.own)
    first = own[0]
    staked = _staked(course, group)
    money = _Money(found)
    description = load_catalogue()[group.code]
    coups = course.pick(group.reach)
    place = group.first or (first.feed_id, _first_sequence(first))
    shoes = group.shoes or tuple(dict.fromkeys(coup.shoe_id for coup in coups if coup.shoe_id))
    moments = _moments(course, group)
    counts = Counter(member.finding.code for member in found)
    others = sorted((code for code in counts if code is not group.code), key=lambda one: one.value)
    return Incident(
        id=first.finding.id,
        table_id=table.table_id,
        code=group.code,
        lane=description.lane,
        severity=max((member.finding.severity for member in found), key=_ORDER.index),
        status=_status(found),
        title=title_of(course, group, staked, money.wrongly_paid),
        first_occurred_at_us=min(moments),
        last_occurred_at_us=max(moments),
        first_feed_id=place[0],
        first_sequence=place[1],
        shoe_ids=shoes,
        coup_ids=tuple(coup.coup_id for coup in coups),
        finding_ids=tuple(member.finding.id for member in found),
        codes=tuple((code, counts[code]) for code in (group.code, *others)),
        staked_minor=staked,
        difference_minor=money.difference,
        wrongly_paid_minor=money.wrongly_paid,
        corrected_minor=money.corrected,
        residual_minor=money.residual,
        currency=table.currency,
        is_simulated=table.is_simulated,
    )


def _moments(course: Course, group: Group) -> list[int]:
    """Give when the acts happened that are wrong: the time at which each finding is shown."""
    return [course.moment_of(member) for member in group.findings]


def _first_sequence(told: ToldFinding) -> int:
    """Give the event that differs first: of a payout its settlement, before any correction.

    What was said against the cards, or done after the call, differs by the last event it rests on.
    """
    finding = told.finding
    evidence = finding.evidence or (0,)
    if finding.difference_minor is None:
        return evidence[-1 if finding.code in _BY_THE_LAST else 0]
    return evidence[-2] if finding.corrected_minor and len(evidence) > 1 else evidence[-1]


def _staked(course: Course, group: Group) -> int:
    """Add up what was staked on what a cause reaches."""
    coups = course.pick(group.reach)
    if not group.is_of_wagers:
        return sum(coup.stake_minor for coup in coups)
    return sum(
        placed.stake_minor or 0 for coup in coups for placed in coup.wagers if group.counts(placed)
    )


def _status(found: list[ToldFinding]) -> FindingStatus:
    is_corrected = all(member.finding.status is FindingStatus.CORRECTED for member in found)
    return FindingStatus.CORRECTED if is_corrected else FindingStatus.STANDING


class _Money:
    """Money over the findings of a group; None where none of them is about a payment."""

    def __init__(self, found: list[ToldFinding]) -> None:
        paid = [member.finding for member in found if member.finding.difference_minor is not None]
        differences = [finding.difference_minor or 0 for finding in paid]
        has_money = bool(paid)
        self.difference = sum(differences) if has_money else None
        self.wrongly_paid = (
            sum(abs(difference) for difference in differences) if has_money else None
        )
        self.corrected = (
            sum(finding.corrected_minor or 0 for finding in paid) if has_money else None
        )
        self.residual = sum(finding.residual_minor or 0 for finding in paid) if has_money else None
