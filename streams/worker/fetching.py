"""How does the framework fetch? While messages come, all that came within a few milliseconds.

It would ask the broker again for nearly every message otherwise, which costs the worker as much as
folding and the broker more. While nothing comes, a question waits at the broker as it always did.
"""

from __future__ import annotations

from typing import Any, Final

from faust.transport.drivers.aiokafka import Consumer
from faust.types import TP

GATHER_MS: Final = 10
"""So long the broker may gather what it answers with, while messages come."""

GATHER_BYTES: Final = 64 * 1024
"""It answers before with so much."""

_IDLE: Final = (1, 1_500)
_BUSY: Final = (GATHER_BYTES, GATHER_MS)
"""Least bytes and longest wait of a fetch."""


class GatheringConsumer(Consumer):  # type: ignore[misc]
    """The framework's consumer, with fetches that depend on whether messages come."""

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        found = await super()._getmany(active_partitions, timeout)
        consumer = self._thread._consumer
        if consumer is not None and (fetcher := consumer._fetcher) is not None:
            # The fetcher reads both before each of its requests.
            fetcher._fetch_min_bytes, fetcher._fetch_max_wait_ms = _BUSY if found else _IDLE
        return found
