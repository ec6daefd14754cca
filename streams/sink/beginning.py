"""Where does a sink begin to read? Behind what its group has written, if that is in this history.

The group remembers how far sinks have read, whatever history they wrote to. A sink that is pointed
at a new one, by another folder or by another database, would go on behind all that the first one
has, and nobody would miss it: the group has nothing left to read.
"""

from __future__ import annotations

from streams.reconcile.positions import sink_watermarks
from streams.settings import KafkaSettings


class HistoryLeftBehindError(Exception):
    """A new history was set, while sinks have already written the log into another one."""


def refuse_what_is_written_elsewhere(settings: KafkaSettings, place: str) -> None:
    """Make sure that sinks have written nothing yet, for one whose history is new.

    Args:
        settings: Where the topics are.
        place: Of the history, for people.

    Raises:
        HistoryLeftBehindError: They have; one line says how many messages.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    if count := sum(sink_watermarks(settings).values()):
        raise HistoryLeftBehindError(
            f"history {place} is new, and sinks have already read {count:,} messages into another "
            "one: set data.directory, or history and clickhouse, as they were, or fill this one "
            "first with ladderman sink --rebuild"
        )
