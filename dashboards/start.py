"""What does a process do first? It hears an order to stop, and only then brings in all the rest."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130


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


def main() -> NoReturn:
    """Run the command line; SIGTERM ends it in the same order as Ctrl-C, at any time.

    Commands that stay take the signals themselves once they have begun.
    """
    StopOrder.hear()
    try:
        from dashboards.cli import main as run_command_line
    except BaseException:
        if not StopOrder.is_given:
            raise
        sys.stderr.write("ladderman: stopped\n")
        sys.exit(_INTERRUPTED)
    run_command_line()
