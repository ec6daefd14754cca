"""Who is a dead letter is said in two places, for the fold and for the sink, and both agree."""

from __future__ import annotations

import random
from itertools import islice

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events import EVENT_TYPES
from schemas.events.envelope import Envelope
from schemas.wire import parse_event, read_envelope
from schemas.wire.errors import UnreadableEventError
from tests.support.stream.poison import placed_but_wrong, unreadable
from tests.support.tables.event_strategies import event_bytes, event_documents
from tests.support.tables.wire_samples import RAW

FIELDS = ("source_id", "feed_id", "sequence", "previous_hash", "occurred_at", "type", "note")
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=80),
    st.lists(st.integers(0, 9), max_size=3),
    st.sampled_from(["2025-02-30T10:00:00.000000Z", "2025-06-07T22:00:41.123456Z", "a" * 64]),
)


def envelope_of_the_fold(raw: bytes) -> Envelope | None:
    """Give the envelope that the fold places a message by; None for a dead letter."""
    try:
        return parse_event(raw).envelope
    except UnreadableEventError as error:
        return error.envelope


def check(raw: bytes) -> None:
    expected = envelope_of_the_fold(raw)
    if expected is None:
        with pytest.raises(UnreadableEventError):
            read_envelope(raw)
        return
    envelope, tag = read_envelope(raw)
    assert envelope == expected
    assert tag in EVENT_TYPES or tag == ""


@given(event_bytes())
def test_every_event_has_its_envelope_and_its_type(raw: bytes) -> None:
    envelope, tag = read_envelope(raw)
    event = parse_event(raw)
    assert (envelope, tag) == (event.envelope, event.type)


@given(event_documents(), st.sampled_from(FIELDS), JUNK)
def test_an_event_with_any_field_spoilt_is_placed_alike(
    document: dict[str, object], field: str, junk: object
) -> None:
    check(orjson.dumps({**document, field: junk}))
    document.pop(field, None)
    check(orjson.dumps(document))


@given(event_bytes(), st.integers(0, 400), st.binary(max_size=3))
def test_damaged_bytes_are_placed_alike(raw: bytes, at: int, damage: bytes) -> None:
    check(raw[:at] + damage + raw[at + 1 :])


def test_poison_of_every_kind_is_placed_alike() -> None:
    chance = random.Random(1)
    victim = (b"BAC-04", RAW)
    for _, _, raw in islice(unreadable(chance, [victim], 3), 100):
        check(raw or b"")
    for _, _, raw in islice(placed_but_wrong(chance, RAW), 100):
        check(raw or b"")
