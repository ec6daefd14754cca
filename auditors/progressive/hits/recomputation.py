"""The amount of a hit, worked out again: reading, contributions, lock-out, shares.

This is reckoned from what the controller itself said, without the ledger's help, so that a person
can follow it with a pocket calculator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditors.law.interpretations import CloseHits, MeterCents, ProgressiveShare
from auditors.progressive.hits.winners import ShareDue, due_shares
from auditors.progressive.ledger.amounts import exact_text
from auditors.progressive.ledger.scaling import SCALE, parts_of, shown_parts
from auditors.progressive.ledger.state import LAG_US
from auditors.settlement.terms import TermsError
from schemas import events as said
from schemas.events.progressive import ProgressiveEvent
from schemas.money import format_minor, parse_amount, parse_exact
from schemas.odds import format_percent, parse_rate
from schemas.progressive_rows import HitRow, LedgerRow, ShareRow
from schemas.words.counting import counted


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What a hit is reckoned from."""

    hit: HitRow
    currency: str
    ledger: LedgerRow | None
    """For the rates of each table and the reset amount."""
    heard: Sequence[ProgressiveEvent]
    """What the controller said from a reading before the lock-out on, in its order."""


def recomputed(one: Reckoning) -> tuple[str, ...]:
    """Reckon a hit step by step, one line each."""
    return (*_to_the_lock(one), *_shares(one), *_reset(one))


def _to_the_lock(one: Reckoning) -> Iterator[str]:
    hit, currency = one.hit, one.currency
    lock = _lock_of(one)
    start = _start_of(one, lock)
    if start is None:
        yield "No reading of the controller before the lock-out is at hand to begin from."
    else:
        yield from _added_up(one, start, lock)
    if lock is not None:
        yield (
            f"The controller said at the lock-out (its event {lock.sequence}): display "
            f"{lock.display}, {counted(lock.accepted_count, 'wager')} accepted for the coup."
        )
    if hit.amount is not None:
        yield f"The ledger has {hit.amount} at the lock-out."
    if hit.amount_said is not None:
        yield f"The controller said as the amount won: {hit.amount_said}."
    if hit.amount is not None and hit.amount_said is not None:
        apart = parse_exact(hit.amount_said, currency) - parse_exact(hit.amount, currency)
        yield (
            "Both agree."
            if not apart
            else f"The controller's less the ledger's: {exact_text(apart, currency)}."
        )


def _lock_of(one: Reckoning) -> said.ProgressiveLockedOut | None:
    for event in one.heard:
        if (
            isinstance(event, said.ProgressiveLockedOut)
            and event.table_id == one.hit.table_id
            and event.coup_id == one.hit.coup_id
        ):
            return event
    return None


def _start_of(
    one: Reckoning, lock: said.ProgressiveLockedOut | None
) -> said.ProgressiveReading | None:
    """Give the last reading of the controller's own display before the lock-out."""
    start = None
    for event in one.heard:
        if event is lock or (lock is None and isinstance(event, said.ProgressiveHit)):
            break
        if isinstance(event, said.ProgressiveReading) and event.showing_table_id is None:
            start = event
    return start


def _added_up(
    one: Reckoning, start: said.ProgressiveReading, lock: said.ProgressiveLockedOut | None
) -> Iterator[str]:
    currency = one.currency
    rates = {
        table: parse_rate(rate) for table, rate, _ in (one.ledger.tables if one.ledger else ())
    }
    total = parse_exact(start.display, currency)
    yield f"Reading (controller's event {start.sequence}): display {start.display}."
    begun = is_counted = False
    for event in one.heard:
        if event is start:
            begun = True
        elif event is lock or (lock is None and isinstance(event, said.ProgressiveHit)):
            break
        elif begun:
            moved, line = _step(event, total, rates, currency)
            is_counted = is_counted or isinstance(event, said.ProgressiveWagerAccepted)
            if line:
                total += moved
                yield f"{line}: {exact_text(total, currency)}"
    if start.in_count and not is_counted:
        yield (
            "No wager was counted between that reading and the lock-out."
            if _has_single_wagers(one)
            else "The controller reports no single wagers; see the counts in meter-history.csv."
        )
    yield f"Reckoned at the lock-out: {exact_text(total, currency)}."
    if lock is not None and one.ledger is not None:
        yield from _taken_before(one, total, lock, parse_amount(one.ledger.reset, currency))


def _has_single_wagers(one: Reckoning) -> bool:
    """Whether the controller reports each wager, though maybe none around the hit."""
    checks = one.ledger.checks_on if one.ledger is not None else ()
    return "contributions_by_wager" in checks or any(
        isinstance(event, said.ProgressiveWagerAccepted) for event in one.heard
    )


def _taken_before(
    one: Reckoning, total: Fraction, lock: said.ProgressiveLockedOut, reset_minor: int
) -> Iterator[str]:
    """Take off what hits said before this one have of the display, and leave of it (D33)."""
    currency, is_close = one.currency, False
    hits = [event for event in one.heard if isinstance(event, said.ProgressiveHit)]
    own = next((event for event in hits if event.hit_id == one.hit.hit_id), None)
    was_reset = {
        event.hit_id
        for event in one.heard
        if isinstance(event, said.ProgressiveReset) and event.sequence < lock.sequence
    }
    for event in hits:
        if own is None or not _is_before(event, own, one.hit) or event.hit_id in was_reset:
            continue
        amount = parse_exact(event.amount, currency)
        total += reset_minor - amount
        is_close = is_close or event.sequence > lock.sequence
        yield (
            f"{event.sequence} hit {event.hit_id} came first, took {event.amount} and leaves "
            f"{format_minor(reset_minor, currency)}: {exact_text(total, currency)}"
        )
    if is_close and total < reset_minor:
        yield f"At least the reset amount: {format_minor(reset_minor, currency)}."


def _is_before(event: said.ProgressiveHit, own: said.ProgressiveHit, hit: HitRow) -> bool:
    """Whether another hit comes first: by the controller's time or its sequence (D33)."""
    apart_us = event.occurred_at_us - own.occurred_at_us
    if hit.close_order == CloseHits.CONTROLLER_TIME and apart_us and abs(apart_us) <= LAG_US:
        return apart_us < 0
    return event.sequence < own.sequence


def _step(
    event: ProgressiveEvent, total: Fraction, rates: Mapping[str, Fraction], currency: str
) -> tuple[Fraction, str]:
    """Say what one event did to the display: by how much, and in words; nothing if nothing."""
    if isinstance(event, said.ProgressiveWagerAccepted):
        stake = format_minor(event.stake_minor, currency)
        rate = rates.get(event.table_id)
        name = f"{event.sequence} wager {event.wager_id} at {event.table_id}, stake {stake}"
        if rate is None:
            return Fraction(0), f"{name}: no rate of this table is at hand"
        more = event.stake_minor * rate
        return more, f"{name} x {format_percent(rate)} = + {exact_text(more, currency)}"
    if isinstance(event, said.ProgressiveAdjusted) and event.meter == "display":
        reason = event.reason or "no reason given"
        return parse_exact(event.change, currency), (
            f"{event.sequence} adjustment {event.adjustment_id} ({reason}) {event.change}"
        )
    if isinstance(event, said.ProgressiveReset):
        after = parse_exact(event.display_after, currency)
        return after - total, f"{event.sequence} reset after hit {event.hit_id}"
    return Fraction(0), ""


def _shares(one: Reckoning) -> Iterator[str]:
    hit, currency = one.hit, one.currency
    if hit.cards is None:
        yield "No cards that win the meter are on record; by the record nothing is due."
        return
    shares = sorted(
        hit.shares, key=lambda share: (share.wager.accepted_at_us, share.wager.sequence)
    )
    if not shares:
        yield "Nobody wagered on the progressive in this coup; nothing is due."
        return
    # One winner takes the meter under every policy, so none is on record.
    policy = hit.policy or (ProgressiveShare.EQUAL if len(shares) == 1 else None)
    if hit.amount is None or policy is None:
        yield "The amount at the lock-out is not known yet; what is due stays open."
        return
    try:
        dues = _dues(one, shares, policy)
    except TermsError as error:
        yield f"What is due stays open: {error}."
        return
    for share, due in zip(shares, dues, strict=True):
        paid = (
            "not paid yet"
            if share.paid_minor is None
            else (f"{format_minor(share.paid_minor, currency)} paid")
        )
        yield (
            f"Wager {share.wager.wager_id}, seat {share.wager.seat}: {due.workings} due; {paid}"
            f"{f', slip {share.slip}' if share.slip else ''}."
        )
        if share.due_minor is not None and share.due_minor != due.due_minor:
            yield f"  The record has {format_minor(share.due_minor, currency)} due."


def _dues(one: Reckoning, shares: Sequence[ShareRow], policy: str) -> tuple[ShareDue, ...]:
    """Share what was shown: cut to minor units, or rounded where the record's dues come from it."""
    stakes = [share.wager.stake_minor or 0 for share in shares]
    amount = parse_exact(one.hit.amount or "0", one.currency)
    reset = None if one.ledger is None else parse_amount(one.ledger.reset, one.currency)
    recorded = [share.due_minor for share in shares]
    cut, rounded = (
        due_shares(shown_parts(parts_of(amount), how) // SCALE, stakes, policy, reset, one.currency)
        for how in (MeterCents.TRUNCATED, MeterCents.ROUNDED)
    )
    return rounded if [due.due_minor for due in rounded] == recorded else cut


def _reset(one: Reckoning) -> Iterator[str]:
    hit = one.hit
    if hit.display_after is None:
        yield "The meter was not set back yet."
        return
    yield (
        f"The meter was set back to {hit.display_after}: {hit.reserve_funded or 'an unknown part'} "
        f"from the reserve, {hit.house_funded or 'an unknown part'} from the house."
    )
