"""A gaming day begins once, at its filed hour, also where clocks are turned; everywhere alike."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import pytest

from auditors.progressive.ledger.days import day_of
from auditors.settlement.terms import gaming_date_of, gaming_day_begins
from schemas import events as said
from schemas.progressive_inputs import FiledMeter
from tests.support.progressives.progressive_script import a_meter
from tests.support.tables.table_script import Folded, TableScript, a_submission

UTC = datetime.UTC
NEW_YORK = ZoneInfo("America/New_York")
SECOND = datetime.timedelta(seconds=1)

STARTS = ("00:00", "01:00", "01:30", "01:59:59", "02:00", "02:30", "03:00", "06:00", "23:30")
ZONES = ("America/New_York", "Europe/Vienna", "Australia/Lord_Howe", "Atlantic/Azores")


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("start", "begins"),
    [
        # Clocks go back from 02:00 EDT to 01:00 EST on 2 November 2025: 01:30 comes twice.
        ("01:30", "2025-11-02T01:30:00-04:00"),
        ("01:00", "2025-11-02T01:00:00-04:00"),
        ("01:59:59", "2025-11-02T01:59:59-04:00"),
        ("02:00", "2025-11-02T02:00:00-05:00"),
        ("00:30", "2025-11-02T00:30:00-04:00"),
        # They go forward from 02:00 EST to 03:00 EDT on 9 March 2025: 02:30 never comes.
        ("02:30", "2025-03-09T03:00:00-04:00"),
        ("02:00", "2025-03-09T03:00:00-04:00"),
        ("01:59:59", "2025-03-09T01:59:59-05:00"),
        ("03:00", "2025-03-09T03:00:00-04:00"),
    ],
)
def test_a_gaming_day_begins_when_the_clock_first_shows_its_hour_or_a_later_one(
    start: str, begins: str
) -> None:
    instant, hour = at(begins), datetime.time.fromisoformat(start)
    date = instant.astimezone(NEW_YORK).date()
    assert gaming_day_begins(date, NEW_YORK, hour) == instant
    assert gaming_date_of(instant, NEW_YORK, hour) == date
    before = instant - datetime.timedelta(microseconds=1)
    assert gaming_date_of(before, NEW_YORK, hour) == date - datetime.timedelta(days=1)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("start", STARTS)
def test_gaming_dates_never_go_back_and_begin_where_ledgers_begin_them(
    zone: str, start: str
) -> None:
    clock, hour = ZoneInfo(zone), datetime.time.fromisoformat(start)
    filed = a_meter(time_zone=zone, gaming_day_start=start)
    assert isinstance(filed, FiledMeter)
    for first in (
        "2025-03-08",
        "2025-03-29",
        "2025-04-05",
        "2025-10-04",
        "2025-10-25",
        "2025-11-01",
    ):
        instant, before = at(f"{first}T00:00:00+00:00"), None
        for _ in range(2 * 24 * 12):
            date = gaming_date_of(instant, clock, hour)
            one_day = datetime.timedelta(days=1)
            assert before is None or before <= date <= before + one_day
            begins = gaming_day_begins(date, clock, hour)
            assert begins <= instant < gaming_day_begins(date + one_day, clock, hour)
            at_us = (instant - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(
                microseconds=1
            )
            day = day_of(filed, at_us)
            assert (day.date, day.begin_us <= at_us < day.end_us) == (date.isoformat(), True)
            instant, before = instant + datetime.timedelta(minutes=5), date


def coups_at(start: str, times: list[str], **fields: object) -> Folded:
    """Play one coup without wagers at each of these times."""
    script = TableScript()
    script.now = at(times[0]) - datetime.timedelta(minutes=1)
    filing = a_submission(gaming_day_start=start, **fields)
    opened = gaming_date_of(script.now, NEW_YORK, filing.gaming_day_start)
    script.open(filing, gaming_date=opened).shoe()
    for time in times:
        script.now = at(time)
        script.coup().of_coup(said.NoMoreBets, 0)
        script.deal("9S KD", "2S 3H").result("player", 9, 5).close()
    return Folded(script.messages)


def test_coups_of_the_repeated_hour_belong_to_one_gaming_day() -> None:
    """58 Pa. Code § 627b.5 runs to 4 August, so the dates of coups decide what is in force."""
    times = [
        "2025-11-02T01:29:00-04:00",
        "2025-11-02T01:30:00-04:00",
        "2025-11-02T01:00:00-05:00",
        "2025-11-02T01:29:00-05:00",
        "2025-11-02T01:30:00-05:00",
    ]
    folded = coups_at("01:30", times)
    dates = [folded.coup(f"S1/{number}").gaming_date for number in range(1, 6)]
    assert dates == ["2025-11-01"] + ["2025-11-02"] * 4


def test_coups_around_an_hour_that_is_left_out_change_the_date_with_the_clock() -> None:
    times = ["2025-03-09T01:59:00-05:00", "2025-03-09T03:00:00-04:00", "2025-03-09T03:30:00-04:00"]
    folded = coups_at("02:30", times)
    dates = [folded.coup(f"S1/{number}").gaming_date for number in range(1, 4)]
    assert dates == ["2025-03-08", "2025-03-09", "2025-03-09"]
