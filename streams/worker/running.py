"""One worker process: checks what it stands on, runs the app, and tells about itself."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from aiokafka.errors import KafkaError

from schemas.topics import TopicName
from streams.history.archive import HistoryArchive, history_reader
from streams.history.store import HistoryError
from streams.host.errors import (
    LogCutError,
    LogReplacedError,
    SnapshotRefusedError,
    SnapshotTooLargeError,
    UnfitBuildError,
)
from streams.host.ledger_fold import ProgressiveFold
from streams.host.ports import Fold
from streams.host.table_fold import TableFold
from streams.kafka.ports.outbox import OutputLostError
from streams.kafka.ports.sending import TopicGoneError
from streams.kafka.starting import prepare_interpreter, topics_in_order
from streams.kafka.topics import retention_s, topic_ids
from streams.operating.known_events import check_build
from streams.process.clock import SystemClock
from streams.process.ending import DONE, FAULT, REFUSED, UNAVAILABLE, Ending
from streams.process.logs import log_to_stderr, said_after
from streams.process.monitoring import Health, Monitor, Reading
from streams.process.settings import Settings
from streams.worker.app import Keepers, create_app
from streams.worker.clients import (
    LEDGER_LOG,
    TABLE_LOG,
    HostFactory,
    HostLog,
    HostOptions,
)
from streams.worker.device_clocks import DeviceClocks
from streams.worker.host_keeper import Delivery, HostKeeper
from streams.worker.latency import DELIVERED, READ, EventLatency
from streams.worker.open_gaps import OpenGaps, withdrawn_findings
from streams.worker.output_log import OutputLog
from streams.worker.samples import (
    Kept,
    headroom_of,
    health_of,
    pending_readings,
    readings_of,
)
from streams.worker.scratch import scratch_directory
from streams.worker.topic_doubts import TopicDoubts
from streams.worker.unrest import Unrest

FAILED_WITHIN_S: Final = 5.0
"""A worker whose host failed is gone after so long."""


def run_worker(
    settings: Settings,
    *,
    instance_id: str | None,
    monitor_port: int,
    options: HostOptions = HostOptions(),  # noqa: B008 - frozen
) -> int:
    """Run a worker until it is told to stop or something fails; the last thing of a process.

    Args:
        settings: How everything is reached.
        instance_id: Name of this worker, the same after a restart; None for a passing one.
        monitor_port: Port of metrics and health; 0 for any free one.
        options: What may differ between hosts.

    Returns:
        0 after an orderly stop, 2 where what is kept was refused, 3 where Kafka or the history
        was away, 70 after a fault of the product.

    Raises:
        TopicsRefusedError: A topic is missing or kept otherwise than it must be.
        KafkaUnavailableError: The cluster cannot be reached.
        MonitorError: The port is taken.
    """
    log = log_to_stderr()
    topics = topics_in_order(settings.kafka)
    ids = topic_ids(topics)
    if options.archive is None:
        events_id = ids[TopicName.EVENTS]
        options = replace(
            options,
            archive=lambda at: HistoryArchive(lambda: history_reader(settings), at, events_id),
        )
    fold, clock = TableFold(), SystemClock()
    told = OutputLog(log, clock)
    options = replace(options, told=told)
    log.info("folding under audit epoch %s", fold.audit_epoch)  # which loads the law
    try:
        check_build()
    except UnfitBuildError as error:
        log.error(str(error))
        return FAULT
    prepare_interpreter()

    def factory(of: Fold, place: HostLog, its_options: HostOptions) -> HostFactory:
        def alert(line: str) -> None:
            log.warning(said_after("progressives, ", line) if place is LEDGER_LOG else line)

        return HostFactory(settings.kafka, ids[place.log], of, clock, alert, its_options, place)

    # What ledgers are told is in no history: it is told again by folding the events again.
    factories = (
        factory(fold, TABLE_LOG, options),
        factory(ProgressiveFold(), LEDGER_LOG, replace(options, archive=None)),
    )
    directory = scratch_directory()
    try:
        keep_s = tuple(retention_s(topics, log_of.log) for log_of in (TABLE_LOG, LEDGER_LOG))
        return asyncio.run(
            _Worker(settings, tuple(zip(factories, keep_s, strict=True)), directory, told, log).run(
                instance_id, monitor_port, ids
            )
        )
    finally:
        told.sum_up()
        shutil.rmtree(directory, ignore_errors=True)


class _Worker:
    """What one worker process consists of."""

    def __init__(
        self,
        settings: Settings,
        factories: Sequence[tuple[HostFactory, float]],
        directory: Path,
        told: OutputLog,
        log: logging.Logger,
    ) -> None:
        self._settings, self._directory, self._told, self._log = settings, directory, told, log
        # Those of tables and of ledgers, each with how long its log keeps messages.
        (of_tables, tables_keep_s), (of_ledgers, ledgers_keep_s) = factories
        self._keepers = Keepers(
            HostKeeper(of_tables, self), HostKeeper(of_ledgers, _LedgerWatcher(self))
        )
        self.tables = tables = Kept("", self._keepers.tables, of_tables, tables_keep_s)
        self.ledgers = ledgers = Kept(
            "progressive", self._keepers.ledgers, of_ledgers, ledgers_keep_s
        )
        self._unrest: Unrest | None = None
        self._clocks, self._gaps = DeviceClocks(), OpenGaps(SystemClock())
        self._monitor = Monitor(
            "worker",
            lambda: (
                *readings_of(tables),
                headroom_of(tables, time.time()),
                self._clock_skews(),
                *self._gaps.readings(tables.keeper.hosts),
                *self._withdrawn(),
                *readings_of(ledgers),
                headroom_of(ledgers, time.time()),
                pending_readings(ledgers),
            ),
            self._health,
        )
        latency = self._monitor.latency(
            "event_latency",
            "From an event's append to the log until it is folded, or read to be folded next",
            "how",
            (DELIVERED, READ),
        )
        self._latency = EventLatency(latency, SystemClock())
        of_tables.heard = self._latency.read
        self._failed = asyncio.Event()
        self._code = DONE
        self._ending = Ending(
            log,
            settings.kafka.stop_limit_s,
            lambda: shutil.rmtree(directory, ignore_errors=True),
        )

    async def run(
        self,
        instance_id: str | None,
        monitor_port: int,
        ids: Mapping[TopicName, str],
    ) -> int:
        """Work until told to stop or until something fails; give the exit code."""
        kafka = self._settings.kafka
        doubts = TopicDoubts(kafka, ids, lambda error: self.end(None, error), self.alert)
        self._unrest = unrest = Unrest(SystemClock(), self.alert, instance_id)
        app = create_app(
            kafka,
            self._keepers,
            self._directory,
            doubts.about,
            unrest.noted,
            instance_id=instance_id,
        )
        self._ending.listen()
        port = self._monitor.serve(self._settings.listen.host, monitor_port)
        self._log.info(
            "worker started, metrics and health on %s:%s", self._settings.listen.host, port
        )
        summing_up = asyncio.create_task(self._told.run(), name="log")
        starting = asyncio.create_task(app.start(), name="framework")
        try:
            await self._until_ended(starting, app.wait_until_stopped)
            if self._failed.is_set():
                self._ending.force_after(FAILED_WITHIN_S, self._code)
            else:
                # Tables first, whose last outputs are inputs of the ledgers.
                await self._keepers.tables.stop()
                await self._keepers.ledgers.stop()
            starting.cancel()
            await app.stop()
        finally:
            summing_up.cancel()
            self._monitor.close()
        if not self._failed.is_set():
            self._log.info("worker stopped")
        return self._ending.done(self._code)

    async def _until_ended(
        self, starting: asyncio.Task[None], framework_ended: Callable[[], Awaitable[None]]
    ) -> None:
        """Wait for the order to stop, a failure of a host, or one of the framework."""

        async def framework() -> None:
            await starting
            await framework_ended()

        waiting = [
            asyncio.create_task(self._ending.asked.wait()),
            asyncio.create_task(self._failed.wait()),
            ended := asyncio.create_task(framework()),
        ]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if ended.done() and not self._ending.asked.is_set():
            self.end(None, ended.exception() or RuntimeError("the framework stopped by itself"))
        for task in waiting:
            task.cancel()

    def failed(self, partition: int, error: Exception) -> None:
        """Hear that a host failed."""
        self.end(partition, error)

    def folded(self, partition: int, delivery: Delivery) -> None:
        """Hear that a delivered message was folded."""
        entry, appended_s = delivery
        self._latency.delivered(partition, entry.offset, appended_s)
        self.tables.delivered_s[partition] = appended_s
        self._clocks.heard(entry.key, entry.raw, appended_s)

    def _clock_skews(self) -> Reading:
        return Reading(
            "ladderman_device_clock_skew_seconds",
            "How far a device was ahead of the log at its last event; negative: behind, or late",
            self._clocks.skews_s(),
            label="source",
        )

    def _health(self) -> Health:
        found = health_of(self.tables, self.ledgers)
        unrest = self._unrest.problem() if self._unrest else None
        return Health(found.is_ready, (*found.problems, unrest)) if unrest else found

    def _withdrawn(self) -> tuple[Reading, Reading]:
        (of, also_of), told = (self.tables, self.ledgers), self._told
        return (
            withdrawn_findings(of.prefix, of.keeper.hosts, told.withdrawn),
            withdrawn_findings(
                also_of.prefix, also_of.keeper.hosts, lambda at: told.withdrawn(at, of_ledgers=True)
            ),
        )

    def alert(self, line: str) -> None:
        """Hear what people should know."""
        self._log.warning(line)

    def end(self, partition: int | None, error: BaseException, of: str = "") -> None:
        """Note the first failure, which ends the worker."""
        if self._failed.is_set():
            return
        self._code = _code_of(error)
        why = str(error) or type(error).__name__
        where = "" if partition is None else f"{of}partition {partition}: "
        self._log.error(
            f"{where}{why}; the worker ends",
            extra={"partition": partition, "source": getattr(error, "source_id", None)},
            exc_info=error if self._code == FAULT else None,
        )
        self._failed.set()


class _LedgerWatcher:
    """Is told what the hosts of the ledgers do."""

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker

    def failed(self, partition: int, error: Exception) -> None:
        """Hear that a host failed."""
        self._worker.end(partition, error, "progressives, ")

    def folded(self, partition: int, delivery: Delivery) -> None:
        """Hear that a delivered message was folded; latency counts from events, not from here."""
        self._worker.ledgers.delivered_s[partition] = delivery.appended_s

    def alert(self, line: str) -> None:
        """Hear what people should know."""
        self._worker.alert(said_after("progressives, ", line))


def _code_of(error: BaseException) -> int:
    """Give the exit code of a failure; it tells who has to do something about it."""
    if isinstance(
        error, SnapshotRefusedError | SnapshotTooLargeError | LogReplacedError | TopicGoneError
    ):
        return REFUSED
    if isinstance(error, KafkaError | OutputLostError | LogCutError | HistoryError | OSError):
        return UNAVAILABLE
    return FAULT
