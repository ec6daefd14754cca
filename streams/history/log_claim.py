"""The one log that a history is made from; rows of any other log are refused.

A version is an offset of one log. Were a history fed from two, what one of them says later could
have a lower offset than what the other has said before, and would never be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from schemas.topics import TopicName
from streams.history.store import Answer, Columns, HistoryError, Parameters
from streams.history.writing.rows import FIRST_KNOWN_MAX


class ForeignLogError(HistoryError):
    """The history was made from another log than the one that is to be written into it."""


class AskedHistory(Protocol):
    """A history that is asked."""

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query."""
        ...


class ClaimedHistory(AskedHistory, Protocol):
    """A history that is written, too."""

    def insert(self, table: str, columns: Columns) -> int:
        """Append rows to one table."""
        ...


def claim_history(
    store: ClaimedHistory,
    logs: Mapping[TopicName, str],
    now_us: int,
    *,
    place: str,
    is_log_empty: bool = False,
) -> None:
    """Make sure that a history is of these logs, and note them where it is of none yet.

    Args:
        store: The history, migrated.
        logs: Id of each log.
        now_us: The time, microseconds since 1970 UTC.
        place: Of the history, for people.
        is_log_empty: Whether nothing stands in the log of events: then what a history has is of
            another one, whether or not it says so.

    Raises:
        ForeignLogError: It is of other logs.
    """
    new = []
    for topic, log_id in logs.items():
        kept = store.query("logs", {"topic": topic.value}).column("log_id")
        if kept and kept != [log_id]:
            raise _foreign(place, f"{topic.value} of log {kept[0]}", log_id)
        if not kept:
            new.append((topic.value, log_id))
    if new and is_log_empty and _has_verdicts(store):
        raise _foreign(place, "another log", logs[TopicName.EVENTS])
    if new:
        topics, log_ids = zip(*new, strict=True)
        known = [FIRST_KNOWN_MAX - now_us] * len(new)
        store.insert("logs", {"topic": topics, "log_id": log_ids, "first_known": known})


def is_untouched(store: AskedHistory) -> bool:
    """Say whether a history was never written to: it is of no log yet and keeps nothing."""
    rows = store.query("status_tables").dicts()
    return not any(row["row_count"] for row in rows if row["table"] != "schema_migrations")


def refuse_foreign_history(store: AskedHistory, topic: TopicName, log_id: str) -> None:
    """Make sure that a history is of a log, for one who holds it against that log.

    Raises:
        ForeignLogError: It is of another one, or nobody has written to it yet.
    """
    kept = store.query("logs", {"topic": topic.value}).column("log_id")
    if not kept:
        raise ForeignLogError(
            "the history that is set was not written by a sink yet; see history and data in the "
            "settings, or start ladderman sink"
        )
    if kept != [log_id]:
        raise _foreign("that is set", f"{topic.value} of log {kept[0]}", log_id)


def _has_verdicts(store: ClaimedHistory) -> bool:
    rows = store.query("status_tables").dicts()
    return any(row["row_count"] for row in rows if row["table"] in ("coups", "other_subjects"))


def _foreign(place: str, made_from: str, log_id: str) -> ForeignLogError:
    return ForeignLogError(
        f"history {place} was made from {made_from}, and this is log {log_id}: versions of two "
        "logs cannot be told apart; write into a new history, see infra/runbook/TopicRecreated.md"
    )
