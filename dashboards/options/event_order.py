"""The order in which files of events are read; a person is told where it is not as given."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from streams.files.file_order import in_order_of_time


def told_in_order(files: Sequence[str]) -> list[str]:
    """Give files of events in the order of time, and say so where they were given in another."""
    ordered = in_order_of_time(files)
    if ordered != list(files):
        sys.stderr.write(f"read in the order of their first events: {', '.join(ordered)}\n")
    return ordered
