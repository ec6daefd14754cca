"""A reconciler that is told to stop does not first go through all that the log has."""

from __future__ import annotations

import asyncio

from streams.process.settings import Settings
from streams.reconcile.coverage import Coverage
from streams.reconcile.running import _Continuous


class LongRound:
    """A reconciler whose round takes for ever."""

    def __init__(self) -> None:
        self.has_begun, self.was_given_up = asyncio.Event(), False

    def outages(self) -> tuple[str, ...]:
        return ()

    async def round(self) -> Coverage:
        self.has_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_given_up = True
            raise
        return Coverage()


def test_a_round_is_given_up_where_the_end_is_wanted() -> None:
    async def run() -> LongRound:
        told: list[Coverage] = []
        continuous, reconciler = _Continuous(Settings(), told.append, 60), LongRound()
        rounds = asyncio.create_task(continuous._rounds(reconciler))  # type: ignore[arg-type]
        async with asyncio.timeout(10):
            await reconciler.has_begun.wait()
            continuous._ending.asked.set()
            await rounds
        assert told == []
        return reconciler

    assert asyncio.run(run()).was_given_up
