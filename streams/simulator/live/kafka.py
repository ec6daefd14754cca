"""A simulated floor that plays live through Kafka, as devices do: spool, publisher, log.

What comes of it is read from the topic of verdicts, as anybody else would read it, and shown to
the watch in the thread that plays.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.records import Record, decode_record
from schemas.topics import TopicName, topic
from streams.files.line_groups import Line
from streams.host.ports import LogEntry
from streams.kafka.passing_clients import reading_clients, unavailable
from streams.process.clock import SystemClock
from streams.process.monitoring import Monitor
from streams.process.settings import KafkaSettings, Settings
from streams.publishing.kafka_sender import KafkaSender
from streams.publishing.publication import Publication, Speaker
from streams.simulator.live.floor import Watch

WAITING_MAX: Final = 5_000
"""The most events that wait for Kafka; beyond that the floor waits."""

FOLDED: Final = (TopicName.EVENTS, TopicName.PROGRESSIVE_INPUTS)
"""Topics that workers fold."""

_PAUSE_S: Final = 0.05
_FETCH_WAIT_MS: Final = 100
_CLOSE_WITHIN_S: Final = 5.0

Waiting = Callable[[], None]
"""Called again and again while something is awaited; raises where it is not worth waiting for."""


class VerdictReader:
    """Reads the topic of verdicts from its beginning, in a thread of its own."""

    def __init__(self, settings: KafkaSettings) -> None:
        """Read nothing yet."""
        self._settings = settings
        self._arrived: deque[Record] = deque()
        self._versions: dict[tuple[str, str, str], int] = {}
        self._read_to: dict[TopicPartition, int] = {}
        self._stop = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="verdicts", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Read no more."""
        self._stop.set()
        self._thread.join(_CLOSE_WITHIN_S)

    def take(self) -> Iterator[Record]:
        """Give what came since the last call; a record that an incarnation repeats comes once.

        Raises:
            KafkaUnavailableError: The cluster went away.
        """
        if self._failure is not None:
            raise self._failure
        while self._arrived:
            record = self._arrived.popleft()
            if record.version > self._versions.get(record.key, -1):
                self._versions[record.key] = record.version
                yield record

    def has_read(self, ends: dict[TopicPartition, int]) -> bool:
        """Say whether everything below some offsets was read."""
        return all(self._read_to.get(at, 0) >= end for at, end in ends.items())

    def _run(self) -> None:
        try:
            asyncio.run(self._read())
        except Exception as error:
            # Whoever takes what came is told; nobody looks into a thread.
            self._failure = error

    async def _read(self) -> None:
        async with reading_clients(self._settings, 1) as (consumer,):
            try:
                places = places_of(self._settings, TopicName.VERDICTS)
                consumer.assign(places)
                await consumer.seek_to_beginning(*places)
                while not self._stop.is_set():
                    found = await consumer.getmany(timeout_ms=_FETCH_WAIT_MS)
                    for at, messages in found.items():
                        self._hear(at, messages)
            except KafkaError as error:
                raise unavailable(self._settings, error) from None

    def _hear(self, at: TopicPartition, messages: list[ConsumerRecord]) -> None:
        self._arrived.extend(decode_record(message.value) for message in messages if message.value)
        self._read_to[at] = messages[-1].offset + 1


class KafkaPipeline:
    """What a floor plays into: a publisher on one side, verdicts on the other."""

    def __init__(
        self, settings: Settings, publication: Publication, reader: VerdictReader, watch: Watch
    ) -> None:
        """Play nothing yet.

        Args:
            settings: How Kafka is reached.
            publication: Brings events into the log.
            reader: Reads what came of them.
            watch: Told of every record.
        """
        self._settings, self._publication = settings, publication
        self._reader, self._watch = reader, watch
        self.waits: Waiting = lambda: None
        """Called while something is awaited."""

    @property
    def waiting_count(self) -> int:
        """Events that are not in the log yet."""
        return self._publication.waiting_count

    def extend(self, events: Iterable[tuple[bytes, bytes]]) -> int:
        """Publish events; waits while too many are not in the log."""
        self._publication.take([Line(number, raw) for number, (_, raw) in enumerate(events, 1)])
        while self.waiting_count > WAITING_MAX:
            self.waits()
            time.sleep(_PAUSE_S)
        return self._publication.counts.taken

    def catch_up(self) -> int:
        """Show the watch what came since the last call; gives how much that was."""
        count = 0
        for record in self._reader.take():
            self._watch.observe(LogEntry(record.offset, b"", b""), [record])
            count += 1
        return count

    def deliver(self) -> None:
        """Do nothing: the sink writes the history by itself."""

    def settle(self, folded: Callable[[TopicName], dict[int, int]], patience_s: float) -> None:
        """Wait until the watch has seen all that comes of what was published.

        Args:
            folded: Says for each partition of events, and of what ledgers are told, up to which
                offset it is folded and what comes of it delivered.
            patience_s: Given up after so long without any progress.

        Raises:
            TimeoutError: Nothing moved for so long.
            KafkaUnavailableError: The cluster went away.
        """
        self._wait(lambda: not self.waiting_count, lambda: self.waiting_count, patience_s)
        for name in FOLDED:  # one after the other: events give what ledgers are told
            self._wait_folded(name, partial(folded, name), patience_s)
        verdicts = self._ends(TopicName.VERDICTS)
        seen = 0

        def is_seen() -> bool:
            nonlocal seen
            is_read = self._reader.has_read(verdicts)
            seen += self.catch_up()
            return is_read

        self._wait(is_seen, lambda: seen, patience_s)

    def _wait_folded(
        self, name: TopicName, folded: Callable[[], dict[int, int]], patience_s: float
    ) -> None:
        ends = {at.partition: end for at, end in self._ends(name).items() if end}
        reached: dict[int, int] = {}

        def is_folded() -> bool:
            reached.update(folded())
            return all(reached.get(partition, 0) >= end for partition, end in ends.items())

        self._wait(is_folded, lambda: sum(reached.values()), patience_s)

    def _wait(
        self, is_done: Callable[[], bool], progress: Callable[[], int], patience_s: float
    ) -> None:
        mark, moved_at_s = progress(), time.monotonic()
        while not is_done():
            self.waits()
            self.catch_up()
            if (now := progress()) != mark:
                mark, moved_at_s = now, time.monotonic()
            elif time.monotonic() - moved_at_s > patience_s:
                raise TimeoutError(f"nothing moved for {patience_s:g} s")
            time.sleep(_PAUSE_S)

    def _ends(self, name: TopicName) -> dict[TopicPartition, int]:
        return ends_of(self._settings.kafka, name)


def places_of(settings: KafkaSettings, name: TopicName) -> list[TopicPartition]:
    """Give the partitions of a topic."""
    full_name = topic(name).full_name(settings.prefix)
    return [TopicPartition(full_name, number) for number in range(settings.partitions)]


def ends_of(settings: KafkaSettings, *names: TopicName) -> dict[TopicPartition, int]:
    """Give the end of every partition of some topics.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
    """

    async def ask() -> dict[TopicPartition, int]:
        async with reading_clients(settings, 1) as (consumer,):
            return await _ends(consumer, settings, names)

    return asyncio.run(ask())


async def _ends(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, names: tuple[TopicName, ...]
) -> dict[TopicPartition, int]:
    try:
        found = await consumer.end_offsets(
            [at for name in names for at in places_of(settings, name)]
        )
    except KafkaError as error:
        raise unavailable(settings, error) from None
    return dict(found)


@contextmanager
def kafka_pipeline(
    settings: Settings, watch: Watch, report: Callable[[str], None]
) -> Iterator[KafkaPipeline]:
    """Open what a floor plays into, for the length of a block; it tells about itself meanwhile.

    Args:
        settings: How everything is reached.
        watch: Told of every record.
        report: Told what people should know, one line.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
        MonitorError: The port of the publisher is taken.
    """
    with contextlib.ExitStack() as stack:
        sender = KafkaSender(settings.kafka)
        stack.callback(sender.close)
        publication = Publication(
            settings.data.spool_directory, sender, SystemClock(), report, Speaker()
        )
        stack.callback(publication.close)
        monitor = Monitor("publish", publication.readings, publication.health)
        monitor.serve(settings.listen.host, settings.listen.publish_port)
        stack.callback(monitor.close)
        reader = VerdictReader(settings.kafka)
        reader.start()
        stack.callback(reader.close)
        yield KafkaPipeline(settings, publication, reader, watch)
