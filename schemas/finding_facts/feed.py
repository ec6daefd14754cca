"""Facts about feeds and devices: what is missing, what cannot be used, what was at fault."""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.finding_facts.parts import FactsPart, Name, Whole, Words


class EventsMissing(FactsPart):
    """Events of a feed did not come."""

    kind: Literal["events_missing"] = "events_missing"
    feed_id: Name
    first_sequence: Whole
    last_sequence: Whole | None
    """None where nobody knows how many: another feed took the place of this one."""


class EventUnusable(FactsPart):
    """An event was kept and cannot be used, in whole or in part."""

    kind: Literal["event_unusable"] = "event_unusable"
    sequence: Whole | None
    """None for a line of a file."""
    event_type: Name | None
    """Its wire tag; None where that could not be read."""
    problem: Words
    """What is wrong, as a clause; with its own mark where it asks."""
    then: Literal["kept_unused", "coups_unverified", "judged", "told"]
    """What becomes of it: not used; not used, and the coups beside it are open; used all the same;
    nothing more is said."""
    is_read: bool = True
    """Whether its content could be read."""


class FaultOpen(FactsPart):
    """A coup was dealt while a fault of a device was open."""

    kind: Literal["fault_open"] = "fault_open"
    fault_id: Name
    device: Name
    """Wire word of the device, such as ``card_reader``."""
    fault: Words
    """What the device showed."""
    raised_sequence: Whole
    coup_id: Name


FeedFacts: TypeAlias = EventsMissing | EventUnusable | FaultOpen
"""Facts of findings about feeds and devices."""
