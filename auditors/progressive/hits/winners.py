"""Shares due to the wagers that won the meter, and whether they were paid (D3).

For the fold: ``due_shares`` gives the dues of a hit, ``judge_share`` compares one with what was
paid and gives what a JACKPOT_MISPAID rests on; None where it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from auditors.law.interpretations import ProgressiveShare
from auditors.settlement.amounts import Meter, share_of_meter
from schemas.money import format_minor
from schemas.words.counting import counted

ODD_CENTS_RULE: Final = (
    "leftover minor units go one each to the first winners in order of acceptance"
)
"""How a jackpot is shared that does not divide evenly."""

_POLICY_WORDS: Final = {
    ProgressiveShare.EQUAL: "shared equally",
    ProgressiveShare.BY_STAKE: "shared by stake",
    ProgressiveShare.SEQUENTIAL: (
        "the first in order takes the meter, each later one the reset amount"
    ),
    ProgressiveShare.EACH_WHOLE: "the whole amount to each",
}


@dataclass(frozen=True, slots=True)
class ShareDue:
    """What one winning wager is due, and how that comes about."""

    due_minor: int
    workings: str
    interpretations: dict[str, str]
    meter_minor: int
    """The meter at the lock-out, as shown."""
    winner_count: int
    policy: str
    """Code of reading D3."""


@dataclass(frozen=True, slots=True)
class ShareWrong:
    """What a finding says of a share that was paid otherwise; the subject follows the hit."""

    subject: str
    due_minor: int
    paid_minor: int
    interpretations: dict[str, str]


def due_shares(
    amount_minor: int,
    stakes_minor: Sequence[int],
    policy: str,
    reset_minor: int | None,
    currency: str,
) -> tuple[ShareDue, ...]:
    """Share what a hit awards among the wagers that won it.

    Args:
        amount_minor: What is shown at the lock-out, whole minor units.
        stakes_minor: Of all winning wagers in order of acceptance; at least one.
        policy: Code of reading D3.
        reset_minor: The filed reset amount, which ``sequential_reset`` needs.
        currency: For the workings.

    Returns:
        One for each stake; with ``equal_share`` and ``pro_rata_stake`` they add up to the amount.

    Raises:
        TermsError: ``sequential_reset`` without a reset amount.
    """
    stakes = tuple(stakes_minor)
    used = {ProgressiveShare.ID: policy} if len(stakes) > 1 else {}
    meter = format_minor(amount_minor, currency)
    dues = []
    for position in range(len(stakes)):
        shared = Meter(amount_minor, stakes, position, reset_minor)
        due = share_of_meter(Fraction(amount_minor), shared, policy)
        how = ""
        if len(stakes) > 1:
            how = f", {counted(len(stakes), 'winning wager')}, {_POLICY_WORDS[policy]}"
            if policy in (ProgressiveShare.EQUAL, ProgressiveShare.BY_STAKE):
                how += f" ({ODD_CENTS_RULE})"
        workings = f"meter {meter}{how}: {format_minor(due, currency)}"
        dues.append(ShareDue(due, workings, used, amount_minor, len(stakes), policy))
    return tuple(dues)


def award_of(
    amounts_minor: int, winner_count: int, policy: str, reset_minor: int | None
) -> tuple[int, int]:
    """Say what the meter that was won pays of a hit, and what the house pays beside it.

    Returns:
        Minor units out of the meter, and minor units that no meter has.
    """
    if winner_count < 2 or policy in (ProgressiveShare.EQUAL, ProgressiveShare.BY_STAKE):
        return amounts_minor, 0
    later = amounts_minor if policy == ProgressiveShare.EACH_WHOLE else (reset_minor or 0)
    return amounts_minor, later * (winner_count - 1)


def judge_share(hit: str, wager_id: str, share: ShareDue, paid_minor: int) -> ShareWrong | None:
    """Compare what was paid to a winning wager with its share.

    Args:
        hit: The hit as the finding's subject names it.
        wager_id: The table's id of the wager.
        share: What it is due.
        paid_minor: All that was paid for it, corrections included; 0 where nothing was.
    """
    if paid_minor == share.due_minor:
        return None
    return ShareWrong(
        subject=f"{hit}/{wager_id}",
        due_minor=share.due_minor,
        paid_minor=paid_minor,
        interpretations=share.interpretations,
    )
