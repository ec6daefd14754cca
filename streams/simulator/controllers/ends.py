"""The end of a progressive: its whole increment moves to another one, and events report it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from auditors.law.interpretations import ResetAmount
from schemas.events import ProgressiveRemoved, ProgressiveTransferred
from streams.simulator.controllers.acts import APPROVER, adjusted
from streams.simulator.controllers.meters import MeterState
from streams.simulator.controllers.notes import IdSource
from streams.simulator.feed import Draft

_AUTHORITY: Final = "Notice of the end of a progressive"


def end_meters(
    controller: IdSource, meters: Mapping[str, MeterState], at_us: int
) -> Iterator[Draft]:
    """End every progressive that is to end, once no table feeds it any more."""
    staying = [
        meter for meter in meters.values() if meter.ending is None and meter.limit_minor is None
    ]
    for meter in meters.values():
        if meter.ending is not None:
            yield from _end(controller, meter, staying[0] if staying else None, at_us)


def _end(
    controller: IdSource, meter: MeterState, to: MeterState | None, at_us: int
) -> Iterator[Draft]:
    yield meter.reading(at_us)
    moved = max(meter.display - _of_house(meter), Fraction(0)), max(meter.reserve, Fraction(0))
    if meter.ending == "reserve_lost":
        moved = moved[0], Fraction(0)
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "transfer_id": controller.next_id("transfer"),
        "to_progressive_id": to.progressive_id if to else "HP-NEXT",
        "display_moved": meter.exact(moved[0]),
        "reserve_moved": meter.exact(moved[1]),
        "overflow_moved": meter.exact(meter.overflow),
        "authority": _AUTHORITY,
        "approved_by": APPROVER,
    }
    yield Draft(ProgressiveTransferred, at_us, fields)
    if to is not None and meter.ending != "not_received":
        taken = moved[0] + meter.overflow, moved[1]
        if meter.ending == "received_short":
            taken = taken[0] / 2, taken[1]
        yield from _receive(controller, to, taken, at_us)
    meter.display -= moved[0]
    meter.reserve -= moved[1]
    meter.overflow = Fraction(0)
    yield meter.reading(at_us)
    ended: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "display": meter.said(meter.display),
        "reserve": meter.exact(max(meter.reserve, Fraction(0))),
        "authority": _AUTHORITY,
        "approved_by": APPROVER,
    }
    yield Draft(ProgressiveRemoved, at_us, ended)


def _of_house(meter: MeterState) -> Fraction:
    """Give what the house put into the display, which is its own."""
    if not meter.hits_count:
        return meter.amount(meter.filed.base)
    return (
        Fraction(0)
        if meter.readings.get(ResetAmount.ID) == ResetAmount.RESERVE_ONLY
        else meter.reset_minor
    )


def _receive(
    controller: IdSource, to: MeterState, moved: tuple[Fraction, Fraction], at_us: int
) -> Iterator[Draft]:
    fields: dict[str, object] = {
        "reason": "other",
        "note": "moved here from a progressive that ended",
        "approved_by": APPROVER,
    }
    yield to.reading(at_us)
    for name, change in zip(("display", "reserve"), moved, strict=True):
        if change:
            yield adjusted(controller, to, (name, change), at_us, fields)
    to.display += moved[0]
    to.reserve += moved[1]
    yield to.reading(at_us)
