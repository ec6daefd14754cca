"""Ranges: gaming dates with both ends, instants half-open, said back as they were understood."""

import pytest

from dashboards.documents.history.ranges import range_json
from dashboards.errors import UsageProblem
from dashboards.options.time_range import parse_span, range_line
from streams.replaying.span import EVERYTHING, Span

EVENING_US = 1_749_333_600_000_000
"""2025-06-07T22:00:00Z."""


def test_gaming_dates_are_included_at_both_ends(capsys: pytest.CaptureFixture[str]) -> None:
    span = parse_span("2025-06-07", "2025-06-08")
    assert span == Span("2025-06-07", "2025-06-08")
    assert [span.holds(day, 0) for day in ("2025-06-06", "2025-06-07", "2025-06-08")] == [
        False,
        True,
        True,
    ]
    assert not span.holds("2025-06-09", 0)
    assert capsys.readouterr().err == (
        "range: from gaming date 2025-06-07 to gaming date 2025-06-08, included\n"
    )


def test_instants_are_half_open_and_said_in_utc(capsys: pytest.CaptureFixture[str]) -> None:
    span = parse_span("2025-06-07T18:00-04:00", "2025-06-07T22:00:01Z")
    assert (span.from_us, span.until_us) == (EVENING_US, EVENING_US + 1_000_000)
    assert [span.holds(None, EVENING_US + us) for us in (-1, 0, 999_999, 1_000_000)] == [
        False,
        True,
        True,
        False,
    ]
    assert capsys.readouterr().err == (
        "range: from 2025-06-07T22:00:00Z to 2025-06-07T22:00:01Z, not included\n"
    )


def test_a_range_is_said_back_to_the_microsecond_where_it_was_given_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    span = parse_span("2025-06-07T22:00:00.25Z", None)
    assert span.from_us == EVENING_US + 250_000
    assert capsys.readouterr().err == "range: from 2025-06-07T22:00:00.250000Z\n"
    assert range_json(span)["from"] == "2025-06-07T22:00:00.250000Z"


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_an_instant_beyond_the_calendar_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageProblem, match=r"the calendar has no such day in UTC$"):
        parse_span(text, None)


def test_one_bound_may_be_a_date_and_the_other_an_instant() -> None:
    span = parse_span("2025-06-07", "2025-06-08T02:00+00:00")
    assert range_line(span) == (
        "range: from gaming date 2025-06-07 to 2025-06-08T02:00:00Z, not included"
    )
    assert range_json(span) == {
        "first_gaming_date": "2025-06-07",
        "last_gaming_date": None,
        "from": None,
        "until": "2025-06-08T02:00:00Z",
    }


def test_without_bounds_everything_is_asked_for_and_nothing_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert parse_span(None, None) == EVERYTHING
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("begin", "end", "line"),
    [
        ("2025-06-07T18:00", None, "--from 2025-06-07T18:00: an instant needs its offset; write"),
        ("06/07/2025", None, '--from "06/07/2025": not a date of the form YYYY-MM-DD; did you'),
        (None, "2025-06-31", "--to 2025-06-31: the calendar has no such day"),
        ("2025-06-07Tnoon", None, '--from "2025-06-07Tnoon": neither a gaming date nor an'),
        ("yesterday", None, '--from "yesterday": not a date'),
        ("2025-06-08", "2025-06-07", "--from 2025-06-08 lies behind --to 2025-06-07; the range"),
        ("2025-06-07T18:00Z", "2025-06-07T18:00Z", "--from 2025-06-07T18:00Z lies behind --to"),
    ],
)
def test_what_cannot_be_a_range_is_one_line(begin: str | None, end: str | None, line: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        parse_span(begin, end)
    assert str(caught.value).startswith(line)
