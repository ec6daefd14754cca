"""Gaming dates: in which one a moment lies, and when that begins and ends."""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from auditors.settlement.terms import gaming_date_of, gaming_day_begins
from schemas.progressive_inputs import FiledMeter

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_HOUR_US: Final = 3_600_000_000


class GamingDay(NamedTuple):
    """A gaming date with the moments between which it lies, the end not included."""

    date: str
    begin_us: int
    end_us: int


def day_of(filed: FiledMeter, at_us: int) -> GamingDay:
    """Give the gaming date of a moment, by the clock of the property."""
    for hours in (0, 1):
        day = _day(filed.time_zone, filed.gaming_day_start, (at_us // _HOUR_US + hours) * _HOUR_US)
        if day.begin_us <= at_us < day.end_us:
            return day
    return _day(filed.time_zone, filed.gaming_day_start, at_us)


@lru_cache(maxsize=1024)
def _day(time_zone: str, start: str, at_us: int) -> GamingDay:
    zone, begins = ZoneInfo(time_zone), datetime.time.fromisoformat(start)
    date = gaming_date_of(_EPOCH + datetime.timedelta(microseconds=at_us), zone, begins)

    def moment(day: datetime.date) -> int:
        return (gaming_day_begins(day, zone, begins) - _EPOCH) // _MICROSECOND

    return GamingDay(date.isoformat(), moment(date), moment(date + datetime.timedelta(days=1)))
