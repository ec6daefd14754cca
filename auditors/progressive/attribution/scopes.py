"""Wagers that a lasting cause can concern: those of all tables, and of each, by their rates.

The sums of their stakes are made once: what a rate comes to from any wager to any other is then one
multiplication.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from auditors.progressive.attribution.fitting import Added


@dataclass(frozen=True, slots=True)
class Scope:
    """Wagers of the same rates, of all tables or of one."""

    tables: frozenset[str]
    """Whose wagers were looked through, of other rates too."""
    rates: tuple[Fraction, Fraction]
    wagers: tuple[Added, ...]
    shown: tuple[int, ...]
    """Stakes in the present display before each wager, from none to all."""
    staked: tuple[int, ...]
    """Stakes before each wager."""


def sums_of(amounts: Iterable[int]) -> tuple[int, ...]:
    """Give the sum of all elements before each index, from none to all."""
    return tuple(accumulate(amounts, initial=0))


def scopes_of(wagers: Sequence[Added]) -> tuple[Scope, ...]:
    """Give the scopes of all tables together, and those of each where there are several."""
    by_table: dict[str, list[Added]] = {}
    for one in wagers:
        by_table.setdefault(one.table_id, []).append(one)
    each = list(by_table.values())
    wholes = each if len(each) < 2 else [list(wagers), *each]
    return tuple(scope for whole in wholes for scope in _by_rates(whole))


def _by_rates(wagers: list[Added]) -> list[Scope]:
    tables = frozenset(one.table_id for one in wagers)
    found: dict[tuple[int, ...], list[Added]] = {}
    for one in wagers:
        # Whole numbers are told apart many times faster than fractions.
        key = tuple(part for rate in one.rates for part in rate.as_integer_ratio())
        found.setdefault(key, []).append(one)
    return sorted(
        (
            Scope(
                tables,
                same[0].rates,
                tuple(same),
                sums_of(one.stake_minor * one.is_shown for one in same),
                sums_of(one.stake_minor for one in same),
            )
            for same in found.values()
        ),
        key=lambda scope: scope.rates,
    )
