"""Where a sink begins: a rebuild with everything, and any other behind nothing silently lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aiokafka import TopicPartition

from streams.sink.batches import SinkTopics
from streams.sink.loop import Sink, SinkSettings
from tests.support.clocks import SetClock

TOPICS = SinkTopics("e", "v", "d")


class Message(NamedTuple):
    offset: int
    partition: int
    key: bytes = b""
    value: bytes = b"{"
    timestamp: int = 0


class Consumer:
    """Partitions of three messages each, in no group."""

    def __init__(self) -> None:
        self.at: dict[TopicPartition, int] = {}

    def assign(self, places: Iterable[TopicPartition]) -> None:
        self.at = dict.fromkeys(places, 2)

    def assignment(self) -> set[TopicPartition]:
        return set(self.at)

    def paused(self) -> set[TopicPartition]:
        return set()

    async def seek_to_beginning(self, *places: TopicPartition) -> None:
        self.at |= dict.fromkeys(places, 0)

    async def end_offsets(self, places: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(places, 3)

    async def position(self, place: TopicPartition) -> int:
        return self.at[place]

    async def getmany(self, **_: int) -> dict[TopicPartition, list[Message]]:
        place = min(self.at, key=lambda one: (self.at[one], one))
        offset = self.at[place]
        self.at[place] += 1
        return {place: [Message(offset, place.partition)]} if offset < 3 else {}

    async def beginning_offsets(self, places: Sequence[TopicPartition]) -> dict:
        return dict.fromkeys(places, 2)

    async def committed(self, place: TopicPartition) -> int | None:
        return {0: None, 1: 2, 2: 0}[place.partition]

    async def commit(self, offsets: object) -> None:
        raise AssertionError(f"there is no group that could remember {offsets}")


class Writer:
    """Writes nothing, and counts."""

    writes = 0

    def write_rows(self, *_: object) -> None:
        self.writes += 1

    write = write_rows


def test_a_rebuild_takes_all_partitions_from_their_beginning_and_commits_nothing() -> None:
    consumer, writer = Consumer(), Writer()

    async def rebuild() -> Sink:
        settings = SinkSettings(TOPICS, partitions=2)
        sink = Sink(consumer, writer, settings, SetClock(), lambda _: None)
        sink.take_all()
        await sink.drain(from_start=True)
        return sink

    sink = asyncio.run(rebuild())
    assert consumer.at == {TopicPartition(name, at): 3 for name in "evd" for at in (0, 1)}
    assert (sink.counts.messages, sink.counts.is_member) == (18, True)
    assert writer.writes >= 1


def test_what_left_a_topic_before_it_was_written_is_told() -> None:
    alerts: list[str] = []
    sink = Sink(Consumer(), Writer(), SinkSettings(TOPICS, 3), SetClock(), alerts.append)
    asyncio.run(sink.on_partitions_assigned([TopicPartition("v", at) for at in range(3)]))
    assert sink.counts.lost == 2
    assert [one.partition(" left")[0] for one in alerts] == ["v 2: offsets 0 to 1"]
