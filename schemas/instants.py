"""Instants as numbers of microseconds since 1970 UTC, and as the text of the wire."""

from __future__ import annotations

import datetime
from typing import Final

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def instant_text(at_us: int) -> str:
    """Write microseconds since 1970 UTC in the one form of the wire: six decimals and ``Z``.

    >>> instant_text(0)
    '1970-01-01T00:00:00.000000Z'
    """
    at = _EPOCH + datetime.timedelta(microseconds=at_us)
    return at.isoformat(timespec="microseconds")[:26] + "Z"
