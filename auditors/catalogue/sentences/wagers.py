"""Sentences about how wagers were placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words, money, whose
from schemas.finding_facts import wager as facts
from schemas.findings import Finding


def seconds_beyond(microseconds: int, limit: int) -> str:
    """Write a while in seconds, with as many digits as show that it is beyond a limit."""
    units = (10**zeros for zeros in (5, 4, 3, 2, 1, 0))
    unit = next((unit for unit in units if microseconds // unit > limit // unit), 10**5)
    return seconds(microseconds, 7 - len(str(unit)))


def seconds(microseconds: int, digits: int = 1) -> str:
    """Write a while in seconds, cut to tenths or to more digits: ``1.2``."""
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06}"[: digits - 6 or None]


def wager_late(found: Finding, told: facts.WagerLate) -> Words:
    """Say how long after the call a wager was recorded."""
    when = "after the first card; no more bets, which comes before it, had not been called"
    if told.after_us is not None:
        after = seconds_beyond(told.after_us, told.grace_us)
        grace = seconds(told.grace_us, 3 if told.grace_us % 100_000 else 1)
        when = f"{after} s after no more bets; the filed grace is {grace} s"
    return Words(
        f"{whose(found, told.wager_name)}: recorded {when}.", f"{told.wager_name} placed late"
    )


def wager_changed_late(found: Finding, told: facts.WagerChangedLate) -> Words:
    """Say that a wager was changed too late, and that this changes nothing."""
    times = f" {told.times} times" if told.times > 1 else ""
    after = "no more bets" if told.after == "no_more_bets" else "the first card"
    return Words(
        f"{whose(found, told.wager_name)}: changed or withdrawn{times} after {after}; what is due "
        "does not change.",
        f"{told.wager_name} changed late",
    )


def wager_not_offered(found: Finding, told: facts.WagerNotOffered) -> Words:
    """Say that a wager is not offered at the table."""
    seat = f"Seat {found.seat}: " if found.seat else ""
    return Words(
        f"{seat}{told.wager_name} is not offered at this table{_filing(found)}.",
        f"{told.wager_name} is not offered",
    )


def _filing(found: Finding) -> str:
    return f" (Rules Submission {found.rules_version})" if found.rules_version else ""


def stake_out_of_limits(found: Finding, told: facts.StakeOutOfLimits) -> Words:
    """Say which filed limit a stake breaks."""
    side = "above" if told.bound == "maximum" else "below"
    staked, limit = money(found, told.staked_minor), money(found, told.limit_minor)
    return Words(
        f"{whose(found, told.wager_name)}: {staked} was staked, {side} the filed {told.bound} of "
        f"{limit}{_filing(found)}.",
        f"{told.wager_name} stake of {staked} {side} the {told.bound}",
    )


def base_wager_missing(found: Finding, told: facts.BaseWagerMissing) -> Words:
    """Say that a wager was placed without a wager on Player, Banker or Tie."""
    return Words(
        f"{whose(found, told.wager_name)}: placed without a base wager on Player, Banker or Tie.",
        f"{told.wager_name} without a base wager",
    )


def stake_not_unit(found: Finding, told: facts.StakeNotUnit) -> Words:
    """Say which unit was filed and what was staked."""
    staked, unit = money(found, told.staked_minor), money(found, told.unit_minor)
    filing = f", Rules Submission {found.rules_version}" if found.rules_version else ""
    return Words(
        f"{whose(found, told.wager_name)}: {staked} was staked; the filed unit is {unit} "
        f"(progressive {told.progressive_id}{filing}).",
        f"{told.wager_name} stake of {staked} is not the unit",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.BaseWagerMissing: base_wager_missing,
    facts.StakeNotUnit: stake_not_unit,
    facts.StakeOutOfLimits: stake_out_of_limits,
    facts.WagerChangedLate: wager_changed_late,
    facts.WagerLate: wager_late,
    facts.WagerNotOffered: wager_not_offered,
}
