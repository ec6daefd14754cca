"""The log of one machine: the events of all its sources in one numbering.

It stands where Kafka's topic stands otherwise: an offset is the number of a record, a key is the
source. One byte says how long the key is, then come key and event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from streams.host.ports import LogBatch, LogEntry
from streams.process.clock import Clock
from streams.spool.segments import LogLimits, SegmentedLog

KEY_BYTES_MAX: Final = 255
"""A key is at most this long."""

_SCAN_COUNT: Final = 10_000


class FileLog:
    """A log of events in files, for one writer and the host beside it."""

    def __init__(
        self,
        directory: Path,
        clock: Clock,
        limits: LogLimits = LogLimits(),  # noqa: B008 - frozen
    ) -> None:
        """Open the log of a directory, or begin one.

        Raises:
            PathInUseError: Another process has it open.
        """
        self.records = SegmentedLog(directory, clock.now_us, owner="pipeline", limits=limits)

    def append(self, key: bytes, raw: bytes) -> int:
        """Take an event; it is in the log after the next :meth:`sync`.

        Returns:
            Its offset.

        Raises:
            SpoolFullError: There is no room; it was not taken.
        """
        return self.records.append(_payload(key, raw))

    def extend(self, events: Iterable[tuple[bytes, bytes]]) -> int:
        """Take events with their keys, and make them durable.

        Returns:
            The end offset.
        """
        self.records.extend(_payload(key, raw) for key, raw in events)
        return self.records.sync()

    def sync(self) -> int:
        """Make everything durable that was appended; gives the end offset."""
        return self.records.sync()

    def entries(self) -> Iterator[LogEntry]:
        """Give every durable event that is kept, in order."""
        start = self.records.first_number
        while batch := self.records.read(start, _SCAN_COUNT):
            yield from map(_entry, batch)
            start = batch[-1][0] + 1

    async def start_offset(self) -> int:
        """Give the offset of the oldest event that is kept."""
        return self.records.first_number

    async def end_offset(self) -> int:
        """Give the offset behind the last durable event."""
        return self.records.durable_end

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read durable events in order, from an offset on."""
        entries = [_entry(entry) for entry in self.records.read(start, count_max)]
        return LogBatch(entries, entries[-1].offset + 1 if entries else start)

    async def read_tail(self, start: int, count_max: int, wait_s: float) -> LogBatch:
        """Read as :meth:`read` does: a file is always at hand."""
        del wait_s
        return await self.read(start, count_max)

    def rest(self) -> None:
        """Do nothing: nothing is read in advance."""

    async def read_one(self, offset: int) -> bytes:
        """Read the bytes of one event."""
        payload = self.records.read_one(offset)
        return payload[1 + payload[0] :]

    def close(self) -> None:
        """Flush and give the directory up."""
        self.records.close()


def _payload(key: bytes, raw: bytes) -> bytes:
    if len(key) > KEY_BYTES_MAX:
        raise ValueError(f"a key has at most {KEY_BYTES_MAX} bytes, this one has {len(key)}")
    return b"%c%b%b" % (len(key), key, raw)


def _entry(record: tuple[int, bytes]) -> LogEntry:
    number, payload = record
    start = 1 + payload[0]
    return LogEntry(number, payload[1:start], payload[start:])
