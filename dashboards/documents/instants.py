"""How are instants written for programs? As events write them."""

from __future__ import annotations

from auditors.clock import instant_of
from schemas.events.fields import format_instant


def utc(at_us: int | None) -> str | None:
    """Write an instant: UTC, with microseconds."""
    return None if at_us is None else format_instant(instant_of(at_us))
