"""Lines to publish, up to the end of a file or until somebody wants the end.

A file can be given again, so no more of it is taken. What a device has written to standard input
is nowhere else: what is there by then is taken still.
"""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Iterator
from typing import Final

from dashboards.terminal.interruption import Interruption
from streams.files.line_groups import (
    Line,
    Reader,
    line_groups,
    opened_lines,
    paced,
)
from streams.files.opened_files import STANDARD_INPUT
from streams.process.clock import Clock
from streams.publishing.publication import STOP_WITHIN_S

_LOOK_S: Final = 0.1


class _StoppedError(Exception):
    """No more lines are to be taken."""


class StoppableInput:
    """Lines of a file or of standard input, until somebody wants the end."""

    def __init__(self, file: str, interruption: Interruption, clock: Clock) -> None:
        """Read nothing yet.

        Args:
            file: The file; ``-`` is standard input.
            interruption: Says whether somebody wants the end.
            clock: For the limits only.
        """
        self._file, self._clock = file, clock
        self._interruption, self._stop = interruption, interruption.stop
        self._stopped_at_s: float | None = None
        self.is_at_end = False
        """Whether every line was given."""

    def groups(self, rate: float | None) -> Iterator[list[Line]]:
        """Give lines in groups as they come.

        Args:
            rate: At most so many a second; None: as they come.

        Raises:
            LinesError: The file cannot be read, or breaks off.
        """
        with opened_lines(self._file) as read:
            groups = line_groups(self._until_stopped(read), self._file)
            if rate is not None:
                groups = paced(groups, rate, self._clock, self._rest)
            try:
                for group in groups:
                    if self._stop.is_set() and self._file != STANDARD_INPUT:
                        return
                    yield group
            except _StoppedError:
                return
        self.is_at_end = True

    def _until_stopped(self, read: Reader) -> Reader:
        if self._file != STANDARD_INPUT:
            return lambda size: self._read_file(read, size)

        def read_what_is_there(size: int) -> bytes:
            while not select.select([sys.stdin], [], [], 0 if self._stop.is_set() else _LOOK_S)[0]:
                if self._stop.is_set():
                    raise _StoppedError
            self._refuse_late()
            return read(size)

        return read_what_is_there

    def _read_file(self, read: Reader, size: int) -> bytes:
        try:
            with self._interruption.breaking_off():  # it may be a pipe in which nothing comes
                return read(size)
        except KeyboardInterrupt:
            raise _StoppedError from None

    def _rest(self, seconds: float) -> None:
        """Wait until the next line is due."""
        if not self._stop.is_set():
            self._stop.wait(seconds)
        elif self._file == STANDARD_INPUT:
            self._refuse_late()
            time.sleep(seconds)
        else:
            raise _StoppedError

    def _refuse_late(self) -> None:
        if not self._stop.is_set():
            return
        now_s = self._clock.monotonic_s()
        if self._stopped_at_s is None:
            self._stopped_at_s = now_s
        if now_s - self._stopped_at_s > STOP_WITHIN_S:
            raise _StoppedError
