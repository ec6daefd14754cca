"""Counts against exact probabilities, and what was found against what was planted."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from schemas.findings import Finding, FindingCode, Severity
from streams.simulator.chi_square import chi_square_tail, fit_of, upper_gamma
from streams.simulator.comparing import compare
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.profile import Profile
from streams.simulator.truths import Truth

CRITICAL = {
    # Printed tables of the chi-square distribution: degrees to the value exceeded with p.
    0.05: {1: 3.841, 2: 5.991, 5: 11.070, 10: 18.307, 30: 43.773, 100: 124.342},
    0.01: {1: 6.635, 2: 9.210, 5: 15.086, 10: 23.209, 30: 50.892, 100: 135.807},
    0.001: {1: 10.828, 2: 13.816, 5: 20.515, 10: 29.588, 30: 59.703, 100: 149.449},
}


@pytest.mark.parametrize("p", CRITICAL)
def test_the_tail_agrees_with_printed_tables(p: float) -> None:
    for degrees, value in CRITICAL[p].items():
        assert chi_square_tail(value, degrees) == pytest.approx(p, rel=1e-3)


def test_two_degrees_are_an_exponential() -> None:
    for value in (0.1, 1.0, 2.9, 3.1, 50.0):
        assert chi_square_tail(value, 2) == pytest.approx(math.exp(-value / 2), rel=1e-12)


def test_one_degree_is_the_complementary_error_function() -> None:
    for value in (0.01, 0.5, 1.9, 2.1, 40.0):
        assert chi_square_tail(value, 1) == pytest.approx(math.erfc(math.sqrt(value / 2)), rel=1e-9)


def test_nothing_is_certain_and_much_is_impossible() -> None:
    assert upper_gamma(3, 0) == 1.0
    assert upper_gamma(3, 1e4) == pytest.approx(0.0, abs=1e-300)


def test_counts_that_follow_the_odds_fit() -> None:
    odds = {"win": Fraction(1, 4), "push": Fraction(1, 4), "": Fraction(1, 2)}
    fit = fit_of({"win": 250, "push": 250, "": 500}, odds)
    assert (fit.chi_square, fit.degrees, fit.p_value) == (0.0, 2, 1.0)


def test_counts_that_do_not_follow_the_odds_do_not_fit() -> None:
    odds = {"win": Fraction(1, 2), "": Fraction(1, 2)}
    fit = fit_of({"win": 600, "": 400}, odds)
    assert fit.chi_square == pytest.approx(40.0)
    assert fit.p_value < 1e-9


def test_rare_outcomes_are_taken_together() -> None:
    odds = {"a": Fraction(1, 1000), "b": Fraction(1, 1000), "": Fraction(998, 1000)}
    assert fit_of({"a": 4, "": 2996}, odds).degrees == 1
    assert fit_of({"": 100}, odds).degrees == 0


def test_an_outcome_that_cannot_be_fits_nothing() -> None:
    assert fit_of({"never": 1, "": 9}, {"": Fraction(1)}).p_value == 0.0


def test_a_profile_counts_pace_seats_penetration_and_wagers() -> None:
    profile = Profile()
    floor = Floor(FloorConfig(tables=2, coups=240), on_coup=profile.hear)
    list(floor.events())
    assert profile.coups == 240
    assert 45 < profile.coups_an_hour < 80
    assert 1 < profile.seats_a_coup < 8
    assert profile.penetration is not None
    assert 0.95 < profile.penetration < 1
    counts = {kind: count for kind, count in profile.counts() if count}
    assert sum(counts.values()) == sum(profile.placed.values())


def a_finding(code: FindingCode, coup: str | None, difference_minor: int | None = None) -> Finding:
    return Finding(
        id="x",
        code=code,
        severity=Severity.HIGH,
        source="BAC-01",
        coup=coup,
        sentence="",
        difference_minor=difference_minor,
    )


def a_truth(*codes: FindingCode, coup: str | None = "S/1", money: int | None = None) -> Truth:
    return Truth("plant", "BAC-01", None, coup, codes, money)


PAID, LATE, GAP = FindingCode.WAGER_OVERPAID, FindingCode.WAGER_LATE, FindingCode.SEQUENCE_GAP


def test_what_is_found_at_its_place_with_its_money_agrees() -> None:
    truths = [a_truth(PAID, LATE, money=500), a_truth(GAP, coup="S/2"), a_truth(coup="S/3")]
    findings = [a_finding(PAID, "S/1", 500), a_finding(LATE, "S/1"), a_finding(GAP, None)]
    compared = compare(truths, findings)
    assert (compared.planted, compared.found, compared.agrees) == (3, 3, True)


def test_a_finding_elsewhere_is_missing_here_and_false_there() -> None:
    compared = compare([a_truth(LATE)], [a_finding(LATE, "S/2")])
    assert (compared.found, len(compared.missing), len(compared.false)) == (0, 1, 1)


def test_another_amount_is_not_what_was_planted() -> None:
    compared = compare([a_truth(PAID, money=500)], [a_finding(PAID, "S/1", 400)])
    assert not compared.agrees


def test_a_second_finding_at_the_same_place_is_false() -> None:
    findings = [a_finding(PAID, "S/1", 500), a_finding(PAID, "S/1", 500)]
    compared = compare([a_truth(PAID, money=500)], findings)
    assert (compared.found, len(compared.false)) == (1, 1)
