"""Processes of the console script as a test sees them: their pages, their log, their end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

WAIT_S = 180.0
"""No condition of a scenario takes nearly so long, on a busy machine either."""

CONSOLE_SCRIPT = Path(sys.executable).with_name("ladderman")
"""The command as a person has it."""

_GROUP = re.compile(r"started in group ([^ ,]+),")
_STARTED = re.compile(r"metrics and health on [^:]+:(\d+)")


@dataclass
class Running:
    """One process of the console script."""

    role: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        """Everything that it wrote."""
        return self.log.read_text(errors="replace")

    @property
    def has_started(self) -> bool:
        """Whether it said where it tells about itself."""
        return _STARTED.search(self.said) is not None

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self.process.poll() is not None

    @property
    def port(self) -> int:
        """Where it tells about itself; waits until it does."""

        def found() -> bool:
            assert not self.has_ended, f"the {self.role} ended:\n{self.said}"
            return self.has_started

        wait_until(found, f"the {self.role} to start", lambda: self.said)
        match = _STARTED.search(self.said)
        assert match is not None
        return int(match[1])

    @property
    def group(self) -> str:
        """The group that a sink said it belongs to; waits until it does."""
        match = _GROUP.search(self.said)
        if match is None and self.port:
            match = _GROUP.search(self.said)
        assert match is not None, self.said
        return match[1]

    def ask(self, path: str) -> tuple[int, bytes]:
        """Ask for a page; gives status and body, and status 0 where nobody answers."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 0, b""

    def metrics(self, name: str) -> dict[int, float]:
        """Give a metric by partition; -1 for one that has no partition."""
        _, body = self.ask("/metrics")
        return {
            int(sample.labels.get("partition", -1)): sample.value
            for family in text_string_to_metric_families(body.decode())
            for sample in family.samples
            if sample.name in (f"ladderman_{name}", f"ladderman_{name}_total")
        }

    @property
    def is_ready(self) -> bool:
        """Whether it says that it does its work."""
        return self.ask("/health")[0] == 200

    def wait_ready(self) -> None:
        """Wait until it says so."""
        wait_until(lambda: self.is_ready, f"the {self.role} to be ready", lambda: self.said)

    def total(self, name: str) -> float:
        """Give the sum of a metric over the partitions."""
        return sum(self.metrics(name).values())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self, limit_s: float = 30.0) -> int:
        """End it in good order and give its exit code."""
        self.process.terminate()
        return self.ended(limit_s)

    def ended(self, limit_s: float = WAIT_S) -> int:
        """Wait for its end and give its exit code."""
        try:
            return self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the {self.role} did not end:\n{self.said}") from None


def wait_until(
    condition: Callable[[], bool],
    what: str,
    told: Callable[[], str] = str,
    limit_s: float = WAIT_S,
) -> None:
    """Wait for a condition, and say what was waited for where it does not come."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}\n{told()}"
        time.sleep(0.05)
