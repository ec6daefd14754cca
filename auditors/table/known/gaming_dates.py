"""The gaming date of an event of a table, by its filed hour and by what it said at its opening."""

from __future__ import annotations

import datetime

from auditors.clock import instant_of
from auditors.settlement.terms import default_gaming_date
from auditors.table.known.context import Folding


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
