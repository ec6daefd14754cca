"""The host's ports over Kafka: a broker that is away is waited for, a lost output is fatal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka import client as aiokafka_client
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaTimeoutError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from schemas.progressive_inputs import ControllerWatermark, encode_progressive_input
from schemas.records import decode_record, encode_record
from streams.host.dead_letters import Origin, dead_letter_of
from streams.host.errors import LogCutError, LogReplacedError
from streams.host.ports import LogEntry
from streams.host.snapshots import SnapshotScope, encode_snapshot, take_cut
from streams.kafka import patience
from streams.kafka.partitioning import partition_of
from streams.kafka.ports.log import KafkaLog
from streams.kafka.ports.outbox import (
    UNACKNOWLEDGED_MAX,
    KafkaOutbox,
    OutputLostError,
    OutputTopics,
)
from streams.kafka.ports.sending import TopicGoneError
from streams.kafka.ports.snapshots import KafkaSnapshots
from tests.support.history.history_records import a_coup, a_finding
from tests.support.stream.tally_fold import TallyFold
from tests.support.tables.played import a_table, dealt
from tests.support.tables.table_script import Folded

AT = TopicPartition("events", 2)


@dataclass
class Message:
    offset: int
    value: bytes | None
    key: bytes | None = b"BAC-01"
    timestamp: int = 0


@dataclass
class FakeConsumer:
    """A consumer of one partition whose broker can be away."""

    kept: list[Message]
    end: int
    errors: list[Exception] = field(default_factory=list)
    """Raised by the next questions, one each."""
    at: int = 0
    is_paused: bool = False
    assigned: list[TopicPartition] = field(default_factory=list)

    def assign(self, places: list[TopicPartition]) -> None:
        self.assigned = places

    def unsubscribe(self) -> None:
        self.assigned = []

    def pause(self, *_: TopicPartition) -> None:
        self.is_paused = True

    def resume(self, *_: TopicPartition) -> None:
        self.is_paused = False

    def seek(self, _: TopicPartition, offset: int) -> None:
        self.at = offset

    async def seek_to_beginning(self, *_: TopicPartition) -> None:
        self.at = 0

    async def position(self, _: TopicPartition) -> int:
        return self.at

    async def beginning_offsets(self, _: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        return {AT: self.kept[0].offset if self.kept else self.end}

    def highwater(self, _: TopicPartition) -> int | None:
        return self.end if self.at else None

    async def end_offsets(self, _: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        if self.errors:
            raise self.errors.pop(0)
        return {AT: self.end}

    async def getmany(
        self, *_: TopicPartition, timeout_ms: int, max_records: int = 100
    ) -> dict[TopicPartition, list[Message]]:
        del timeout_ms
        if self.errors:
            raise self.errors.pop(0)
        found = [one for one in self.kept if one.offset >= self.at][:max_records]
        self.at = found[-1].offset + 1 if found else self.end
        return {AT: found} if found else {}


def a_log(consumer: FakeConsumer, alerts: list[str]) -> KafkaLog:
    return KafkaLog(consumer, AT.topic, AT.partition, alerts.append)


def test_reading_goes_on_over_offsets_without_a_message_and_rests_at_the_end() -> None:
    consumer = FakeConsumer([Message(0, b"a"), Message(3, b"b", None), Message(4, None)], end=7)
    log = a_log(consumer, [])

    async def read() -> None:
        assert await log.end_offset() == 7
        first = await log.read(0, 2)
        assert [one.offset for one in first.entries] == [0, 3]
        assert first.next_offset == 4
        assert not consumer.is_paused
        last = await log.read(4, 10)
        assert last.entries == [LogEntry(4, b"BAC-01", b"")]
        assert (await log.read(5, 10)).next_offset == 7
        assert consumer.is_paused

    asyncio.run(read())


def test_the_log_tells_when_it_got_the_latest_message_that_was_read() -> None:
    messages = [Message(0, b"a", timestamp=1_000), Message(1, b"b", timestamp=9_500)]
    log = a_log(FakeConsumer(messages, end=2), [])
    assert log.appended_s == 0.0
    asyncio.run(log.read(0, 10))
    assert log.appended_s == 9.5
    asyncio.run(log.read_one(0))  # again, for a late event
    assert log.appended_s == 9.5


def test_a_broker_that_is_away_is_asked_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "RETRY_S", (0.001, 0.002))
    away = [KafkaConnectionError("gone"), KafkaTimeoutError("slow"), TimeoutError()]
    consumer, alerts = FakeConsumer([Message(0, b"a")], end=1, errors=away), list[str]()
    log = a_log(consumer, alerts)
    assert asyncio.run(log.end_offset()) == 1
    assert log.outage is None
    assert alerts == [
        "events 2 cannot be read: KafkaConnectionError: gone; tried again until it can",
        "events 2 is read again",
    ]


def test_a_broker_that_says_nothing_is_away_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "ANSWER_WITHIN_S", 0.01)
    consumer = FakeConsumer([], end=0)
    log = a_log(consumer, [])

    async def never(_: object) -> dict[TopicPartition, int]:
        await asyncio.Event().wait()
        return {}

    consumer.end_offsets = never  # type: ignore[method-assign]

    async def ask() -> None:
        asking = asyncio.create_task(log.end_offset())
        while log.outage is None:
            await asyncio.sleep(0.005)
        asking.cancel()

    asyncio.run(ask())
    assert log.outage == "events 2 cannot be read: no answer within 0.01 s"


def test_what_the_broker_refuses_is_an_error_at_once() -> None:
    log = a_log(FakeConsumer([], end=0, errors=[TopicAuthorizationFailedError("no")]), [])
    with pytest.raises(TopicAuthorizationFailedError):
        asyncio.run(log.read(0, 1))


@pytest.mark.parametrize(
    ("start", "kind", "said"),
    [
        (
            9,
            LogReplacedError,
            "the log ends at offset 7, and it was folded to 9: it was created again",
        ),
        (1, LogCutError, "the log begins at offset 4: offset 1 left it before it was folded"),
        (5, OffsetOutOfRangeError, "strange"),
    ],
)
def test_an_offset_that_cannot_be_read_says_what_became_of_the_log(
    start: int, kind: type[Exception], said: str
) -> None:
    kept = [Message(at, b"e") for at in (4, 5, 6)]
    log = a_log(FakeConsumer(kept, end=7, errors=[OffsetOutOfRangeError("strange")]), [])
    with pytest.raises(kind, match=said):
        asyncio.run(log.read_tail(start, 1, 0.0))


def test_the_tail_is_followed_without_asking_where_the_log_ends() -> None:
    consumer = FakeConsumer([Message(3, b"a"), Message(4, b"b"), Message(5, b"c")], end=9)
    log = a_log(consumer, [])

    async def never(_: object) -> dict[TopicPartition, int]:
        raise AssertionError("that is a request more")

    consumer.end_offsets = never  # type: ignore[method-assign]

    async def read() -> None:
        batch = await log.read_tail(3, 2, 0.0)
        assert [one.offset for one in batch.entries] == [3, 4]
        assert batch.next_offset == 5
        assert log.known_end == 9
        assert not consumer.is_paused  # the next is fetched meanwhile
        assert (await log.read_tail(5, 2, 0.0)).next_offset == 6
        assert (await log.read_tail(6, 2, 0.0)).entries == []
        log.rest()
        assert consumer.is_paused

    asyncio.run(read())


def test_one_message_that_is_gone_is_named() -> None:
    log = a_log(FakeConsumer([Message(3, b"b")], end=4), [])
    with pytest.raises(LookupError, match="events 2: offset 1 is gone"):
        asyncio.run(log.read_one(1))
    assert asyncio.run(log.read_one(3)) == b"b"


def snapshot_at(next_offset: int) -> bytes:
    scope = SnapshotScope(Origin("log", 2), 3, 1)
    return encode_snapshot(take_cut(next_offset, []), scope, TallyFold())


def test_the_highest_snapshots_come_first_whenever_they_were_written() -> None:
    offsets = [10, 50, 30, 60, 20, 40]
    kept = [b"no snapshot", *(snapshot_at(offset) for offset in offsets), None]
    consumer = FakeConsumer([Message(at, one) for at, one in enumerate(kept)], end=len(kept))
    snapshots = KafkaSnapshots(consumer, None, AT.topic, AT.partition)
    found = asyncio.run(snapshots.newest_first())
    assert found == [snapshot_at(60), snapshot_at(50), snapshot_at(40)]
    assert snapshots.out_of_order == 3
    assert consumer.assigned == []


class FakeProducer:
    """A producer whose answers come when the test says."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, bytes]] = []
        self.partitions: list[int | None] = []
        self.unknown = 0
        """So many times it does not find the topic."""
        self.futures: list[asyncio.Future[Any]] = []

    async def send(
        self, topic: str, value: bytes, key: bytes, partition: int | None = None
    ) -> asyncio.Future[Any]:
        if self.unknown:
            self.unknown -= 1
            raise UnknownTopicOrPartitionError
        self.sent.append((topic, key, value))
        self.partitions.append(partition)
        self.futures.append(asyncio.get_running_loop().create_future())
        return self.futures[-1]

    def answer(self, count: int) -> None:
        for future in [one for one in self.futures if not one.done()][:count]:
            future.set_result(None)


TOPICS = OutputTopics("verdicts", "findings", "dead-letters")
ENTRY = LogEntry(7, b"BAC-01", b"{}")


def test_outputs_go_out_in_order_and_a_finding_is_said_once() -> None:
    producer = FakeProducer()

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        overpaid = a_finding("S1/1/w1")
        worse = a_finding("S1/1/w1", sentence="Banker 8, Player 5: Banker wins; 300.00 paid.")
        for record in (
            a_coup(offset=6, findings=(overpaid,)),
            a_coup(offset=7, findings=(overpaid,)),
            a_coup(offset=8, findings=(worse,)),
        ):
            outbox.put(ENTRY, [record], None)
        without = a_coup(offset=9)
        outbox.put(ENTRY, [without], dead_letter_of(Origin("log", 2), 7, (b"k", b"x"), ("a", "b")))
        await outbox.make_room()
        assert outbox.unacknowledged == len(producer.sent)
        producer.answer(len(producer.sent))
        await outbox.flush()
        assert outbox.unacknowledged == 0

    asyncio.run(put())
    assert [topic for topic, _, _ in producer.sent] == [
        "verdicts",
        "findings",
        "verdicts",
        "verdicts",
        "findings",
        "verdicts",
        "findings",
        "dead-letters",
    ]
    changes = [orjson.loads(value) for topic, _, value in producer.sent if topic == "findings"]
    assert [one["change"] for one in changes] == ["new", "changed", "withdrawn"]
    assert {key for topic, key, _ in producer.sent if topic == "dead-letters"} == {b"log/2"}


def test_a_finding_is_withdrawn_also_by_a_worker_that_did_not_put_it_out() -> None:
    producer = FakeProducer()
    script = a_table()
    wager_id = script.wager("player", 10_000)
    dealt(script).settle(wager_id, 20_100).close()
    stood = Folded(script.messages).finding
    corrected = Folded(script.void().messages)
    (record,) = corrected.absorbed[-1].records
    assert decode_record(encode_record(record)).withdrawn == ()

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        outbox.put(ENTRY, [record], None)
        await outbox.make_room()
        producer.answer(len(producer.sent))
        await outbox.flush()

    asyncio.run(put())
    changes = [orjson.loads(value) for topic, _, value in producer.sent if topic == "findings"]
    assert [one["id"] for one in changes if one["change"] == "withdrawn"] == [stood.id]


@pytest.mark.parametrize("count", [None, 6])
def test_outputs_of_a_key_go_to_its_partition_whoever_looks_it_up(count: int | None) -> None:
    producer = FakeProducer()

    async def put() -> None:
        topics = OutputTopics("verdicts", "findings", "dead-letters", "", count)
        outbox = KafkaOutbox(producer, topics)
        outbox.put(ENTRY, [a_coup()], None)
        await outbox.make_room()
        producer.answer(1)

    asyncio.run(put())
    (key,) = {key for _, key, _ in producer.sent}
    assert producer.partitions == [None if count is None else partition_of(key, count)]


def test_what_ledgers_are_told_goes_to_their_topic_under_the_progressive() -> None:
    producer = FakeProducer()
    topics = OutputTopics("verdicts", "findings", "dead-letters", "progressive-inputs")
    said = ControllerWatermark(
        progressive_id="HP:1",
        source_id="PRG-01",
        feed_id="f1",
        sequence=3,
        version=7,
        watermark_us=1,
        is_simulated=False,
        lost=(),
    )

    async def put() -> None:
        outbox = KafkaOutbox(producer, topics)
        outbox.put(ENTRY, [], None, [said])
        await outbox.make_room()
        producer.answer(1)
        await outbox.flush()

    asyncio.run(put())
    assert producer.sent == [("progressive-inputs", b"HP:1", encode_progressive_input(said))]


def test_a_producer_that_slept_takes_a_topic_to_be_gone_without_having_looked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Why one failure says nothing: the client library's own clock goes on while it sleeps."""

    async def look() -> None:
        producer = AIOKafkaProducer(bootstrap_servers="127.0.0.1:1", request_timeout_ms=30_000)
        looks = 0

        async def look_and_sleep() -> None:
            nonlocal looks
            looks += 1
            slept_s = 41.0
            now_s = time.monotonic
            monkeypatch.setattr(aiokafka_client.time, "monotonic", lambda: now_s() + slept_s)

        monkeypatch.setattr(producer.client, "force_metadata_update", look_and_sleep)
        monkeypatch.setattr(producer.client, "add_topic", lambda _: None)
        with pytest.raises(UnknownTopicOrPartitionError):
            await producer.partitions_for("verdicts")
        assert looks == 1
        monkeypatch.undo()
        await producer.stop()

    asyncio.run(look())


@pytest.mark.parametrize("failures", [1, 2])
def test_a_topic_is_looked_for_twice_before_it_is_gone(failures: int) -> None:
    """A process that slept for longer than a request may take has not looked at all."""
    producer = FakeProducer()
    producer.unknown = failures

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        outbox.put(ENTRY, [a_coup()], None)
        if failures == 1:
            await outbox.make_room()
            producer.answer(1)
            await outbox.flush()
        else:
            with pytest.raises(TopicGoneError, match="verdicts is not there any more"):
                await outbox.make_room()

    asyncio.run(put())
    assert [topic for topic, _, _ in producer.sent] == ["verdicts"] * (failures == 1)


def test_a_snapshot_is_put_where_its_partition_says_and_a_topic_that_is_gone_is_named() -> None:
    producer = FakeProducer()
    snapshots = KafkaSnapshots(FakeConsumer([], end=0), producer, AT.topic, AT.partition)

    async def put() -> None:
        putting = asyncio.create_task(snapshots.put(b"snapshot", (1, 5)))
        await asyncio.sleep(0.001)
        producer.answer(1)
        await putting
        producer.unknown = 2
        with pytest.raises(TopicGoneError, match="events is not there any more"):
            await snapshots.put(b"snapshot", (1, 6))

    asyncio.run(put())
    assert producer.sent == [("events", b"2", b"snapshot")]
    assert producer.partitions == [2]


def test_a_broker_that_is_away_while_snapshots_are_read_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patience, "RETRY_S", (0.001, 0.002))
    alerts: list[str] = []

    def found(alert: Callable[[str], None] | None) -> Sequence[bytes]:
        away = [KafkaTimeoutError("slow"), KafkaConnectionError("gone")]
        consumer = FakeConsumer([Message(0, snapshot_at(10))], end=1, errors=away)
        return asyncio.run(KafkaSnapshots(consumer, None, *AT, alert).newest_first())

    assert found(alerts.append) == [snapshot_at(10)]
    assert [one.partition(":")[0] for one in alerts] == [
        "events 2 cannot be read",
        "events 2 is read again",
    ]
    with pytest.raises(KafkaTimeoutError):  # whoever only looks does not wait
        found(None)


def test_too_much_undelivered_waits_for_half_of_it() -> None:
    producer = FakeProducer()

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        for offset in range(UNACKNOWLEDGED_MAX + 1):
            outbox.put(ENTRY, [a_coup(offset=offset)], None)
        waiting = asyncio.create_task(outbox.make_room())
        await asyncio.sleep(0)
        producer.answer(UNACKNOWLEDGED_MAX // 2)
        await asyncio.sleep(0)
        assert not waiting.done()
        producer.answer(1)
        await waiting

    asyncio.run(put())


@pytest.mark.parametrize("does_flush", [True, False])
def test_a_lost_output_stops_everything_behind_it(does_flush: bool) -> None:
    producer = FakeProducer()

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        outbox.put(ENTRY, [a_coup()], None)
        await outbox.make_room()
        producer.futures[0].set_exception(KafkaTimeoutError("batch expired"))
        await asyncio.sleep(0)
        with pytest.raises(OutputLostError, match=r"not delivered: .*batch expired"):
            if does_flush:
                await outbox.flush()
            else:
                outbox.put(ENTRY, [a_coup()], None)
        producer.answer(9)

    asyncio.run(put())


def test_a_flush_hears_of_a_loss_while_it_waits() -> None:
    producer = FakeProducer()

    async def put() -> None:
        outbox = KafkaOutbox(producer, TOPICS)
        outbox.put(ENTRY, [a_coup()], None)
        flushing = asyncio.create_task(outbox.flush())
        await asyncio.sleep(0.001)
        producer.futures[-1].set_exception(KafkaTimeoutError("batch expired"))
        with pytest.raises(OutputLostError):
            await flushing
        producer.answer(9)

    asyncio.run(put())
