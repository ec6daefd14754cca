"""One sample event to be bent, and what its reader says to it."""

import datetime
import json

import pytest

from schemas.events import WagerPlaced
from schemas.wire import FeedPosition, encode_event, parse_event
from schemas.wire.errors import UnreadableEventError

AT = datetime.datetime(2025, 6, 7, 22, 0, 41, 123_456, tzinfo=datetime.UTC)
ENVELOPE = FeedPosition("BAC-03", "7c9e6679f3b04d8a", 12, "a" * 64).fields(AT)
COUP = {"coup_id": "S1/1", "shoe_id": "S1"}
WAGER = WagerPlaced(
    **ENVELOPE, coup_id="S1/1", wager_id="S1/1/1", seat="4", wager="banker", stake_minor=10_000
)
RAW = encode_event(WAGER)


def refusal(raw: bytes) -> UnreadableEventError:
    """Give the error with which bytes are refused."""
    with pytest.raises(UnreadableEventError) as caught:
        parse_event(raw)
    return caught.value


def changed(**fields: object) -> bytes:
    """Write the sample wager with other fields; None takes one out."""
    document = json.loads(RAW) | fields
    return json.dumps({name: one for name, one in document.items() if one is not None}).encode()
