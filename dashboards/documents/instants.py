"""Instants in writing: for programs as events write them, for people in the time of a place."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from auditors.clock import instant_of
from schemas.events.fields import format_instant


def utc(at_us: int | None) -> str | None:
    """Write an instant: UTC, with microseconds."""
    return None if at_us is None else format_instant(instant_of(at_us))


def bound(at_us: int) -> str:
    """Write the bound of a range as people write one: UTC, a fraction only where it has one."""
    return instant_of(at_us).isoformat().replace("+00:00", "Z")


def moment(occurred_at_us: int, zone: str) -> str:
    """Write an instant as people at the property read it."""
    local = instant_of(occurred_at_us).astimezone(ZoneInfo(zone))
    return local.replace(tzinfo=None).isoformat(" ", timespec="seconds")
