"""The foreground of a terminal that make shares: a Ctrl-C reaches the demo alone."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_foreground() -> Iterator[None]:
    """Have the terminal to ourselves for the length of a block, where make shares it with us.

    Make ends by the same Ctrl-C as what it runs, whatever that returns: a demo that was stopped as
    it should be would look like one that failed. Elsewhere nothing is changed.
    """
    shared = _shared_group()
    if shared is None:
        yield
        return
    # A stopped demo would leave nobody to type to: make, which waits for it, does not notice.
    kept = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGTTOU, signal.SIGTSTP)}
    os.setpgid(0, 0)
    os.tcsetpgrp(sys.stdin.fileno(), os.getpgrp())
    try:
        yield
    finally:
        os.tcsetpgrp(sys.stdin.fileno(), shared)
        os.setpgid(0, shared)
        for number, taker in kept.items():
            signal.signal(number, taker)


def _shared_group() -> int | None:
    """Give the group that make and we have, where it is the one that a terminal speaks to."""
    group = os.getpgrp()
    try:
        is_ours = sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == group
    except (OSError, ValueError):
        return None
    return group if is_ours and "MAKELEVEL" in os.environ and os.getpid() != group else None
