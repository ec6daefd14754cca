"""Unrest of the group of workers: told where it is balanced again and again.

Two workers of one name do so for ever: each takes the place of the other. Nothing is folded wrongly
meanwhile, but both are busy with moving partitions, and both look healthy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from streams.process.clock import Clock

MANY: Final = 8
WITHIN_S: Final = 60.0
"""Rebalances, and the seconds within which they mean that the group does not settle."""


class Unrest:
    """Counts the latest rebalances."""

    def __init__(self, clock: Clock, alert: Callable[[str], None], name: str | None) -> None:
        """Have seen none.

        Args:
            clock: For their times.
            alert: Told once when there is no rest.
            name: Of this worker; None where it has none.
        """
        self._clock, self._alert = clock, alert
        self._hint = (
            f"see whether another worker is named {name} too, each needs --name of its own"
            if name
            else "see whether workers come and go, or do not answer within kafka.session_timeout_s"
        )
        self._times_s: deque[float] = deque(maxlen=MANY)
        self._is_told = False

    def noted(self) -> None:
        """Note that a rebalance has begun."""
        self._times_s.append(self._clock.monotonic_s())
        problem = self.problem()
        if problem is not None and not self._is_told:
            self._alert(problem)
        self._is_told = problem is not None

    def problem(self) -> str | None:
        """Say that there is no rest; None where there is."""
        if len(self._times_s) < MANY:
            return None
        if self._clock.monotonic_s() - self._times_s[0] > WITHIN_S:
            return None
        return (
            f"partitions moved {MANY} times within {WITHIN_S:g} s or less and the group comes to "
            f"no rest; {self._hint}"
        )
