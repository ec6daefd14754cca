"""A guard that removes a broker when its starter dies, even by force; it is started first.

The guard waits for the end of its standard input, which the starter holds open and nobody else,
then kills what still runs of the cluster and removes its directory. It is run as a file, needs the
standard library only, and lives in a session of its own so that Ctrl-C does not reach it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

PID_SUFFIX = ".pid"
"""``<broker>.pid`` in the cluster's directory names a running broker."""

_TRIES = 50
_PAUSE_S = 0.05


def is_broker_of(pid: int, directory: Path) -> bool:
    """Tell whether a process is a broker of a cluster: ids are used again for others."""
    try:
        return str(directory).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        # Without /proc only the file speaks for it; it was removed if the starter saw the end.
        return not Path("/proc/self").exists()


def kill_brokers(directory: Path) -> None:
    """Kill every broker of a cluster that its starter did not stop."""
    for pid in _named_in(directory):
        if is_broker_of(pid, directory):
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)


def _named_in(directory: Path) -> list[int]:
    found = []
    for path in directory.glob(f"*{PID_SUFFIX}"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return found


def remove(directory: Path) -> None:
    """Remove a directory once nothing writes into it any more."""
    for _ in range(_TRIES):
        if not any(is_broker_of(pid, directory) for pid in _named_in(directory)):
            break
        time.sleep(_PAUSE_S)  # killed, and still going
    for _ in range(_TRIES):
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            return
        time.sleep(_PAUSE_S)


def main() -> None:
    """Wait for the starter's end, then clean up behind it."""
    directory = Path(sys.argv[1])
    while sys.stdin.buffer.read(4096):
        pass
    kill_brokers(directory)
    remove(directory)


if __name__ == "__main__":
    main()
