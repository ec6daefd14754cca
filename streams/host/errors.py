"""The reasons why a host stops or refuses to start; each needs something else done about it.

HostError
├── HostStoppedError       it failed once and does nothing more; the first error is its cause
├── FoldFailedError        the fold raised: a fault of this build, never of the message
├── UnfitBuildError        this build cannot read events that every build must read
├── SnapshotRefusedError   what is kept does not belong to this build or this log
├── LogReplacedError       the log that is folded was created again, or has lost messages
├── LogCutError            messages left the log before they were folded
└── SnapshotTooLargeError  the state of the partition outgrew the limit
"""

from __future__ import annotations


class HostError(Exception):
    """Anything that keeps a host from folding on; one line says what, where and what to do."""


class HostStoppedError(HostError):
    """The host failed earlier; a new one has to take over from the last snapshot."""


class FoldFailedError(HostError):
    """The fold raised an exception that no input may cause."""

    source_id: str | None = None
    """Whose message it was."""


class UnfitBuildError(HostError):
    """This build cannot read or fold events that every build must read; it must not start."""


class SnapshotRefusedError(HostError):
    """A snapshot of another log, a newer build, or a longer log than there is."""


class LogReplacedError(HostError):
    """The log ends before what was folded of it: it is another one, or has lost messages."""


class LogCutError(HostError):
    """The log begins behind what is to be folded next; a new start makes up for it."""


class SnapshotTooLargeError(HostError):
    """The compressed state of one partition is larger than a message may be."""


def log_replaced(next_offset: int, end_offset: int) -> LogReplacedError:
    """Make the error of a log that ends before what was folded of it."""
    return LogReplacedError(
        f"the log ends at offset {end_offset}, and it was folded to {next_offset}: it was "
        "created again, or has lost messages; see infra/runbook/TopicRecreated.md"
    )
