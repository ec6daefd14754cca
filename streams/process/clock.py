"""The time: the one place that asks the system, so that tests can set it."""

from __future__ import annotations

import datetime
import time
from typing import Final, Protocol

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Clock(Protocol):
    """Tells the time to whatever moves events; the fold never asks."""

    def now_us(self) -> int:
        """Give the time of day, microseconds since 1970 UTC."""
        ...

    def monotonic_s(self) -> float:
        """Give seconds since some moment, never going back."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now_us(self) -> int:
        """Give the time of day, microseconds since 1970 UTC."""
        return time.time_ns() // 1000

    def monotonic_s(self) -> float:
        """Give seconds since some moment, never going back."""
        return time.monotonic()


def utc_now(clock: Clock) -> datetime.datetime:
    """Give the time of day of a clock as an instant."""
    return _EPOCH + datetime.timedelta(microseconds=clock.now_us())
