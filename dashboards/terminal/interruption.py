"""Interruption of long work: in order by the first signal, at once by the second."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Whether a person, or the system, wants the run to end."""

    def __init__(self) -> None:
        """Nobody does."""
        self.stop = threading.Event()
        """Set once somebody does, and where the run has reached its end."""
        self._breaks_off = False

    @contextmanager
    def breaking_off(self) -> Iterator[None]:
        """Let the first signal break off what cannot look at :attr:`stop`, such as a start."""
        self._breaks_off = True
        try:
            yield
        finally:
            self._breaks_off = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals for the length of a block; ones that are ignored stay so."""
        before = {
            number: signal.getsignal(number)
            for number in _SIGNALS
            if signal.getsignal(number) is not signal.SIG_IGN or number is signal.SIGINT
        }
        for number in before:
            signal.signal(number, self._ask)
        try:
            yield
        finally:
            for number, taker in before.items():
                signal.signal(number, taker)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        if self.stop.is_set() or self._breaks_off:
            self.stop.set()
            raise KeyboardInterrupt
        self.stop.set()
