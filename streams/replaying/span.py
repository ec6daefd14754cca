"""The part of a history that is asked for: gaming dates, both included, or half-open instants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_US: Final = -(2**62)
LAST_US: Final = 2**62
"""Before and behind every event."""

FIRST_DATE: Final = "1970-01-01"
LAST_DATE: Final = "2199-12-31"
"""Before and behind every gaming date."""


@dataclass(frozen=True, slots=True)
class Span:
    """A range; each bound is a gaming date or an instant, or open."""

    first_date: str = FIRST_DATE
    last_date: str = LAST_DATE
    """ISO gaming dates, both included."""
    from_us: int = FIRST_US
    until_us: int = LAST_US
    """Instants in microseconds since 1970 UTC, the last one not included."""

    @property
    def is_open(self) -> bool:
        """Whether it holds everything."""
        return self == Span()

    def holds(self, gaming_date: str | None, occurred_at_us: int) -> bool:
        """Whether something of a gaming date, or of none that is known, lies within."""
        is_in_dates = gaming_date is None or self.first_date <= gaming_date <= self.last_date
        return is_in_dates and self.from_us <= occurred_at_us < self.until_us


EVERYTHING: Final = Span()
"""The range without bounds."""
