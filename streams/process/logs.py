"""The log of a process: JSON lines on standard error, with source and coup."""

from __future__ import annotations

import copy
import json
import logging
import re
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LOG_FIELDS: Final = (
    "source",
    "shoe",
    "coup",
    "finding",
    "code",
    "severity",
    "reason",
    "partition",
    "offset",
)
"""Fields of a log line beside time, level and message, each where it is known."""

SAID_AGAIN_S: Final = 10.0
"""How long repeats of a library's line are counted before the count is written."""

SAID_AGAIN_LONGEST_S: Final = 60.0
"""What it goes on repeating is counted for longer and longer, at most for so long."""

DIFFERENT_MAX: Final = 500
"""The most different lines of libraries that are remembered."""

_NUMBERS: Final = re.compile(r"\d+")
_SWEEP_EVERY_S: Final = 1.0

_LIBRARIES: Final = {
    "faust": logging.ERROR,
    "mode": logging.ERROR,
    "aiokafka": logging.WARNING,
    "kafka": logging.CRITICAL,
}
"""From which level on libraries are heard; what stops a process is said by the process itself."""


class Said(str):
    """A line for people that also says what it is about, for who searches logs."""

    about: Mapping[str, object]

    def __new__(cls, line: str, **about: object) -> Said:
        """Say a line.

        Args:
            line: All of it, in words.
            **about: Some of :data:`LOG_FIELDS`; None where it is not known.
        """
        made = super().__new__(cls, line)
        made.about = about
        return made


def said_after(words: str, line: str) -> Said:
    """Give a line with words before it; what it is about stays known."""
    return Said(words + line, **(line.about if isinstance(line, Said) else {}))


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
        about = record.msg.about if isinstance(record.msg, Said) else {}
        known = {name: getattr(record, name, None) for name in LOG_FIELDS}
        known |= {name: about[name] for name in LOG_FIELDS if about.get(name) is not None}
        line |= {name: value for name, value in known.items() if value is not None}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


@dataclass(slots=True)
class _Repeated:
    """What a library said, and how often it has said so since."""

    last: logging.LogRecord
    since_s: float
    window_s: float = SAID_AGAIN_S
    count: int = 0


class Sparing(logging.Handler):
    """Writes what a library repeats once and then how often: clients tell of each of their tries.

    What the product itself says is all written.
    """

    def __init__(self, target: logging.Handler) -> None:
        """Write to another handler, and have heard nothing yet."""
        super().__init__()
        self._target = target
        self._said: OrderedDict[tuple[str, int, str], _Repeated] = OrderedDict()
        self._sweeping: threading.Timer | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or count it."""
        if record.name.split(".")[0] == "ladderman":
            self._target.handle(record)
            return
        # The same line may be about another connection each time.
        what = (record.name, record.levelno, _NUMBERS.sub("#", record.getMessage()))
        before = self._said.get(what)
        if before is not None:
            before.last = record
            before.count += 1
            return
        self._target.handle(record)
        self._said[what] = _Repeated(record, record.created)
        if len(self._said) > DIFFERENT_MAX:
            _, oldest = self._said.popitem(last=False)
            self._sum_up(oldest, record.created)
        self._sweep_later()

    def sweep(self, now_s: float, *, all_of_it: bool = False) -> None:
        """Write the counts that are due, and forget what was not repeated.

        Args:
            now_s: Seconds since 1970 UTC.
            all_of_it: Whether every count is due.
        """
        for what, repeated in list(self._said.items()):
            if not all_of_it and now_s - repeated.since_s < repeated.window_s:
                continue
            if self._sum_up(repeated, now_s):
                repeated.count, repeated.since_s = 0, now_s
                repeated.window_s = min(repeated.window_s * 2, SAID_AGAIN_LONGEST_S)
            else:
                del self._said[what]

    def close(self) -> None:
        """Write what was counted up to the end."""
        self.acquire()
        try:
            self.sweep(time.time(), all_of_it=True)
            self._said.clear()
        finally:
            self.release()
        super().close()

    def _sum_up(self, one: _Repeated, now_s: float) -> bool:
        if not one.count:
            return False
        last = copy.copy(one.last)
        times = "once more" if one.count == 1 else f"{one.count:,} times more"
        last.msg = f"{last.getMessage()} (said {times} within {now_s - one.since_s:.0f} s)"
        last.args, last.created = None, now_s
        self._target.handle(last)
        return True

    def _sweep_later(self) -> None:
        if self._sweeping is None:
            self._sweeping = threading.Timer(_SWEEP_EVERY_S, self._sweep_now)
            self._sweeping.daemon = True
            self._sweeping.start()

    def _sweep_now(self) -> None:
        self.acquire()
        try:
            self._sweeping = None
            self.sweep(time.time())
            if self._said:
                self._sweep_later()
        finally:
            self.release()


def log_to_stderr(level: int = logging.INFO) -> logging.Logger:
    """Send everything that is logged to standard error as JSON lines.

    Returns:
        The product's own logger.
    """
    target = logging.StreamHandler(sys.stderr)
    target.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [Sparing(target)]
    root.setLevel(logging.WARNING)
    for name, lowest in _LIBRARIES.items():
        logging.getLogger(name).setLevel(lowest)
    logger = logging.getLogger("ladderman")
    logger.setLevel(level)
    return logger
