"""Runs a host where nothing ever waits: at once, to its end, without an event loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose ports never wait.

    Raises:
        RuntimeError: It wanted to wait: one of its ports needs an event loop.
    """
    try:
        coroutine.send(None)
    except StopIteration as finished:
        result: T = finished.value
        return result
    coroutine.close()
    raise RuntimeError("a port waited; run this host in an event loop")
