"""Lines on standard error while brokers do not answer, and what happens next.

Standard output has the answer alone.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from streams.kafka.answers import telling


@contextlib.contextmanager
def waiting_is_told() -> Iterator[None]:
    """Say so on standard error, with the address and for how long at most, where waiting lasts."""
    with telling(_say):
        yield


def _say(line: str) -> None:
    sys.stderr.write(f"ladderman: {line}\n")
    sys.stderr.flush()
