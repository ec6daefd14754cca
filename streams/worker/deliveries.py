"""Holds the framework's deliveries while a host reads for itself, and lets them go on later.

A host that is far behind reads faster than deliveries come. Delivering the same once more would
take a third of its time. If any of this fails, messages come twice or late, which hosts bear.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final, cast

import faust
from aiokafka.errors import IllegalStateError
from faust.transport.drivers.aiokafka import Consumer
from faust.types import TP

SEEK_WITHIN_S: Final = 1.0
"""A framework that is amid a rebalance answers later, and then begins elsewhere anyway."""

UNCOMMITTED_MAX: Final = 100_000
"""The most acknowledged messages that wait for the framework's next commit."""


class Deliveries:
    """The deliveries of single partitions of one topic."""

    def __init__(self, app: faust.App, topic: str) -> None:
        """Steer the deliveries of an app."""
        self._app, self._topic = app, topic
        self._held: set[int] = set()

    @property
    def _consumer(self) -> Consumer:
        """The consumer by its own class: what it keeps of acknowledged messages is its own."""
        return cast(Consumer, self._app.consumer)

    def hold(self, partition: int) -> None:
        """Deliver nothing more of a partition; what is on its way still comes."""
        self._held.add(partition)
        self._app.consumer.pause_partitions({TP(self._topic, partition)})

    async def go_on(self, partition: int, offset: int) -> None:
        """Deliver a partition that was held, from an offset on."""
        if partition not in self._held:
            return
        self._held.discard(partition)
        at, consumer = TP(self._topic, partition), self._app.consumer
        if at not in consumer.assignment():
            return
        with contextlib.suppress(TimeoutError, IllegalStateError):
            async with asyncio.timeout(SEEK_WITHIN_S):
                await consumer.seek(at, offset)
            self._forget(at)
        consumer.resume_partitions({at})

    def spare_memory(self, partition: int) -> None:
        """Keep the framework from collecting acknowledged messages without end.

        It commits only what follows on its last commit without a gap, and after a race during a
        rebalance waits for ever for messages that it never delivers (its issue 596).
        """
        at = TP(self._topic, partition)
        if len(self._consumer._acked.get(at, ())) > UNCOMMITTED_MAX:
            self._forget(at)

    def _forget(self, at: TP) -> None:
        """Have the next commit begin with whatever is acknowledged next."""
        consumer = self._consumer
        consumer._acked[at].clear()
        consumer._acked_index[at].clear()
        consumer._committed_offset[at] = None
