"""A clock that says what the test sets."""

from __future__ import annotations


class SetClock:
    """Time stands still until a test moves it."""

    def __init__(self, now_us: int = 1_750_000_000_000_000) -> None:
        """Begin at a moment, microseconds since 1970 UTC."""
        self.us = now_us

    def now_us(self) -> int:
        """Give the time of day that was set."""
        return self.us

    def monotonic_s(self) -> float:
        """Give the same moment in seconds."""
        return self.us / 1_000_000

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.us += round(seconds * 1_000_000)
