"""A patron's vigorish at a seat: marked, collected, left behind, collected wrongly."""

from __future__ import annotations

from collections.abc import Iterable

from auditors.table.known.state import SEATS_MAX, VigorishAccount
from schemas.money import MINOR_MAX

Accounts = tuple[VigorishAccount, ...]


def with_accounts(accounts: Accounts, changed: Iterable[VigorishAccount]) -> Accounts:
    """Put accounts in the place of their earlier selves; those that are settled are let go."""
    kept = {(one.seat, one.patron): one for one in accounts}
    for one in changed:
        kept[one.seat, one.patron] = _bounded(one)
    left = [one for one in kept.values() if any(one[2:])]
    return tuple(sorted(left, key=lambda one: (one.seat, one.patron or "")))[:SEATS_MAX]


def _bounded(account: VigorishAccount) -> VigorishAccount:
    """Keep amounts within what a finding can say."""
    if all(abs(one) <= MINOR_MAX for one in account[2:] if isinstance(one, int)):
        return account
    return account._replace(
        open_minor=_within(account.open_minor),
        unmarked_minor=_within(account.unmarked_minor),
        late_minor=_within(account.late_minor),
        late_collected_minor=_within(account.late_collected_minor),
        late_unmarked_minor=_within(account.late_unmarked_minor),
        over_due_minor=_within(account.over_due_minor),
        over_minor=_within(account.over_minor),
        over_left_minor=_within(account.over_left_minor),
    )


def _within(minor: int) -> int:
    return max(-MINOR_MAX, min(MINOR_MAX, minor))


def account_of(accounts: Accounts, seat: str, patron: str | None) -> VigorishAccount:
    """Find an account, or open it."""
    for one in accounts:
        if (one.seat, one.patron) == (seat, patron):
            return one
    return VigorishAccount(seat, patron)


def mark(account: VigorishAccount, marked_minor: int, unmarked_minor: int) -> VigorishAccount:
    """Mark vigorish, or unmark it: what is not collected yet first, then what was left behind.

    Args:
        account: The account.
        marked_minor: What was marked besides; negative where it was unmarked.
        unmarked_minor: By how much more is due that was not marked.
    """
    account = account._replace(unmarked_minor=account.unmarked_minor + unmarked_minor)
    rest = -marked_minor
    if rest <= 0:
        return account._replace(open_minor=account.open_minor + marked_minor)
    late = min(max(0, rest - max(0, account.open_minor)), account.late_left_minor)
    return account._replace(
        open_minor=account.open_minor - rest + late,
        late_unmarked_minor=account.late_unmarked_minor + late,
    )


def collect(accounts: Accounts, seat: str, patron: str | None, minor: int) -> Accounts:
    """Collect vigorish at a seat, or give it back.

    Whoever sits there pays what is marked, then what is due besides, then what was left behind.
    What goes beyond that was not due. A named patron pays nothing that another one owes.

    Args:
        accounts: The accounts of the shoe.
        seat: The seat.
        patron: Whose vigorish it is; None where that is not said.
        minor: What was collected; negative where it was given back.
    """
    here = [one for one in accounts if one.seat == seat and _may_be_of(one, patron)]
    payer = next((one for one in here if one.patron == patron), None)
    if payer is None:
        payer = here[-1] if here and patron is None else VigorishAccount(seat, patron)
    asked = sum(max(0, one.open_minor + one.unmarked_minor) + one.late_left_minor for one in here)
    steps = (_marked, _due, _late) if minor > 0 else (_over, _over_left, _late_back)
    rest, changed = abs(minor), {one.patron: one for one in (*here, payer)}
    for step in steps:
        for name, account in changed.items():
            changed[name], took = step(account, rest)
            rest -= took
    payer = changed[payer.patron]
    was_over = payer.over_now_minor
    payer = payer._replace(open_minor=payer.open_minor - (rest if minor > 0 else -rest))
    if minor > 0 and payer.over_now_minor > was_over and not payer.over_minor:
        payer = payer._replace(over_due_minor=asked)
    changed[payer.patron] = payer
    return with_accounts(accounts, changed.values())


def _may_be_of(account: VigorishAccount, patron: str | None) -> bool:
    return patron is None or account.patron in (patron, None)


def _marked(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, max(0, account.open_minor))
    return account._replace(open_minor=account.open_minor - took), took


def _due(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, max(0, account.open_minor + account.unmarked_minor))
    return account._replace(open_minor=account.open_minor - took), took


def _late(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, account.late_left_minor)
    return account._replace(late_collected_minor=account.late_collected_minor + took), took


def _over(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, account.over_open_minor)
    return account._replace(open_minor=account.open_minor + took), took


def _over_left(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, account.over_left_minor)
    return account._replace(over_left_minor=account.over_left_minor - took), took


def _late_back(account: VigorishAccount, minor: int) -> tuple[VigorishAccount, int]:
    took = min(minor, account.late_collected_minor)
    return account._replace(late_collected_minor=account.late_collected_minor - took), took


def leave(account: VigorishAccount, when: str) -> VigorishAccount:
    """Close the account of a patron who leaves, or of a shoe that ends: nobody takes it over.

    Args:
        account: The account.
        when: What happened, as findings say it.
    """
    left = max(0, account.open_minor)
    return account._replace(
        open_minor=0,
        unmarked_minor=0,
        late_minor=account.late_minor + left,
        late_when=when if left else account.late_when,
        over_left_minor=account.over_now_minor,
    )


def judged(account: VigorishAccount) -> VigorishAccount:
    """Note what stands collected without being due."""
    return account._replace(over_minor=max(account.over_minor, account.over_now_minor))
