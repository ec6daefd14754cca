"""A process that runs a host over Kafka and can be told to die after a step.

``python -m tests.support.children.kafka_host_child '{"bootstrap": …, "prefix": …, "floor": …,
…}'``. The
topic holds the whole floor from the beginning; what of it is shown grows chunk by chunk, so that
the log is the same whoever dies when.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson
from aiokafka import AIOKafkaProducer

from schemas.topics import TopicName
from streams.host.partition_host import PartitionHost
from streams.host.ports import LogEntry
from streams.kafka.connecting import aiokafka_options
from streams.kafka.ports.log import KafkaLog
from streams.process.clock import SystemClock
from streams.process.settings import KafkaSettings
from streams.worker.clients import HostFactory, HostOptions
from tests.support.children.host_child import CHUNK, FOLDS, Death
from tests.support.tables.floors import Message, read_floor

LOG_ID = "log-of-the-contract"
INCARNATION = b"incarnation"


class OneOutputTopic(HostFactory):
    """Hosts that put dead letters onto the topic of verdicts: all outputs have one order."""

    def name(self, topic_name: TopicName) -> str:
        return super().name(
            TopicName.VERDICTS if topic_name is TopicName.DEAD_LETTERS else topic_name
        )


class Shown:
    """How much of the log there is, as far as hosts can see; it survives them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.end = int(path.read_text()) if path.exists() else 0

    def grow_to(self, end: int) -> None:
        self.end = end
        # A kill amid the writing must leave the number of before.
        written = self._path.with_suffix(".new")
        written.write_text(str(end))
        written.replace(self._path)

    def limit(self) -> None:
        """Let no log of this process end later."""
        real = KafkaLog.end_offset

        async def end_offset(log: KafkaLog) -> int:
            return min(await real(log), self.end)

        KafkaLog.end_offset = end_offset  # type: ignore[method-assign]


async def main(options: dict[str, Any]) -> None:
    """Run a host until the floor is folded, or until death."""
    settings = KafkaSettings(
        bootstrap=options["bootstrap"], prefix=options["prefix"], partitions=1, dev=True
    )
    floor = read_floor(Path(options["floor"]))
    shown = Shown(Path(options["shown"]))
    shown.limit()
    death = Death(options.get("step"), options.get("occurrence", 0))
    factory = OneOutputTopic(
        settings,
        LOG_ID,
        FOLDS[options["fold"]](),
        SystemClock(),
        lambda line: print(line, file=sys.stderr, flush=True),
        HostOptions(
            pace={"snapshot_every": options["snapshot_every"], "read_count": 50},
            after_step=lambda _, step: death(step),
        ),
    )
    async with AIOKafkaProducer(**aiokafka_options(settings)) as producer:
        await producer.send_and_wait(factory.name(TopicName.VERDICTS), INCARNATION)
    print("ready", flush=True)
    host = await factory.make(0)
    await host.recover()
    while shown.end < len(floor):
        start = shown.end
        shown.grow_to(min(start + CHUNK, len(floor)))
        await deliver(host, start, floor[start : shown.end])
    await host.follow()
    await host.poll()
    await host.stop()
    await factory.close(0)
    print("done", flush=True)


async def deliver(host: PartitionHost, start: int, chunk: list[Message]) -> None:
    """Deliver a chunk as well or badly as the deliverers of a log do, by turns."""
    entries = [LogEntry(start + number, *message) for number, message in enumerate(chunk)]
    turn = start // CHUNK % 4
    if turn == 0:
        await host.follow()
    delivered = [[], [*entries, *entries], entries[-1:], entries[::3]][turn]
    for entry in delivered:
        await host.offer(entry)


if __name__ == "__main__":
    asyncio.run(main(orjson.loads(sys.argv[1])))
