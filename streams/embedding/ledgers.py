"""Progressives on one machine: tables report to ledgers through a second log beside the first.

The host of the tables puts what ledgers are told into that log, durably before its snapshot, so a
crash between the two logs repeats some of it and loses nothing; the fold ignores repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record
from streams.host.dead_letters import DeadLetter
from streams.host.ports import LogEntry, Outbox
from streams.spool.file_log import FileLog

LOG_DIRECTORY: Final = "progressive-log"
SNAPSHOT_DIRECTORY: Final = "progressive-snapshots"

WAITING_MAX: Final = 2_000
"""Messages to ledgers that are put into their log at a time, while the tables are folded."""


class InputsToLog:
    """An outbox that puts what ledgers are told into their log, and all else where it went."""

    def __init__(self, outbox: Outbox, log: FileLog) -> None:
        """Begin with nothing to put."""
        self._outbox, self._log = outbox, log
        self._waiting: list[ProgressiveInput] = []

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave."""
        if inputs:
            self._waiting.extend(inputs)
        self._outbox.put(entry, records, dead_letter)

    async def make_room(self) -> None:
        """Write what waits, once it is much."""
        if len(self._waiting) >= WAITING_MAX:
            self.write()
        await self._outbox.make_room()

    async def flush(self) -> None:
        """Make everything durable that was put."""
        self.write()
        await self._outbox.flush()

    def write(self) -> int:
        """Put what waits into the log of the ledgers, durably; gives how much there was."""
        count = len(self._waiting)
        if count:
            # After a full disk all of it is tried again: a part that was taken is repeated.
            self._log.extend(
                (message.progressive_id.encode(), encode_progressive_input(message))
                for message in self._waiting
            )
            self._waiting.clear()
        return count
