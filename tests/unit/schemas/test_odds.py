"""Odds in the regulator's words mean what they say."""

from fractions import Fraction

import pytest

from schemas.odds import (
    OddsError,
    OddsKind,
    format_fraction,
    format_percent,
    parse_odds,
    parse_rate,
)


@pytest.mark.parametrize(
    ("text", "kind", "ratio", "is_win"),
    [
        ("40 to 1", OddsKind.TO, Fraction(40), True),
        ("2.5 to 1", OddsKind.TO, Fraction(5, 2), True),
        ("0.54 to 1", OddsKind.TO, Fraction(27, 50), True),
        ("3 to 2", OddsKind.TO, Fraction(3, 2), True),
        ("1,000 for 1", OddsKind.FOR, Fraction(1000), True),
        ("push", OddsKind.PUSH, Fraction(0), False),
        ("Push", OddsKind.PUSH, Fraction(0), False),
        ("Loss", OddsKind.LOSS, Fraction(0), False),
        ("N/A", OddsKind.NOT_APPLICABLE, Fraction(0), False),
        ("100% of Progressive", OddsKind.METER, Fraction(1), True),
        ("12.5% of progressive", OddsKind.METER, Fraction(1, 8), True),
        ("unpriced", OddsKind.UNPRICED, Fraction(0), True),
    ],
)
def test_words_have_one_meaning(text: str, kind: OddsKind, ratio: Fraction, is_win: bool) -> None:
    odds = parse_odds(text)
    assert (odds.kind, odds.ratio, odds.is_win, str(odds)) == (kind, ratio, is_win, text)
    assert not odds.less_vigorish


def test_vigorish_is_taken_from_a_profit_only() -> None:
    assert parse_odds("1 to 1 less vigorish").less_vigorish
    with pytest.raises(OddsError, match="written with to"):
        parse_odds("2 for 1 less vigorish")


@pytest.mark.parametrize(
    "text",
    [
        "8:1",
        "8-1",
        "8 to",
        "to 1",
        "eight to one",
        "8 to 0",
        "-8 to 1",
        "8 TO 1",
        "",
        "8",
        "2,5 to 1",
        "1,00 to 1",
        "0,100 to 1",
        "1000,000 for 1",
        "8 to 1,5",
    ],
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(OddsError, match='write "8 to 1"'):
        parse_odds(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("15%", Fraction(3, 20)),
        ("5 %", Fraction(1, 20)),
        ("4", Fraction(1, 25)),
        ("4.5%", Fraction(9, 200)),
        ("0%", Fraction(0)),
        ("100%", Fraction(1)),
        ("1.57%", Fraction(157, 10_000)),
    ],
)
def test_rates_are_exact(text: str, rate: Fraction) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["101%", "-1%", "%", "", "five", "5%%", "1,5%", "0" * 25])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(OddsError, match="no percentage"):
        parse_rate(text)


@pytest.mark.parametrize(
    ("rate", "written"),
    [(Fraction(1, 20), "5 %"), (Fraction(9, 200), "4.5 %"), (Fraction(157, 10_000), "1.57 %")],
)
def test_rates_are_written_with_the_digits_that_they_have(rate: Fraction, written: str) -> None:
    assert format_percent(rate) == written


def test_odds_that_are_too_long_to_print_are_refused_and_not_kept() -> None:
    with pytest.raises(OddsError, match="write at most 64"):
        parse_odds("8 to " + "1" * 60)
    assert parse_odds.cache_info().maxsize is not None


def test_fractions_are_written_in_lowest_terms() -> None:
    assert format_fraction(Fraction(6, 4)) == "3/2"
    assert format_fraction(Fraction(1)) == "1/1"
