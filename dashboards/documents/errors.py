"""What was asked for and is not there, or is not one thing alone; commands and pages say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

NAMES_SHOWN: Final = 8
"""So many names are listed where nothing is near to the one that was asked for."""


class DocumentError(Exception):
    """A document that cannot be given; its text is one clause that a person understands."""


class NotThereError(DocumentError):
    """Nothing of that name is there."""

    def __init__(self, what: str, name: str, where: str, near: str = "") -> None:
        """Say what is missing.

        Args:
            what: The kind of thing, such as ``coup`` or ``table``.
            name: As it was asked for.
            where: The store or files that were read; empty: the law as held.
            near: What is near to it, as a clause that begins with its own stop; empty: nothing.
        """
        self.what, self.name, self.where, self.near = what, name, where, near
        place = f" in {where}" if where else ""
        super().__init__(f"no {what} {name}{place}{near}")


class OpensNothingError(DocumentError):
    """An id that belongs to no incident."""

    def __init__(self, wanted: str, where: str) -> None:
        """Say so.

        Args:
            wanted: The id, as it was asked for.
            where: The store or files that were read.
        """
        self.wanted, self.where = wanted, where
        super().__init__(
            f"{wanted} opens no incident in {where}: no finding, coup, wager or settlement has "
            "that id, or its findings were withdrawn"
        )


class OutsideError(DocumentError):
    """An id that opens an incident, though not one among those that were asked for."""


class AmbiguousError(DocumentError):
    """Several things answer to that name."""

    def __init__(self, message: str, choices: Sequence[str]) -> None:
        """Say so.

        Args:
            message: What is ambiguous, and how to tell them apart.
            choices: The names that were meant, maybe.
        """
        self.choices = tuple(choices)
        super().__init__(message)


class NotPayableStakeError(DocumentError):
    """A stake that cannot be paid exactly under the terms."""

    def __init__(self, wager: str, message: str, *, is_odd: bool) -> None:
        """Say why.

        Args:
            wager: Full name of the wager, with its hand.
            message: What is wrong.
            is_odd: Whether the amount does not divide, so that a policy decides.
        """
        self.wager, self.is_odd = wager, is_odd
        super().__init__(message)


class TooEarlyError(DocumentError):
    """There was no ledger yet at the moment that was asked for."""
