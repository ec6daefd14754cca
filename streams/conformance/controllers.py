"""Checks that a progressive controller reports its meters as ``feed.md`` demands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from schemas import events
from schemas.events.progressive import ProgressiveEvent
from schemas.events.union import AnyEvent
from streams.conformance.naming import IdRegister
from streams.conformance.problems import Rule, Said

READING_US_MAX: Final = 61_000_000
"""A reading is due at least once a minute; a second is allowed for timers."""

_COUNTS: Final = (
    "in_count",
    "coin_in_minor",
    "hits_count",
    "wins_minor",
    "voided_count",
    "voided_minor",
)


@dataclass(slots=True)
class _Meter:
    """One level of one progressive, as it last told its counts."""

    read_at_us: int | None = None
    counts: dict[str, int] = field(default_factory=dict)


class ControllerTold:
    """A controller as far as it was told."""

    def __init__(self) -> None:
        self._ids = IdRegister()
        self._meters: dict[tuple[str, int], _Meter] = {}
        self._is_sure = True
        self._open_faults: set[str] = set()

    def lose(self) -> None:
        """Take note that events are missing here."""
        self._is_sure = False
        for meter in self._meters.values():
            meter.read_at_us = None
            meter.counts.pop("in_count", None)

    def take(self, event: AnyEvent) -> Iterator[Said]:
        """Judge the next event of the controller."""
        if isinstance(event, events.DeviceFaultRaised):
            yield from self._ids.take("fault", event.fault_id)
            self._open_faults.add(event.fault_id)
        elif isinstance(event, events.DeviceFaultCleared):
            if event.fault_id not in self._open_faults and self._is_sure:
                yield _unknown("fault", event.fault_id)
            self._open_faults.discard(event.fault_id)
        elif isinstance(event, ProgressiveEvent):
            meter = self._meters.setdefault((event.progressive_id, event.level), _Meter())
            yield from self._of_meter(meter, event)

    def _of_meter(self, meter: _Meter, event: ProgressiveEvent) -> Iterator[Said]:
        if isinstance(event, events.ProgressiveWagerAccepted):
            yield from self._accepted(meter, event)
        elif isinstance(event, events.ProgressiveReading):
            yield from _reading(meter, event)
        elif isinstance(event, events.ProgressiveHit):
            yield from self._ids.take("hit", event.hit_id)
        elif isinstance(event, events.ProgressivePaid):
            yield from self._ids.take("payment", event.payment_id)
            yield from self._known_hit(event.hit_id)
        elif isinstance(event, events.ProgressiveReset):
            yield from self._known_hit(event.hit_id)
        elif isinstance(event, events.ProgressiveAdjusted):
            yield from self._ids.take("adjustment", event.adjustment_id)
            if event.reason is None or event.approved_by is None:
                yield Said(
                    Rule.METER,
                    f"adjustment {event.adjustment_id} names no reason or no approver",
                    "send both; without them the adjustment is a finding",
                )
        elif isinstance(event, events.ProgressiveTransferred):
            yield from self._ids.take("transfer", event.transfer_id)

    def _accepted(self, meter: _Meter, event: events.ProgressiveWagerAccepted) -> Iterator[Said]:
        before = meter.counts.get("in_count")
        if before is not None and event.in_count != before + 1:
            yield Said(
                Rule.METER,
                f"in_count of {event.progressive_id} is {event.in_count} after {before}",
                "send one event for each wager, with the running count after it",
            )
        meter.counts["in_count"] = event.in_count

    def _known_hit(self, hit_id: str) -> Iterator[Said]:
        if not self._ids.is_known("hit", hit_id) and self._is_sure:
            yield _unknown("hit", hit_id)


def _reading(meter: _Meter, event: events.ProgressiveReading) -> Iterator[Said]:
    now_us = event.occurred_at_us
    if meter.read_at_us is not None and now_us - meter.read_at_us > READING_US_MAX:
        seconds = (now_us - meter.read_at_us) // 1_000_000
        yield Said(
            Rule.METER,
            f"{seconds} s lie between two readings of {event.progressive_id}",
            "send progressive_reading at least once a minute",
        )
    meter.read_at_us = now_us
    for name in _COUNTS:
        value = getattr(event, name)
        before = meter.counts.get(name)
        if before is not None and value < before:
            yield Said(
                Rule.METER,
                f"{name} of {event.progressive_id} fell from {before} to {value}",
                "counts run from the first day and never fall; send display for what is shown",
            )
        meter.counts[name] = value


def _unknown(kind: str, id_: str) -> Said:
    return Said(
        Rule.REFERENCE,
        f"{kind} {id_} is not known",
        f"name the {kind} by the id under which it was first sent",
    )
