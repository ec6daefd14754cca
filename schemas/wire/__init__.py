"""The wire: how an event becomes bytes, and bytes an event."""

from schemas.wire.codec import (
    DEPTH_MAX,
    EVENT_BYTES_MAX,
    EventTooLargeError,
    FeedPosition,
    chain_hash,
    encode_event,
    parse_event,
    read_envelope,
)

__all__ = [
    "DEPTH_MAX",
    "EVENT_BYTES_MAX",
    "EventTooLargeError",
    "FeedPosition",
    "chain_hash",
    "encode_event",
    "parse_event",
    "read_envelope",
]
