"""The ends of faults and of card absences, read from the events; records do not give them."""

from __future__ import annotations

from typing import Final

from schemas.events import CardRemoved, CardReplaced, DeviceFaultCleared, DeviceFaultRaised
from schemas.events.union import AnyEvent

ENDING_TYPES: Final = (
    "device_fault_raised",
    "device_fault_cleared",
    "card_removed",
    "card_replaced",
)
"""Events that begin or end something which goes on."""

Place = tuple[str, int]


class EndingsFound:
    """Pairs beginnings with endings, table by table."""

    def __init__(self) -> None:
        self.by_table: dict[str, dict[Place, Place]] = {}
        """Table to beginning to ending, each as feed and sequence."""
        self._open: dict[tuple[str, str], Place] = {}

    def hear(self, event: AnyEvent) -> None:
        """Take note of an event, in the order of the feed."""
        place = (event.feed_id, event.sequence)
        if isinstance(event, DeviceFaultRaised):
            self._open.setdefault((event.source_id, f"fault {event.fault_id}"), place)
        elif isinstance(event, DeviceFaultCleared):
            self._end(event.source_id, f"fault {event.fault_id}", place)
        elif isinstance(event, CardRemoved):
            self._open.setdefault((event.source_id, f"removal {event.removal_id}"), place)
        elif isinstance(event, CardReplaced):
            self._end(event.source_id, f"removal {event.removal_id}", place)

    def _end(self, source_id: str, name: str, place: Place) -> None:
        began = self._open.pop((source_id, name), None)
        if began is not None:
            self.by_table.setdefault(source_id, {})[began] = place
