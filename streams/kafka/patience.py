"""Patience with a broker that is away: it is asked again, and people are told once.

Whatever only reads can always go on where it stopped. What the broker refuses is an error at once,
and who only looks gives up after a while.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from aiokafka.errors import KafkaError, KafkaTimeoutError

from streams.kafka.answers import Answers

ANSWER_WITHIN_S: Final = 5.0
"""A broker that says nothing for so long is away."""

RETRY_S: Final = (0.1, 2.0)
"""Shortest and longest wait before a broker that is away is asked again."""

_T = TypeVar("_T")


class Patience:
    """Asks one place of the brokers until it answers."""

    def __init__(
        self, place: str, alert: Callable[[str], None], answers: Answers | None = None
    ) -> None:
        """Have asked nothing.

        Args:
            place: What is read, for people.
            alert: Told when it cannot be read and when it can again, one line.
            answers: Limit how long it is asked; None: for ever.
        """
        self._place, self._alert, self._answers = place, alert, answers
        self.outage: str | None = None
        """Why it cannot be read now; None while it can."""

    async def ask(self, question: Callable[[], Awaitable[_T]]) -> _T:
        """Ask until there is an answer.

        Raises:
            KafkaError: The broker refuses, and would again.
            NoAnswerError: There is none within the limit, where there is one.
        """
        async with self._answers.awaited() if self._answers else contextlib.nullcontext():
            return await self._ask(question)

    async def _ask(self, question: Callable[[], Awaitable[_T]]) -> _T:
        wait_s, longest_s = RETRY_S
        while True:
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    answer = await question()
            except (KafkaError, TimeoutError) as error:
                passing = isinstance(error, TimeoutError | KafkaTimeoutError) or error.retriable
                if not passing:
                    raise
                self._note_outage(error)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, longest_s)
            else:
                if self.outage is not None:
                    self.outage = None
                    self._alert(f"{self._place} is read again")
                return answer

    def _note_outage(self, error: Exception) -> None:
        why = " ".join(str(error).split()) or f"no answer within {ANSWER_WITHIN_S:g} s"
        line = f"{self._place} cannot be read: {why}"
        if self.outage is None:
            self._alert(f"{line}; tried again until it can")
        self.outage = line
