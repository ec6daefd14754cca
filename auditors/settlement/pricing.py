"""The price of an outcome: what one row of a paytable hands over on a stake, as exact fractions.

The one place where odds, vigorish and rounding become an amount. :mod:`auditors.settlement.amounts`
asks for the price of a stake and says how it comes about; whoever checks many stakes on one outcome
asks once for the part of a stake that is due (:func:`share_of`), the price of one minor unit.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from auditors.law.interpretations import OddsFor, OddsRounding, StakeOutsideLimits, VigorishRounding
from auditors.settlement.rules import PricedOutcome, PricedWager, Rules, Ruling, profit_ratio
from auditors.settlement.terms import Terms, WagerRef
from schemas.money import minor_digits
from schemas.odds import OddsKind
from schemas.rules_submission import VigorishTiming


class NotPayableError(ValueError):
    """An amount is not a whole number of minor units, and no rounding policy is filed."""


class Price(NamedTuple):
    """What is due on a stake under one row, minor units, whole or not."""

    due: Fraction
    """Handed over in all: net of vigorish taken, gross where it is marked."""
    profit: Fraction
    """Won or lost, before vigorish."""
    vigorish: Fraction = Fraction(0)
    """Vigorish taken or marked; never more than was won, or a winner would lose."""
    charged: Fraction = Fraction(0)
    """The rate on what was won, rounded by policy, before that limit."""
    rounding: tuple[str, str] | None = None
    """The interpretation that decided on rounding, and its code."""
    is_proportional: bool = True
    """Any other stake has the same part of it due: no rounding policy comes in."""
    is_read_alike: bool = True
    """Any other stake rests on the same interpretations."""


def price_of(rules: Rules, priced: PricedWager, row: PricedOutcome, stake: Fraction) -> Price:
    """Price one row that is neither paid from a meter nor left open.

    Args:
        rules: The law under the terms of the table.
        priced: The wager.
        row: The row that is paid.
        stake: The stake that stands, minor units.

    Raises:
        NotPayableError: The currency has no quarter to which vigorish could be rounded.
    """
    terms = rules.terms
    if row.odds.less_vigorish:
        return _less_vigorish(terms, stake, stake * row.odds.ratio)
    profit = stake * profit_ratio(row, terms)
    policy, chip = terms.readings[OddsRounding.ID], terms.smallest_chip_minor
    is_left_open = priced.wager.rounding_reading == OddsRounding.ID and row.odds.is_win
    if not is_left_open or (
        row.odds.kind is OddsKind.FOR and terms.readings[OddsFor.ID] == OddsFor.TOTAL
    ):
        return Price(stake + profit, profit)
    is_exact = policy == OddsRounding.EXACT
    if profit % chip == 0:
        return Price(stake + profit, profit, is_proportional=is_exact, is_read_alike=False)
    if not is_exact:
        chips = profit / chip
        whole = chips.numerator // chips.denominator + (1 if policy == OddsRounding.UP else 0)
        profit = Fraction(whole * chip)
    return Price(
        stake + profit,
        profit,
        rounding=(OddsRounding.ID, policy),
        is_proportional=is_exact,
        is_read_alike=False,
    )


def _less_vigorish(terms: Terms, stake: Fraction, won: Fraction) -> Price:
    charged = _vigorish(terms, won)
    vigorish, policy = min(charged, won), terms.readings[VigorishRounding.ID]
    is_marked = terms.vigorish_timing is VigorishTiming.MARKED
    due = stake + won if is_marked else stake + won - vigorish
    return Price(
        due,
        won,
        vigorish,
        charged,
        (VigorishRounding.ID, policy),
        is_proportional=policy == VigorishRounding.EXACT,
    )


def _vigorish(terms: Terms, won: Fraction) -> Fraction:
    """Take vigorish on the amount won, rounded once by the policy in force (D27)."""
    exact, policy = won * terms.vigorish_rate, terms.readings[VigorishRounding.ID]
    if policy == VigorishRounding.EXACT:
        return exact
    digits = minor_digits(terms.currency)
    quarter = whole_minor(Fraction(25 * 10**digits, 100), "a quarter", terms.currency)
    quarters = exact / quarter
    if policy == VigorishRounding.NEAREST_25C:
        halves_up = 2 * quarters.numerator + quarters.denominator
        return Fraction(quarter * (halves_up // (2 * quarters.denominator)))
    return Fraction(quarter * -(-quarters.numerator // quarters.denominator))


def whole_minor(amount: Fraction, what: str, currency: str) -> int:
    """Give an amount in whole minor units.

    Raises:
        NotPayableError: It has a remainder below one.
    """
    if amount.denominator != 1:
        digits = minor_digits(currency)
        raise NotPayableError(
            f"{what} is not payable in whole units of {currency} with {digits} decimals "
            f"({amount / 10**digits}), and no rounding policy is filed"
        )
    return amount.numerator


def standing_limit(rules: Rules, ref: WagerRef) -> int | None:
    """Give the stake up to which a wager stands (D31); None where all of any stake does."""
    most = rules.terms.limits.get(ref.id, (None, None))[1]
    is_returned = rules.terms.readings[StakeOutsideLimits.ID] == StakeOutsideLimits.EXCESS_RETURNED
    return most if is_returned else None


def outcome_word(rows: tuple[PricedOutcome, ...]) -> str:
    """Say how a wager with these rows came out: ``win``, ``push`` or ``lose``."""
    if any(row.odds.is_win for row in rows):
        return "win"
    return "push" if any(row.odds.kind is OddsKind.PUSH for row in rows) else "lose"


class Share(NamedTuple):
    """The part of a stake that is due, for every stake that is a multiple of ``step``."""

    step: int
    due: int
    """Due for one step."""
    vigorish: int
    """Vigorish for one step."""
    is_read_alike: bool = True
    """Every stake rests on the same interpretations."""


_NOTHING = Share(1, 0, 0)


def share_of(rules: Rules, priced: PricedWager, ruling: Ruling) -> Share | None:
    """Give the part of its stake that is due on a wager: its price for one minor unit.

    A table sees few outcomes of a wager and ever other stakes; a file has millions of rows.
    Measured in the fold of a table: 4 µs less for an event, as two of three settlements were new
    stakes.

    Returns:
        None where rounding, a limit, a meter or a choice between rows makes the amount depend on
        more than the ruling and the stake.
    """
    rows = ruling.matched
    if standing_limit(rules, priced.ref) is not None:
        return None
    if len(ruling.candidates) > 1 and priced.match != "first":
        return None
    if outcome_word(rows) == "lose":
        return _NOTHING
    if rows[0].odds.kind in (OddsKind.METER, OddsKind.UNPRICED):
        return None
    price = price_of(rules, priced, rows[0], Fraction(1))
    if not price.is_proportional:
        return None
    # The least stake for which all that settling wants whole is whole.
    step = lcm(*(amount.denominator for amount in price[:4]))
    return Share(step, int(price.due * step), int(price.vigorish * step), price.is_read_alike)
