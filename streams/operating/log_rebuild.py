"""Rebuilds a log that Kafka has lost, from the raw events of the history.

Every feed is published in the order of its sequences, the feeds of a source one after the other,
into topics that are empty. Each source says then what it said before, so that workers come to the
same verdicts; offsets and versions are new. On the way every event is held against the hash that
its successor carries.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from schemas.events import GENESIS_HASH
from schemas.topics import TopicName, topic
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader
from streams.kafka.events_topic import events_topic_id
from streams.kafka.passing_clients import reading_clients, sending_client, unavailable
from streams.process.settings import KafkaSettings

PAGE_EVENTS: Final = 5_000
"""Sequences that are read and sent at a time."""

LISTED_MAX: Final = 20
"""The most breaks of chains that are listed; all are counted."""


class RebuildRefusedError(Exception):
    """The log cannot be made anew there; one line says why and what to do."""


@dataclass(slots=True)
class Rebuilt:
    """What was published."""

    sources: int = 0
    feeds: int = 0
    events: int = 0
    missing: int = 0
    """Sequences that the history has no event of."""
    conflicts: int = 0
    """Sequences under which it has several contents; all were published, the first one first."""
    breaks: int = 0
    """Events that do not carry the hash of the event before them."""
    lines: list[str] = field(default_factory=list)
    """The first of these breaks, one line each."""

    def broken(self, line: str) -> None:
        """Note a break of a chain."""
        self.breaks += 1
        if len(self.lines) < LISTED_MAX:
            self.lines.append(line)


class _Feed(NamedTuple):
    source_id: str
    feed_id: str
    first_sequence: int
    last_sequence: int


class _Chain:
    """Follows one feed and says where it does not hold."""

    def __init__(self, feed: _Feed, rebuilt: Rebuilt) -> None:
        self._feed, self._rebuilt = feed, rebuilt
        self._sequence = 0
        self._hash: str | None = GENESIS_HASH

    def take(self, sequence: int, raw: bytes) -> None:
        """Look at the next event; of a conflict the first one counts."""
        if sequence == self._sequence:
            self._rebuilt.conflicts += 1
            return
        if sequence > self._sequence + 1:
            self._rebuilt.missing += sequence - self._sequence - 1
            self._hash = None
        said = orjson.loads(raw).get("previous_hash")
        if self._hash is not None and said != self._hash:
            self._rebuilt.broken(
                f"{self._feed.source_id}, feed {self._feed.feed_id}: event {sequence} does not "
                "carry the hash of the event before it"
            )
        self._sequence, self._hash = sequence, hashlib.sha256(raw).hexdigest()


def rebuild_log(
    settings: KafkaSettings,
    reader: HistoryReader,
    report: Callable[[Rebuilt], None] | None = None,
) -> Rebuilt:
    """Publish all raw events of a history into the empty topic of events.

    Args:
        settings: Say where, and under which prefix.
        reader: The history.
        report: Told the counts after every page.

    Raises:
        RebuildRefusedError: The topic has messages.
        NoEventsTopicError: There is no such topic.
        KafkaUnavailableError: The cluster went away; begin again with new topics.
        HistoryError: The history cannot be read.
    """
    events_topic_id(settings)
    return asyncio.run(_rebuild(settings, reader, report))


async def _rebuild(
    settings: KafkaSettings, reader: HistoryReader, report: Callable[[Rebuilt], None] | None
) -> Rebuilt:
    name = topic(TopicName.EVENTS).full_name(settings.prefix)
    await _refuse_used(settings, name)
    rebuilt = Rebuilt()
    sources: set[str] = set()
    try:
        async with sending_client(settings) as producer:
            for feed in _feeds(reader):
                sources.add(feed.source_id)
                rebuilt.sources, rebuilt.feeds = len(sources), rebuilt.feeds + 1
                chain, key = _Chain(feed, rebuilt), feed.source_id.encode()
                for page in _pages(reader, feed):
                    sent = []
                    for sequence, raw in page:
                        chain.take(sequence, raw)
                        sent.append(await producer.send(name, value=raw, key=key))
                    await asyncio.gather(*sent)
                    rebuilt.events += len(page)
                    if report is not None:
                        report(rebuilt)
    except KafkaError as error:
        raise unavailable(settings, error) from None
    return rebuilt


async def _refuse_used(settings: KafkaSettings, name: str) -> None:
    async with reading_clients(settings, 1) as (consumer,):
        places = [TopicPartition(name, number) for number in range(settings.partitions)]
        try:
            ends = await consumer.end_offsets(places)
        except KafkaError as error:
            raise unavailable(settings, error) from None
    if count := sum(ends.values()):
        raise RebuildRefusedError(
            f"{name} has had {count:,} messages; a log is created again in empty topics only: name "
            "another --prefix, and make its topics with ladderman topics create"
        )


def _feeds(reader: HistoryReader) -> list[_Feed]:
    rows = reader.query("feeds").dicts()
    return [_Feed(*(row[name] for name in _Feed._fields)) for row in rows]


def _pages(reader: HistoryReader, feed: _Feed) -> Iterator[list[tuple[int, bytes]]]:
    """Give the events of a feed page by page, in the order of sequence and of becoming known."""
    first = feed.first_sequence
    while first <= feed.last_sequence:
        last = min(feed.last_sequence, first + PAGE_EVENTS - 1)
        answer = reader.query(
            "raw_events",
            {
                "source_id": feed.source_id,
                "feed_id": feed.feed_id,
                "first_sequence": first,
                "last_sequence": last,
            },
        )
        rows: list[dict[str, Any]] = sorted(
            answer.dicts(),
            key=lambda row: (row["sequence"], row["known_at_us"], row["log_offset"]),
        )
        yield [(row["sequence"], as_bytes(row["raw_bytes"])) for row in rows]
        first = last + 1
