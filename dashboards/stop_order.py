"""An order to stop that comes while a command has not begun, or does not stay."""

from __future__ import annotations

import signal
from types import FrameType


class StopOrder:
    """The order to stop that came while a command had not begun, or does not stay."""

    is_given = False
    """Whether it came: a library may make an error of its own of the interruption."""

    @classmethod
    def hear(cls) -> None:
        """Break off at SIGTERM as at Ctrl-C; signals that are ignored stay so."""
        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, cls._break_off)

    @classmethod
    def _break_off(cls, _number: int, _frame: FrameType | None) -> None:
        cls.is_given = True
        raise KeyboardInterrupt
