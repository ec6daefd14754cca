"""One sink process: it opens the history, joins its group, and tells about itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from schemas.topics import MESSAGE_BYTES_MAX, topic
from streams.history.configured import open_to_write
from streams.history.opening import place_of
from streams.history.store import HistoryError, SchemaError
from streams.history.writing.writer import HistoryWriter
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.connecting import aiokafka_options
from streams.kafka.passing_clients import unavailable
from streams.kafka.starting import topics_there
from streams.kafka.topics import topic_ids
from streams.process.clock import SystemClock
from streams.process.ending import (
    DONE,
    FAULT,
    INTERRUPTED,
    REFUSED,
    UNAVAILABLE,
    EndAskedError,
    Ending,
)
from streams.process.interpreter import collect_seldom
from streams.process.logs import log_to_stderr
from streams.process.monitoring import Health, Monitor, Reading
from streams.process.settings import KafkaSettings, Settings
from streams.sink.batches import ForeignVersionError, SinkTopics
from streams.sink.beginning import SINK_TOPICS, BegunHistory, begin_history
from streams.sink.loop import SharedHistoryError, Sink, SinkSettings

FAILED_WITHIN_S: Final = 5.0
"""A sink that failed is gone after so long."""

_COLLECTED_AFTER: Final = 50_000
"""A sink keeps messages for a while and nobody waits for it: it looks for garbage seldom."""

CLOSE_WITHIN_S: Final = 3.0
"""How long it may take to say goodbye to its group."""


ALONE_WITHIN_S: Final = 10.0
"""How long after its session a partition may still belong to a sink that is dead."""


def sink_settings(settings: KafkaSettings, *, is_alone: bool = False) -> SinkSettings:
    """Give what a sink is told about its topics.

    Args:
        settings: Of the topics.
        is_alone: Whether its history can have one writer only.
    """
    return SinkSettings(
        SinkTopics(*(topic(topic_name).full_name(settings.prefix) for topic_name in SINK_TOPICS)),
        settings.partitions,
        alone_within_s=settings.session_timeout_s + ALONE_WITHIN_S if is_alone else None,
    )


@dataclass(frozen=True, slots=True)
class SinkMode:
    """How one sink process is run."""

    monitor_port: int = 0
    """Port of metrics and health; 0 for any free one."""
    rebuild: bool = False
    """Read all that the topics still keep once more, write what is missing, and end."""
    instance_id: str | None = None
    """Name of this sink, the same after a restart, so that it need not wait for its own former
    self; None for a passing one."""


def run_sink(settings: Settings, mode: SinkMode) -> int:
    """Write the topics into the history until told to stop; the last thing of a process.

    Args:
        settings: How everything is reached.
        mode: How this sink is run.

    Returns:
        0 after an orderly end, 2 where a worker of another version wrote the topics or another sink
        writes a copy of the history, 3 where
        Kafka or the history was away, 70 after a fault of the product, 130 where a rebuild was
        stopped before its end.

    Raises:
        HistoryError: The history cannot be opened, is of another version, or was made from other
            topics.
        KafkaUnavailableError: The cluster cannot be reached.
        TopicsRefusedError: A topic is missing.
        MonitorError: The port is taken.
    """
    log = log_to_stderr()
    ids = topic_ids(topics_there(settings.kafka))
    ending = Ending(log, settings.kafka.stop_limit_s, lambda: None)
    with open_to_write(settings) as store:
        place = place_of(store)
        history = begin_history(store, settings.kafka, ids, SystemClock(), place=place)
        if history.is_new:
            log.info("history %s is new: it gets all that the topics still keep", place)
        collect_seldom(_COLLECTED_AFTER)
        run = _SinkRun(settings, mode, history, place, ending, log)
        code = asyncio.run(run.run(HistoryWriter(store)))
    return ending.done(code)


@dataclass(frozen=True, slots=True)
class _SinkRun:
    """One sink process, once its history is open."""

    settings: Settings
    mode: SinkMode
    history: BegunHistory
    place: str
    ending: Ending
    log: logging.Logger

    async def run(self, writer: HistoryWriter) -> int:
        """Write until told to stop; give the exit code."""
        kafka = self.settings.kafka
        consumer = self._consumer()
        told = sink_settings(kafka, is_alone=self.settings.history.store == "embedded")
        sink = Sink(consumer, writer, self.history.marks, told, SystemClock(), self.log.warning)
        monitor = Monitor("sink", lambda: _readings(sink), lambda: _health(sink))
        self.ending.listen()
        port = monitor.serve(self.settings.listen.host, self.mode.monitor_port)
        try:
            await _start(consumer, kafka)
            self.log.info(
                "sink started%s, metrics and health on %s:%s",
                "" if self.mode.rebuild else f" in group {self.history.group}",
                self.settings.listen.host,
                port,
            )
            watching = asyncio.create_task(sink.watch(), name="watch")
            try:
                return await self._written(sink)
            finally:
                watching.cancel()
        except (KafkaUnavailableError, SchemaError):
            raise
        except Exception as error:
            return self._failed(error)
        finally:
            monitor.close()
            with contextlib.suppress(KafkaError, TimeoutError):
                async with asyncio.timeout(CLOSE_WITHIN_S):
                    await consumer.stop()

    async def _written(self, sink: Sink) -> int:
        if self.mode.rebuild:
            sink.take_all()
            try:
                await self.ending.unless_asked(sink.drain(from_start=True))
            except EndAskedError:
                self.log.warning("stopped before the end of the topics; begin the rebuild again")
                return INTERRUPTED
        else:
            sink.subscribe()
            await sink.run(self.ending.asked)
        self.log.info("sink stopped")
        return DONE

    def _failed(self, error: Exception) -> int:
        code, why = _code_of(error), str(error)
        if isinstance(error, SharedHistoryError):
            why = (
                f"history {self.place}: {error} in group {self.history.group}, so it writes a copy "
                "of this history: stop that one and set an empty data.directory for it; each "
                "history then gets everything, and this one takes in what it lacks"
            )
        self.log.error(f"{why}; the sink ends", exc_info=error if code == FAULT else None)
        self.ending.force_after(FAILED_WITHIN_S, code)
        return code

    def _consumer(self) -> AIOKafkaConsumer:
        kafka, is_member = self.settings.kafka, not self.mode.rebuild
        return AIOKafkaConsumer(
            **aiokafka_options(kafka),
            group_id=self.history.group if is_member else None,
            group_instance_id=self.mode.instance_id if is_member else None,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            session_timeout_ms=int(kafka.session_timeout_s * 1000),
            heartbeat_interval_ms=int(kafka.heartbeat_s * 1000),
            max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
        )


async def _start(consumer: AIOKafkaConsumer, settings: KafkaSettings) -> None:
    try:
        await consumer.start()
    except KafkaError as error:
        raise unavailable(settings, error) from None


def _code_of(error: Exception) -> int:
    if isinstance(error, ForeignVersionError | SharedHistoryError):
        return REFUSED
    return UNAVAILABLE if isinstance(error, HistoryError | KafkaError | OSError) else FAULT


def _health(sink: Sink) -> Health:
    problems = sink.problems()
    return Health(not problems, tuple(problems))


def _readings(sink: Sink) -> Iterator[Reading]:
    counts = sink.counts
    for name, meaning, value in (
        ("messages", "Messages read from the topics", counts.messages),
        ("writes", "Batches written to the history", counts.writes),
        ("write_failures", "Writes that failed and were tried again", counts.failures),
        (
            "lost_to_retention",
            "Messages that left their topic before they were written",
            counts.lost,
        ),
        ("foreign_messages", "Messages left out because no worker wrote them", counts.foreign),
    ):
        yield Reading(f"ladderman_sink_{name}", meaning, {"": float(value)}, is_counter=True)
    yield Reading(
        "ladderman_sink_waiting_messages",
        "Messages read and not being written yet",
        {"": float(sink.waiting_messages)},
    )
    yield Reading(
        "ladderman_sink_lag_messages",
        "Messages of a topic that were not read yet",
        {at: float(lag) for at, lag in sink.lags().items()},
        label="at",
    )
