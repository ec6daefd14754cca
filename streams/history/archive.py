"""The archive of a worker: messages that the log no longer keeps, from the history's raw events.

The history is opened only when it is needed, which is after a worker was away for longer than the
log keeps its messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from schemas.topics import TopicName
from streams.history.log_claim import refuse_foreign_history
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader, StoreMissingError
from streams.host.ports import LogEntry
from streams.process.settings import Settings

WINDOW: Final = 10_000
"""Offsets that are asked for at a time; some of them may have no event."""


class HistoryArchive:
    """Messages of one partition, as the history keeps them.

    Repeats and what could not be read are not among its events; neither changes a verdict again.
    """

    def __init__(
        self,
        open_reader: Callable[[], AbstractContextManager[HistoryReader]],
        partition: int,
        log_id: str,
    ) -> None:
        """Read nothing yet.

        Args:
            open_reader: Opens the history for reading.
            partition: Whose messages.
            log_id: Id of the log of events: offsets of another one mean other messages.
        """
        self._open, self._partition, self._log_id = open_reader, partition, log_id

    async def read(self, start: int, end: int, count_max: int) -> Sequence[LogEntry]:
        """Read messages from an offset on and below another; none where there are no more.

        Raises:
            ForeignLogError: The history was made from another log.
            HistoryError: It is there and cannot be read.
        """
        return await asyncio.to_thread(self._read, start, end, count_max)

    def _read(self, start: int, end: int, count_max: int) -> list[LogEntry]:
        try:
            with self._open() as reader:
                refuse_foreign_history(reader, TopicName.EVENTS, self._log_id)
                while start < end:
                    until = min(end, start + WINDOW)
                    if found := self._window(reader, start, until):
                        return found[:count_max]
                    start = until
        except StoreMissingError:
            pass
        return []

    def _window(self, reader: HistoryReader, start: int, end: int) -> list[LogEntry]:
        answer = reader.query(
            "events_of_log",
            {"log_partition": self._partition, "first_offset": start, "end_offset": end},
        )
        return [
            LogEntry(row["log_offset"], row["source_id"].encode(), as_bytes(row["raw_bytes"]))
            for row in answer.dicts()
        ]


def history_reader(settings: Settings) -> AbstractContextManager[HistoryReader]:
    """Open the history of the settings for reading.

    Raises:
        HistoryError: It cannot be opened.
    """
    # Hardly any worker ever needs it, and its engine takes a while to import.
    from streams.history.opening import open_configured

    return open_configured(settings)
