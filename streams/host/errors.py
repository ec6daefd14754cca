"""Why does a host stop or refuse to start? Each reason wants something else done about it.

HostError
├── HostStoppedError       it failed once and does nothing more; the first error is its cause
├── FoldFailedError        the fold raised: a fault of this build, never of the message
├── BadDeployError         established sources are rejected all at once: probably this build
├── SnapshotRefusedError   what is kept does not belong to this build or this log
└── SnapshotTooLargeError  the state of the partition outgrew the limit
"""

from __future__ import annotations


class HostError(Exception):
    """Anything that keeps a host from folding on; one line says what, where and what to do."""


class HostStoppedError(HostError):
    """The host failed earlier; a new one has to take over from the last snapshot."""


class FoldFailedError(HostError):
    """The fold raised an exception that no input may cause."""


class BadDeployError(HostError):
    """Sources that were read well before are rejected one after another."""


class SnapshotRefusedError(HostError):
    """A snapshot of another log, a newer build, or a longer log than there is."""


class SnapshotTooLargeError(HostError):
    """The compressed state of one partition is larger than a message may be."""
