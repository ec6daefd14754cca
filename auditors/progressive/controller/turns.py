"""Events of a controller as entries in the order of time, each at its turn."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import orjson

from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import FEEDS_KEPT, Source
from schemas.events import ProgressiveReading, ProgressiveWagerAccepted
from schemas.events.progressive import ProgressiveEvent
from schemas.progressive_inputs import ControllerSaid
from schemas.wire import parse_event
from schemas.wire.errors import RejectReason, UnreadableEventError

_COUNTED_TAG: Final = "progressive_wager_accepted"


def is_repeat(source: Source, feed_id: str, sequence: int) -> bool:
    """Say whether an event of a controller was taken in before."""
    if feed_id == source.feed_id:
        last = source.last_sequence
    else:
        last = next((one[1] for one in source.old_feeds if one[0] == feed_id), 0)
    if sequence > last:
        return False
    return not any(first <= sequence <= end for first, end in source.lost)


def passed(source: Source, said: ControllerSaid) -> tuple[Source, int]:
    """Move a source past its event.

    Returns:
        The source, and when the event counts as having happened: a controller's clock that goes
        back does not change the order of its feed.
    """
    if said.feed_id != source.feed_id and any(one[0] == said.feed_id for one in source.old_feeds):
        return source, said.occurred_at_us
    if said.feed_id == source.feed_id and said.sequence <= source.last_sequence:
        lost = tuple(
            part
            for first, last in source.lost
            for part in (
                ((first, last),)
                if not first <= said.sequence <= last
                else ((first, said.sequence - 1), (said.sequence + 1, last))
            )
            if part[0] <= part[1]
        )
        return source._replace(lost=lost), said.occurred_at_us
    old_feeds = source.old_feeds
    if said.feed_id != source.feed_id and source.feed_id:
        old_feeds = (*old_feeds, (source.feed_id, source.last_sequence))[-FEEDS_KEPT:]
    at_us = max(said.occurred_at_us, source.last_us)
    return (
        source._replace(
            watermark_us=max(source.watermark_us, at_us - 1),
            version=said.version,
            feed_id=said.feed_id,
            last_sequence=said.sequence,
            last_us=at_us,
            old_feeds=old_feeds,
        ),
        at_us,
    )


def controller_effect(said: ControllerSaid, at_us: int) -> tuple[int, Effect]:
    """Give the level of an event of the controller, and the entry that it makes.

    Raises:
        UnreadableEventError: It is no event of a progressive.
    """
    counted = _counted(said, at_us)
    if counted is not None:
        return counted
    event = read_event(said.event)
    if isinstance(event, ProgressiveWagerAccepted):
        return event.level, Effect(
            at_us,
            said.source_id,
            said.feed_id,
            said.sequence,
            "count",
            event.wager_id,
            event.table_id,
            event.coup_id or "",
            event.in_count,
            event.stake_minor,
        )
    kind: Literal["read", "said"] = "read" if isinstance(event, ProgressiveReading) else "said"
    effect = Effect(at_us, said.source_id, said.feed_id, said.sequence, kind, text=said.event)
    return event.level, effect


@lru_cache(maxsize=512)
def read_event(text: str) -> ProgressiveEvent:
    """Read an event of a controller; what is rare is asked for several times.

    Raises:
        UnreadableEventError: It is no event of a progressive.
    """
    event = parse_event(text.encode())
    if not isinstance(event, ProgressiveEvent):
        raise UnreadableEventError(
            RejectReason.BAD_FIELD, f"type: {event.type} says nothing of a progressive"
        )
    return event


def _counted(said: ControllerSaid, at_us: int) -> tuple[int, Effect] | None:
    """Read what nearly every event of a controller is: a wager that it counted.

    The event has passed the gate, so its fields were checked; anything unusual is read in full.
    """
    try:
        fields = orjson.loads(said.event)
    except orjson.JSONDecodeError:
        return None
    if type(fields) is not dict or fields.get("type") != _COUNTED_TAG:
        return None
    if fields.get("schema_version") != 1:
        return None
    level, count, stake = fields.get("level", 1), fields.get("in_count"), fields.get("stake_minor")
    wager, table, coup = fields.get("wager_id"), fields.get("table_id"), fields.get("coup_id", "")
    if not (type(level) is type(count) is type(stake) is int):
        return None
    if not (type(wager) is type(table) is type(coup) is str):
        return None
    return level, Effect(
        at_us,
        said.source_id,
        said.feed_id,
        said.sequence,
        "count",
        wager,
        table,
        coup,
        count,
        stake,
    )
