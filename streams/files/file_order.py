"""The order in which several files of events are read: that of time, not that of their names.

``part-10.jsonl`` stands before ``part-9.jsonl`` where a shell lists them. Read like that, the
events of the earlier one would have been declared missing before they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, cast

import orjson

from streams.files.opened_files import BROKEN_FILE, unpacked

_LINE_BYTES: Final = 64 * 1024
_LINES_MAX: Final = 100


def in_order_of_time(paths: Sequence[str]) -> list[str]:
    """Give files of events in the order of their first events.

    Args:
        paths: Files, maybe gzipped. Where the time of one cannot be told without taking something
            out of it (standard input, a pipe) or not at all, all stay in the order given.
    """
    if len(paths) < 2:
        return list(paths)
    firsts = [_first_time(path) for path in paths]
    if any(first is None for first in firsts):
        return list(paths)
    order = sorted(range(len(paths)), key=lambda number: cast("datetime", firsts[number]))
    return [paths[number] for number in order]


def _first_time(path: str) -> datetime | None:
    try:
        if not Path(path).is_file():
            return None
        with Path(path).open("rb") as file:
            lines = unpacked(file)
            for _ in range(_LINES_MAX):
                time = _time_of(lines.readline(_LINE_BYTES))
                if time is not None:
                    return time
    except (*BROKEN_FILE, ValueError):
        pass
    return None


def _time_of(line: bytes) -> datetime | None:
    try:
        document = orjson.loads(line)
        time = datetime.fromisoformat(document["occurred_at"])
    except (ValueError, TypeError, KeyError):
        return None
    return time if time.tzinfo is not None else None
