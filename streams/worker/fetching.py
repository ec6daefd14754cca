"""The fetches of the framework: while messages come closely, those of some milliseconds at once.

It would ask the broker again for nearly every message otherwise, which costs the worker as much as
folding and the broker more. While few or none come, each is delivered at once as it always was.
"""

from __future__ import annotations

from typing import Any, Final

from faust.transport.drivers.aiokafka import Consumer
from faust.types import TP

GATHER_MS: Final = 10
"""How long the broker may gather messages before it answers."""

GATHER_BYTES: Final = 64 * 1024
"""Bytes with which the broker answers at once."""

CLOSELY_S: Final = 0.004
"""Messages come closely where one comes within so long of another."""

WORTH_COUNT: Final = 3
"""Fetches go on gathering while one gives at least so many messages."""

_AT_ONCE: Final = (1, 1_500)
_GATHERED: Final = (GATHER_BYTES, GATHER_MS)
"""Least bytes and longest wait of a fetch."""


class GatheringConsumer(Consumer):
    """The framework's consumer, with fetches that depend on how messages come."""

    _found_at_s = 0.0
    _gathers = False

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        found = await super()._getmany(active_partitions, timeout)
        before_s, self._found_at_s = self._found_at_s, self.loop.time()
        if self._gathers:
            self._gathers = sum(map(len, found.values())) >= WORTH_COUNT
        else:
            self._gathers = bool(found) and self._found_at_s - before_s < CLOSELY_S
        consumer = self._thread._consumer
        if consumer is not None and (fetcher := consumer._fetcher) is not None:
            # The fetcher reads both before each of its requests.
            how = _GATHERED if self._gathers else _AT_ONCE
            fetcher._fetch_min_bytes, fetcher._fetch_max_wait_ms = how
        return found

    def knows(self, name: str) -> bool:
        """Say whether the brokers told it of a topic."""
        consumer = self._thread._consumer
        return bool(consumer is not None and consumer._client.cluster.partitions_for_topic(name))

    def look_again(self) -> None:
        """Have it ask the brokers for their topics, after which partitions are assigned anew."""
        if (consumer := self._thread._consumer) is not None:
            self._thread.thread_loop.call_soon_threadsafe(consumer._client.force_metadata_update)
