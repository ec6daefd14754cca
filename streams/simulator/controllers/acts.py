"""The acts of a simulated controller on its meters, and the events that report them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from auditors.law.interpretations import ResetAmount
from schemas.events import (
    ProgressiveAdjusted,
    ProgressiveChipsCounted,
    ProgressiveHit,
    ProgressiveLockedOut,
    ProgressivePaid,
    ProgressiveParametersChanged,
    ProgressiveReset,
    ProgressiveWagerAccepted,
)
from schemas.rules_submission import FiledProgressive, RulesSubmission
from streams.simulator.controllers.meters import MeterState, OpenHit
from streams.simulator.controllers.notes import IdSource
from streams.simulator.feed import Draft
from streams.simulator.tables.notes import Accepted, CardsWon, LockedOut, SharePaid, Voided

if TYPE_CHECKING:
    from streams.simulator.tables.patrons import Bet

APPROVER: Final = "su-controller"
"""Who approves what is done to the meters."""

_CASHIER: Final = "ca-jackpot"


def on_meter(meter: MeterState, bets: tuple[Bet, ...]) -> tuple[Bet, ...]:
    """Choose the wagers that run on a meter."""
    return tuple(bet for bet in bets if bet.offer.progressive_id == meter.progressive_id)


def count_wager(meter: MeterState, note: Accepted, table_id: str, at_us: int) -> Iterator[Draft]:
    """Count a wager and add its contribution."""
    bet, count = note.bet, meter.tables[table_id]
    for _ in range(note.times):
        meter.contribute(table_id, bet.stake_minor)
        count.in_count += 1
        count.coin_in_minor += bet.stake_minor
        fields: dict[str, object] = {
            "progressive_id": meter.progressive_id,
            "table_id": table_id,
            "wager_id": bet.wager_id,
            "stake_minor": bet.stake_minor,
            "in_count": meter.in_count,
            "coup_id": note.coup_id,
            "seat": bet.seat,
        }
        if meter.reports_wagers:
            yield Draft(ProgressiveWagerAccepted, at_us, fields)


def lock_out(meter: MeterState, note: LockedOut, table_id: str, at_us: int) -> Iterator[Draft]:
    """Lock a table; the amount is frozen where the cards to come win it."""
    here = on_meter(meter, note.bets)
    if note.wins and here:
        meter.lock(table_id, note.coup_id)
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "table_id": table_id,
        "coup_id": note.coup_id,
        "display": meter.said(meter.display),
        "accepted_count": len(here),
    }
    yield Draft(ProgressiveLockedOut, at_us, fields)


def count_chips(meter: MeterState, note: LockedOut, table_id: str, at_us: int) -> Draft:
    """Count the chips of a coup."""
    chips = len(on_meter(meter, note.bets)) if note.chips is None else note.chips
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "table_id": table_id,
        "coup_id": note.coup_id,
        "chip_count": chips,
        "counted_by": APPROVER,
    }
    return Draft(ProgressiveChipsCounted, at_us, fields)


def void(
    controller: IdSource, meter: MeterState, note: Voided, table_id: str, at_us: int
) -> Iterator[Draft]:
    """Take the contributions of a voided coup back or keep them, as filed."""
    here = on_meter(meter, note.bets)
    if not here:
        return
    yield meter.reading(at_us)
    stakes = sum(bet.stake_minor for bet in here)
    meter.voided_count += len(here)
    meter.voided_minor += stakes
    reverses = (meter.filed.void_policy == "reversed") == note.is_by_policy
    before = meter.display, meter.reserve, meter.overflow
    if reverses:
        meter.contribute(table_id, -stakes)
    after = meter.display, meter.reserve, meter.overflow
    for name, old, new in zip(("display", "reserve", "overflow"), before, after, strict=True):
        if new == old:
            continue
        fields: dict[str, object] = {
            "reason": "coup_voided",
            "approved_by": APPROVER,
            "table_id": table_id,
            "coup_id": note.coup_id,
            "wager_ids": tuple(bet.wager_id for bet in here),
        }
        yield adjusted(controller, meter, (name, new - old), at_us, fields)
    yield meter.reading(at_us)


def adjusted(
    controller: IdSource,
    meter: MeterState,
    moved: tuple[str, Fraction],
    at_us: int,
    fields: dict[str, object],
) -> Draft:
    """Say that a meter was adjusted by so many minor units."""
    name, change = moved
    said: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "adjustment_id": controller.next_id("adj"),
        "meter": name,
        "change": meter.exact(change),
        **fields,
    }
    return Draft(ProgressiveAdjusted, at_us, said)


def declare_hit(
    controller: IdSource, meter: MeterState, note: CardsWon, table_id: str, at_us: int
) -> Iterator[Draft]:
    """Take the progressive as won."""
    hit = open_hit(meter, table_id, note.coup_id)
    if hit is None:
        hit = meter.lock(table_id, note.coup_id)
    if note.is_so:
        meter.take(hit)
    else:
        meter.open_hits.remove(hit)  # nobody is paid, so that the meter goes on for the next
    hit.hit_id = controller.next_id("hit")
    yield meter.reading(at_us)
    meter.hits_count += 1
    winners = sorted(on_meter(meter, note.bets), key=lambda one: one.at_us)
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "hit_id": hit.hit_id,
        "table_id": table_id,
        "coup_id": note.coup_id,
        "wager_ids": tuple(winner.wager_id for winner in winners),
        "amount": meter.said(hit.amount),
    }
    yield Draft(ProgressiveHit, at_us, fields)
    yield meter.reading(at_us)


def open_hit(meter: MeterState, table_id: str, coup_id: str) -> OpenHit | None:
    """Find the jackpot of a coup."""
    for hit in meter.open_hits:
        if (hit.table_id, hit.coup_id) == (table_id, coup_id):
            return hit
    return None


def pay(
    controller: IdSource, meter: MeterState, note: SharePaid, table_id: str, at_us: int
) -> Iterator[Draft]:
    """Pay a share with its slip; after the last one the meter is set back."""
    hit = open_hit(meter, table_id, note.coup_id)
    if hit is None or not hit.hit_id:
        return
    meter.wins_minor += note.paid_minor
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "payment_id": controller.next_id("pay"),
        "hit_id": hit.hit_id,
        "wager_id": note.bet.wager_id,
        "paid_minor": note.paid_minor,
        "slip": controller.next_id("slip"),
        "method": "chips",
        "signed_by": (APPROVER, _CASHIER),
    }
    yield Draft(ProgressivePaid, at_us, fields)
    if note.is_last:
        yield from reset_meter(meter, hit, at_us)


def reset_meter(meter: MeterState, hit: OpenHit, at_us: int) -> Iterator[Draft]:
    """Set the display back: the filed amount, and what was accepted since the lock-out."""
    yield meter.reading(at_us)
    before = meter.display
    has = max(meter.reserve, Fraction(0))
    new = (
        has if meter.readings.get(ResetAmount.ID) == ResetAmount.RESERVE_ONLY else meter.reset_minor
    )
    from_reserve = min(has, new)
    meter.open_hits.remove(hit)
    meter.reserve -= from_reserve
    meter.add(new - hit.amount, Fraction(0))  # what lay above the limit comes into it
    yield said_reset(meter, hit, at_us, before, (from_reserve, new - from_reserve))
    yield meter.reading(at_us)


def said_reset(
    meter: MeterState, hit: OpenHit, at_us: int, before: Fraction, funded: tuple[Fraction, Fraction]
) -> Draft:
    """Say that the display was set back, and how much reserve and house put in."""
    fields: dict[str, object] = {
        "progressive_id": meter.progressive_id,
        "hit_id": hit.hit_id,
        "display_before": meter.said(before),
        "display_after": meter.said(meter.display),
        "reserve_funded": meter.exact(funded[0]),
        "house_funded": meter.exact(funded[1]),
    }
    return Draft(ProgressiveReset, at_us, fields)


def change_parameters(
    meter: MeterState, submission: RulesSubmission, table_id: str, at_us: int
) -> Iterator[Draft]:
    """Take over what another filing of a table says of the meter."""
    after = next(
        progressive
        for progressive in submission.progressives
        if progressive.id == meter.progressive_id
    )
    count = meter.tables[table_id]
    changed = _changes(meter, count.rates, after)
    if not changed or count.is_misconfigured:
        return
    yield meter.reading(at_us)
    count.rates = meter.filed = after
    meter.readings = submission.readings
    for name, old, new in changed:
        fields: dict[str, object] = {
            "progressive_id": meter.progressive_id,
            "parameter": name,
            "value_before": old,
            "value_after": new,
            "table_id": table_id if name.endswith("_rate") else None,
            "authority": f"Rules Submission {submission.rules_version}",
            "approved_by": APPROVER,
        }
        yield Draft(ProgressiveParametersChanged, at_us, fields)
    yield meter.reading(at_us)


def _changes(
    meter: MeterState, before: FiledProgressive, after: FiledProgressive
) -> list[tuple[str, str | None, str | None]]:
    """Compare what is configured for a table with another filing of it."""
    pairs = (
        ("increment_rate", before.increment_rate, after.increment_rate),
        ("reserve_rate", before.reserve_rate, after.reserve_rate),
        ("reset", meter.filed.reset, after.reset),
        ("limit", meter.filed.limit, after.limit),
    )
    return [pair for pair in pairs if pair[1] != pair[2]]
