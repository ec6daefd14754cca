"""Reads events of the log for the history: those that have a place in their feed.

The host reads an event's envelope or puts it among the dead letters, and the sink must say the same
of the same bytes. Events as devices write them are seen to be in order many at a time; each of the
others is read by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Final, TypeAlias

import orjson
from aiokafka import ConsumerRecord
from pydantic import ConfigDict, TypeAdapter

from schemas.events.fields import HashText, Instant, SourceId
from schemas.events.fields import Sequence as SequenceNumber
from schemas.wire import EVENT_BYTES_MAX, chain_hash, read_envelope
from schemas.wire.errors import UnreadableEventError
from streams.history.writing.entries import ReceivedEvent, ReceivedEvents
from streams.history.writing.received_events import (
    EPOCH,
    MICROSECOND,
    MS_US,
    TOGETHER_MAX,
    known_type,
)
from streams.kafka.partitioning import partition_of

_Envelopes: TypeAlias = tuple[list[SourceId], list[SequenceNumber], list[HashText], list[str]]
_ENVELOPES: Final = TypeAdapter(_Envelopes, config=ConfigDict(strict=True))
_INSTANT: Final = TypeAdapter(Instant)
_INSTANT_LENGTH: Final = len("2025-06-07T22:00:41.123456Z")
_MINUTE_LENGTH: Final = len("2025-06-07T22:00:")
_WITHIN_MINUTES: Final = re.compile(r"([0-5][0-9]\.[0-9]{6}Z)*")
_SAID: Final = itemgetter(
    "type", "source_id", "feed_id", "sequence", "previous_hash", "occurred_at"
)
_MESSAGE: Final = attrgetter("key", "value", "offset", "timestamp")

_partition_of: Final = lru_cache(maxsize=65_536)(partition_of)
"""Sources are few, and the hash is slow."""


def received_from(messages: Sequence[ConsumerRecord], partitions: int) -> Iterator[ReceivedEvents]:
    """Read events of one partition of a topic, leaving out those that the host dead-letters.

    Args:
        messages: Of one partition, in the order of their offsets.
        partitions: How many partitions the topic has.
    """
    for start in range(0, len(messages), TOGETHER_MAX):
        some = messages[start : start + TOGETHER_MAX]
        together = _together(some, partitions)
        if together is None:
            alone = [event_alone(message, partitions) for message in some]
            together = ReceivedEvents.of([document for document in alone if document is not None])
        yield together


def _together(messages: Sequence[ConsumerRecord], partitions: int) -> ReceivedEvents | None:
    """Read events that are all in order and written as the wire says; None for any other."""
    keys, raws, offsets, times_ms = map(list, zip(*map(_MESSAGE, messages), strict=True))
    try:
        documents = [orjson.loads(raw) for raw in raws]
        if [orjson.dumps(document) for document in documents] != raws:
            return None  # a key may stand twice
        tags, sources, feeds, sequences, hashes, times = map(
            list, zip(*map(_SAID, documents), strict=True)
        )
        names = {name: name for name in (*sources, *feeds)}  # each in memory once
        _ENVELOPES.validate_python(([*names], sequences, hashes, times))
        occurred_at_us = _occurred_at_us(times)
    except (ValueError, TypeError, KeyError):
        return None
    partition = messages[0].partition
    for key, source in set(zip(keys, sources, strict=True)):
        if source.encode() != key or _partition_of(key, partitions) != partition:
            return None
    if max(map(len, raws)) > EVENT_BYTES_MAX:
        return None
    return ReceivedEvents(
        [names[source] for source in sources],
        [names[feed] for feed in feeds],
        sequences,
        [chain_hash(raw) for raw in raws],
        [known_type(tag) for tag in tags],
        occurred_at_us,
        [partition] * len(raws),
        offsets,
        raws,
        [time * MS_US for time in times_ms],
    )


def _occurred_at_us(times: Sequence[str]) -> list[int]:
    """Read instants of the wire, nearly all of which lie in the same few minutes.

    Raises:
        ValueError: One of them is none.
    """
    within = "".join([time[_MINUTE_LENGTH:] for time in times])
    if {*map(len, times)} != {_INSTANT_LENGTH} or not _WITHIN_MINUTES.fullmatch(within):
        raise ValueError("no instant of the wire")
    digits = within.replace(".", "").replace("Z", "")  # seconds and six decimals: microseconds
    minutes = [time[:_MINUTE_LENGTH] for time in times]
    begun_us = {minute: _minute_us(minute) for minute in {*minutes}}
    return [
        begun_us[minute] + int(digits[8 * at : 8 * at + 8]) for at, minute in enumerate(minutes)
    ]


@lru_cache(maxsize=4096)
def _minute_us(minute: str) -> int:
    return (_INSTANT.validate_python(f"{minute}00.000000Z") - EPOCH) // MICROSECOND


def event_alone(message: ConsumerRecord, partitions: int) -> ReceivedEvent | None:
    """Read an event of the log as the history keeps it; None where the host dead-letters it."""
    key, raw = message.key or b"", message.value or b""
    if _partition_of(key, partitions) != message.partition:
        return None
    try:
        envelope, tag = read_envelope(raw)
    except UnreadableEventError:
        return None
    if envelope.source_id.encode() != key:
        return None
    return ReceivedEvent(
        envelope.source_id,
        envelope.feed_id,
        envelope.sequence,
        chain_hash(raw),
        tag,
        (envelope.occurred_at - EPOCH) // MICROSECOND,
        message.partition,
        message.offset,
        raw,
        message.timestamp * MS_US,
    )
