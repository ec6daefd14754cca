"""The id of a history, so that what is remembered about it never means another one.

The group of its sinks is called by it. A history that is begun, and one that is restored, gets an
id of its own; only a copy of the files themselves has the same one.
"""

from __future__ import annotations

from streams.history.log_claim import AskedHistory, ClaimedHistory
from streams.history.store import Columns
from streams.history.writing.rows import FIRST_KNOWN_MAX
from streams.spool.feed_identity import random_id


def history_id(store: AskedHistory) -> str | None:
    """Read the id of a history; None for one that no sink of this build has opened yet."""
    found = store.query("identity").column("history_id")
    return str(found[0]) if found else None


def give_identity(store: ClaimedHistory, now_us: int) -> str:
    """Make sure that a history has an id.

    Args:
        store: The history, migrated.
        now_us: The time, microseconds since 1970 UTC.

    Returns:
        The id that it has.
    """
    known = history_id(store)
    if known is not None:
        return known
    columns: Columns = {"history_id": [random_id("h")], "first_known": [FIRST_KNOWN_MAX - now_us]}
    store.insert("identity", columns)
    found = history_id(store)
    assert found is not None, "it was written"
    return found
