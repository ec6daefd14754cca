"""The errors of a spool; each kind needs something else done about it.

SpoolError
├── SpoolFullError      wait, and tell the device: nothing was taken, nothing is lost
├── SpoolBrokenError    open it again: the disk refused to say what it has kept
└── SpoolDamagedError   bytes that were kept have changed: a person has to look
"""

from __future__ import annotations


class SpoolError(Exception):
    """Anything that is wrong with a spool; one line says what, where and what to do."""


class SpoolFullError(SpoolError):
    """There is no room; what was offered was not taken and may be offered again."""


class SpoolBrokenError(SpoolError):
    """A flush failed, so that nobody knows what the disk holds; the spool must be opened anew."""


class SpoolDamagedError(SpoolError):
    """Bytes that were once kept can no longer be read as they were written."""
