"""How far a history was written, by its own word; what Kafka remembers may be of another one.

A mark says that all which a topic kept below an offset stands in this history. It is written
behind the rows and before the first commit of a partition, then every few seconds: a mark that
lags makes a sink read some seconds twice, which changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from aiokafka import TopicPartition

from streams.history.log_claim import ClaimedHistory


class Marks(Protocol):
    """Knows how far a history was written."""

    def read(self) -> dict[TopicPartition, int]:
        """Give the offsets below which everything stands in the history.

        Raises:
            HistoryError: It cannot be asked.
        """
        ...

    def note(self, written: Mapping[TopicPartition, int]) -> None:
        """Note that everything below some offsets was written.

        Raises:
            HistoryError: It cannot be written.
        """
        ...


class HistoryMarks:
    """The marks in a history."""

    def __init__(self, store: ClaimedHistory, log_ids: Mapping[str, str]) -> None:
        """Read nothing yet.

        Args:
            store: The history, migrated.
            log_ids: Full name of each topic to its id: one made anew has no marks.
        """
        self._store, self._log_ids = store, log_ids

    def read(self) -> dict[TopicPartition, int]:
        """Give the offsets below which everything stands in the history."""
        return {
            TopicPartition(row["topic"], row["partition"]): row["next_offset"]
            for row in self._store.query("sink_marks").dicts()
            if self._log_ids.get(row["topic"]) == row["log_id"]
        }

    def note(self, written: Mapping[TopicPartition, int]) -> None:
        """Note that everything below some offsets was written."""
        if written:
            self._store.insert(
                "sink_marks",
                {
                    "log_id": [self._log_ids[at.topic] for at in written],
                    "topic": [at.topic for at in written],
                    "partition": [at.partition for at in written],
                    "next_offset": [*written.values()],
                },
            )
