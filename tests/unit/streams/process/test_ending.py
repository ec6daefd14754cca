"""A process that is told to stop stops, whatever it is at."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator

import pytest

from streams.process.ending import DONE, Ending


@pytest.fixture
def ending() -> Iterator[Ending]:
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    made = Ending(logging.getLogger("ladderman"), 60.0, lambda: None)
    yield made
    if made._timer is not None:
        made._timer.cancel()
    for number, taker in before.items():
        signal.signal(number, taker)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_order_to_stop_is_heard(ending: Ending, number: signal.Signals) -> None:
    async def run() -> None:
        ending.listen()
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await ending.asked.wait()

    asyncio.run(run())


def test_an_order_that_comes_once_all_is_over_is_no_fault(ending: Ending) -> None:
    """The history is closed behind the loop, which may take a second."""

    async def run() -> None:
        ending.listen()

    asyncio.run(run())
    os.kill(os.getpid(), signal.SIGTERM)
    assert ending.done(DONE) == DONE
