"""Instants in writing: for programs as events write them, for people in the time of a place."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from auditors.clock import instant_of
from schemas.events.fields import format_instant


def utc(at_us: int | None) -> str | None:
    """Write an instant: UTC, with microseconds."""
    return None if at_us is None else format_instant(instant_of(at_us))


def moment(occurred_at_us: int, zone: str) -> str:
    """Write an instant as people at the property read it."""
    local = instant_of(occurred_at_us).astimezone(ZoneInfo(zone))
    return local.replace(tzinfo=None).isoformat(" ", timespec="seconds")
