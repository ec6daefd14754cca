"""One sink process: it opens the history, joins its group, and tells about itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Final

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.clock import SystemClock
from streams.ending import DONE, FAULT, INTERRUPTED, REFUSED, UNAVAILABLE, Ending
from streams.history.configured import open_to_write
from streams.history.log_claim import claim_history, is_untouched
from streams.history.opening import place_of
from streams.history.store import HistoryError, SchemaError
from streams.history.writer import HistoryWriter
from streams.interpreter import collect_seldom
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.connecting import aiokafka_options
from streams.logs import log_to_stderr
from streams.monitoring import Health, Monitor, Reading
from streams.reconcile.clients import unavailable
from streams.reconcile.positions import SINK_GROUP
from streams.settings import KafkaSettings, Settings
from streams.sink.batches import ForeignVersionError, SinkTopics
from streams.sink.beginning import refuse_what_is_written_elsewhere
from streams.sink.loop import Sink, SinkSettings
from streams.starting import topics_there
from streams.topics import topic_ids

FAILED_WITHIN_S: Final = 5.0
"""A sink that failed is gone after so long."""

_COLLECTED_AFTER: Final = 50_000
"""A sink keeps messages for a while and nobody waits for it: it looks for garbage seldom."""

CLOSE_WITHIN_S: Final = 3.0
"""How long it may take to say goodbye to its group."""


def sink_settings(settings: KafkaSettings) -> SinkSettings:
    """Give what a sink is told about its topics."""
    names = {one: topic(one).full_name(settings.prefix) for one in TopicName}
    return SinkSettings(
        SinkTopics(
            names[TopicName.EVENTS], names[TopicName.VERDICTS], names[TopicName.DEAD_LETTERS]
        ),
        settings.partitions,
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
        0 after an orderly end, 2 where a worker of another version wrote the topics, 3 where
        Kafka or the history was away, 70 after a fault of the product, 130 where a rebuild was
        stopped before its end.

    Raises:
        HistoryError: The history cannot be opened, is of another version, or was made from other
            topics.
        HistoryLeftBehindError: The history is new, and sinks have filled another one.
        KafkaUnavailableError: The cluster cannot be reached.
        TopicsRefusedError: A topic is missing.
        MonitorError: The port is taken.
    """
    log = log_to_stderr()
    ids = topic_ids(topics_there(settings.kafka))
    ending = Ending(log, settings.kafka.stop_limit_s, lambda: None)
    with open_to_write(settings) as store:
        if not mode.rebuild and is_untouched(store):
            refuse_what_is_written_elsewhere(settings.kafka, place_of(store))
        logs = {one: ids[one] for one in (TopicName.EVENTS, TopicName.PROGRESSIVE_INPUTS)}
        claim_history(store, logs, SystemClock().now_us(), place=place_of(store))
        collect_seldom(_COLLECTED_AFTER)
        code = asyncio.run(_run(settings, HistoryWriter(store), mode, ending, log))
    return ending.done(code)


async def _run(
    settings: Settings,
    writer: HistoryWriter,
    mode: SinkMode,
    ending: Ending,
    log: logging.Logger,
) -> int:
    consumer = _consumer(settings.kafka, mode)
    sink = Sink(consumer, writer, sink_settings(settings.kafka), SystemClock(), log.warning)
    monitor = Monitor("sink", lambda: _readings(sink), lambda: _health(sink))
    ending.listen()
    port = monitor.serve(settings.listen.host, mode.monitor_port)
    try:
        await _start(consumer, settings.kafka)
        log.info("sink started, metrics and health on %s:%s", settings.listen.host, port)
        if mode.rebuild:
            sink.take_all()
            if not await _or_asked(sink.drain(from_start=True), ending.asked):
                log.warning("stopped before the end of the topics; begin the rebuild again")
                return INTERRUPTED
        else:
            sink.subscribe()
            await sink.run(ending.asked)
        log.info("sink stopped")
        return DONE
    except (KafkaUnavailableError, SchemaError):
        raise
    except Exception as error:
        code = _code_of(error)
        log.error(f"{error}; the sink ends", exc_info=error if code == FAULT else None)
        ending.force_after(FAILED_WITHIN_S, code)
        return code
    finally:
        monitor.close()
        with contextlib.suppress(KafkaError, TimeoutError):
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await consumer.stop()


def _consumer(settings: KafkaSettings, mode: SinkMode) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        **aiokafka_options(settings),
        group_id=None if mode.rebuild else f"{settings.prefix}-{SINK_GROUP}",
        group_instance_id=None if mode.rebuild else mode.instance_id,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=int(settings.session_timeout_s * 1000),
        heartbeat_interval_ms=int(settings.heartbeat_s * 1000),
        max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
    )


async def _start(consumer: AIOKafkaConsumer, settings: KafkaSettings) -> None:
    try:
        await consumer.start()
    except KafkaError as error:
        raise unavailable(settings, error) from None


async def _or_asked(work: Coroutine[object, object, None], asked: asyncio.Event) -> bool:
    """Do some work, unless the process is asked to end before; say whether it was done."""
    doing, asking = asyncio.create_task(work), asyncio.create_task(asked.wait())
    await asyncio.wait([doing, asking], return_when=asyncio.FIRST_COMPLETED)
    asking.cancel()
    if doing.done():
        doing.result()
        return True
    doing.cancel()
    return False


def _code_of(error: Exception) -> int:
    if isinstance(error, ForeignVersionError):
        return REFUSED
    return UNAVAILABLE if isinstance(error, HistoryError | KafkaError | OSError) else FAULT


def _health(sink: Sink) -> Health:
    failure = sink.counts.last_failure
    problems = [] if sink.counts.is_member else ["waiting for a share of the topics"]
    if failure:
        problems.append(failure)
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
