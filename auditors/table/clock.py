"""Which time of day, and which gaming date, was it at the property?"""

from __future__ import annotations

import datetime
from typing import Final
from zoneinfo import ZoneInfo

from auditors.terms import Terms, default_gaming_date

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def instant_of(occurred_at_us: int) -> datetime.datetime:
    """Give the instant of a number of microseconds since 1970 UTC."""
    return _EPOCH + datetime.timedelta(microseconds=occurred_at_us)


def local_time(terms: Terms, occurred_at_us: int) -> str:
    """Give the time of day at the property, such as ``21:15:10``."""
    zone = terms.submission.time_zone if terms.submission else "America/New_York"
    return instant_of(occurred_at_us).astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")


def gaming_date_of(terms: Terms, occurred_at_us: int) -> str:
    """Give the gaming date of an instant, as ISO text."""
    return default_gaming_date(instant_of(occurred_at_us), terms).isoformat()
