"""How does a process write its log? As JSON lines on standard error, with source and coup."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Final

LOG_FIELDS: Final = ("source", "coup", "partition")
"""Fields of a log line beside time, level and message."""

SAID_AGAIN_S: Final = 10.0
"""How long a library waits before it may say the same thing once more."""

_LIBRARIES: Final = {
    "faust": logging.ERROR,
    "mode": logging.ERROR,
    "aiokafka": logging.WARNING,
    "kafka": logging.CRITICAL,
}
"""From which level on libraries are heard; what stops a process is said by the process itself."""


class JsonLines(logging.Formatter):
    """One JSON object a line, with source and coup where they are known."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": " ".join(record.getMessage().split()),
        }
        known = {name: getattr(record, name, None) for name in LOG_FIELDS}
        line |= {name: value for name, value in known.items() if value is not None}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class Seldom(logging.Filter):
    """Lets a library say the same thing only now and then: clients repeat each of their tries."""

    def __init__(self) -> None:
        """Have heard nothing yet."""
        super().__init__()
        self._said_at: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is written."""
        if record.name.startswith("ladderman"):
            return True
        what = (record.name, str(record.msg))
        if record.created - self._said_at.get(what, 0.0) < SAID_AGAIN_S:
            return False
        self._said_at[what] = record.created
        return True


def log_to_stderr(level: int = logging.INFO) -> logging.Logger:
    """Send everything that is logged to standard error as JSON lines.

    Returns:
        The product's own logger.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(Seldom())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name, lowest in _LIBRARIES.items():
        logging.getLogger(name).setLevel(lowest)
    logger = logging.getLogger("ladderman")
    logger.setLevel(level)
    return logger
