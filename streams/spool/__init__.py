"""Spools: files in which events survive a crash before they are sent or folded."""

from streams.spool.errors import (
    SpoolBrokenError,
    SpoolDamagedError,
    SpoolError,
    SpoolFullError,
)
from streams.spool.event_spool import EventSpool, SpooledEvent, SpoolLimits
from streams.spool.feed_identity import FeedIdentity
from streams.spool.file_log import FileLog
from streams.spool.segments import SegmentedLog

__all__ = [
    "EventSpool",
    "FeedIdentity",
    "FileLog",
    "SegmentedLog",
    "SpoolBrokenError",
    "SpoolDamagedError",
    "SpoolError",
    "SpoolFullError",
    "SpoolLimits",
    "SpooledEvent",
]
