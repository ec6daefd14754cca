"""Child processes that end when the process that started them ends.

A directory has a guard (see :mod:`streams.development.kafka_guard`), started before the first of
its processes. Every process leads a group of its own, writes its id into the directory before it
becomes what it is to be, and names the directory in its command line: that is how the guard knows
it when its starter dies in whatever way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from streams.development import kafka_guard

_GUARD_ENDS_WITHIN_S: Final = 10.0

# The shell says its id before it becomes the program, and lets go of the guard's pipe only then:
# whatever moment the starter dies at, the guard finds the id.
_BECOME: Final = 'echo $$ > "$1" && shift && exec "$@" < /dev/null'


class Guard:
    """Kills what still runs of a directory and removes it, once this process is gone."""

    def __init__(self, directory: Path) -> None:
        """Start guarding."""
        read_end, self.pipe = os.pipe()
        try:
            self._running = subprocess.Popen(
                [sys.executable, "-I", "-S", kafka_guard.__file__, str(directory)],
                stdin=read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(read_end)

    def close(self) -> None:
        """Have it clean up now; a second call does nothing."""
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._running.wait(_GUARD_ENDS_WITHIN_S)


class GuardedChild:
    """One process of a guarded directory; it may be started again after its end."""

    def __init__(self, name: str, directory: Path, command: Sequence[str], log: Path) -> None:
        """Describe a process that does not run yet.

        Args:
            name: What it is called among those of the directory.
            directory: Guarded; the command names it.
            command: What it becomes.
            log: Gets everything that it writes.
        """
        self.name = name
        self.log = log
        self._command = command
        self._pid_file = directory / f"{name}{kafka_guard.PID_SUFFIX}"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its id in the system; None where it does not run."""
        if self._running is None or self._running.poll() is not None:
            return None
        return self._running.pid

    @property
    def exit_code(self) -> int | None:
        """With which code it ended; None where it did not, or never ran."""
        return None if self._running is None else self._running.poll()

    def launch(self, guard: Guard, environment: Mapping[str, str] | None = None) -> None:
        """Start it without waiting for it; a running one is left alone."""
        if self.pid is not None:
            return
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                ["/bin/sh", "-c", _BECOME, "sh", str(self._pid_file), *self._command],
                stdin=guard.pipe,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, such as SIGSTOP and later SIGCONT; one that ended gets none."""
        if self.pid is not None:
            os.killpg(self.pid, number)

    def wait_ended(self, limit_s: float) -> bool:
        """Wait for its end; gives whether it came."""
        if self._running is None:
            return True
        try:
            self._running.wait(limit_s)
        except subprocess.TimeoutExpired:
            return False
        self._pid_file.unlink(missing_ok=True)
        return True

    def stop(self, limit_s: float) -> bool:
        """Stop it in good order, and by force where that takes too long.

        Returns:
            Whether force was needed.
        """
        self.signal(signal.SIGTERM)
        if self.wait_ended(limit_s):
            return False
        self.kill()
        return True

    def kill(self) -> None:
        """Kill it: it writes nothing more and says goodbye to nobody."""
        self.signal(signal.SIGKILL)
        self.wait_ended(_GUARD_ENDS_WITHIN_S)

    def log_tail(self, lines: int) -> str:
        """Give the last lines that it wrote."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])
