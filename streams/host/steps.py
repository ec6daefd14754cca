"""The numbered steps of a host, after each of which a test can stop it.

1 take a message, 2 put what it gave, 3 snapshot, 4 look at the tail, 5 recover, 6 stop.
"""

from __future__ import annotations

from enum import StrEnum


class Step(StrEnum):
    """A moment just after a step; what was done before it is done, what comes after it is not."""

    TAKEN = "1a"
    """A message is taken: skipped, or next, or the gap before it was read from the log."""
    FOLDED = "1b"
    """Folded; its records exist in memory only."""
    PUT = "2"
    """Its records and dead letter are in the outbox, undelivered, and the next offset moved."""
    CUT = "3a"
    """The cut of a snapshot is taken."""
    FLUSHED = "3b"
    """Everything below the cut is delivered."""
    KEPT = "3c"
    """The snapshot is durable."""
    PROBED = "4"
    """The end of the log was looked at."""
    CHOSEN = "5a"
    """The highest snapshot was chosen."""
    RESTORED = "5b"
    """Its states are in memory."""
    CAUGHT_UP = "5c"
    """Everything to the end of the log is folded."""
    STOPPED = "6"
    """The last snapshot was taken, the host does nothing more."""
