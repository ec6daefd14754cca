"""The Faust app: it delivers and balances, the hosts do the rest.

What the framework commits is never a source of truth. Topics are made beforehand, there is no
framework table, no page is served, and a failure stops the process.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any, Final

import faust
from faust.types import TP

from schemas.topics import TopicName, topic
from streams.host.ports import LogEntry
from streams.kafka.connecting import faust_options
from streams.settings import KafkaSettings
from streams.worker.deliveries import Deliveries
from streams.worker.fetching import GatheringConsumer
from streams.worker.host_keeper import Delivery, HostKeeper

GROUP: Final = "worker"
"""Name of the group behind the prefix."""


class WorkerApp(faust.App):
    """An app that tells the keeper of a rebalance before it holds deliveries back."""

    def __init__(self, *args: Any, keeper: HostKeeper, **options: Any) -> None:
        """Be an app whose hosts are kept by a keeper."""
        super().__init__(*args, **options)
        self.keeper = keeper

    def on_rebalance_start(self) -> None:
        """Note a rebalance; called by the thread of the consumer."""
        super().on_rebalance_start()
        self.loop.call_soon_threadsafe(self.keeper.suspend)


def create_app(
    settings: KafkaSettings,
    keeper: HostKeeper,
    directory: Path,
    *,
    instance_id: str | None = None,
) -> WorkerApp:
    """Make the app of one worker process, inside the event loop that it will run in.

    Args:
        settings: How Kafka is reached.
        keeper: Keeps the hosts of the partitions that are assigned.
        directory: An empty directory that the framework may write to; nothing in it is needed
            again.
        instance_id: Name of this worker, the same after a restart; None for a passing one.
    """
    app = WorkerApp(
        f"{settings.prefix}-{GROUP}",
        keeper=keeper,
        **faust_options(settings),
        store="memory://",
        # Whatever was committed or not, hosts read for themselves from their snapshots on.
        consumer_auto_offset_reset="latest",
        consumer_group_instance_id=instance_id,
        topic_partitions=settings.partitions,
        datadir=directory,
    )
    app.transport.Consumer = GatheringConsumer
    events = topic(TopicName.EVENTS).full_name(settings.prefix)
    keeper.steering = Deliveries(app, events)
    messages = app.topic(
        events, key_type=bytes, key_serializer="raw", value_type=bytes, value_serializer="raw"
    )

    @app.agent(messages, name="fold", concurrency=1)
    async def fold_events(stream: faust.StreamT[bytes]) -> None:
        async for event in stream.events():
            message = event.message
            entry = LogEntry(message.offset, message.key or b"", message.value or b"")
            keeper.offer(message.partition, Delivery(entry, message.timestamp))

    @app.on_partitions_assigned.connect
    async def assign(_app: faust.App, assigned: Set[TP], **_: Any) -> None:
        keeper.assign(tp.partition for tp in assigned if tp.topic == events)

    return app
