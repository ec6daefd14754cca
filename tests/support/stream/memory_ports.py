"""Ports of a host that live in memory, outlive it, and remember what was asked of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, encode_record
from streams.host.dead_letters import DeadLetter
from streams.host.ports import LogBatch, LogEntry


class Emitted(NamedTuple):
    """One output: what it is about, its version, its bytes."""

    key: tuple[str, ...]
    version: int
    raw: bytes


def emitted_record(record: Record) -> Emitted:
    """Give a record as it is compared."""
    return Emitted(record.key, record.version, encode_record(record))


class MemoryLog:
    """A log with, maybe, offsets without messages."""

    def __init__(self, raws: Sequence[bytes] = (), key: bytes = b"BAC-01") -> None:
        """Begin with messages of one source."""
        self.entries = [LogEntry(offset, key, raw) for offset, raw in enumerate(raws)]
        self.end = len(self.entries)
        self.start = 0
        self.reads: list[int] = []

    def append(self, raw: bytes, key: bytes = b"BAC-01", skip: int = 0) -> LogEntry:
        """Add a message, behind offsets that hold none."""
        entry = LogEntry(self.end + skip, key, raw)
        self.entries.append(entry)
        self.end = entry.offset + 1
        return entry

    async def start_offset(self) -> int:
        """Give the oldest offset kept."""
        return self.start

    async def end_offset(self) -> int:
        """Give the end."""
        return self.end

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages; where none are left below the end, the end is reached."""
        at = bisect_left(self.entries, start, key=lambda one: one.offset)
        found = self.entries[at : at + count_max]
        return LogBatch(found, found[-1].offset + 1 if found else self.end)

    async def read_tail(self, start: int, count_max: int, wait_s: float) -> LogBatch:
        """Read likewise."""
        del wait_s
        return await self.read(start, count_max)

    def rest(self) -> None:
        """Do nothing."""

    async def read_one(self, offset: int) -> bytes:
        """Read one message."""
        self.reads.append(offset)
        return next(one.raw for one in self.entries if one.offset == offset)


class MemorySnapshots:
    """Every snapshot ever put."""

    def __init__(self) -> None:
        """Begin with none."""
        self.kept: list[tuple[tuple[int, int], bytes]] = []

    async def newest_first(self) -> Sequence[bytes]:
        """Give all, the highest first."""
        return [raw for _, raw in sorted(self.kept, key=lambda one: one[0], reverse=True)]

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Keep one."""
        self.kept.append((position, snapshot))


class MemoryOutbox:
    """Outputs that were delivered, and those that die with the host."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.delivered: list[Emitted] = []
        self.waiting: list[Emitted] = []
        self.told: list[ProgressiveInput] = []
        """What ledgers were told, repeats too."""
        self.fails = False
        self.room_raises: BaseException | None = None

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take outputs."""
        self.waiting.extend(emitted_record(record) for record in records)
        self.told.extend(inputs)
        if dead_letter is not None:
            key = ("dead-letter", dead_letter.letter_id)
            self.waiting.append(Emitted(key, entry.offset, dead_letter.reason.encode()))

    async def make_room(self) -> None:
        """Deliver now and then, as a network does."""
        if self.room_raises is not None:
            raise self.room_raises
        if len(self.waiting) > 4:
            self._deliver(2)

    async def flush(self) -> None:
        """Deliver everything."""
        if self.fails:
            raise ConnectionError("the broker is gone")
        self._deliver(len(self.waiting))

    def _deliver(self, count: int) -> None:
        self.delivered.extend(self.waiting[:count])
        del self.waiting[:count]

    def die(self) -> None:
        """Lose what was not delivered."""
        self.waiting.clear()
