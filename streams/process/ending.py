"""The end of a process: in good order when it is asked to end, by force after a limit.

Clients and frameworks may wait for ever for a broker that is away. What was not delivered when a
process ends is put out again by the next one, so nothing is lost by force.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Final, TypeVar

DONE: Final = 0
REFUSED: Final = 2
UNAVAILABLE: Final = 3
FAULT: Final = 70
INTERRUPTED: Final = 130
"""Exit codes, the same numbers as those of the command line."""

EXIT_WITHIN_S: Final = 2.0
"""How long threads of libraries may hold up the end once all is done."""

_STOPPING: Final = "stopping; by force if it takes longer than %g s"

_T = TypeVar("_T")


class EndAskedError(Exception):
    """Somebody wants the end before some work is done."""


class Ending:
    """The end of one process: asked for by a signal, made sure of by a thread of its own."""

    def __init__(self, log: logging.Logger, limit_s: float, clean: Callable[[], None]) -> None:
        """Wait for no signal yet.

        Args:
            log: Told of an end by force.
            limit_s: How long an orderly stop may take.
            clean: Removes what must not stay behind; called before an end by force.
        """
        self._log, self._limit_s, self._clean = log, limit_s, clean
        self._timer: threading.Timer | None = None
        self.asked = asyncio.Event()

    def listen(self) -> None:
        """Take SIGTERM and SIGINT, from inside the event loop that waits for them.

        The limit runs from the signal on even where the loop is busy and hears nothing.
        """
        loop, limit_s = asyncio.get_running_loop(), self._limit_s

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self._timer is None:
                self.force_after(
                    self._limit_s,
                    UNAVAILABLE,
                    f"not stopped in good order within {self._limit_s:g} s, ended by force; "
                    "the next process sends what was not delivered",
                )
                with contextlib.suppress(RuntimeError):  # the loop is over: it is ending already
                    loop.call_soon_threadsafe(self._log.info, _STOPPING, limit_s)
                    loop.call_soon_threadsafe(self.asked.set)

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    async def unless_asked(self, work: Coroutine[object, object, _T]) -> _T:
        """Do some work, unless the end is asked for before it is done.

        Raises:
            EndAskedError: It was broken off.
        """
        doing, asking = asyncio.create_task(work), asyncio.create_task(self.asked.wait())
        await asyncio.wait([doing, asking], return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        if doing.done():
            return doing.result()
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
        raise EndAskedError

    def force_after(self, limit_s: float, code: int, line: str = "") -> None:
        """End the process after a limit, whatever still runs; a later call replaces this one.

        Args:
            limit_s: Seconds from now.
            code: Exit code.
            line: Why, for the log; nothing is said where it is empty.
        """
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(limit_s, self._end_by_force, (code, line))
        self._timer.daemon = True
        self._timer.start()

    def done(self, code: int) -> int:
        """Say that everything is done: only threads of libraries may still hold the process up.

        Returns:
            The exit code.
        """
        self.force_after(EXIT_WITHIN_S, code)
        return code

    def _end_by_force(self, code: int, line: str) -> None:
        if line:
            self._log.error(line)
        try:
            self._clean()
            sys.stderr.flush()
        finally:
            os._exit(code)
