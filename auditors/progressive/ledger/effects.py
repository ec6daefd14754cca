"""What moves a progressive, and what is said of it, as entries in one order of time.

An effect is small and flat: a million of them pass through the ledger. What is rare travels as
the text of the controller's own event.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["accept", "void", "correct", "lock", "hit", "count", "read", "said"]
"""What an effect is: a table accepted a wager; the coup of wagers was voided; a coup was told
differently after its wagers were dropped; no more bets; the cards win the meter; the controller
counted a wager; it read its meters; it said something else."""

Position: TypeAlias = tuple[int, str, str, int]
"""When, and by which source, feed and sequence: the order of everything."""


class Effect(NamedTuple):
    """One entry, in the order of its first four fields."""

    at_us: int
    source: str
    feed: str
    sequence: int
    kind: Kind
    name: str = ""
    """The wager; the coup where the entry is about all of it."""
    table: str = ""
    coup: str = ""
    number: int = 1
    """Wagers that it is about; for a wager that was counted, the controller's in-meter."""
    stake: int = 0
    """Minor units; 0 where the table did not say it readably."""
    display: int = 0
    """What it adds to the display, in parts of a minor unit; for tables' entries."""
    reserve: int = 0
    is_late: bool = False
    """Accepted after no more bets."""
    text: str = ""
    """The controller's event."""

    @property
    def position(self) -> Position:
        """Its place in the order of everything."""
        return self[:4]
