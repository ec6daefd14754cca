"""What a reading should show for what the controller says that it counted.

One pass over the entries since the reading before, in the order of the controller's feed. A wager
that is counted adds what its own table's filing says, whatever the controller has configured.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from auditors.law.interpretations import ResetAmount, WinningContribution
from auditors.progressive.controller.statements import event_of
from auditors.progressive.hits.jackpots import is_earlier, own_contributions
from auditors.progressive.hits.reseeding import due_reseed
from auditors.progressive.ledger.context import filed_of, filed_of_table
from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.rows import limit_of
from auditors.progressive.ledger.scaling import (
    SCALE,
    amount_parts,
    fraction_of,
    parts_of,
    rate_parts,
)
from auditors.progressive.ledger.state import Baseline, Hit, Level, LockSaid
from auditors.values import evolve
from schemas.events import (
    ProgressiveAdjusted,
    ProgressiveHit,
    ProgressiveLockedOut,
    ProgressivePaid,
    ProgressiveReset,
    ProgressiveTableJoined,
    ProgressiveTableLeft,
    ProgressiveTransferred,
)
from schemas.progressive_inputs import FiledMeter

Key = tuple[str, str]
"""A table and one of its wagers, or of its coups."""


@dataclass(slots=True)
class Counting:
    """The controller's meters as they should be, while its feed is gone through."""

    level: Level
    currency: str
    display: int
    """Overflow included."""
    reserve: int
    in_count: int = 0
    coin_in: int = 0
    hits: int = 0
    paid: int = 0
    won: int = 0
    """Amounts of hits, in parts."""
    risen: bool = True
    """Nothing but wagers moved the display: it cannot have fallen."""
    since_reset: Position | None = None
    """The lock-out of the last hit that was reset."""
    tables: dict[str, list[int]] = field(default_factory=dict)
    """Count and coin-in since the reading before."""
    joined: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Count and coin-in of tables when they joined; below, when they left."""
    left: dict[str, tuple[int, int]] = field(default_factory=dict)
    accepts: dict[Key, Effect] = field(default_factory=dict)
    counts: dict[Key, int] = field(default_factory=dict)
    """How often each wager was counted since the reading before."""
    voids: dict[Key, list[int]] = field(default_factory=dict)
    """By coup: what tables took back and what the controller took back, display and reserve."""
    withdrawn: set[str] = field(default_factory=set)
    locks: dict[Key, LockSaid] = field(default_factory=dict)
    resets: list[Hit] = field(default_factory=list)
    at_resets: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By the reset's event: display before it, and what its hit should have taken."""
    gap_display: int = 0
    """What the ledger did not follow: unauthorised, or a fault put right that it never had."""
    gap_reserve: int = 0
    low: int = 0
    high: int = 0
    """Lowest and highest display since the reading's time less the lag."""

    def wager(self, effect: Effect, accepted: Effect | None) -> None:
        """Count a wager."""
        stake = effect.stake
        if accepted is not None and accepted.stake == stake:
            self.display += accepted.display
            self.reserve += accepted.reserve
        else:
            increment, reserve = self.rates_at(effect.table, effect.at_us)
            self.display += stake * increment
            self.reserve += stake * reserve
        self.in_count += 1
        self.coin_in += stake
        table = self.tables.get(effect.table)
        if table is None:
            self.tables[effect.table] = [1, stake]
        else:
            table[0] += 1
            table[1] += stake

    def rates_at(self, table_id: str, at_us: int) -> tuple[int, int]:
        """Give the filed rates of a table at a moment, in parts for a minor unit."""
        filed = filed_of_table(self.level.tables.get(table_id), at_us) or filed_of(self.level)
        if filed is None:
            return 0, 0
        return rate_parts(filed.increment_rate), rate_parts(filed.reserve_rate)

    def said(self, effect: Effect) -> None:
        """Take in what else the controller says."""
        event = event_of(effect)
        if isinstance(event, ProgressiveLockedOut):
            key = (event.table_id, event.coup_id)
            self.locks[key] = LockSaid(*key, effect.sequence, effect.at_us, self.display)
        elif isinstance(event, ProgressiveHit):
            self.hits += 1
            self.won += amount_parts(event.amount, self.currency)
        elif isinstance(event, ProgressivePaid):
            self.paid += event.paid_minor
        elif isinstance(event, ProgressiveReset):
            self._reset(effect, event)
        elif isinstance(event, ProgressiveAdjusted):
            self._adjusted(effect, event)
        elif isinstance(event, ProgressiveTransferred):
            self._transferred(effect, event)
        elif isinstance(event, ProgressiveTableJoined):
            self.joined[event.table_id] = (event.in_count, event.coin_in_minor)
        elif isinstance(event, ProgressiveTableLeft):
            self.left[event.table_id] = (event.in_count, event.coin_in_minor)

    def _reset(self, effect: Effect, event: ProgressiveReset) -> None:
        hit = next((one for one in self.level.hits if one.hit_id == event.hit_id), None)
        if hit is None or hit.reset_said is None or hit.reset_said.sequence != effect.sequence:
            return
        filed = hit.filed or filed_of(self.level)
        if filed is None:
            return
        amount = self.amount_of(hit, filed)
        due = due_reseed(
            fraction_of(max(self.reserve, 0)),
            filed.reset_minor,
            filed.readings.get(ResetAmount.ID, ResetAmount.FIXED_SEED),
        )
        since = self.display - amount
        told_since = since
        if not self.level.has_counts:
            # Which wagers it had counted by then nobody says; the amount won is judged apart.
            told_since = hit.reset_said.before - (hit.said_amount or amount)
        limit = limit_of(filed)
        if limit is not None:
            # What lay above the limit comes into the display, as far as the limit allows.
            if hit.reset_said.before >= limit:
                told_since = since
            told_since = min(told_since, limit - parts_of(due.display))
        reset = hit.reset_said._replace(
            is_judged=True,
            since=told_since,
            due_display=parts_of(due.display),
            due_reserve=parts_of(due.reserve_funded),
            due_house=parts_of(due.house_funded),
        )
        self.at_resets[effect.sequence] = (self.display, amount)
        self.display = since + reset.due_display
        self.reserve -= reset.due_reserve
        self.risen = False
        lock = self.locks.get((hit.table_id, hit.coup_id))
        at_us = hit.locked_us or (lock.at_us if lock else effect.at_us)
        self.since_reset = (at_us, hit.table_id, "", 0)
        self.resets.append(evolve(hit, reset_said=reset))

    def amount_of(self, hit: Hit, filed: FiledMeter) -> int:
        """Give what a hit should take: the display at the lock-out, without hits said earlier."""
        lock = self.locks.get((hit.table_id, hit.coup_id))
        if lock is None or not self.level.has_counts:
            return hit.amount if hit.amount is not None else (hit.said_amount or 0)
        value, is_close = lock.display, False
        for other in self.level.hits:
            if other.hit_id is None or not is_earlier(other, hit, filed):
                continue
            # The order is that of the hits, not of the lock-outs (D33).
            if other.reset_said is None or other.reset_said.sequence > lock.sequence:
                value -= (other.amount or 0) - other.reset
                is_close = is_close or other.said_sequence > lock.sequence
        if is_close:
            value = max(value, filed.reset_minor * SCALE)
        if filed.readings.get(WinningContribution.ID) == WinningContribution.EXCLUDED:
            value -= own_contributions(self.level, hit)
        limit = filed.limit_minor
        return value if limit is None else min(value, limit * SCALE)

    def _adjusted(self, effect: Effect, event: ProgressiveAdjusted) -> None:
        moved = amount_parts(event.change, self.currency)
        is_reserve = event.meter == "reserve"
        if is_reserve:
            self.reserve += moved
        else:
            self.display += moved
            self.risen = self.risen and moved >= 0
        if event.reason == "wager_withdrawn":
            self.withdrawn.update(event.wager_ids)
        elif event.reason == "coup_voided":
            void = self.voids.setdefault((event.table_id or "", event.coup_id or ""), [0] * 4)
            void[3 if is_reserve else 2] += moved
            return
        is_followed = event.reason is not None and event.approved_by is not None
        if (is_followed and event.reason != "wager_withdrawn") and (
            (effect.feed, effect.sequence) not in self.level.mended
        ):
            return
        if event.reason == "wager_withdrawn" and is_followed:
            return
        if is_reserve:
            self.gap_reserve -= moved
        else:
            self.gap_display -= moved

    def _transferred(self, effect: Effect, event: ProgressiveTransferred) -> None:
        place = effect.source, effect.feed, effect.sequence
        if any((one.source, one.feed, one.sequence) == place for one in self.level.receipts):
            return  # when it came into the meters, readings or an adjustment show
        currency = self.currency
        self.display -= amount_parts(event.display_moved, currency)
        self.display -= amount_parts(event.overflow_moved, currency)
        self.reserve -= amount_parts(event.reserve_moved, currency)
        self.risen = False


def gone_through(
    counting: Counting, effects: list[Effect], base: Position, lag_from_us: int
) -> Counting:
    """Go through the entries up to a reading.

    Args:
        counting: The meters as they should have been at the reading before.
        effects: Entries in order; those up to ``base`` were counted before, and are there to be
            compared only.
        base: Position of the reading before.
        lag_from_us: From when on displays are noted that a sign may still show.
    """
    accepts, counts = counting.accepts, counting.counts
    counting.low = counting.high = counting.display
    for effect in effects:
        kind = effect.kind
        if kind == "accept":
            accepts[effect.table, effect.name] = effect
        elif kind == "count":
            key = (effect.table, effect.name)
            counts[key] = counts.get(key, 0) + 1
            if effect[:4] > base:
                counting.wager(effect, accepts.get(key))
        elif kind == "void":
            void = counting.voids.setdefault((effect.table, effect.coup), [0] * 4)
            void[0] += effect.display
            void[1] += effect.reserve
        elif kind == "said":
            if effect[:4] > base:
                counting.said(effect)
            else:
                _void_of_before(counting, effect)
        if effect.at_us >= lag_from_us:
            counting.high = max(counting.high, counting.display)
            counting.low = min(counting.low, counting.display)
        else:
            counting.low = counting.high = counting.display
    return counting


def _void_of_before(counting: Counting, effect: Effect) -> None:
    """Take up again what was undecided: a void of the controller, to be compared only."""
    event = event_of(effect)
    if isinstance(event, ProgressiveAdjusted) and event.reason == "coup_voided":
        void = counting.voids.setdefault((event.table_id or "", event.coup_id or ""), [0] * 4)
        void[3 if event.meter == "reserve" else 2] += amount_parts(event.change, counting.currency)


def counting_from(level: Level, currency: str, base: Baseline | None) -> Counting:
    """Begin where the reading before left off, or with the filed base."""
    if base is None:
        return Counting(level, currency, level.opening or 0, level.opening_reserve)
    counting = Counting(level, currency, base.counted_display, base.counted_reserve)
    counting.locks = {(one.table_id, one.coup_id): one for one in base.locks}
    return counting
