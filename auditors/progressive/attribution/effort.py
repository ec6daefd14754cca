"""Steps that a search for a cause may take: counted, so that the answer is always the same.

A step is one possibility that is looked at: a cause from some wager on, a pair of causes, a display
that was seen. A clock would make what is found depend on how busy a machine is.
"""

from __future__ import annotations

from typing import Final

STEPS_MAX: Final = 300_000
"""Of one search; hundreds of wagers a minute at a dozen tables need a fraction of it."""


class SearchedEnoughError(Exception):
    """A search has taken all its steps."""


class Effort:
    """The steps that a search has left."""

    __slots__ = ("left",)

    def __init__(self, steps: int = STEPS_MAX) -> None:
        """Begin with all of them."""
        self.left = steps

    def spend(self, steps: int) -> None:
        """Take some steps.

        Raises:
            SearchedEnoughError: There are not so many left.
        """
        self.left -= steps
        if self.left < 0:
            raise SearchedEnoughError

    @property
    def is_over(self) -> bool:
        """Whether the search was ended before everything was looked at."""
        return self.left < 0
