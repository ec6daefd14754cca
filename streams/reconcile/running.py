"""One reconciler: it goes through the partitions once, or again and again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError

from schemas.topics import TopicName, topic
from streams.history.archive import HistoryArchive, history_reader
from streams.history.embedded.owner import read_owner
from streams.history.identity import history_id
from streams.history.log_claim import refuse_foreign_history
from streams.history.store import HistoryError, HistoryReader, StoreFaultError
from streams.host.dead_letters import Origin
from streams.host.errors import SnapshotRefusedError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.answers import Answers
from streams.kafka.events_topic import events_topic_id
from streams.kafka.partitioning import partition_of
from streams.kafka.passing_clients import reading_clients, sending_client, unavailable
from streams.kafka.ports.log import KafkaLog
from streams.kafka.positions import (
    newest_header,
    pending_outputs,
    sink_group,
    sink_watermarks,
)
from streams.process.ending import DONE, EndAskedError, Ending
from streams.process.logs import log_to_stderr
from streams.process.monitoring import Health, Monitor, Reading
from streams.process.settings import Settings
from streams.reconcile.coverage import FOUND_KINDS, Coverage, PartitionCoverage
from streams.reconcile.mending import KafkaMender
from streams.reconcile.partition import PartitionReconciler, Place

EVERY_S: Final = 60.0
"""How often a continuous reconciler goes through the partitions."""

RETRY_S: Final = 5.0
"""How long it waits where Kafka or the history is away."""


class Reconciler:
    """Compares all partitions with the history, round by round."""

    def __init__(
        self,
        settings: Settings,
        clients: tuple[AIOKafkaConsumer, list[AIOKafkaConsumer], AIOKafkaProducer],
        reader: HistoryReader,
        log_id: str,
    ) -> None:
        """Compare nothing yet.

        Args:
            settings: How everything is reached.
            clients: One consumer to look around, one for each partition, and a producer.
            reader: The history.
            log_id: Id of the topic of events.
        """
        self._settings, self._log_id, self._reader = settings, log_id, reader
        self._looking, logs, producer = clients
        mender = KafkaMender(producer, settings.kafka)
        name = topic(TopicName.EVENTS).full_name(settings.kafka.prefix)
        # A round that waited for ever would say nothing; one that fails is tried again.
        answers = Answers(settings.kafka)
        self._logs = [
            KafkaLog(log, name, at, lambda _: None, answers) for at, log in enumerate(logs)
        ]
        self._partitions = [
            PartitionReconciler(
                Place(Origin(log_id, at), len(logs), _owner(at, len(logs))),
                log,
                reader,
                mender,
                archive=HistoryArchive(lambda: contextlib.nullcontext(reader), at, log_id),
            )
            for at, log in enumerate(self._logs)
        ]

    def outages(self) -> tuple[str, ...]:
        """Why partitions cannot be read now; nothing where they can."""
        return tuple(log.outage for log in self._logs if log.outage)

    async def round(self) -> Coverage:
        """Go through all partitions once.

        Raises:
            KafkaUnavailableError: The cluster went away.
            HistoryError: The history cannot be read.
        """
        coverage = Coverage()
        kafka = self._settings.kafka
        try:
            # Snapshots first: what they cover stands on the topics by now, or in the history.
            headers = [await self._header(at) for at in range(len(self._partitions))]
            group = sink_group(kafka, await asyncio.to_thread(history_id, self._reader))
            watermarks = await asyncio.to_thread(sink_watermarks, kafka, group)
            pending = await pending_outputs(self._looking, kafka, watermarks)
            name = topic(TopicName.EVENTS).full_name(kafka.prefix)
            sunk = {at.partition: end for at, end in watermarks.items() if at.topic == name}
            for at, (folded, obstacle) in enumerate(headers):
                place = PartitionCoverage(at, obstacle=obstacle)
                coverage.partitions.append(place)
                place.log_start = await self._logs[at].start_offset()
                place.log_end = await self._logs[at].end_offset()
                place.not_folded = max(0, place.log_end - folded)
                limit = min(folded, sunk.get(at, 0))
                if place.obstacle is None and at not in sunk and place.log_end:
                    place.obstacle = "the sink has not written anything of it yet"
                await self._partitions[at].compare_to(limit, pending, coverage)
                place.compared_to = self._partitions[at].compared_to
        except KafkaError as error:
            raise unavailable(kafka, error) from None
        return coverage

    async def _header(self, partition: int) -> tuple[int, str | None]:
        """Give the offset that the newest snapshot reaches to, or why there is none."""
        try:
            header = await newest_header(
                self._looking, self._settings.kafka, partition, self._log_id
            )
        except SnapshotRefusedError as error:
            return 0, str(error)
        if header is None:
            end = await self._logs[partition].end_offset()
            return 0, "no worker has kept a snapshot of it yet" if end else None
        return header.next_offset, None


def _owner(partition: int, partitions: int) -> Callable[[bytes], bool]:
    return lambda key: partition_of(key, partitions) == partition


@contextlib.asynccontextmanager
async def open_reconciler(settings: Settings, reader: HistoryReader) -> AsyncIterator[Reconciler]:
    """Open a reconciler for the length of a block.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
        NoEventsTopicError: There is no topic of events.
        ForeignLogError: The history is of another topic: all of this one would be put out again.
    """
    log_id = await asyncio.to_thread(events_topic_id, settings.kafka)
    await asyncio.to_thread(refuse_foreign_history, reader, TopicName.EVENTS, log_id)
    count = settings.kafka.partitions
    async with (
        reading_clients(settings.kafka, count + 1) as consumers,
        sending_client(settings.kafka) as producer,
    ):
        yield Reconciler(settings, (consumers[0], consumers[1:], producer), reader, log_id)


def reconcile_once(settings: Settings) -> Coverage:
    """Compare and mend once.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
        HistoryError: The history cannot be read.
        NoEventsTopicError: There is no topic of events.
    """

    async def run() -> Coverage:
        with history_reader(settings) as reader:
            async with open_reconciler(settings, reader) as reconciler:
                return await reconciler.round()

    return asyncio.run(run())


class Told:
    """What a continuous reconciler tells about itself."""

    def __init__(self) -> None:
        self.coverage: Coverage | None = None
        self.problem: str | None = "the first round is not done yet"
        self.rounds = 0
        self.outages: Callable[[], tuple[str, ...]] = tuple
        """Gives why partitions cannot be read now."""
        self.found = dict.fromkeys(FOUND_KINDS, 0)

    def take(self, coverage: Coverage) -> None:
        self.coverage, self.problem = coverage, None
        self.rounds += 1
        for kind, count in coverage.counts.items():
            self.found[kind] += count

    def health(self) -> Health:
        problems: tuple[str, ...] = (self.problem,) if self.problem else ()
        problems = problems or self.outages()
        if self.coverage is not None and not problems:
            problems = tuple(
                f"partition {partition.partition}: {partition.obstacle}"
                for partition in self.coverage.partitions
                if partition.obstacle
            )
        return Health(not problems, problems)

    def readings(self) -> Iterator[Reading]:
        yield Reading(
            "ladderman_reconcile_rounds", "Rounds done", {"": float(self.rounds)}, is_counter=True
        )
        yield Reading(
            "ladderman_reconcile_found",
            "What the history lacked or had otherwise, and what was amended",
            {kind: float(count) for kind, count in sorted(self.found.items())},
            label="kind",
            is_counter=True,
        )
        if self.coverage is not None:
            yield from _coverage_readings(self.coverage)


def _coverage_readings(coverage: Coverage) -> Iterator[Reading]:
    yield Reading("ladderman_coverage_coups", "Coups to cover", {"": float(coverage.coups)})
    yield Reading(
        "ladderman_coverage_lacking_coups",
        "Coups whose verdicts the history lacks",
        {"": float(coverage.coups - coverage.covered)},
    )
    behind = {
        str(partition.partition): float(partition.log_end - partition.compared_to)
        for partition in coverage.partitions
    }
    yield Reading("ladderman_reconcile_lag_messages", "Messages not compared yet", behind)


def run_reconciler(
    settings: Settings,
    *,
    monitor_port: int,
    tell: Callable[[Coverage], None],
    every_s: float = EVERY_S,
    beside: Callable[[], Any] | None = None,
) -> int:
    """Compare and mend again and again until told to stop; the last thing of a process.

    Args:
        settings: How everything is reached.
        monitor_port: Port of metrics and health; 0 for any free one.
        tell: Told the coverage after each round in which it changed.
        every_s: Pause between rounds.
        beside: Gives a canary to run meanwhile; None: none.

    Returns:
        0 after an orderly stop.

    Raises:
        NoEventsTopicError: There is no topic of events.
        KafkaUnavailableError: The cluster cannot be reached at the start.
        MonitorError: The port is taken.
    """
    return asyncio.run(_Continuous(settings, tell, every_s).run(monitor_port, beside))


def _refuse_unowned(settings: Settings) -> None:
    """Leave an embedded history alone that nobody owns: the sink could not open it any more.

    Raises:
        StoreFaultError: Nobody owns it.
    """
    path = settings.data.history_directory
    if settings.history.store == "embedded" and path.is_dir() and read_owner(path) is None:
        raise StoreFaultError(f"nobody writes the history {path}; start ladderman sink")


class _Continuous:
    def __init__(
        self, settings: Settings, tell: Callable[[Coverage], None], every_s: float
    ) -> None:
        self._settings, self._tell, self._every_s = settings, tell, every_s
        self._told = Told()
        self._log = log_to_stderr()
        self._ending = Ending(self._log, settings.kafka.stop_limit_s, lambda: None)

    async def run(self, monitor_port: int, beside: Callable[[], Any] | None) -> int:
        canary = beside() if beside is not None else None

        def read() -> Iterator[Reading]:
            yield from self._told.readings()
            if canary is not None:
                yield from canary.readings()

        monitor = Monitor("reconcile", read, self._told.health)
        self._ending.listen()
        port = monitor.serve(self._settings.listen.host, monitor_port)
        self._log.info(
            "reconciler started, metrics and health on %s:%s", self._settings.listen.host, port
        )
        singing = asyncio.create_task(canary.run(self._log.warning)) if canary else None
        try:
            await self._until_asked()
        finally:
            if singing is not None:
                singing.cancel()
                await asyncio.gather(singing, return_exceptions=True)
            monitor.close()
        return self._ending.done(DONE)

    async def _until_asked(self) -> None:
        while not self._ending.asked.is_set():
            try:
                _refuse_unowned(self._settings)
                with history_reader(self._settings) as reader:
                    async with open_reconciler(self._settings, reader) as reconciler:
                        await self._rounds(reconciler)
            except (KafkaUnavailableError, HistoryError) as error:
                if self._told.problem != str(error):
                    self._log.warning(f"{error}; tried again every {RETRY_S:g} s")
                self._told.problem = str(error)
                await self._pause(RETRY_S)

    async def _rounds(self, reconciler: Reconciler) -> None:
        said: object = None
        self._told.outages = reconciler.outages
        while not self._ending.asked.is_set():
            try:
                coverage = await self._ending.unless_asked(reconciler.round())
            except EndAskedError:
                return  # the next one does the round again, whole
            self._told.take(coverage)
            for line in coverage.lines:
                self._log.warning(line)
            if (coverage.sentence, dict(coverage.counts)) != said:
                self._tell(coverage)
                said = (coverage.sentence, dict(coverage.counts))
            await self._pause(self._every_s)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.asked.wait()
