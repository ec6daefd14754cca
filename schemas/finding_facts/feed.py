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


class ChainBroken(FactsPart):
    """An event names another hash than that of the event before it."""

    kind: Literal["chain_broken"] = "chain_broken"
    sequence: Whole
    named_hash: Name
    expected_hash: Name


class SequenceAgain(FactsPart):
    """A sequence came again with other bytes."""

    kind: Literal["sequence_again"] = "sequence_again"
    sequence: Whole


class FeedSplit(FactsPart):
    """Two feeds of one source spoke at a time."""

    kind: Literal["feed_split"] = "feed_split"
    feed_id: Name
    other_feed_id: Name
    how: Literal["sent_again", "named_none", "named_another"]
    named_feed_id: Name | None = None
    """The feed that it named as the one before it."""
    was_open: bool = False
    """The table of the other feed was open; else a controller's feed, which never ends."""


class ClockBack(FactsPart):
    """The clock of a device went back."""

    kind: Literal["clock_back"] = "clock_back"
    sequence: Whole
    back_us: Whole


class TableSilent(FactsPart):
    """An open table sent nothing for too long."""

    kind: Literal["table_silent"] = "table_silent"
    sequence: Whole
    """The first event after it."""
    silent_us: Whole


FeedFacts: TypeAlias = (
    ChainBroken
    | ClockBack
    | EventsMissing
    | EventUnusable
    | FaultOpen
    | FeedSplit
    | SequenceAgain
    | TableSilent
)
"""Facts of findings about feeds and devices."""
