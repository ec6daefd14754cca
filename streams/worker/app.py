"""The Faust app: it delivers and balances, the hosts do the rest.

What the framework commits is never a source of truth. Topics are made beforehand, there is no
framework table, no page is served, and a failure stops the process.
"""

from __future__ import annotations

import time
from collections.abc import Set
from pathlib import Path
from typing import Any, Final

import faust
from faust.types import TP

from schemas.topics import TopicName
from streams.host.ports import LogEntry
from streams.kafka.connecting import faust_options
from streams.settings import Settings
from streams.worker.clients import HostFactory
from streams.worker.host_keeper import HostKeeper

GROUP: Final = "worker"
"""Name of the group behind the prefix."""


def create_app(
    settings: Settings, factory: HostFactory, directory: Path, *, instance_id: str | None = None
) -> faust.App:
    """Make the app of one worker process.

    Args:
        settings: How Kafka is reached.
        factory: Makes the hosts of the partitions that are assigned.
        directory: An empty directory that the framework may write to; nothing in it is needed
            again.
        instance_id: Name of this worker, the same after a restart; None for a passing one.
    """
    app = faust.App(
        f"{settings.kafka.prefix}-{GROUP}",
        **faust_options(settings.kafka),
        store="memory://",
        # Whatever was committed or not, hosts read for themselves from their snapshots on.
        consumer_auto_offset_reset="latest",
        consumer_group_instance_id=instance_id,
        topic_partitions=settings.kafka.partitions,
        datadir=directory,
    )
    keeper = HostKeeper(factory.make, factory.close, app.crash)
    events = factory.name(TopicName.EVENTS)
    topic = app.topic(
        events, key_type=bytes, key_serializer="raw", value_type=bytes, value_serializer="raw"
    )

    @app.agent(topic, name="fold", concurrency=1)
    async def fold_events(stream: faust.StreamT[bytes]) -> None:
        async for event in stream.events():
            message = event.message
            entry = LogEntry(message.offset, message.key or b"", message.value or b"")
            await keeper.offer(message.partition, entry)
            app.event_latency.observe(time.time() - message.timestamp)

    @app.on_partitions_revoked.connect
    async def suspend(_app: faust.App, _revoked: Set[TP], **_: Any) -> None:
        keeper.suspend()

    @app.on_partitions_assigned.connect
    async def assign(_app: faust.App, assigned: Set[TP], **_: Any) -> None:
        keeper.assign(tp.partition for tp in assigned if tp.topic == events)

    @app.on_before_shutdown.connect
    async def stop(_app: faust.App, **_: Any) -> None:
        await keeper.stop()

    app.host_keeper = keeper
    return app
