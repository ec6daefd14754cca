"""Dates and pairs on the command line: what is read, and the one line where it is not."""

import datetime

import pytest

from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem
from dashboards.options.gaming_date import parse_gaming_date
from dashboards.options.pairs import parse_pairs


def problem_of(text: str) -> str:
    """Give the line that a date in another form gets."""
    with pytest.raises(UsageProblem) as caught:
        parse_gaming_date(text)
    return str(caught.value)


def test_a_gaming_date_is_read_in_iso_form() -> None:
    assert parse_gaming_date(" 2025-06-01 ") == datetime.date(2025, 6, 1)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2025-6-1", "did you mean 2025-06-01?"),
        ("20250601", "did you mean 2025-06-01?"),
        ("2025/06/01", "did you mean 2025-06-01?"),
        ("2025-06-01T10:00", "did you mean 2025-06-01?"),
        ("6/13/2025", "did you mean 2025-06-13?"),
        ("13.06.2025", "did you mean 2025-06-13?"),
        ("6/1/2025", "did you mean 2025-06-01 or 2025-01-06?"),
        ("tomorrow", "write it like 2025-06-01"),
        ("2025-W22-7", "write it like 2025-06-01"),
        ("", "write it like 2025-06-01"),
        ("99/99/2025", "write it like 2025-06-01"),
    ],
)
def test_a_date_in_another_form_is_refused_with_the_near_form(text: str, hint: str) -> None:
    assert problem_of(text).endswith(hint)
    assert problem_of(text).startswith("--gaming-date ")


def test_a_day_that_the_calendar_lacks_is_refused() -> None:
    assert problem_of("2025-02-29") == "--gaming-date 2025-02-29: the calendar has no such day"
    assert parse_gaming_date("2024-02-29") == datetime.date(2024, 2, 29)


def test_the_error_of_a_date_names_the_flag() -> None:
    with pytest.raises(UsageProblem, match=r"^--from "):
        parse_gaming_date("June", "--from")


def test_pairs_are_read_in_order() -> None:
    pairs = parse_pairs(["golden_talons=B", "eclipse = A", "golden_talons=B"], "--paytable")
    assert list(pairs.items()) == [("golden_talons", "B"), ("eclipse", "A")]


@pytest.mark.parametrize("pair", ["golden_talons", "=B", "golden_talons=", "=", ""])
def test_a_pair_without_both_sides_is_refused(pair: str) -> None:
    with pytest.raises(UsageProblem, match=r"^--paytable .*: write it as NAME=VALUE$"):
        parse_pairs([pair], "--paytable")


def test_a_name_with_two_values_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"^--paytable eclipse: given as A and as B"):
        parse_pairs(["eclipse=A", "eclipse=B"], "--paytable")


def test_quoted_text_stays_on_one_line_and_short() -> None:
    assert quoted("a\n b") == '"a b"'
    assert len(quoted("x" * 1000)) == 42
