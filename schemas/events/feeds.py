"""What a feed says about itself: that it began, and that it is still there."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from schemas.events.envelope import GENESIS_HASH, EventBase, SentBy
from schemas.events.fields import ClockOffset, Sequence, SourceId, Words

__all__ = [
    "FeedStarted",
    "Heartbeat",
]

_IS_FIRST: Final[JsonDict] = {
    "properties": {"sequence": {"const": 1}, "previous_hash": {"const": GENESIS_HASH}}
}
_NAMES_ITS_PREDECESSOR: Final[JsonDict] = {
    "if": {
        "properties": {"predecessor_sequence": {"type": "integer"}},
        "required": ["predecessor_sequence"],
    },
    "then": {
        "properties": {"predecessor_feed_id": {"type": "string"}},
        "required": ["predecessor_feed_id"],
    },
}


class FeedStarted(EventBase):
    """A new numbering begins: always the first event of a feed, and of no other."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_IS_FIRST, _NAMES_ITS_PREDECESSOR]})

    type: Literal["feed_started"] = "feed_started"
    schema_version: Literal[1] = 1
    sent_by: ClassVar = SentBy.ANY
    may_come_while_closed: ClassVar = True
    source_kind: Literal["table", "progressive_controller"] = Field(
        description="What the source is."
    )
    predecessor_feed_id: SourceId | None = Field(
        None, description="The feed that this one replaces; left out for a new source."
    )
    predecessor_sequence: Sequence | None = Field(
        None, description="Last sequence of that feed, where the source still knows it."
    )
    software: Words | None = Field(
        None, description="Maker, product and version of what writes the feed."
    )
    clock_offset_us: ClockOffset | None = Field(
        None, description="Microseconds to add to occurred_at to get true time; unknown counts 0."
    )
    simulated: bool = Field(False, description="Whether everything in this feed is simulated.")

    @model_validator(mode="after")
    def _check_beginning(self) -> Self:
        if self.sequence != 1 or self.previous_hash != GENESIS_HASH:
            raise ValueError("feed_started is event 1 of its feed, with previous_hash of 64 zeros")
        if self.predecessor_feed_id == self.feed_id:
            raise ValueError("predecessor_feed_id is this feed; make a new random feed_id")
        if self.predecessor_sequence is not None and self.predecessor_feed_id is None:
            raise ValueError("predecessor_sequence needs predecessor_feed_id beside it")
        return self


class Heartbeat(EventBase):
    """The source is alive and had nothing else to say for five seconds."""

    type: Literal["heartbeat"] = "heartbeat"
    schema_version: Literal[1] = 1
    sent_by: ClassVar = SentBy.ANY
    may_come_while_closed: ClassVar = True
    clock_offset_us: ClockOffset | None = Field(
        None,
        description="Microseconds to add to occurred_at to get true time, where newly measured; "
        "it holds from here on.",
    )


FeedEvent: TypeAlias = FeedStarted | Heartbeat
