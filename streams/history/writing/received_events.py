"""Turns raw events into columns of the history, many at a time."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

import orjson

from schemas.events import EVENT_TYPES
from schemas.wire import chain_hash
from streams.history.writing.entries import ReceivedEvents
from streams.host.ports import LogEntry

TOGETHER_MAX: Final = 128
"""Events read together: more would leave the processor's cache before they are used."""

MS_US: Final = 1_000
"""Microseconds of a millisecond."""

EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""Where counting begins."""

MICROSECOND: Final = datetime.timedelta(microseconds=1)
"""What is counted."""

_TYPES: Final = {tag: tag for tag in EVENT_TYPES}
"""Texts that come again, so that each is in memory once."""

_PLACED: Final = itemgetter("source_id", "feed_id", "sequence", "occurred_at")


def events_folded(entries: Sequence[LogEntry], known_at_us: int) -> Iterator[ReceivedEvents]:
    """Describe messages whose envelopes the fold has read.

    Args:
        entries: As they stand in the log of one machine.
        known_at_us: When the history learns of them.
    """
    for start in range(0, len(entries), TOGETHER_MAX):
        some = entries[start : start + TOGETHER_MAX]
        raws = [document.raw for document in some]
        documents = [orjson.loads(raw) for raw in raws]
        sources, feeds, sequences, times = map(list, zip(*map(_PLACED, documents), strict=True))
        yield ReceivedEvents(
            sources,
            feeds,
            sequences,
            [chain_hash(raw) for raw in raws],
            [known_type(document.get("type")) for document in documents],
            [(datetime.datetime.fromisoformat(time) - EPOCH) // MICROSECOND for time in times],
            [0] * len(raws),
            [document.offset for document in some],
            raws,
            [known_at_us] * len(raws),
        )


def known_type(tag: object) -> str:
    """Give the wire tag of an event; empty where no event is called so."""
    return _TYPES.get(tag, "") if isinstance(tag, str) else ""
