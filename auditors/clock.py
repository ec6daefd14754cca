"""Instants and the time of day at the property, from microseconds since 1970 UTC."""

from __future__ import annotations

import datetime
from typing import Final
from zoneinfo import ZoneInfo

from auditors.settlement.terms import Terms

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def instant_of(occurred_at_us: int) -> datetime.datetime:
    """Give the instant of a number of microseconds since 1970 UTC."""
    return _EPOCH + datetime.timedelta(microseconds=occurred_at_us)


def local_time(terms: Terms, occurred_at_us: int) -> str:
    """Give the time of day at the property, such as ``21:15:10``."""
    zone = terms.submission.time_zone if terms.submission else "America/New_York"
    return instant_of(occurred_at_us).astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")
