"""Shares of a hit, the reset after it, and a day's liability: to the last part of a cent."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.progressive.hits.reseeding import ReseedSaid, due_reseed, judge_reseed
from auditors.progressive.hits.winners import award_of, due_shares, judge_share
from auditors.progressive.ledger.double_entry import (
    Account,
    DayLiability,
    balances,
    day_liability,
    together,
)
from auditors.settlement.terms import TermsError
from schemas.progressive_rows import DayRow

POLICIES = ("equal_share", "pro_rata_stake", "sequential_reset", "each_full")


def dues(amount: int, stakes: tuple[int, ...], policy: str) -> tuple[int, ...]:
    return tuple(one.due_minor for one in due_shares(amount, stakes, policy, 1_000_000, "USD"))


def test_a_single_winner_takes_the_meter_under_every_reading() -> None:
    for policy in POLICIES:
        (share,) = due_shares(12_500_001, (500,), policy, 1_000_000, "USD")
        assert share.due_minor == 12_500_001
        assert share.interpretations == {}
        assert share.workings == "meter 125000.01: 125000.01"


def test_odd_cents_go_to_the_first_in_order_of_acceptance() -> None:
    assert dues(100, (500, 500, 500), "equal_share") == (34, 33, 33)
    assert dues(101, (500, 500, 500), "equal_share") == (34, 34, 33)
    assert dues(100, (500, 1000), "pro_rata_stake") == (34, 66)


def test_other_readings_pay_later_winners_the_reset_or_the_whole() -> None:
    assert dues(12_500_000, (500, 500, 500), "sequential_reset") == (12_500_000, 10**6, 10**6)
    assert dues(12_500_000, (500, 500), "each_full") == (12_500_000, 12_500_000)
    assert award_of(12_500_000, 3, "sequential_reset", 10**6) == (12_500_000, 2 * 10**6)
    assert award_of(12_500_000, 2, "each_full", None) == (12_500_000, 12_500_000)
    assert award_of(12_500_000, 2, "equal_share", None) == (12_500_000, 0)
    assert award_of(12_500_000, 1, "each_full", None) == (12_500_000, 0)
    with pytest.raises(TermsError, match="file the progressive's reset"):
        due_shares(100, (500, 500), "sequential_reset", None, "USD")


@given(
    amount=st.integers(0, 10**9),
    stakes=st.lists(st.integers(1, 10**5), min_size=1, max_size=12).map(tuple),
    policy=st.sampled_from(["equal_share", "pro_rata_stake"]),
)
def test_shares_add_up_to_the_meter_and_are_within_a_cent_of_even(
    amount: int, stakes: tuple[int, ...], policy: str
) -> None:
    shares = dues(amount, stakes, policy)
    assert sum(shares) == amount
    weights = stakes if policy == "pro_rata_stake" else (1,) * len(stakes)
    for share, weight in zip(shares, weights, strict=True):
        assert abs(share - Fraction(amount * weight, sum(weights))) < 1 + len(stakes) * (
            policy == "pro_rata_stake"
        )


def test_a_share_paid_otherwise_says_due_paid_and_the_difference() -> None:
    first, second = due_shares(10_001, (500, 500), "equal_share", None, "USD")
    assert judge_share("H-1", "w7", first, 5_001) is None
    wrong = judge_share("H-1", "w8", second, 5_001)
    assert wrong is not None
    assert (wrong.subject, wrong.due_minor, wrong.paid_minor) == ("H-1/w8", 5_000, 5_001)
    assert wrong.interpretations == {"D3": "equal_share"}
    assert (second.meter_minor, second.winner_count, second.policy) == (10_001, 2, "equal_share")
    assert second.workings == (
        "meter 100.01, 2 winning wagers, shared equally (leftover minor units go one each to the "
        "first winners in order of acceptance): 50.00"
    )
    unpaid = judge_share("H-1", "w8", second, 0)
    assert unpaid is not None
    assert (unpaid.due_minor, unpaid.paid_minor) == (5_000, 0)


@pytest.mark.parametrize(
    ("reserve", "from_reserve", "from_house"),
    [(0, 0, 10_000), (9_999, 9_999, 1), (10_000, 10_000, 0), (10_001, 10_000, 0)],
)
def test_the_reserve_pays_the_filed_reset_as_far_as_it_goes(
    reserve: int, from_reserve: int, from_house: int
) -> None:
    due = due_reseed(Fraction(reserve), 10_000, "fixed_seed")
    assert (due.display, due.reserve_funded, due.house_funded) == (
        10_000,
        from_reserve,
        from_house,
    )
    only = due_reseed(Fraction(reserve), 10_000, "reserve_only")
    assert (only.display, only.reserve_funded, only.house_funded) == (reserve, reserve, 0)


def test_a_reset_to_another_amount_or_with_other_funding_is_told() -> None:
    due = due_reseed(Fraction(60_001, 2), 1_000_000, "fixed_seed")
    since = Fraction(225)

    def judged(
        after: int, reserve: Fraction, house: Fraction
    ) -> tuple[tuple[str, str, str], ...] | None:
        said = ReseedSaid(Fraction(12_500_000), Fraction(after), reserve, house)
        wrong = judge_reseed(due, since, said, "fixed_seed", "USD")
        if wrong is None:
            return None
        return tuple((amount.what, amount.said, amount.due) for amount in wrong.amounts)

    right = due.reserve_funded, due.house_funded
    assert judged(1_000_225, *right) is None
    assert judged(1_000_000, *right) == (("display", "10000.00", "10002.25"),)
    assert judged(1_000_225, Fraction(0), Fraction(1_000_000)) == (
        ("reserve", "0.00", "300.005"),
        ("house", "10000.00", "9699.995"),
    )
    truncated = ReseedSaid(Fraction(1), Fraction(1_000_225), Fraction(30_000), Fraction(969_999))
    assert judge_reseed(due, since, truncated, "fixed_seed", "USD") is not None
    assert judge_reseed(due, since, truncated, "fixed_seed", "USD", Fraction(1)) is None


AMOUNTS = [Fraction(0), Fraction(1, 3), Fraction(250), Fraction(-7, 2)]


def day_with(
    contributions: Fraction, jackpots: Fraction, reseeds: Fraction, adjustments: Fraction
) -> DayLiability:
    opening, reserve = Fraction(10_001, 4), Fraction(801, 2)
    closing = opening + contributions - jackpots + reseeds + adjustments + Fraction(1, 8)
    return DayLiability(
        opening,
        contributions,
        jackpots,
        reseeds,
        adjustments,
        Fraction(1, 8),
        closing,
        closing - reserve - 100,
        reserve,
        Fraction(100),
    )


@pytest.mark.parametrize("amounts", list(product(AMOUNTS, repeat=4)))
def test_every_movement_stands_on_two_accounts_and_the_day_balances(
    amounts: tuple[Fraction, Fraction, Fraction, Fraction],
) -> None:
    day = day_with(*amounts)
    assert day.is_balanced
    posted = balances(day)
    assert sum(posted.values()) == day.opening
    held = posted[Account.DISPLAY] + posted[Account.RESERVE] + posted[Account.RESIDUE]
    assert held == day.closing
    assert posted[Account.DISPLAY].denominator == posted[Account.RESERVE].denominator == 1
    assert posted[Account.RESIDUE] == day.residue
    assert posted[Account.STAKES] == -amounts[0]
    assert posted[Account.JACKPOTS] == amounts[1]
    assert posted[Account.HOUSE] == -amounts[2]
    assert posted[Account.ADJUSTMENTS] == -amounts[3]
    # Of what is paid beside the meter the house brings in as much as the winner takes out.
    beside = replace(day, jackpots=day.jackpots + 7, house_awards=Fraction(7))
    assert beside.is_balanced
    assert balances(beside)[Account.HOUSE] == -amounts[2] - 7
    for name, amount in (("opening", 1), ("contributions", -1), ("jackpots", 2)):
        broken = {one: getattr(day, one) for one in day.__slots__}
        broken[name] += amount
        assert not DayLiability(**broken).is_balanced


def test_days_add_up_and_are_read_from_what_the_fold_puts_out() -> None:
    row = DayRow(
        level=1,
        opening="1000.0025",
        contributions="90.50",
        jackpots="0.00",
        reseeds="0.00",
        adjustments="-0.50",
        closing="1090.0025",
        display="900.002",
        reserve="190.0005",
        overflow="0.00",
        residue="0.0025",
        last_reading_sequence=7,
        is_tied=True,
        is_closed=True,
        corrections="0.00",
    )
    day = day_liability(row, "USD")
    assert day.is_balanced
    assert day.residue == Fraction(1, 4)
    both = together([day, day])
    assert both.closing == 2 * day.closing
    assert both.is_balanced
