"""How fast is the live stream? Against the framework alone, the embedded fold, a plain insert.

A broker, publishers, workers and sinks share the machine; figures of processor time are those of
one process alone and mean the same on a busy machine, figures of wall time do not.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from schemas.records import EPOCH_SHIFT, Record, encode_record
from schemas.topics import TopicName
from streams.clock import SystemClock
from streams.development.kafka_cluster import KafkaCluster
from streams.embedded import EmbeddedPipeline
from streams.host.dead_letters import DeadLetter
from streams.host.ports import LogEntry
from streams.host.table_fold import TableFold
from streams.kafka.connecting import aiokafka_options
from streams.simulator.floor import FloorConfig, floor_events
from tests.benchmarks.measuring import Measurement
from tests.support.floors import Message, table_floor
from tests.support.source_tree import ROOT
from tests.support.stream_floor import Stream
from tests.support.stream_processes import Running, wait_until

PARTITIONS = 6
RATE = 1_000
"""Events a second at which latency is measured."""
SECONDS = 20
LONG_S = 900.0


def measure() -> list[Measurement]:
    """Measure everything about the stream on one broker."""
    floor = [
        (source.encode(), raw)
        for source, raw in floor_events(FloorConfig(tables=12, seed=7, coups=1_500))
    ]
    with KafkaCluster() as cluster:
        found = [*_catch_up(cluster, floor), *_head(cluster, floor)]
        return [*found, *_latency(cluster), *_sink(cluster, floor)]


@dataclass
class Cost:
    """What a number of messages cost."""

    count: int
    taken_s: float
    spent_s: float

    @property
    def spent_us(self) -> float:
        """Processor time a message, microseconds."""
        return self.spent_s / self.count * 1e6

    @property
    def details(self) -> dict[str, float]:
        """For the table."""
        return {
            "microseconds of processor a message": self.spent_us,
            "messages a second": self.count / self.taken_s,
        }


def processor_s(running: Running) -> float:
    """Give the processor time that a process has used, seconds."""
    stat = Path(f"/proc/{running.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def a_stream(cluster: KafkaCluster) -> Iterator[Stream]:
    """Give topics of their own and remove what was written."""
    with (
        tempfile.TemporaryDirectory(prefix="ladderman-bench-") as directory,
        Stream.begin(
            cluster.bootstrap, f"b{secrets.token_hex(4)}", Path(directory), partitions=PARTITIONS
        ) as stream,
    ):
        yield stream


def _embedded(floor: Sequence[Message]) -> Cost:
    """Fold a log in files, by the same host and without a history behind it."""
    with tempfile.TemporaryDirectory(prefix="ladderman-bench-") as directory:
        pipeline = EmbeddedPipeline(
            Path(directory), TableFold(), _Nowhere(), SystemClock(), alert=_ignore
        )
        pipeline.extend(floor)
        began, spent = time.monotonic(), time.process_time()
        pipeline.catch_up()
        cost = Cost(len(floor), time.monotonic() - began, time.process_time() - spent)
        pipeline.close()
        return cost


class _Nowhere:
    """An outbox that writes records as bytes and keeps none."""

    def put(
        self, entry: LogEntry, records: Sequence[Record], dead_letter: DeadLetter | None
    ) -> None:
        for record in records:
            encode_record(record)

    async def make_room(self) -> None:
        pass

    async def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _ignore(_: str) -> None:
    pass


def _folding(stream: Stream, workers: Sequence[Running], count: int) -> Cost:
    """Measure what folding all that is on the log costs workers that have just been started."""
    for one in workers:
        wait_until(lambda one=one: one.port > 0, "its start")
    wait_until(lambda: any(one.total("folded") for one in workers), "the first message")
    began, before = time.monotonic(), sum(processor_s(one) for one in workers)
    already = sum(one.total("folded") for one in workers)
    stream.wait_folded(*workers, limit_s=LONG_S)
    spent = sum(processor_s(one) for one in workers) - before
    return Cost(int(count - already), time.monotonic() - began, spent)


def _catch_up(cluster: KafkaCluster, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure a backlog, folded by one worker and by two."""
    embedded = _embedded(floor)
    costs = []
    for workers in (1, 2):
        with a_stream(cluster) as stream:
            # Not the first start: the framework will deliver all since its last commit.
            few = len(floor) // 20
            stream.publish(floor[:few])
            worker = stream.worker()
            stream.wait_folded(worker)
            worker.stop()
            stream.publish(floor[few:])
            started = [stream.worker() for _ in range(workers)]
            costs.append(_folding(stream, started, len(floor) - few))
    one, two = costs
    yield Measurement(
        "backlog: processor time an event against the embedded host",
        one.spent_us / embedded.spent_us, "x", 1.25,
        {**one.details, "embedded, microseconds": embedded.spent_us},
    )  # fmt: skip
    yield Measurement(
        "backlog: time of two workers against one",
        (two.taken_s / two.count) / (one.taken_s / one.count), "x", None, two.details,
    )  # fmt: skip


def _head(cluster: KafkaCluster, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure the way of delivered messages, against a framework that only counts them."""
    with a_stream(cluster) as stream:
        worker = stream.worker()
        worker.wait_ready()
        wait_until(lambda: not any(worker.metrics("own_reader_leads").values()), "deliveries")
        began, before = time.monotonic(), processor_s(worker)
        stream.publish(floor, rate=RATE)
        stream.wait_folded(worker, limit_s=LONG_S)
        spent = processor_s(worker) - before
        head = Cost(len(floor), time.monotonic() - began, spent)
        details = {
            **head.details,
            "read by the host itself": worker.total("folded") - delivered(worker),
            "delivered in vain": worker.total("skipped"),
        }
        assert worker.stop() == 0
        bare = _bare(stream, floor)
    yield Measurement(
        "head of the log: processor time an event against a bare Faust loop",
        head.spent_us / bare.spent_us, "x", 2.0,
        {**details, "bare loop, microseconds": bare.spent_us},
    )  # fmt: skip


def delivered(worker: Running) -> float:
    """Give how many messages were folded as they were delivered."""
    _, body = worker.ask("/metrics")
    (line,) = [
        one for one in body.decode().splitlines()
        if one.startswith("ladderman_event_latency_seconds_count")
    ]  # fmt: skip
    return float(line.split()[1])


def _bare(stream: Stream, floor: Sequence[Message]) -> Cost:
    running = stream.start(
        "bare", sys.executable, "-m", "tests.support.bare_faust",
        orjson.dumps({"count": len(floor)}).decode(),
    )  # fmt: skip
    wait_until(lambda: "ready" in running.said, "the bare loop", lambda: running.said)
    stream.publish(floor, rate=RATE)
    assert running.ended(LONG_S) == 0, running.said
    answer = orjson.loads(running.said.splitlines()[-1])
    return Cost(len(floor), answer["taken_s"], answer["spent_s"])


# Latency.


@dataclass
class Watch:
    """When messages were sent, and when the findings that they decided came back."""

    stream: Stream
    sent: dict[tuple[int, int], float] = field(default_factory=dict)
    """By partition and offset."""
    seen: dict[tuple[int, int], float] = field(default_factory=dict)

    async def publish(self, messages: Sequence[Message], rate: int) -> None:
        """Publish at a rate, each message sent at once."""
        name = self.stream.name(TopicName.EVENTS)
        began = time.monotonic()
        async with AIOKafkaProducer(
            **aiokafka_options(self.stream.settings), enable_idempotence=True
        ) as producer:
            sending = []
            for number, (key, raw) in enumerate(messages):
                early = began + number / rate - time.monotonic()
                await asyncio.sleep(max(0.0, early))
                sending.append((time.monotonic(), await producer.send(name, raw, key=key)))
            for at, future in sending:
                placed = await future
                self.sent[placed.partition, placed.offset] = at

    async def watch(self, stop: asyncio.Event) -> None:
        """Note when findings arrive."""
        places = [
            TopicPartition(self.stream.name(TopicName.FINDINGS), partition)
            for partition in range(PARTITIONS)
        ]
        async with AIOKafkaConsumer(
            **aiokafka_options(self.stream.settings), fetch_max_wait_ms=50
        ) as consumer:
            consumer.assign(places)
            await consumer.seek_to_end()
            while not stop.is_set():
                found = await consumer.getmany(timeout_ms=100)
                now = time.monotonic()
                for at, messages in found.items():
                    for one in messages:
                        version = orjson.loads(one.value)["version"]
                        offset = version & ((1 << EPOCH_SHIFT) - 1)
                        # Findings of a table stand on the partition of its events.
                        self.seen.setdefault((at.partition, offset), now)

    def latencies_ms(
        self, since_s: float = 0.0, until_s: float = 1e12, partitions: Sequence[int] | None = None
    ) -> list[float]:
        """Give publish-to-finding of the messages sent in a span of time, sorted."""
        return sorted(
            (self.seen[place] - at) * 1000
            for place, at in self.sent.items()
            if place in self.seen
            and since_s <= at < until_s
            and (partitions is None or place[0] in partitions)
        )


def _latency(cluster: KafkaCluster) -> Iterator[Measurement]:
    messages = table_floor(tables=24, coups=SECONDS * RATE // 24 // 9)
    with a_stream(cluster) as stream:
        first = stream.worker()
        first.wait_ready()
        watch = Watch(stream)
        began = time.monotonic()
        moved: dict[str, Any] = {}

        async def run() -> None:
            over = asyncio.Event()
            watching = asyncio.create_task(watch.watch(over))
            await asyncio.sleep(1.0)
            publishing = asyncio.create_task(watch.publish(messages, RATE))
            await asyncio.sleep(SECONDS / 2)
            moved.update(await asyncio.to_thread(_join, stream, first))
            await publishing
            await asyncio.to_thread(stream.wait_folded, *moved["workers"])
            await asyncio.sleep(1.0)
            over.set()
            await watching

        asyncio.run(run())
    calm = watch.latencies_ms(began + 2.0, moved["launched"])
    stayed = watch.latencies_ms(moved["since"], moved["until"], moved["stayed"])
    yield from _percentiles("publish to finding at 1,000 events a second", calm, 30.0, 150.0)
    yield from _percentiles(
        "the same during a rebalance, partitions that stay", stayed, 30.0, 150.0
    )


def _join(stream: Stream, first: Running) -> dict[str, Any]:
    """Have a second worker join and take its share; say when that was and what stayed."""
    launched = time.monotonic()
    second = stream.worker()
    assert second.port
    since = time.monotonic()
    wait_until(lambda: bool(second.metrics("next_offset")) and second.is_ready, "its share")
    moved = set(second.metrics("next_offset"))
    wait_until(lambda: not moved & set(first.metrics("next_offset")), "the first to let go")
    stayed = sorted(set(first.metrics("next_offset")) - moved)
    return {
        "workers": (first, second), "launched": launched, "since": since,
        "until": time.monotonic() + 3.0, "stayed": stayed,
    }  # fmt: skip


def _percentiles(
    name: str, latencies: Sequence[float], aim_50: float, aim_99: float
) -> Iterator[Measurement]:
    if not latencies:
        return
    details = {"findings": float(len(latencies)), "worst, ms": latencies[-1]}
    yield Measurement(f"{name}: p50", latencies[len(latencies) // 2], "ms", aim_50, details)
    yield Measurement(f"{name}: p99", latencies[len(latencies) * 99 // 100], "ms", aim_99)


# The sink.


def _sink(cluster: KafkaCluster, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure the sink over all topics against inserting the same rows, built before."""
    with a_stream(cluster) as stream:
        worker = stream.worker()
        stream.publish(floor)
        stream.wait_folded(worker, limit_s=LONG_S)
        worker.stop()
        sink = stream.sink()
        assert sink.port
        began, before = time.monotonic(), processor_s(sink)
        stream.wait_sunk(sink, limit_s=LONG_S)
        taken, spent = time.monotonic() - began, processor_s(sink) - before
        raw = _raw_insert(stream)
        live = Cost(raw.count, taken, spent)
    yield Measurement(
        "sink: processor time a row against inserting rows that are there",
        live.spent_us / raw.spent_us, "x", 2.0,
        {**live.details, "plain insert, microseconds": raw.spent_us},
    )  # fmt: skip


def _raw_insert(stream: Stream) -> Cost:
    names = (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS)
    given = {
        "topics": [stream.name(one) for one in names],
        "messages": [message for one in names for message in stream.messages(one)],
        "partitions": PARTITIONS,
    }
    options = orjson.dumps({"store": str(stream.directory / "raw")}).decode()
    answer = subprocess.run(
        [sys.executable, "-m", "tests.support.raw_insert", options],
        input=pickle.dumps(given), capture_output=True, check=True, cwd=ROOT,
    )  # fmt: skip
    found = orjson.loads(answer.stdout)
    return Cost(found["rows"], found["taken_s"], found["spent_s"])
