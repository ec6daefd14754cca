"""What is done to the meter of a progressive beside what its controller hears of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from streams.simulator.controllers.meters import MeterState
from streams.simulator.feed import Draft, Note


class IdSource(Protocol):
    """Gives ids that are used once; a controller is one."""

    def next_id(self, kind: str) -> str:
        """Make an id of a kind."""
        ...


@dataclass(frozen=True, slots=True)
class Tampered(Note):
    """Something is done to a meter that nobody was to do."""

    progressive_id: str
    act: Callable[[IdSource, MeterState, int], Iterable[Draft]]
    """Does it; gives what the controller says of it, if anything."""
