"""What does the controller say of itself, apart from wagers and readings?"""

from __future__ import annotations

from auditors.progressive.context import Work
from auditors.progressive.effects import Effect
from auditors.progressive.state import Level


def take_said(work: Work, level: Level, effect: Effect) -> None:
    """Take in one event of the controller."""
    del work, level, effect
