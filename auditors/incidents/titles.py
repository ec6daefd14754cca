"""Titles of incidents: what happened, where, how often, how much money, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from auditors.catalogue import Lane, load_catalogue
from auditors.catalogue.titles import title_of as title_of_finding
from auditors.incidents.causes import lost_of
from auditors.incidents.compositions import Composition, composition_of
from auditors.incidents.course import Course
from auditors.incidents.groups import Group
from auditors.law.wager_names import wager_title
from schemas.events.fields import SEQUENCE_MAX
from schemas.finding_facts.feed import FaultOpen
from schemas.finding_facts.shoe import CardRemoved, DecksLoaded, ShoeComposition
from schemas.findings import Finding, FindingStatus
from schemas.findings import FindingCode as Code
from schemas.money import grouped_minor as grouped
from schemas.words.counting import counted

_OF_SHOES = frozenset(
    {
        Code.SHOE_COMPOSITION,
        Code.CARD_FROM_OTHER_SHOE,
        Code.CARD_REMOVED,
        Code.SHOE_ORDER_REPEATED,
        Code.SHOE_NOT_INSPECTED,
        Code.BURN_MISMATCH,
    }
)
_PAYOUTS = frozenset(
    {Code.WAGER_OVERPAID, Code.WAGER_UNDERPAID, Code.LOSER_PAID, Code.LOSER_NOT_COLLECTED}
)
_PAID = {
    Code.WAGER_OVERPAID: "overpaid",
    Code.WAGER_UNDERPAID: "underpaid",
}


def title_of(course: Course, group: Group, staked_minor: int, paid_minor: int | None) -> str:
    """Tell a group in one line.

    Args:
        course: The table.
        group: The findings.
        staked_minor: Money staked on what it reaches.
        paid_minor: Money paid wrongly, every difference counted as positive; None without any.
    """
    staked = f"{grouped(staked_minor, course.table.currency)} staked"
    return _words(course, group, staked, paid_minor)


def _words(course: Course, group: Group, staked: str, paid_minor: int | None) -> str:
    code, currency = group.code, course.table.currency
    if code in _OF_SHOES:
        return f"{_shoe_words(group)}, {counted(len(group.reach), 'coup')}, {staked}"
    if code is Code.COVER_CARD_OVERRUN:
        coups = counted(len(group.reach), "coup")
        return f"{coups} dealt after the last permitted one, {staked}"
    if code is Code.VIGORISH_OUTSTANDING:
        seats = counted(len({member.finding.seat for member in group.own}), "seat")
        return f"marked vigorish not collected at {seats}, {grouped(paid_minor or 0, currency)}"
    if code is Code.SEQUENCE_GAP:
        return f"{_lost(group)}, {counted(len(group.reach), 'coup')} unverified, {staked}"
    if code is Code.DEVICE_FAULT_OPEN:
        return f"{_fault(group)} open during {counted(len(group.reach), 'coup')}"
    if code is Code.PAYTABLE_MISMATCH:
        return _paytable(group, staked, paid_minor, currency)
    if code in (Code.RULE_LAPSED, Code.RULE_NOT_YET_IN_FORCE):
        return _dates(group, len(group.reach), staked)
    if code is Code.RULES_SUBMISSION_DEFECT:
        version = group.own[0].finding.rules_version or "the Rules Submission"
        return f"{counted(len(group.own), 'defect')} in {version} at {course.table.table_id}"
    return _of_coups(course, group, paid_minor)


def _shoe_words(group: Group) -> str:
    words = _fault_of_shoe(group)
    count = len(group.shoes)
    return words if count < 2 else f"{words} in {count} consecutive shoes"


def _fault_of_shoe(group: Group) -> str:
    first = group.own[0].finding
    if group.code is Code.SHOE_COMPOSITION:
        decks = _decks(first)
        if decks is not None:
            return f"shoe loaded with {decks.loaded} decks, {decks.filed} filed"
        return _composition_words(composition_of(member.finding) for member in group.own)
    if group.code is Code.CARD_REMOVED:
        told = (member.finding.facts for member in group.own)
        cards = [removal.card or "a card" for removal in told if isinstance(removal, CardRemoved)]
        names = " and ".join(dict.fromkeys(cards)) or "a card"
        return f"{names} removed and not replaced"
    if group.code is Code.CARD_FROM_OTHER_SHOE:
        was_dealt = any(member.finding.coup for member in group.own)
        where = "dealt" if was_dealt else "in the shoe"
        return f"{counted(len(group.own), 'card')} of another shoe {where}"
    if group.code is Code.SHOE_ORDER_REPEATED:
        return "the order of cards repeats"
    if group.code is Code.SHOE_NOT_INSPECTED:
        return "no record of shuffle or inspection"
    return "burned cards do not match the exposed card"


def _decks(finding: Finding) -> DecksLoaded | None:
    problems = finding.facts.problems if isinstance(finding.facts, ShoeComposition) else ()
    return next((problem for problem in problems if isinstance(problem, DecksLoaded)), None)


def _composition_words(found: Iterable[Composition]) -> str:
    """Tell how many cards are missing or too many, and which, where several shoes agree on it."""
    shoes = list(found)
    first = reduce(Composition.narrowed, shoes)
    missing, extra = shoes[0].missing_count, shoes[0].extra_count
    parts = []
    if missing:
        named = _named(first.absent, missing)
        parts.append(f"{counted(missing, 'card')} missing from the shoe{named}")
    if extra:
        parts.append(f"{counted(extra, 'card')} too many in the shoe{_named(first.extra, extra)}")
    if doubled := shoes[0].doubled:
        parts.append(f"{counted(doubled, 'card')} came out of the shoe twice")
    return " and ".join(parts) or "the shoe does not hold what its decks hold"


def _named(cards: tuple[tuple[str, int], ...], total: int) -> str:
    """Name cards where it is known which ones they are, and they are few."""
    if sum(count for _, count in cards) != total or len(cards) > 4:
        return ""
    return f" ({', '.join(card if count == 1 else f'{count} {card}' for card, count in cards)})"


def _lost(group: Group) -> str:
    gaps = [gap for member in group.own if (gap := lost_of(member))]
    count = sum(last - first + 1 for first, last in gaps)
    places = f" in {len(group.own)} places" if len(group.own) > 1 else ""
    if any(last == SEQUENCE_MAX for _, last in gaps):
        return f"the end of the feed missing{places}"
    return f"{counted(count, 'event')} missing from the feed{places}" if gaps else "events missing"


def _fault(group: Group) -> str:
    fault = group.own[0].finding.facts
    if not isinstance(fault, FaultOpen):
        return "device fault"
    return f"{fault.device.replace('_', ' ')} fault ({fault.fault})"


def _paytable(group: Group, staked: str, paid_minor: int | None, currency: str) -> str:
    words = title_of_finding(group.own[0].finding)
    coups = counted(len(group.reach), "coup")
    if paid_minor is None:
        return f"{words}; {coups}, {staked}"
    payouts = sum(member.finding.code is not group.code for member in group.findings)
    wrong = f"{counted(payouts, 'payout')} differ by {grouped(paid_minor, currency)}"
    return f"{words}; {coups}, {staked}, {wrong}"


def _dates(group: Group, coups: int, staked: str) -> str:
    words = title_of_finding(group.own[0].finding)
    dates = len({member.gaming_date for member in group.own})
    return f"{words}; {counted(dates, 'gaming date')}, {counted(coups, 'coup')}, {staked}"


def _of_coups(course: Course, group: Group, paid_minor: int | None) -> str:
    table_id, currency = course.table.table_id, course.table.currency
    own = group.own
    first = own[0].finding
    at = course.of_coup(first.coup)
    coup = ""
    if at is not None:
        place = course.coups[at]
        coup = f", shoe {place.shoe_id}" if place.shoe_id else ""
        coup += f", coup {place.coup_no}"
    seat = f" seat {group.seat}" if group.seat else ""
    if len(own) == 1:
        what, after = first.title, ""
        if what is None:
            what, after = _what_once(group, paid_minor, currency), _corrected(group)
        return f"{what} at {table_id}{seat}{coup}{_paid_and_due(group)}{after}"
    money = f", {grouped(paid_minor, currency)}" if paid_minor is not None else ""
    coups = len(group.reach)
    where = coup if coups == 1 else ""
    over = f" in {counted(coups, 'coup')}" if coups > 1 and coups != len(own) else ""
    what = _what_often(course, group, len(own))
    return f"{what} at {table_id}{seat}{where}{over}{money}{_corrected(group)}"


def _corrected(group: Group) -> str:
    is_corrected = all(
        member.finding.status is FindingStatus.CORRECTED for member in group.findings
    )
    return "; corrected" if is_corrected else ""


def _paid_and_due(group: Group) -> str:
    """Add what was paid and due, where that is what differs."""
    finding = next(
        (member.finding for member in group.findings if member.finding.code in _PAID), None
    )
    if finding is None or finding.paid_minor is None or finding.due_minor is None:
        return ""
    paid, due = (
        grouped(minor, finding.currency) for minor in (finding.paid_minor, finding.due_minor)
    )
    return f" — paid {paid}, due {due}"


def _wager_name(wager: str | None, hand: str | None) -> str:
    """Name a wager as its section does."""
    return "" if wager is None else wager_title(wager, hand)


def _what_once(group: Group, paid_minor: int | None, currency: str) -> str:
    finding = group.own[0].finding
    name = _wager_name(finding.wager, finding.hand) or ("payout" if group.code in _PAID else "")
    if group.code in _PAID and finding.difference_minor is not None:
        return f"{name} {_PAID[group.code]} {grouped(abs(finding.difference_minor), currency)}"
    if load_catalogue()[group.code].lane is not Lane.PAYOUT:
        paid_minor = None
    title = load_catalogue()[group.code].title
    words = f"{title}: {name or group.words}" if name or group.words else title
    return f"{words} {grouped(paid_minor, currency)}" if paid_minor else words


def _what_often(course: Course, group: Group, count: int) -> str:
    finding = group.own[0].finding
    name = _wager_name(group.wager, group.hand)
    commission = _commission(course, group)
    if commission:
        return f"{commission} on {count:,} {name} wins"
    if group.code in _PAID:
        word = _PAID[group.code]
        return f"{name} {word} {count:,} times" if name else f"{count:,} payouts {word}"
    title = load_catalogue()[finding.code].title
    name = name or group.words
    return f"{title}: {f'{name}, ' if name else ''}{count:,} times"


def _commission(course: Course, group: Group) -> str:
    """Say that wrong payouts come from the vigorish, where every one of them does."""
    if group.code is Code.VIGORISH_WRONG:
        return "wrong commission"
    if group.code not in _PAID or group.wager is None:
        return ""
    pairs = [
        (member.finding.difference_minor, _vigorish(course, member.finding)) for member in group.own
    ]
    known = [(diff, due) for diff, due in pairs if diff is not None and due]
    if len(known) < len(pairs):
        return ""
    if all(diff == due for diff, due in known):
        return "commission not taken"
    if all(abs(diff) < due for diff, due in known):
        return "wrong commission"
    return ""


def _vigorish(course: Course, finding: Finding) -> int | None:
    """Give the vigorish due on the wager of a finding."""
    at = course.of_coup(finding.coup)
    wanted = (finding.wager, finding.hand, finding.seat)
    for placed in () if at is None else course.coups[at].wagers:
        if (placed.wager, placed.hand, placed.seat) == wanted:
            return placed.vigorish_minor
    return None
