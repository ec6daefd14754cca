"""Which time of day, and which gaming date, was it at the property?"""

from __future__ import annotations

import datetime
from typing import Final
from zoneinfo import ZoneInfo

from auditors.settlement.terms import Terms, default_gaming_date
from auditors.table.known.context import Folding

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def instant_of(occurred_at_us: int) -> datetime.datetime:
    """Give the instant of a number of microseconds since 1970 UTC."""
    return _EPOCH + datetime.timedelta(microseconds=occurred_at_us)


def local_time(terms: Terms, occurred_at_us: int) -> str:
    """Give the time of day at the property, such as ``21:15:10``."""
    zone = terms.submission.time_zone if terms.submission else "America/New_York"
    return instant_of(occurred_at_us).astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")


def gaming_date_at(folding: Folding) -> str:
    """Give the gaming date of an event, as ISO text; only where the rules were filed.

    The table names its gaming date when it opens; later ones follow from the filed hour.
    """
    date = _by_clock(folding) + datetime.timedelta(days=folding.state.date_shift)
    return date.isoformat()


def shift_of(folding: Folding, stated: datetime.date) -> int:
    """Give the days by which a stated gaming date is ahead of the clock's.

    A table that opens shortly before or after the filed hour may count the opening to the other
    day. Further off it cannot be: then the clock is believed.
    """
    days = (stated - _by_clock(folding)).days
    return days if -1 <= days <= 1 else 0


def _by_clock(folding: Folding) -> datetime.date:
    return default_gaming_date(instant_of(folding.occurred_at_us), folding.rules.rules.terms)
