"""Devices whose clock is off, by their last delivered event.

An event cannot have occurred after the log got it: a device that says so is ahead. One that is
behind cannot be told from one whose events waited, so that only a lasting difference says much.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from schemas.wire import EVENT_BYTES_MAX, parse_event
from schemas.wire.errors import UnreadableEventError

SOURCES_MAX: Final = 2_000
"""The most sources that are remembered, those heard last; anyone can invent another."""


class DeviceClocks:
    """Remembers the last event of each source, and reads it only when it is asked for."""

    def __init__(self) -> None:
        """Have heard nothing."""
        self._last: OrderedDict[bytes, tuple[bytes, float]] = OrderedDict()

    def heard(self, key: bytes, raw: bytes, appended_s: float) -> None:
        """Remember an event.

        Args:
            key: The source, as its sender says.
            raw: The bytes of the event.
            appended_s: When the log got it, seconds since 1970 UTC.
        """
        if len(raw) > EVENT_BYTES_MAX:
            return
        self._last[key] = (raw, appended_s)
        self._last.move_to_end(key)
        if len(self._last) > SOURCES_MAX:
            self._last.popitem(last=False)

    def skews_s(self) -> dict[str, float]:
        """Say by how many seconds each device was ahead of the log; negative: behind, or late."""
        skews = {}
        for raw, appended_s in list(self._last.values()):
            try:
                event = parse_event(raw)
            except UnreadableEventError:
                continue  # a dead letter or a finding says so
            skews[event.source_id] = event.occurred_at.timestamp() - appended_s
        return skews
