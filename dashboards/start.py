"""The first thing of a process: it hears an order to stop, then brings in all the rest."""

from __future__ import annotations

import sys
from typing import NoReturn

from dashboards.stop_order import StopOrder

_INTERRUPTED = 130


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
