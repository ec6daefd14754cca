"""One sink process: it opens the history, joins its group, and tells about itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from typing import Final

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.clock import SystemClock
from streams.history.configured import open_to_write
from streams.history.writer import HistoryWriter
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.connecting import aiokafka_options
from streams.logs import log_to_stderr
from streams.monitoring import Health, Monitor, Reading
from streams.settings import KafkaSettings, Settings
from streams.sink.batches import SinkTopics
from streams.sink.loop import Sink, SinkSettings

GROUP: Final = "sink"
"""Name of the group behind the prefix."""

_REBUILD_GROUP: Final = "sink-rebuild"


def sink_settings(settings: KafkaSettings) -> SinkSettings:
    """Give what a sink is told about its topics."""
    names = {one: topic(one).full_name(settings.prefix) for one in TopicName}
    return SinkSettings(
        SinkTopics(
            names[TopicName.EVENTS], names[TopicName.VERDICTS], names[TopicName.DEAD_LETTERS]
        ),
        settings.partitions,
    )


def run_sink(settings: Settings, *, rebuild: bool, monitor_port: int) -> int:
    """Write the topics into the history until told to stop.

    Args:
        settings: How everything is reached.
        rebuild: Read everything that the topics still keep once more, write what is missing,
            and end.
        monitor_port: Port of metrics and health; 0 for any free one.

    Returns:
        0 after an orderly end.

    Raises:
        HistoryError: The history cannot be opened, or is of another version.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    with open_to_write(settings) as store:
        return asyncio.run(_run(settings, HistoryWriter(store), rebuild, monitor_port))


async def _run(settings: Settings, writer: HistoryWriter, rebuild: bool, monitor_port: int) -> int:
    log = log_to_stderr()
    consumer = AIOKafkaConsumer(
        **aiokafka_options(settings.kafka),
        group_id=f"{settings.kafka.prefix}-{_REBUILD_GROUP if rebuild else GROUP}",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=int(settings.kafka.session_timeout_s * 1000),
        heartbeat_interval_ms=int(settings.kafka.heartbeat_s * 1000),
        max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
    )
    sink = Sink(consumer, writer, sink_settings(settings.kafka), SystemClock(), log.warning)
    monitor = Monitor("sink", lambda: _readings(sink), lambda: _health(sink))
    try:
        await consumer.start()
    except KafkaError as error:
        await consumer.stop()
        raise KafkaUnavailableError(
            f"Kafka at {settings.kafka.bootstrap} cannot be reached: {error}"
        ) from None
    try:
        port = monitor.serve(settings.listen.host, monitor_port)
        log.info("sink started, metrics and health on %s:%s", settings.listen.host, port)
        sink.subscribe()
        if rebuild:
            await sink.drain(from_start=True)
        else:
            await sink.run(_stop_signal())
        return 0
    finally:
        monitor.close()
        await consumer.stop()


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


def _health(sink: Sink) -> Health:
    failure = sink.counts.last_failure
    return Health(failure is None, (failure,) if failure else ())


def _readings(sink: Sink) -> Iterator[Reading]:
    counts = sink.counts
    for name, meaning, value in (
        ("messages", "Messages read from the topics", counts.messages),
        ("writes", "Batches written to the history", counts.writes),
        ("write_failures", "Writes that failed and were tried again", counts.failures),
    ):
        yield Reading(f"ladderman_sink_{name}", meaning, {"": float(value)}, is_counter=True)
