"""The result of one check of the doctor: a state, a sentence, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of what was checked."""

    FINE = "fine"
    NOTE = "note"
    """Worth knowing; nothing has to be done now."""
    WRONG = "wrong"
    UNREACHABLE = "unreachable"
    """Nobody answers, so nothing can be said."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    area: str
    """Such as ``kafka`` or ``sink``."""
    state: State
    says: str
    """One sentence without a full stop."""
    do: str | None = None
    """What to do; None where nothing has to be done."""

    def as_json(self) -> dict[str, object]:
        """Give the check as an object."""
        return {"area": self.area, "state": self.state.value, "says": self.says, "do": self.do}


def worst(checks: Iterable[Check]) -> State:
    """Give the worst state of some checks: what is unreachable is worse than what is wrong."""
    order = list(State)
    return max((check.state for check in checks), key=order.index, default=State.FINE)


def duration(seconds: float) -> str:
    """Write a span of time as a person says it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86400:.0f} days"
