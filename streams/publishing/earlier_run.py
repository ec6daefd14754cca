"""What the run before this one took, so that nothing is taken twice.

A publisher that was killed is started again with the same file. Whatever of it stands in the spool
was taken; a file that was taken whole is taken no second time, one that has grown from its new
lines on. Nothing is remembered but where the run before began in the spool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import orjson

from streams.process.durable import write_atomically

RUN_FILE: Final = "run.json"


class EarlierRun:
    """The messages that the run before took, passed by as they come again."""

    def __init__(
        self, messages: Iterator[bytes], is_added: Callable[[bytes], bool] = lambda _: False
    ) -> None:
        """Stand before the first message.

        Args:
            messages: What the run before took, in order.
            is_added: Whether a message came from the publisher itself and from no line.
        """
        self._messages = messages
        self._is_added = is_added
        self._next = next(messages, None)
        self.matched_count = 0
        """Lines that had been taken before."""
        self.differs = False
        """Whether a line came that is not the one that was taken in its place."""

    def knows(self, is_same: Callable[[bytes], bool]) -> bool:
        """Tell whether the next line was taken before.

        Args:
            is_same: Whether a message is what the line would become in its place.
        """
        while self._next is not None:
            if is_same(self._next):
                self._next = next(self._messages, None)
                self.matched_count += 1
                return True
            if not self._is_added(self._next):
                self.differs, self._next = True, None
                return False
            self._next = next(self._messages, None)
        return False


def load_run(directory: Path, log_id: str) -> int | None:
    """Read at which record the last run began; None where that is not known of this log."""
    try:
        content = orjson.loads((directory / RUN_FILE).read_bytes())
        first = content["first"] if content["log_id"] == log_id else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return first if isinstance(first, int) else None


def save_run(directory: Path, log_id: str, first: int) -> None:
    """Write at which record a run begins, before its first line is taken."""
    write_atomically(directory / RUN_FILE, orjson.dumps({"log_id": log_id, "first": first}))
