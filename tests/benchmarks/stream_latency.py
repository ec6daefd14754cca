"""The time from sending the deciding event until the finding stands on its topic."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from schemas.records import EPOCH_SHIFT
from schemas.topics import TopicName
from streams.kafka.connecting import aiokafka_options
from tests.benchmarks.measuring import Measurement
from tests.support.stream.stream_floor import Stream
from tests.support.stream.stream_processes import WAIT_S, Running
from tests.support.tables.floors import Message, table_floor

RATE = 1_000
"""Events a second at which latency is measured."""
CALM_S = 20
SECONDS = 35
TABLES = 24
EVENTS_A_COUP = 9
SETTLED_S = 2.0
"""The first messages go while connections are made."""
LOOK_EVERY_S = 0.25
AFTER_S = 3.0
"""A rebalance is felt so long after it is over."""

Key = tuple[int, int]
"""Partition and offset."""


@dataclass
class Watch:
    """When messages were sent, and when the findings that they decided came back."""

    stream: Stream
    sent: dict[Key, float] = field(default_factory=dict)
    seen: dict[Key, float] = field(default_factory=dict)

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
            for partition in range(self.stream.settings.partitions)
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
        self, since_s: float, until_s: float, partitions: Sequence[int] | None = None
    ) -> list[float]:
        """Give publish-to-finding of the messages sent in a span of time, sorted."""
        return sorted(
            (self.seen[place] - at) * 1000
            for place, at in self.sent.items()
            if place in self.seen
            and since_s <= at < until_s
            and (partitions is None or place[0] in partitions)
        )


def latency(streams: Callable[[], AbstractContextManager[Stream]]) -> Iterator[Measurement]:
    """Measure a steady stream, and how it is while a second worker takes its share."""
    messages = table_floor(tables=TABLES, coups=SECONDS * RATE // TABLES // EVENTS_A_COUP)
    with streams() as stream:
        first = stream.worker()
        first.wait_ready()
        watch = Watch(stream)
        began, moved = asyncio.run(_watched(stream, watch, first, messages))
    calm = watch.latencies_ms(began + SETTLED_S, moved["launched"])
    stayed = watch.latencies_ms(moved["since"], moved["until"], moved["stayed"])
    assert calm, "no finding came while all was calm"
    assert stayed, "no finding came during the rebalance"
    yield from _percentiles(f"publish to finding at {RATE:,} events/s", calm, {})
    yield from _percentiles(
        "same during a rebalance, partitions that stay",
        stayed,
        {
            "partitions that stay": len(moved["stayed"]),
            "seconds of the rebalance": moved["until"] - moved["since"] - AFTER_S,
        },
    )


async def _watched(
    stream: Stream, watch: Watch, first: Running, messages: Sequence[Message]
) -> tuple[float, dict[str, Any]]:
    over = asyncio.Event()
    watching = asyncio.create_task(watch.watch(over))
    await asyncio.sleep(1.0)
    began = time.monotonic()
    publishing = asyncio.create_task(watch.publish(messages, RATE))
    await asyncio.sleep(CALM_S)
    moved = await asyncio.to_thread(_join, stream, first)
    await publishing
    await asyncio.to_thread(stream.wait_folded, *moved["workers"])
    await asyncio.sleep(1.0)
    over.set()
    await watching
    return began, moved


def _join(stream: Stream, first: Running) -> dict[str, Any]:
    """Have a second worker join and take its share; say when that was and what stayed."""
    launched = time.monotonic()
    second = stream.worker()
    assert second.port
    since = time.monotonic()
    # Whoever is looked at, and whoever looks, does less else: seldom, therefore.
    _wait(lambda: second.is_ready and bool(second.metrics("next_offset")))
    moved = set(second.metrics("next_offset"))
    _wait(lambda: not moved & set(first.metrics("next_offset")))
    stayed = sorted(set(first.metrics("next_offset")) - moved)
    return {
        "workers": (first, second),
        "launched": launched,
        "since": since,
        "until": time.monotonic() + AFTER_S,
        "stayed": stayed,
    }


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain for a rebalance"
        time.sleep(LOOK_EVERY_S)


def _percentiles(
    name: str, latencies: Sequence[float], details: dict[str, float]
) -> Iterator[Measurement]:
    more = {"findings": float(len(latencies)), "worst, ms": latencies[-1], **details}
    yield Measurement(f"{name}: p50", latencies[len(latencies) // 2], "ms", 30.0, more)
    yield Measurement(f"{name}: p99", latencies[len(latencies) * 99 // 100], "ms", 150.0)
