"""The Faust app: it delivers and balances, the hosts do the rest.

What the framework commits is never a source of truth. Topics are made beforehand, there is no
framework table, no page is served, and a failure stops the process.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import faust
from faust.types import TP, Message

from schemas.topics import TopicName, topic
from streams.host.ports import LogEntry
from streams.kafka.connecting import faust_options
from streams.process.settings import KafkaSettings
from streams.worker.deliveries import Deliveries
from streams.worker.fetching import GatheringConsumer
from streams.worker.host_keeper import Delivery, HostKeeper

GROUP: Final = "worker"
"""Name of the group behind the prefix."""


class Keepers(NamedTuple):
    """Who keeps the hosts of a worker."""

    tables: HostKeeper
    """Of the partitions of events."""
    ledgers: HostKeeper
    """Of the partitions of what ledgers of progressives are told."""


class WorkerApp(faust.App):
    """An app that tells the keepers of a rebalance before it holds deliveries back."""

    def __init__(
        self, *args: Any, keepers: Keepers, noted: Callable[[], None], **options: Any
    ) -> None:
        """Be an app whose hosts are kept by keepers, and which has its rebalances noted."""
        super().__init__(*args, **options)
        self.keepers, self.noted = keepers, noted

    def on_rebalance_start(self) -> None:
        """Note a rebalance; called by the thread of the consumer."""
        super().on_rebalance_start()
        for keeper in self.keepers:
            self.loop.call_soon_threadsafe(keeper.suspend)
        self.loop.call_soon_threadsafe(self.noted)


def create_app(
    settings: KafkaSettings,
    keepers: Keepers,
    directory: Path,
    doubt: Callable[[frozenset[TopicName], GatheringConsumer], None],
    noted: Callable[[], None],
    *,
    instance_id: str | None = None,
) -> WorkerApp:
    """Make the app of one worker process, inside the event loop that it will run in.

    Args:
        settings: How Kafka is reached.
        keepers: Keep the hosts of the partitions that are assigned.
        directory: An empty directory that the framework may write to; nothing in it is needed
            again.
        doubt: Told of topics of which the framework knew nothing when partitions were assigned,
            with the consumer that should know them.
        noted: Told that a rebalance has begun.
        instance_id: Name of this worker, the same after a restart; None for a passing one.
    """
    app = WorkerApp(
        f"{settings.prefix}-{GROUP}",
        keepers=keepers,
        noted=noted,
        **faust_options(settings),
        store="memory://",
        # Whatever was committed or not, hosts read for themselves from their snapshots on.
        consumer_auto_offset_reset="latest",
        consumer_group_instance_id=instance_id,
        topic_partitions=settings.partitions,
        datadir=directory,
    )
    # Declared for all transports of its class; set for that of this app alone.
    app.transport.Consumer = GatheringConsumer  # type: ignore[misc]
    events = topic(TopicName.EVENTS).full_name(settings.prefix)
    inputs = topic(TopicName.PROGRESSIVE_INPUTS).full_name(settings.prefix)
    keepers.tables.steering = Deliveries(app, events)
    keepers.ledgers.steering = Deliveries(app, inputs)

    @app.agent(_raw(app, events), name="fold", concurrency=1)
    async def fold_events(stream: faust.StreamT[bytes]) -> None:
        async for event in stream.events():
            keepers.tables.offer(event.message.partition, _delivered(event.message))

    @app.agent(_raw(app, inputs), name="fold-progressives", concurrency=1)
    async def fold_inputs(stream: faust.StreamT[bytes]) -> None:
        async for event in stream.events():
            keepers.ledgers.offer(event.message.partition, _delivered(event.message))

    @app.on_partitions_assigned.connect  # type: ignore[arg-type]  # its type names no arguments
    async def assign(_app: faust.App, assigned: Set[TP], **_: Any) -> None:
        unknown = set()
        consumer = cast(GatheringConsumer, app.consumer)
        for name, full_name, keeper in (
            (TopicName.EVENTS, events, keepers.tables),
            (TopicName.PROGRESSIVE_INPUTS, inputs, keepers.ledgers),
        ):
            if consumer.knows(full_name):
                keeper.assign(tp.partition for tp in assigned if tp.topic == full_name)
            else:
                unknown.add(name)
        if unknown:
            doubt(frozenset(unknown), consumer)

    return app


def _raw(app: faust.App, name: str) -> faust.TopicT:
    return app.topic(
        name, key_type=bytes, key_serializer="raw", value_type=bytes, value_serializer="raw"
    )


def _delivered(message: Message) -> Delivery:
    entry = LogEntry(message.offset, message.key or b"", message.value or b"")
    return Delivery(entry, message.timestamp)
