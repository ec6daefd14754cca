"""A reading with what lies around it, and what was read beside what should have been."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditors.progressive.ledger.effects import Effect
from schemas.events import ProgressiveReading


@dataclass(slots=True)
class Reading:
    """A reading with what lies around it."""

    effect: Effect
    event: ProgressiveReading
    up_to: list[Effect]
    """Entries up to it, since the reading before."""
    later: list[Effect]
    """Entries after it, within the lag."""
    absent: frozenset[str] = frozenset()
    """Tables that are not heard."""
    is_lost: bool = False
    """Events of the controller since the reading before are lost."""
    is_opening: bool = False
    """The ledger begins with what it says."""
    has_receipts: bool = False
    """It shows what came from another progressive, which displays before it may have had."""
    early: list[Effect] = field(default_factory=list)
    """Wagers after it that it has in it already."""


@dataclass(slots=True)
class Sums:
    """What was read beside what should have been."""

    display: int
    """As read, overflow included."""
    reserve: int
    off_display: int
    off_reserve: int
    is_display_right: bool
    is_reserve_right: bool
