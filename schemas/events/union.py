"""The registry of events: one union, told apart by ``type``, in the order of ``feed.md``.

Each module of events ends with the union of its own; here they stand together. Everything that
goes over all events follows from it: what ``schemas.events`` exports, the JSON Schema, the
reference in ``feed.md``, and by the facts that each class carries (who sends it, which word of
``reports`` promises it) the conformance check and the fold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias, get_args

from pydantic import Field

from schemas.events.chips import ChipEvent
from schemas.events.deal import DealEvent
from schemas.events.devices import DeviceEvent
from schemas.events.endings import EndingEvent
from schemas.events.envelope import EventBase
from schemas.events.feeds import FeedEvent
from schemas.events.payments import PaymentEvent
from schemas.events.progressive import MeterEvent
from schemas.events.progressive_control import ControllerEvent
from schemas.events.shoe import CardEvent
from schemas.events.table import TableEvent
from schemas.events.wagers import WagerEvent

__all__ = [
    "EVENT_TYPES",
    "Event",
    "tag_of",
    "tags_where",
    "version_of",
]

AnyEvent: TypeAlias = (
    FeedEvent
    | DeviceEvent
    | TableEvent
    | CardEvent
    | WagerEvent
    | DealEvent
    | PaymentEvent
    | EndingEvent
    | ChipEvent
    | MeterEvent
    | ControllerEvent
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


def tags_where(holds: Callable[[type[EventBase]], bool]) -> frozenset[str]:
    """Give the wire tags of the events for whose class something holds."""
    return frozenset(tag for tag, event_class in EVENT_TYPES.items() if holds(event_class))
