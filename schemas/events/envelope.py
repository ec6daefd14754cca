"""What stands on every event: its type and version, its source, its number and its link."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import ClassVar, Final, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from schemas.events.capabilities import Capability
from schemas.events.fields import (
    HashText,
    Id,
    Instant,
    Sequence,
    SourceId,
    microseconds_of,
)

__all__ = [
    "GENESIS_HASH",
    "CoupEvent",
    "Envelope",
    "EnvelopeFields",
    "EventBase",
    "SentBy",
    "ShoeEvent",
]

GENESIS_HASH: Final = "0" * 64
"""``previous_hash`` of the first event of a feed."""


class SentBy(StrEnum):
    """Which kind of source sends an event."""

    TABLE = "table"
    CONTROLLER = "progressive_controller"
    ANY = "any"


class EnvelopeFields(TypedDict):
    """The envelope as keyword arguments: ``Heartbeat(**fields)``."""

    source_id: str
    feed_id: str
    sequence: int
    previous_hash: str
    occurred_at: datetime.datetime


class Said(BaseModel):
    """What devices say: immutable, exactly the fields named, no conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Envelope(Said):
    """Who speaks, as which number of which feed, and when; readable even where the rest is not."""

    source_id: SourceId
    feed_id: SourceId
    sequence: Sequence
    previous_hash: HashText
    occurred_at: Instant


class EventBase(Said):
    """What every event carries.

    What holds for all events of a type stands beside its fields, as attributes of the class.
    """

    sent_by: ClassVar[SentBy] = SentBy.TABLE
    """Which kind of source sends it."""
    promised_by: ClassVar[Capability | None] = None
    """The word of ``reports`` by which a table promises it; None where no word does."""
    may_come_while_closed: ClassVar[bool] = False
    """A table may send it before it opens and after it closed."""
    may_decide_verdicts: ClassVar[bool] = False
    """A verdict on a coup or shoe may depend on it, so what is missing of it is left open."""

    type: str = Field(description="What happened, in the past tense.")
    schema_version: int = Field(description="Version of this type of event.")
    source_id: SourceId = Field(
        description="What speaks: the table or the progressive controller; also the message key."
    )
    feed_id: SourceId = Field(
        description="One unbroken numbering of the source: random, made once with the spool."
    )
    sequence: Sequence = Field(description="Number in the feed: 1, 2, 3 and so on, without gaps.")
    previous_hash: HashText = Field(
        description="SHA-256 of the exact bytes of the feed's previous event; "
        "64 zeros for the first."
    )
    occurred_at: Instant = Field(
        description="When it happened by the source's clock: UTC, six decimals, Z."
    )

    @property
    def envelope(self) -> Envelope:
        """The envelope alone."""
        return Envelope.model_construct(
            source_id=self.source_id,
            feed_id=self.feed_id,
            sequence=self.sequence,
            previous_hash=self.previous_hash,
            occurred_at=self.occurred_at,
        )

    @property
    def occurred_at_us(self) -> int:
        """When it happened, in microseconds since 1970 UTC."""
        return microseconds_of(self.occurred_at)


class CoupEvent(EventBase):
    """An event of one coup."""

    may_decide_verdicts: ClassVar = True
    coup_id: Id = Field(
        description="The coup, unique at this table for ever, such as shoe id and number: S1/12. "
        "The first event that names it begins the coup."
    )
    shoe_id: Id | None = Field(None, description="The shoe in play; left out where not known.")


class ShoeEvent(EventBase):
    """An event of one shoe, inside a coup or between two."""

    may_decide_verdicts: ClassVar = True
    shoe_id: Id = Field(description="The shoe, unique at this table for ever.")
    coup_id: Id | None = Field(None, description="The coup in progress; left out between coups.")
