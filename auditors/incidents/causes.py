"""Causes beyond a coup: shoes, feeds, devices, filings, displays, dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from auditors.incidents.compositions import Composition, composition_of
from auditors.incidents.course import Course
from auditors.incidents.groups import Cluster, Group
from auditors.incidents.surroundings import ToldFinding
from auditors.law import all_laws
from schemas.events.fields import SEQUENCE_MAX
from schemas.finding_facts.feed import EventsMissing, EventUnusable, FaultOpen
from schemas.finding_facts.payment import AmountNotPayable
from schemas.finding_facts.shoe import CardRemoved
from schemas.findings import FindingCode as Code

EVENTS_APART_MAX: Final = 200
"""Faults of a feed that lie no further apart are one incident."""

COUPS_APART_MAX: Final = 8
"""Where nothing tells whether a fault could have happened in a coup, so many coups may lie
between two of one cause."""

_SHOE_CAUSES: Final = (
    Code.CARD_FROM_OTHER_SHOE,
    Code.SHOE_COMPOSITION,
    Code.CARD_REMOVED,
    Code.SHOE_ORDER_REPEATED,
    Code.COVER_CARD_OVERRUN,
    Code.SHOE_NOT_INSPECTED,
    Code.BURN_MISMATCH,
    Code.VIGORISH_OUTSTANDING,
)
"""Faults of shoes; where a shoe has several of one origin, the first of this list names it."""

_IN_A_ROW: Final = frozenset(
    {
        Code.CARD_FROM_OTHER_SHOE,
        Code.SHOE_COMPOSITION,
        Code.SHOE_ORDER_REPEATED,
        Code.SHOE_NOT_INSPECTED,
        Code.BURN_MISMATCH,
    }
)
"""Faults that go on from shoe to shoe: consecutive shoes are one incident."""

_OF_FEEDS: Final = frozenset(
    {
        Code.SEQUENCE_CONFLICT,
        Code.CHAIN_BROKEN,
        Code.FEED_SPLIT,
        Code.CLOCK_REGRESSION,
        Code.EVENT_REJECTED,
        Code.TABLE_SILENT,
    }
)
_PAYOUTS: Final = frozenset(
    {Code.WAGER_OVERPAID, Code.WAGER_UNDERPAID, Code.LOSER_PAID, Code.LOSER_NOT_COLLECTED}
)
_CARD_DEVICES: Final = ("shoe", "card_reader")


def shoe_groups(course: Course, findings: Iterable[ToldFinding]) -> Iterator[Group]:
    """Group faults of shoes: of one shoe, and on through consecutive shoes."""
    by_code: dict[Code, dict[str, list[ToldFinding]]] = {}
    for member in findings:
        if member.finding.code in _SHOE_CAUSES:
            shoe_id = member.finding.shoe or ""
            by_code.setdefault(member.finding.code, {}).setdefault(shoe_id, []).append(member)
    _merge_origins(by_code)
    order = {shoe_id: at for at, shoe_id in enumerate(course.shoe_order)}
    for code in _SHOE_CAUSES:
        run: list[tuple[str, list[ToldFinding]]] = []
        shoes = by_code.get(code, {})
        for shoe_id in sorted(shoes, key=lambda one: (order.get(one, len(order)), one)):
            if run and not _goes_on(code, order, run[-1], (shoe_id, shoes[shoe_id])):
                yield _shoe_group(course, code, run)
                run = []
            run.append((shoe_id, shoes[shoe_id]))
        if run:
            yield _shoe_group(course, code, run)


def _merge_origins(by_code: dict[Code, dict[str, list[ToldFinding]]]) -> None:
    """Put a wrong composition under the foreign or removed card of the same shoe that explains it.

    A foreign card is one too many; a removed card is the one that is missing.
    """
    compositions = by_code.get(Code.SHOE_COMPOSITION, {})
    for shoe_id, found in list(compositions.items()):
        composition = _composition(found)
        foreign = by_code.get(Code.CARD_FROM_OTHER_SHOE, {}).get(shoe_id)
        removed = by_code.get(Code.CARD_REMOVED, {}).get(shoe_id)
        if foreign and composition.extra_count:
            foreign += compositions.pop(shoe_id)
        elif removed and _explains(removed, composition):
            removed += compositions.pop(shoe_id)


def _explains(removed: list[ToldFinding], composition: Composition) -> bool:
    told = (member.finding.facts for member in removed)
    cards = {
        (removal.card, removal.removed_sequence)
        for removal in told
        if isinstance(removal, CardRemoved)
    }
    absent = {card for card, _ in composition.absent}
    return composition.missing_count == len(cards) and {card for card, _ in cards} <= absent


def _composition(found: list[ToldFinding]) -> Composition:
    for member in found:
        if member.finding.code is Code.SHOE_COMPOSITION:
            return composition_of(member.finding)
    return Composition()


def _goes_on(
    code: Code,
    order: dict[str, int],
    before: tuple[str, list[ToldFinding]],
    after: tuple[str, list[ToldFinding]],
) -> bool:
    if code not in _IN_A_ROW:
        return False
    if order.get(after[0], -1) - order.get(before[0], -3) != 1:
        return False
    if code is Code.SHOE_COMPOSITION:
        return _composition(before[1]).is_like(_composition(after[1]))
    return True


def _shoe_group(course: Course, code: Code, run: list[tuple[str, list[ToldFinding]]]) -> Group:
    found = course.in_order(member for _, findings in run for member in findings)
    group = Group(code, found, shoes=tuple(shoe_id for shoe_id, _ in run if shoe_id))
    for shoe_id, findings in run:
        group.reach |= _reach_of_shoe(course, code, shoe_id, findings)
    loaded = {shoe.shoe_id: shoe for shoe in course.table.shoes}
    first = loaded.get(run[0][0])
    if code in (Code.SHOE_COMPOSITION, Code.SHOE_NOT_INSPECTED) and first is not None:
        group.first = (first.feed_id, first.loaded_sequence)
    if code is Code.VIGORISH_OUTSTANDING:
        group.reach = set()
    return group


def _reach_of_shoe(
    course: Course, code: Code, shoe_id: str, findings: list[ToldFinding]
) -> set[int]:
    coups = set(course.of_shoe(shoe_id))
    places = [course.of_finding(member) for member in findings if member.finding.code is code]
    if code is Code.COVER_CARD_OVERRUN:
        return set(places) & coups
    if code is Code.CARD_FROM_OTHER_SHOE:
        # The card lay in the shoe until it came out, in a coup or between two.
        reached = {at for at in coups if at <= max(places)}
        between = [
            member for member in findings if member.finding.code is code and not member.finding.coup
        ]
        if len(between) == len(places):
            last = max(member.finding.evidence[0] for member in between)
            later = course.from_event((between[0].feed_id, last))
            reached -= {at for at in later if course.coups[at].first_sequence > last}
        return reached
    if code is Code.SHOE_ORDER_REPEATED:
        return {at for at in coups if at >= min(places)}
    if code is Code.CARD_REMOVED:
        reached = set[int]()
        for member in findings:
            if member.finding.code is code:
                reached |= coups & set(_after_removal(course, member))
        return reached
    return coups


def _after_removal(course: Course, told: ToldFinding) -> tuple[int, ...]:
    facts, end = told.finding.facts, None
    if isinstance(facts, CardRemoved):
        end = course.table.ended.get((told.feed_id, facts.removed_sequence))
    first = told.finding.evidence[0] if told.finding.evidence else 0
    return course.from_event((told.feed_id, first), end)


def gap_groups(course: Course, findings: Iterable[ToldFinding]) -> Iterator[Group]:
    """Group gaps of feeds that lie together, with the coups that they leave unverified."""
    gaps = course.in_order(
        member for member in findings if member.finding.code is Code.SEQUENCE_GAP
    )
    groups = [Group(Code.SEQUENCE_GAP, run) for run in _near_together(gaps)]
    for at, coup in enumerate(course.coups):
        if not coup.is_unverified:
            continue
        near = [
            (_distance(coup.first_sequence, coup.last_sequence, member), number)
            for number, group in enumerate(groups)
            for member in group.findings
            if member.feed_id == coup.feed_id
        ]
        if near:
            groups[min(near)[1]].reach.add(at)
    yield from groups


def _distance(first: int, last: int, gap: ToldFinding) -> int:
    lost = lost_of(gap) or (gap.finding.evidence[:1] or (0,)) * 2
    if lost[1] < first:
        return first - lost[1]
    return max(0, lost[0] - last)


def lost_of(gap: ToldFinding) -> tuple[int, int] | None:
    """Give the first and the last event that is missing; None where an earlier build told it."""
    facts = gap.finding.facts
    if not isinstance(facts, EventsMissing):
        return None
    last = SEQUENCE_MAX if facts.last_sequence is None else facts.last_sequence
    return facts.first_sequence, last


def _near_together(found: list[ToldFinding]) -> Iterator[list[ToldFinding]]:
    """Split findings of one feed where they lie far apart."""
    by_feed: dict[str, list[ToldFinding]] = {}
    for member in found:
        by_feed.setdefault(member.feed_id, []).append(member)
    for of_feed in by_feed.values():
        of_feed.sort(key=lambda one: (one.finding.evidence[:1], one.finding.id))
        run: list[ToldFinding] = []
        for member in of_feed:
            if run and _apart(run[-1], member) > EVENTS_APART_MAX:
                yield run
                run = []
            run.append(member)
        yield run


def _apart(before: ToldFinding, after: ToldFinding) -> int:
    return (after.finding.evidence or (0,))[0] - (before.finding.evidence or (0,))[-1]


def feed_groups(course: Course, findings: Iterable[ToldFinding]) -> Iterator[Group]:
    """Group what is wrong with a feed: one code (and type of event) at a time."""
    by_kind: dict[tuple[Code, str], list[ToldFinding]] = {}
    for member in findings:
        code = member.finding.code
        if code in _OF_FEEDS:
            facts = member.finding.facts
            event_type = ""
            if isinstance(facts, EventUnusable | AmountNotPayable):
                event_type = facts.event_type or ""
            by_kind.setdefault((code, event_type), []).append(member)
    for (code, event_type), found in by_kind.items():
        for run in _near_together(found):
            yield Group(code, run, words=event_type)


def fault_groups(
    course: Course, findings: Iterable[ToldFinding], clusters: list[Cluster]
) -> Iterator[Group]:
    """Group open faults of one device with the coups dealt meanwhile, and the cards then unread."""
    by_device: dict[tuple[str, str], list[Group]] = {}
    for member in course.in_order(findings):
        if member.finding.code is not Code.DEVICE_FAULT_OPEN:
            continue
        facts = member.finding.facts
        fault = facts if isinstance(facts, FaultOpen) else None
        group = _fault_group(course, member, fault.raised_sequence if fault else None)
        key = (fault.device, fault.fault) if fault else ("", member.finding.id)
        known = by_device.setdefault(key, [])
        if known and _apart_coups(known[-1], group) <= COUPS_APART_MAX:
            known[-1].findings.append(member)
            known[-1].reach |= group.reach
        else:
            known.append(group)
    for (device, _), groups in by_device.items():
        for group in groups:
            if device in _CARD_DEVICES:
                _take(clusters, group, partial(_is_unread_in, frozenset(group.reach)))
            yield group


def _fault_group(course: Course, told: ToldFinding, raised: int | None) -> Group:
    group = Group(Code.DEVICE_FAULT_OPEN, [told])
    dealt = (told.feed_id, told.finding.evidence[0] if told.finding.evidence else 0)
    end = None
    if raised is not None:
        group.first = (told.feed_id, raised)
        end = course.table.ended.get(group.first)
    group.reach |= set(course.from_event(dealt, end))
    return group


def _apart_coups(before: Group, after: Group) -> int:
    if not (before.reach and after.reach):
        return COUPS_APART_MAX + 1
    return max(0, min(after.reach) - max(before.reach))


def _is_unread_in(reach: frozenset[int], cluster: Cluster) -> bool:
    return cluster.code is Code.CARD_UNREADABLE and cluster.at in reach


def paytable_groups(
    course: Course, findings: Iterable[ToldFinding], clusters: list[Cluster]
) -> Iterator[Group]:
    """Group a paytable that is shown or runs with the payouts that follow from it."""
    by_wager: dict[tuple[str | None, str | None], list[ToldFinding]] = {}
    for member in findings:
        if member.finding.code is Code.PAYTABLE_MISMATCH:
            key = (member.finding.wager, member.finding.rules_version)
            by_wager.setdefault(key, []).append(member)
    for (wager, version), found in by_wager.items():
        group = Group(Code.PAYTABLE_MISMATCH, course.in_order(found), wager=wager)
        group.reach = {
            at
            for at, coup in enumerate(course.coups)
            if any(placed.wager == wager for placed in coup.wagers)
        }
        _take(clusters, group, partial(_pays_otherwise, wager, version))
        yield group


def _pays_otherwise(wager: str | None, version: str | None, cluster: Cluster) -> bool:
    """Whether a payout differs on a wager whose paytable is shown or runs otherwise."""
    finding = cluster.cause.finding
    return cluster.code in _PAYOUTS and finding.wager == wager and finding.rules_version == version


def _take(clusters: list[Cluster], group: Group, follows: Callable[[Cluster], bool]) -> None:
    """Move the clusters that follow from a cause into its group."""
    for cluster in [cluster for cluster in clusters if follows(cluster)]:
        clusters.remove(cluster)
        group.findings += cluster.findings
        group.reach.add(cluster.at)


def filing_groups(course: Course, findings: Iterable[ToldFinding]) -> Iterator[Group]:
    """Group defects by filing, and lapsed sections over their gaming dates."""
    by_key: dict[tuple[Code, str], list[ToldFinding]] = {}
    for member in findings:
        finding = member.finding
        if finding.code is Code.RULES_SUBMISSION_DEFECT:
            by_key.setdefault((finding.code, finding.rules_version or ""), []).append(member)
        elif finding.code in (Code.RULE_LAPSED, Code.RULE_NOT_YET_IN_FORCE):
            by_key.setdefault((finding.code, finding.citation or ""), []).append(member)
    for (code, key), found in by_key.items():
        group = Group(code, course.in_order(found))
        if code is not Code.RULES_SUBMISSION_DEFECT:
            dates = {member.gaming_date for member in found}
            group.section = _section_of(key)
            group.reach = {
                at
                for at, coup in enumerate(course.coups)
                if coup.gaming_date in dates and any(group.counts(placed) for placed in coup.wagers)
            }
        yield group


def _section_of(citation: str) -> str:
    """Find the section that a citation names; empty where none is known."""
    sections = (section for law in all_laws() for section in law.sections.values())
    return next((section.id for section in sections if section.citation("") == citation), "")
