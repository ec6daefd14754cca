"""Money is read exactly, kept as minor units, and written with the currency's digits."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.money import (
    MINOR_DIGITS,
    MINOR_MAX,
    AmountError,
    format_minor,
    minor_digits,
    parse_amount,
    parse_exact,
    parse_recorded_amount,
)


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("100", 10_000),
        ("100.00", 10_000),
        ("2.55", 255),
        ("2.5", 250),
        (".5", 50),
        ("5.", 500),
        ("0", 0),
        ("-0.01", -1),
        ("+3", 300),
        ("1,000", 100_000),
        ("1,234,567.89", 123_456_789),
        ("$5", 500),
        ("-$5.25", -525),
        (" 7 ", 700),
        ("2.5500", 255),
    ],
)
def test_amounts_are_read_to_the_cent(text: str, minor: int) -> None:
    assert parse_amount(text) == minor


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        "abc",
        "1,00",
        "1,0000",
        "1.2.3",
        "--1",
        "1e3",
        "0x10",
        "NaN",
        "inf",
        "1_000",
        "١٢",
        "5 000",
        "5$",
        "1" * 41,
    ],
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(AmountError, match="no amount"):
        parse_amount(text)


@pytest.mark.parametrize("text", ["1.005", "0.001", "2.5501", "0.015699"])
def test_an_amount_below_a_cent_is_refused_and_never_cut(text: str) -> None:
    with pytest.raises(AmountError, match="more than 2 decimals; USD has 2"):
        parse_amount(text)
    with pytest.raises(AmountError, match="more than 2 decimals"):
        parse_recorded_amount(text)


@pytest.mark.parametrize(
    ("text", "minor", "had_tail"),
    [
        ("732.4499999999999", 73_245, True),
        ("2.5500000000000003", 255, True),
        ("-876.0", -87_600, False),
        ("0.1", 10, False),
        ("1.00000001", 100, True),  # exactly 10^-6 of a cent
        ("-1.4210854715202004e-14", 0, True),
        ("1e3", 100_000, False),
        ("1.5E+2", 15_000, False),
        ("-12.5e-1", -125, False),
    ],
)
def test_a_binary_tail_reads_as_the_unit_beside_it(text: str, minor: int, had_tail: bool) -> None:
    assert parse_recorded_amount(text) == (minor, had_tail)


@pytest.mark.parametrize("text", ["1.00000002", "1.0049999", "1.0051", "1e-5", "2.5e-3"])
def test_a_tail_above_a_millionth_of_a_cent_is_refused(text: str) -> None:
    with pytest.raises(AmountError, match="decimals"):
        parse_recorded_amount(text)


@given(st.integers(-(10**9), 10**9))
def test_what_a_program_prints_of_a_float_reads_as_the_cents_it_meant(minor: int) -> None:
    assert parse_recorded_amount(repr(minor / 100))[0] == minor
    assert parse_recorded_amount(repr(minor * 0.01))[0] == minor


@given(st.integers(-MINOR_MAX, MINOR_MAX), st.sampled_from(sorted(MINOR_DIGITS)))
def test_writing_and_reading_give_the_amount_back(minor: int, currency: str) -> None:
    text = format_minor(minor, currency)
    assert parse_amount(text, currency) == minor
    assert len(text.partition(".")[2]) == minor_digits(currency)


@pytest.mark.parametrize(
    ("currency", "text", "minor", "written"),
    [
        ("JPY", "500", 500, "500"),
        ("KWD", "1.005", 1005, "1.005"),
        ("USD", "5", 500, "5.00"),
        ("EUR", "0.05", 5, "0.05"),
    ],
)
def test_digits_are_those_of_the_currency(
    currency: str, text: str, minor: int, written: str
) -> None:
    assert parse_amount(text, currency) == minor
    assert format_minor(minor, currency) == written


def test_yen_have_no_decimals() -> None:
    with pytest.raises(AmountError, match="more than 0 decimals; JPY has 0"):
        parse_amount("5.5", "JPY")


def test_an_unknown_currency_is_named_with_the_known_ones() -> None:
    with pytest.raises(AmountError, match=r"unknown currency 'XXX'; known: AUD, .*USD"):
        parse_amount("5", "XXX")


@pytest.mark.parametrize("text", ["10000000000000.01", "99999999999999999999", "1e40"])
def test_an_amount_larger_than_any_is_refused(text: str) -> None:
    with pytest.raises(AmountError, match="larger than any"):
        parse_recorded_amount(text)


def test_an_exact_amount_may_be_a_fraction_of_a_cent() -> None:
    assert parse_exact("1.005") == Fraction(201, 2)
