"""Which events are there? One union, told apart by ``type``, in the order of ``feed.md``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias, get_args

from pydantic import Field

from schemas.events.chips import ChipsCredited, ChipsFilled, DropCounted, InventoryCounted
from schemas.events.deal import (
    CardDealt,
    CardDrawnInError,
    CardRead,
    CountsAnnounced,
    CoupClosed,
    CoupVoided,
    ResultAnnounced,
)
from schemas.events.envelope import EventBase
from schemas.events.feeds import FeedStarted, Heartbeat
from schemas.events.payments import (
    PayoutCorrected,
    SeatSettled,
    StakeCollected,
    VigorishCollected,
    WagerRefunded,
    WagerSettled,
)
from schemas.events.progressive import (
    ProgressiveChipsCounted,
    ProgressiveHit,
    ProgressiveLockedOut,
    ProgressivePaid,
    ProgressiveReading,
    ProgressiveReset,
    ProgressiveWagerAccepted,
)
from schemas.events.progressive_control import (
    ProgressiveAdjusted,
    ProgressiveLinkLost,
    ProgressiveLinkRestored,
    ProgressiveParametersChanged,
    ProgressiveRemoved,
    ProgressiveTableJoined,
    ProgressiveTableLeft,
    ProgressiveTransferred,
)
from schemas.events.shoe import (
    CardExposed,
    CardRemoved,
    CardReplaced,
    CardsBurned,
    CoverCardDrawn,
    ShoeEnded,
    ShoeLoaded,
)
from schemas.events.table import (
    DealerOff,
    DealerOn,
    DeviceFaultCleared,
    DeviceFaultRaised,
    PaytablesDisplayed,
    RulesSubmissionChanged,
    TableClosed,
    TableOpened,
)
from schemas.events.wagers import (
    NoMoreBets,
    SeatVacated,
    WagerChanged,
    WagerPlaced,
    WagerWithdrawn,
)

AnyEvent: TypeAlias = (
    FeedStarted
    | Heartbeat
    | DeviceFaultRaised
    | DeviceFaultCleared
    | TableOpened
    | TableClosed
    | RulesSubmissionChanged
    | PaytablesDisplayed
    | DealerOn
    | DealerOff
    | ShoeLoaded
    | CardsBurned
    | CoverCardDrawn
    | CardRemoved
    | CardReplaced
    | CardExposed
    | ShoeEnded
    | WagerPlaced
    | WagerChanged
    | WagerWithdrawn
    | NoMoreBets
    | CardDealt
    | CardRead
    | CardDrawnInError
    | CountsAnnounced
    | ResultAnnounced
    | StakeCollected
    | WagerSettled
    | SeatSettled
    | PayoutCorrected
    | WagerRefunded
    | VigorishCollected
    | SeatVacated
    | CoupClosed
    | CoupVoided
    | ChipsFilled
    | ChipsCredited
    | InventoryCounted
    | DropCounted
    | ProgressiveWagerAccepted
    | ProgressiveReading
    | ProgressiveLockedOut
    | ProgressiveHit
    | ProgressivePaid
    | ProgressiveReset
    | ProgressiveAdjusted
    | ProgressiveParametersChanged
    | ProgressiveLinkLost
    | ProgressiveLinkRestored
    | ProgressiveTableJoined
    | ProgressiveTableLeft
    | ProgressiveTransferred
    | ProgressiveRemoved
    | ProgressiveChipsCounted
)
"""Every event in its current version."""

Event: TypeAlias = Annotated[AnyEvent, Field(discriminator="type")]
"""The same, told apart by ``type``: for pydantic and for the JSON Schema."""

_CLASSES: Final[tuple[type[AnyEvent], ...]] = get_args(AnyEvent)


def tag_of(event_class: type[EventBase]) -> str:
    """Give the wire tag of a class of events."""
    return str(event_class.model_fields["type"].default)


def version_of(event_class: type[EventBase]) -> int:
    """Give the schema version of a class of events."""
    return int(event_class.model_fields["schema_version"].default)


EVENT_TYPES: Final[Mapping[str, type[AnyEvent]]] = MappingProxyType(
    {tag_of(event_class): event_class for event_class in _CLASSES}
)
"""Wire tag to the class of its current version."""
