"""What has to be explained: the wagers of an interval and the gap of its meters, on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from auditors.law.interpretations import MeterCents
from auditors.progressive.attribution.effort import Effort
from auditors.progressive.attribution.fitting import Added, Band, Gap, Guess, common_scale
from auditors.progressive.attribution.interval import (
    AcceptedThere,
    CountedThere,
    Interval,
    MeterChange,
    SeenDisplay,
)
from auditors.progressive.attribution.marks import Mark, are_seen, mark_of, marks_of
from auditors.progressive.attribution.scopes import Scope, scopes_of


@dataclass(frozen=True, slots=True)
class Problem:
    """The wagers that are in the ledger of the interval, and where meters can have parted."""

    interval: Interval
    scale: int
    wagers: tuple[Added, ...]
    """What the ledger has in it: as counted where the controller says so, else as accepted."""
    around: tuple[Added, ...]
    """The same, and before them what was counted around the lock-out of a reset."""
    resets: tuple[MeterChange, ...]
    after: int
    """The last display between the readings that agreed; 0 where none did."""
    until: int
    """The first that did not; the reading where none did."""
    by_sequence: bool
    """What the controller said goes by its sequences; else by its times."""
    marks: tuple[Mark, ...] = ()
    """The displays that were seen of the present meter."""
    scopes: tuple[Scope, ...] = ()
    reset_mark: Mark | None = None
    """What the last reset says that it left; heeded where no cause says how that is wrong."""
    effort: Effort = field(default_factory=Effort, compare=False)
    """What the search may take, and what it has left."""

    def scaled(self, amount: Fraction) -> int:
        """Give an amount as a whole number on the scale."""
        return (amount * self.scale).numerator

    def exact(self, scaled: int) -> Fraction:
        """Give a whole number of the scale as minor units."""
        return Fraction(scaled, self.scale)

    def can_part_at(self, wager: Added) -> bool:
        """Whether the displays can have parted at this wager, by those that were seen."""
        return self.after < wager.at <= self.until

    def can_begin_at(self, wager: Added, display: int) -> bool:
        """Whether something that moved the display by so much there can be a first difference."""
        return wager.at > self.after or abs(display) < self.scale

    def are_seen(self, guesses: Sequence[Guess]) -> bool:
        """Whether causes together allow every display that was seen; none, that it was right."""
        return are_seen(self.marks_for(guesses), self.scale, guesses, self.effort)

    def marks_for(self, guesses: Sequence[Guess]) -> tuple[Mark, ...]:
        """Give the displays that causes must allow: that of a reset where none says otherwise."""
        if self.reset_mark is None or any(self.is_of_reset(one) for one in guesses):
            return self.marks
        return (self.reset_mark, *self.marks)

    def is_of_reset(self, guess: Guess) -> bool:
        """Whether a cause lies in how the display was set back."""
        return guess.change is not None and guess.change.kind == "reset"

    @property
    def last_lock(self) -> int | None:
        """Where the meter that was won last was locked; None without a hit."""
        return lock_of(self.resets[-1], self.by_sequence) if self.resets else None


def problem_of(interval: Interval) -> Problem:
    """Lay out an interval for the search."""
    resets = tuple(one for one in interval.changes if one.kind == "reset")
    by_sequence = interval.goes_by_sequence
    lock = lock_of(resets[-1], by_sequence) if resets else None
    scale = common_scale(_amounts(interval))
    source: tuple[AcceptedThere | CountedThere, ...]
    source = interval.counted if interval.has_wager_events else interval.accepted
    wagers = tuple(_added(by_sequence, one, lock, scale) for one in source)
    around = tuple(_added(by_sequence, one, lock, scale) for one in interval.around)
    after, until = _parting(interval, lock, by_sequence)
    since = None
    if resets:
        since = position_of(by_sequence, resets[-1].place.sequence, resets[-1].at_us)
    marks = marks_of(interval, scale, since) if by_sequence else ()
    return Problem(
        interval,
        scale,
        wagers,
        (*around, *wagers),
        resets,
        after,
        until,
        by_sequence,
        marks,
        scopes_of(wagers),
        _left_by(resets[-1], interval, scale) if resets and by_sequence else None,
    )


def _left_by(reset: MeterChange, interval: Interval, scale: int) -> Mark | None:
    said, due = reset.after_said, reset.after_expected
    if said is None or due is None:
        return None
    seen = SeenDisplay(reset.place.sequence, reset.at_us, said, due)
    return mark_of(interval, seen, scale)


def is_shown_otherwise(seen: SeenDisplay) -> bool:
    """Whether a display is another than the ledger's, exact or as it would be shown."""
    return not _agrees(seen)


def position_of(by_sequence: bool, sequence: int, at_us: int) -> int:
    """Give the order of a controller's event among the wagers."""
    return sequence if by_sequence else at_us


def lock_of(reset: MeterChange, by_sequence: bool) -> int:
    """Give where the meter that a reset ended was locked, the reset itself where nobody said."""
    if by_sequence:
        return reset.place.sequence if reset.locked_sequence is None else reset.locked_sequence
    return reset.at_us if reset.locked_at_us is None else reset.locked_at_us


def gap_of(problem: Problem) -> Gap:
    """Give the gap, with all that digits which a reading does not say can be (D8)."""
    interval = problem.interval
    read, due = interval.reading.meters, interval.for_counted
    display = read.display + read.overflow, due.display + due.overflow
    for_display, for_reserve = interval.reading.decimals
    return Gap(
        _band(problem, *display, for_display),
        _band(problem, read.reserve, due.reserve, for_reserve),
    )


def _band(problem: Problem, read: Fraction, due: Fraction, decimals: int) -> Band:
    """Give what a meter can have more than is due: nobody knows what was cut off, or rounded."""
    more, unit = problem.scaled(read - due), max(1, problem.scale // 10**decimals)
    if problem.scaled(read) % unit:
        return Band(more, more)  # it was said with more digits than those
    half = unit // 2 if problem.interval.display_policy == MeterCents.ROUNDED else 0
    return Band(more - half, more - half + unit - 1, half)


def _amounts(interval: Interval) -> Iterator[Fraction]:
    for meters in (interval.reading.meters, interval.for_counted, interval.for_accepted):
        yield from (meters.display, meters.reserve, meters.overflow)
    for accepted in interval.accepted:
        yield from (accepted.increment_rate, accepted.reserve_rate)
    for counted in (*interval.counted, *interval.around):
        yield from (counted.increment_rate, counted.reserve_rate)
    for rates in interval.known_rates:
        yield from rates
    for table in interval.tables:
        stated = (
            table.increment_configured,
            table.reserve_configured,
            table.increment_filed,
            table.reserve_filed,
        )
        yield from (one for one in stated if one is not None)
    for change in interval.changes:
        yield from (one for one in _amounts_of(change) if one is not None)
    for seen in interval.seen:
        yield from (seen.said, seen.expected)
    for void in interval.voids:
        yield from (void.display, void.reserve)


def _amounts_of(change: MeterChange) -> tuple[Fraction | None, ...]:
    return (
        change.filed_reset,
        change.before_said,
        change.before_expected,
        change.after_said,
        change.after_expected,
        change.reserve_said,
        change.reserve_expected,
        change.house_said,
        change.house_expected,
        change.won_said,
        change.won_expected,
        change.change,
        change.value_after,
    )


def _added(
    by_sequence: bool, one: AcceptedThere | CountedThere, lock: int | None, scale: int
) -> Added:
    sequence, at_us = one.place.sequence, one.at_us
    at = position_of(by_sequence, sequence, at_us)
    is_shown = lock is None or at > lock
    shown = one.stake_minor * one.increment_rate * scale if is_shown else Fraction(0)
    return Added(
        at=at,
        place=one.place,
        table_id=one.table_id,
        wager_id=one.wager_id,
        coup_id=one.coup_id,
        stake_minor=one.stake_minor,
        rates=(one.increment_rate, one.reserve_rate),
        is_shown=is_shown,
        display=shown.numerator,
        reserve=(one.stake_minor * one.reserve_rate * scale).numerator,
    )


def _parting(interval: Interval, lock: int | None, by_sequence: bool) -> tuple[int, int]:
    """Say between which displays of the present meter it parted from the ledger."""
    after = 0
    end = interval.reading
    # Without events of wagers nobody knows which were counted by a moment: none tells anything.
    for seen in interval.seen if by_sequence else ():
        at = seen.sequence
        if lock is not None and at <= lock:
            continue
        if not _agrees(seen):
            return after, at
        after = at
    return after, position_of(by_sequence, end.place.sequence, end.at_us)


def _agrees(seen: SeenDisplay) -> bool:
    """Whether a display is the ledger's, exact or as it would be shown."""
    if seen.decimals:
        return abs(seen.said - seen.expected) < Fraction(1, 10**seen.decimals)
    if seen.said.denominator != 1:
        return seen.said == seen.expected  # nothing was cut off it
    return -1 < seen.said - seen.expected < 1
