"""The time that an event waits in the log until it is folded.

While a host's own reader leads, after a start or a rebalance and when it is far behind, nothing is
delivered to it: measured by deliveries alone, a worker that is late would tell nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from aiokafka import ConsumerRecord

from streams.process.clock import Clock
from streams.process.monitoring import Latency

DELIVERED, READ = "delivered", "read"
"""How an event came: by the framework, or by the host's own reader."""


class EventLatency:
    """Measures each event of the log once, when it is folded or read to be folded next.

    After a start those behind the last snapshot count once more, with the time of the standstill.
    """

    def __init__(self, latency: Latency, clock: Clock) -> None:
        """Have measured nothing.

        Args:
            latency: Counts for each of :data:`DELIVERED` and :data:`READ`.
            clock: The clock of this machine.
        """
        self._latency, self._clock = latency, clock
        self._next_offset: dict[int, int] = {}

    def delivered(self, partition: int, offset: int, appended_s: float) -> None:
        """Measure an event that was delivered and is folded.

        Args:
            partition: Of the log.
            offset: Its place there.
            appended_s: When the log got it, seconds since 1970 UTC.
        """
        if offset >= self._next_offset.get(partition, 0):
            self._next_offset[partition] = offset + 1
            self._latency.observe(DELIVERED, (self._clock.now_us() / 1e6 - appended_s,))

    def read(self, partition: int, messages: Sequence[ConsumerRecord]) -> None:
        """Measure events that a host's own reader has read; what is read once more counts not."""
        begin = self._next_offset.get(partition, 0)
        if not messages or messages[-1].offset < begin:
            return
        self._next_offset[partition] = messages[-1].offset + 1
        now_s = self._clock.now_us() / 1e6
        fresh = [
            now_s - message.timestamp / 1000 for message in messages if message.offset >= begin
        ]
        self._latency.observe(READ, fresh)
