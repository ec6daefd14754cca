"""Pearson's test of how well counts fit exact probabilities, without a statistics library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeVar

EXPECTED_LEAST: Final = 5
"""Categories of which fewer are expected are taken together."""

_STEPS: Final = 2000
_PRECISION: Final = 1e-14
_TINY: Final = 1e-300

Category = TypeVar("Category")


@dataclass(frozen=True, slots=True)
class Fit:
    """Pearson's test of counts against probabilities."""

    chi_square: float
    degrees: int
    p_value: float
    """How often counts that follow the probabilities fit worse; 1 where nothing can be told."""


def fit_of(counts: Mapping[Category, int], odds: Mapping[Category, Fraction]) -> Fit:
    """Test counts against exact probabilities.

    Args:
        counts: How often each category was seen.
        odds: Its exact probability; they sum to 1. A category that was seen and cannot be makes
            the fit impossible.
    """
    total = sum(counts.values())
    if any(count and not odds.get(category) for category, count in counts.items()):
        return Fit(math.inf, 1, 0.0)
    seen: list[tuple[int, float]] = []
    rest_seen, rest_expected = 0, Fraction(0)
    for category, probability in odds.items():
        expected = total * probability
        if expected < EXPECTED_LEAST:
            rest_seen += counts.get(category, 0)
            rest_expected += expected
        else:
            seen.append((counts.get(category, 0), float(expected)))
    if rest_expected >= EXPECTED_LEAST:
        seen.append((rest_seen, float(rest_expected)))
    elif rest_expected and seen:
        # Too little for a category of its own: it goes to the rarest of the others.
        rarest = min(range(len(seen)), key=lambda place: seen[place][1])
        count, expected_there = seen[rarest]
        seen[rarest] = (count + rest_seen, expected_there + float(rest_expected))
    degrees = len(seen) - 1
    if degrees < 1:
        return Fit(0.0, 0, 1.0)
    statistic = sum((count - expected) ** 2 / expected for count, expected in seen)
    return Fit(statistic, degrees, chi_square_tail(statistic, degrees))


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Give the probability that a chi-square value is at least so large.

    >>> round(chi_square_tail(3.841458820694124, 1), 6)
    0.05
    """
    return upper_gamma(degrees / 2, statistic / 2)


def upper_gamma(shape: float, bound: float) -> float:
    """Give the regularised upper incomplete gamma function Q(shape, bound).

    Args:
        shape: > 0.
        bound: >= 0.

    Source:
        The series and the continued fraction of DLMF 8.7.1 and 8.9.2.
    """
    if bound <= 0:
        return 1.0
    scale = math.exp(-bound + shape * math.log(bound) - math.lgamma(shape))
    if bound < shape + 1:
        return max(0.0, 1.0 - scale * _series(shape, bound))
    return min(1.0, scale * _fraction(shape, bound))


def _series(shape: float, bound: float) -> float:
    term = total = 1 / shape
    for step in range(1, _STEPS):
        term *= bound / (shape + step)
        total += term
        if term < total * _PRECISION:
            break
    return total


def _fraction(shape: float, bound: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    below = bound + 1 - shape
    numerator, denominator = 1 / _TINY, 1 / below
    value = denominator
    for step in range(1, _STEPS):
        factor = -step * (step - shape)
        below += 2
        denominator = 1 / _away_from_zero(factor * denominator + below)
        numerator = _away_from_zero(below + factor / numerator)
        change = numerator * denominator
        value *= change
        if abs(change - 1) < _PRECISION:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
