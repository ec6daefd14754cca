"""How does a process write its log? As JSON lines on standard error, with source and coup."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Final

LOG_FIELDS: Final = ("source", "coup", "partition")
"""Fields of a log line beside time, level and message."""


class JsonLines(logging.Formatter):
    """One JSON object a line, with source and coup where they are known."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name in LOG_FIELDS if (value := getattr(record, name, None))}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr(level: int = logging.INFO) -> logging.Logger:
    """Send the product's log to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("ladderman")
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False
    return logger
