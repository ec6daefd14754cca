"""One worker process: checks what it stands on, runs the app, and tells about itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import faust

from schemas.topics import TopicName
from streams.clock import SystemClock
from streams.host.table_fold import TableFold
from streams.logs import log_to_stderr
from streams.monitoring import Health, Monitor, Reading
from streams.settings import Settings
from streams.topics import check_topics, topic_ids
from streams.worker.app import create_app
from streams.worker.clients import HostFactory
from streams.worker.host_keeper import HostKeeper


class TopicsRefusedError(Exception):
    """The topics are not as the protocol needs them; a worker does not start on them."""


def run_worker(settings: Settings, *, instance_id: str | None, monitor_port: int) -> int:
    """Run a worker until it is told to stop or something fails.

    Args:
        settings: How everything is reached.
        instance_id: Name of this worker, the same after a restart; None for a passing one.
        monitor_port: Port of metrics and health; 0 for any free one.

    Returns:
        0 after an orderly stop, 1 after a failure.

    Raises:
        TopicsRefusedError: A topic is missing or kept otherwise than it must be.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    log = log_to_stderr()
    checked = check_topics(settings.kafka)
    problems = [one.line for topic in checked for one in topic.deviations]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise TopicsRefusedError(f"{problems[0]}{more}; see ladderman topics check")
    factory = HostFactory(
        settings.kafka,
        topic_ids(checked)[TopicName.EVENTS],
        TableFold(),
        SystemClock(),
        log.warning,
    )
    with tempfile.TemporaryDirectory(prefix="ladderman-worker-") as directory:
        app = create_app(settings, factory, Path(directory), instance_id=instance_id)
        keeper: HostKeeper = app.host_keeper
        monitor = Monitor("worker", lambda: _readings(keeper, factory), lambda: _health(keeper))
        app.event_latency = monitor.latency
        port = monitor.serve(settings.listen.host, monitor_port)
        log.info("worker started, metrics and health on %s:%s", settings.listen.host, port)
        worker = faust.Worker(app, loglevel="WARNING", redirect_stdouts=False)
        try:
            worker.execute_from_commandline()
        except SystemExit as stopped:
            return int(stopped.code or 0)
        finally:
            monitor.close()
    return 0


def _health(keeper: HostKeeper) -> Health:
    problems = [
        f"partition {partition}: nothing but unreadable messages from {', '.join(sources)}"
        for partition, host in keeper.hosts.items()
        if (sources := host.quarantined)
    ]
    return Health(keeper.is_ready, tuple(problems))


def _readings(keeper: HostKeeper, factory: HostFactory) -> Iterator[Reading]:
    hosts = {str(partition): host for partition, host in sorted(keeper.hosts.items())}
    counters = {
        "folded": "Messages folded",
        "skipped": "Deliveries that had been folded before",
        "healed": "Messages never delivered and read from the log instead",
        "probed": "Messages that only the look at the tail found; should stay 0",
        "dead_letters": "Messages that could not be read",
        "amended": "Shoes folded again for late events",
        "passed_over": "Unreadable snapshots passed over",
        "lost_to_retention": "Offsets that the log no longer had when they were to be folded",
    }
    for name, meaning in counters.items():
        values = {label: float(getattr(host.counts, name)) for label, host in hosts.items()}
        yield Reading(f"ladderman_{name}", meaning, values, is_counter=True)
    yield Reading(
        "ladderman_next_offset", "Offset of the message that is folded next",
        {label: float(host.next_offset) for label, host in hosts.items()},
    )  # fmt: skip
    yield Reading(
        "ladderman_snapshot_bytes", "Size of the last snapshot, against a limit of 4 MiB",
        {label: float(host.counts.snapshot_bytes) for label, host in hosts.items()},
    )  # fmt: skip
    yield Reading(
        "ladderman_unacknowledged_records", "Outputs on their way to the log",
        {label: float(factory.unacknowledged(int(label))) for label in hosts},
    )  # fmt: skip
    yield Reading(
        "ladderman_quarantined_sources", "Sources of which only unreadable messages come",
        {label: float(len(host.quarantined)) for label, host in hosts.items()},
    )  # fmt: skip
