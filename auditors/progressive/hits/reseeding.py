"""What the meter should show after a hit, and who pays for it (D6).

For the fold: ``due_reseed`` gives the new display and its funding, ``judge_reseed`` compares it
with what the controller said and gives what a RESEED_MISMATCH says; None where it is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from auditors.law.interpretations import ResetAmount
from auditors.progressive.ledger.amounts import exact_text
from schemas.finding_facts.meter import ResetAmountSaid

_NOTHING: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class Reseed:
    """How a meter is set back: all amounts exact minor units."""

    display: Fraction
    """What it begins with, before what was accepted since the lock-out."""
    reserve_funded: Fraction
    house_funded: Fraction


@dataclass(frozen=True, slots=True)
class ReseedSaid:
    """What the controller said of it."""

    display_before: Fraction
    display_after: Fraction
    reserve_funded: Fraction
    house_funded: Fraction


@dataclass(frozen=True, slots=True)
class ReseedWrong:
    """What a finding says of a reset that should have been another."""

    due: Fraction
    """Display that is due after the reset, with what was accepted since the lock-out."""
    said: Fraction
    amounts: tuple[ResetAmountSaid, ...]
    """Those that the controller said otherwise than they are due."""
    interpretations: dict[str, str]


def due_reseed(reserve: Fraction, reset_minor: int, policy: str) -> Reseed:
    """Say what a meter is set back to: the filed amount, or what the reserve holds.

    Args:
        reserve: What the reserve holds when the meter is set back; at least 0.
        reset_minor: The filed reset amount.
        policy: Code of reading D6: under ``fixed_seed`` the house pays what the reserve lacks,
            under ``reserve_only`` the whole reserve is the new display.
    """
    if policy == ResetAmount.RESERVE_ONLY:
        return Reseed(reserve, reserve, _NOTHING)
    display = Fraction(reset_minor)
    from_reserve = min(max(reserve, _NOTHING), display)
    return Reseed(display, from_reserve, display - from_reserve)


def judge_reseed(
    due: Reseed,
    accepted_since: Fraction,
    said: ReseedSaid,
    policy: str,
    currency: str,
    tolerance: Fraction = _NOTHING,
) -> ReseedWrong | None:
    """Compare how the controller set a meter back with how it should have.

    Args:
        due: What should have been.
        accepted_since: Contributions between the lock-out and the reset.
        said: What the controller said.
        policy: Code of reading D6.
        currency: For the amounts.
        tolerance: An amount may differ by less than this: what is said may be rounded (D8).
    """
    display = due.display + accepted_since
    pairs: tuple[tuple[Literal["display", "reserve", "house"], Fraction, Fraction], ...] = (
        ("display", said.display_after, display),
        ("reserve", said.reserve_funded, due.reserve_funded),
        ("house", said.house_funded, due.house_funded),
    )
    amounts = tuple(
        ResetAmountSaid(
            what=what, said=exact_text(amount, currency), due=exact_text(right, currency)
        )
        for what, amount, right in pairs
        if not _agrees(amount, right, tolerance)
    )
    if not amounts:
        return None
    return ReseedWrong(
        due=display,
        said=said.display_after,
        amounts=amounts,
        interpretations={ResetAmount.ID: policy},
    )


def _agrees(said: Fraction, right: Fraction, tolerance: Fraction) -> bool:
    return said == right or abs(right - said) < tolerance
