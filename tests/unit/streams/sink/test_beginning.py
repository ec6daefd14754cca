"""Where a sink begins: a rebuild with everything, and any other behind nothing silently lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pytest
from aiokafka import TopicPartition

from streams.history.store import StoreFaultError
from streams.sink.batches import SinkTopics
from streams.sink.beginning import Start, starts_of
from streams.sink.loop import SharedHistoryError, Sink, SinkSettings
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

    def __init__(self, commits: Mapping[int, int] | None = None) -> None:
        self.at: dict[TopicPartition, int] = {}
        self.commits = commits or {}

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
        return self.commits.get(place.partition)

    async def commit(self, offsets: object) -> None:
        raise AssertionError(f"there is no group that could remember {offsets}")

    def partitions_for_topic(self, name: str) -> set[int]:
        return {0, 1} if name in "evd" else set()

    def seek(self, place: TopicPartition, offset: int) -> None:
        self.at[place] = offset


class Member(Consumer):
    """The same in a group that gave us a share, and takes commits."""

    def __init__(self, *places: TopicPartition) -> None:
        super().__init__()
        self.assign(places)
        self.committed_now: list[dict[TopicPartition, int]] = []

    async def commit(self, offsets: dict[TopicPartition, int]) -> None:
        self.committed_now.append(offsets)


class Writer:
    """Writes nothing, and counts."""

    writes = 0

    def write_rows(self, *_: object) -> None:
        self.writes += 1

    write = write_rows


class SetMarks:
    """What a history says of itself."""

    def __init__(self, known: Mapping[TopicPartition, int] | None = None) -> None:
        self.known = dict(known or {})
        self.is_away = False

    def read(self) -> dict[TopicPartition, int]:
        if self.is_away:
            raise StoreFaultError("the history is away")
        return dict(self.known)

    def note(self, written: Mapping[TopicPartition, int]) -> None:
        self.known |= written


def test_a_rebuild_takes_all_partitions_from_their_beginning_and_commits_nothing() -> None:
    consumer, writer = Consumer(), Writer()
    marks = SetMarks({TopicPartition("e", 0): 3})

    async def rebuild() -> Sink:
        settings = SinkSettings(TOPICS, partitions=2)
        sink = Sink(consumer, writer, marks, settings, SetClock(), lambda _: None)
        sink.take_all()
        await sink.drain(from_start=True)
        return sink

    sink = asyncio.run(rebuild())
    assert consumer.at == {TopicPartition(name, at): 3 for name in "evd" for at in (0, 1)}
    assert (sink.counts.messages, sink.counts.is_member) == (18, True)
    assert writer.writes >= 1
    assert marks.known == consumer.at, "how far it came is in the history"


@pytest.mark.parametrize(
    ("marked", "committed", "start"),
    [
        (None, None, Start(2, unread=2)),  # nothing of it is in the history
        (None, 3, Start(2, unread=2)),  # committed, but not into this one
        (3, None, Start(3)),  # the group was forgotten, the history was not
        (3, 3, Start(3)),
        (2, 3, Start(2)),  # brought back from an earlier day
        (3, 2, Start(2)),  # set back by a person
        (0, None, Start(2, lost=2)),
        (1, 3, Start(2, lost=1)),
        (9, 9, Start(2)),  # the log was cut short: what stands there now is something else
    ],
)
def test_reading_begins_behind_what_the_history_says_that_it_has(
    marked: int | None, committed: int | None, start: Start
) -> None:
    at = TopicPartition("e", 0)
    consumer = Consumer(commits={} if committed is None else {0: committed})
    marks = SetMarks({} if marked is None else {at: marked})
    assert asyncio.run(starts_of(consumer, marks, [at])) == {at: start}


def test_what_left_a_topic_before_it_was_written_is_told() -> None:
    alerts: list[str] = []
    places = [TopicPartition("v", at) for at in range(3)]
    marks = SetMarks({places[1]: 2, places[2]: 0})

    async def begin() -> Sink:
        sink = Sink(
            Member(*places), Writer(), marks, SinkSettings(TOPICS, 3), SetClock(), alerts.append
        )
        await sink.on_partitions_assigned(places)
        await sink._begin()
        return sink

    sink = asyncio.run(begin())
    assert sink.counts.lost == 2
    assert [one.partition(" left")[0] for one in alerts if " left" in one] == [
        "v 2: offsets 0 to 1"
    ]
    (told,) = [one for one in alerts if " left" not in one]
    assert told.startswith("v 0 has lost its first 2 messages to retention before this history")


def test_nothing_is_taken_before_it_is_known_where_to_begin() -> None:
    place = TopicPartition("e", 0)
    consumer, marks = Member(place), SetMarks()
    marks.is_away = True

    async def look() -> Sink:
        sink = Sink(consumer, Writer(), marks, SinkSettings(TOPICS, 2), SetClock(), lambda _: None)
        await sink.on_partitions_assigned([place])
        await sink._begin()
        await sink._read()
        assert (sink.counts.messages, consumer.at) == (0, {place: 3}), "read, and not taken"
        assert sink.problems() == ["not known yet where to begin: the history is away"]
        marks.is_away = False
        await sink._begin()
        assert (consumer.at, sink.problems()) == ({place: 2}, [])
        await sink._read()
        return sink

    assert asyncio.run(look()).counts.messages == 1


def test_a_mark_stands_in_the_history_before_the_group_hears_of_it() -> None:
    place = TopicPartition("e", 0)
    consumer, marks = Member(place), SetMarks()
    seen: list[tuple[dict[TopicPartition, int], int]] = []

    async def commit(offsets: dict[TopicPartition, int]) -> None:
        seen.append((offsets, marks.known.get(place, 0)))

    consumer.commit = commit  # type: ignore[method-assign]

    async def write() -> None:
        sink = Sink(consumer, Writer(), marks, SinkSettings(TOPICS, 2), SetClock(), lambda _: None)
        await sink.on_partitions_assigned([place])
        await sink._begin()
        await sink._read()
        await sink._flush()

    asyncio.run(write())
    assert seen == [({place: 2}, 0), ({place: 3}, 3)]


def test_what_is_read_behind_a_batch_that_was_dropped_is_dropped_too() -> None:
    """A revoked partition that cannot be written in time must not be committed beyond the gap."""
    place = TopicPartition("e", 0)
    consumer, marks = Member(place), SetMarks({place: 2})

    class Slow(Writer):
        def write_rows(self, *_: object) -> None:
            raise StoreFaultError("away")

    async def lose() -> Sink:
        settings = SinkSettings(TOPICS, 2, revoke_within_s=0.05)
        sink = Sink(consumer, Slow(), marks, settings, SetClock(), lambda _: None)
        await sink.on_partitions_assigned([place])
        await sink._begin()
        await sink._read()
        assert sink.waiting_messages == 1
        await sink.on_partitions_revoked([place])
        assert sink.waiting_messages == 0
        consumer.at[place] = 2  # more of the old share comes before the new one is given
        await sink._read()
        return sink

    assert asyncio.run(lose()).waiting_messages == 0


def test_brokers_that_do_not_answer_are_told_within_ten_seconds_until_they_do_again() -> None:
    clock, consumer = SetClock(), Member()
    answers = asyncio.Event()

    async def topics() -> set[str]:
        await answers.wait()
        return set()

    consumer.topics = topics  # type: ignore[attr-defined]

    async def look() -> None:
        sink = Sink(consumer, Writer(), SetMarks(), SinkSettings(TOPICS, 2), clock, lambda _: None)
        await sink.on_partitions_assigned([])
        watching = asyncio.create_task(sink.watch())
        await asyncio.sleep(0)
        assert sink.problems() == []
        clock.advance(10)
        (problem,) = sink.problems()
        assert problem.startswith("the brokers have not answered for 10 s")
        answers.set()
        while sink.problems():
            await asyncio.sleep(0)
        watching.cancel()

    asyncio.run(asyncio.wait_for(look(), 10))


def test_nothing_overtakes_what_is_written_for_the_last_time() -> None:
    """Committed and marked behind rows that were dropped in the end, they would be lost."""
    place = TopicPartition("e", 0)
    consumer, marks = Member(place), SetMarks({place: 1})
    consumer.at[place] = 1

    class AwayAtFirst(Writer):
        def write_rows(self, *_: object) -> None:
            self.writes += 1
            if self.writes == 1:
                raise StoreFaultError("away for a moment")

    async def revoke() -> None:
        settings = SinkSettings(TOPICS, 2, revoke_within_s=0.05, write_every_s=0)
        sink = Sink(consumer, AwayAtFirst(), marks, settings, SetClock(), lambda _: None)
        await sink.on_partitions_assigned([place])
        sink._to_begin.clear()
        await sink._read()  # offset 1, which will be dropped
        revoking = asyncio.create_task(sink.on_partitions_revoked([place]))
        await asyncio.sleep(0)
        while not revoking.done():  # the loop goes on meanwhile, and reads offset 2
            await sink._begin()
            await sink._read()
            sink._write_if_due()
            await asyncio.sleep(0.01)
        for _ in range(20):
            await sink._read()
            sink._write_if_due()
            await asyncio.sleep(0.01)

    asyncio.run(revoke())
    assert marks.known == {place: 1}
    assert consumer.committed_now == []


def test_a_sink_that_shares_a_history_of_one_writer_ends() -> None:
    share = [TopicPartition(name, 0) for name in "evd"]
    clock = SetClock()

    async def run(places: Sequence[TopicPartition], limit_s: float | None) -> None:
        settings = SinkSettings(TOPICS, 2, alone_within_s=limit_s)
        sink = Sink(Member(*places), Writer(), SetMarks(), settings, clock, lambda _: None)
        await sink.on_partitions_assigned(places)
        clock.advance(9)
        sink._refuse_company()  # a dead one may still have its share
        clock.advance(2)
        sink._refuse_company()

    asyncio.run(run([TopicPartition(name, at) for name in "evd" for at in (0, 1)], 10))
    asyncio.run(run(share, None))  # on a server several may share
    with pytest.raises(SharedHistoryError):
        asyncio.run(run(share, 10))
