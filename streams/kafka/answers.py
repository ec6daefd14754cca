"""Time limits for a broker that accepts connections but does not answer.

A frozen broker takes connections like any other. Who looks at the stream would see nothing happen
until the clients give up: people are told after a moment what is waited for and how long at most.
Processes that run on tell in their logs instead, so that nobody is told unless a command asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from typing import Final

from aiokafka.errors import KafkaTimeoutError

from streams.process.settings import KafkaSettings

TELL_AFTER_S: Final = 3.0
"""How long a wait lasts before people are told of it."""


class NoAnswerError(KafkaTimeoutError):  # type: ignore[misc]  # no types are shipped
    """Brokers took a question and did not answer it within the limit."""


class _Teller:
    """Tells of waiting, and not again while what it said still holds."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._holds_until_s = tell, 0.0

    def say(self, where: str, left_s: float) -> None:
        now_s = time.monotonic()
        if now_s >= self._holds_until_s:
            self._holds_until_s = now_s + left_s
            self._tell(f"waiting for {where} to answer, for at most {left_s:.0f} s more")


_teller: ContextVar[_Teller | None] = ContextVar("teller", default=None)


@contextlib.contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Have somebody told, one line, when brokers do not answer within a block.

    Args:
        tell: May be called by another thread.
    """
    before = _teller.set(_Teller(tell))
    try:
        yield
    finally:
        _teller.reset(before)


def where_of(settings: KafkaSettings) -> str:
    """Name the cluster for people."""
    return f"Kafka at {settings.bootstrap}"


@contextlib.contextmanager
def told(settings: KafkaSettings, limit_s: float) -> Iterator[None]:
    """Tell when a block lasts that asks a cluster by a client which gives up by itself.

    Args:
        settings: Where the cluster is.
        limit_s: When it gives up.
    """
    teller = _teller.get()
    if teller is None or limit_s <= TELL_AFTER_S:
        yield
        return
    words = (where_of(settings), limit_s - TELL_AFTER_S)
    timer = threading.Timer(TELL_AFTER_S, teller.say, words)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Answers:
    """Waits for the answers of one cluster, each for as long as a request may take."""

    def __init__(self, settings: KafkaSettings) -> None:
        """Wait for nothing yet."""
        self._where, self._limit_s = where_of(settings), settings.request_timeout_s
        self._moved_at_s = 0.0

    @contextlib.asynccontextmanager
    async def awaited(self) -> AsyncIterator[None]:
        """Wait for an answer within a block.

        Raises:
            NoAnswerError: There is none within the limit.
        """
        loop = asyncio.get_running_loop()
        teller = _teller.get()
        timer = None
        if teller is not None and self._limit_s > TELL_AFTER_S:
            left_s = self._limit_s - TELL_AFTER_S
            timer = loop.call_later(TELL_AFTER_S, teller.say, self._where, left_s)
        try:
            async with asyncio.timeout(self._limit_s):
                yield
        except TimeoutError:
            raise self._none() from None
        finally:
            if timer is not None:
                timer.cancel()

    def moved(self) -> None:
        """Note that what is read goes on, or begins."""
        self._moved_at_s = time.monotonic()

    def stands(self) -> None:
        """Note that nothing came of what is known to be there.

        Raises:
            NoAnswerError: It has been so for longer than the limit.
        """
        stood_s = time.monotonic() - self._moved_at_s
        if stood_s > self._limit_s:
            raise self._none()
        if stood_s > TELL_AFTER_S and (teller := _teller.get()) is not None:
            teller.say(self._where, self._limit_s - stood_s)

    def _none(self) -> NoAnswerError:
        return NoAnswerError(f"no answer within {self._limit_s:g} s")
