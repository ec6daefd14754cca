"""The moving frontier: entries are taken in, in order, and checks fall due.

What is due at a moment is done after every entry of that moment and before any later one, so the
result is the same however far the frontier moves at once.
"""

from __future__ import annotations

from typing import Final

from auditors.progressive.controller.statements import said_due, take_said
from auditors.progressive.hits.jackpots import accepted_before, cards_decided, freeze, hit_due
from auditors.progressive.ledger.chunks import (
    chunked,
    count_of,
    effects_in,
    split_at,
    with_effect,
    with_effects,
)
from auditors.progressive.ledger.context import Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.movements import moved_by
from auditors.progressive.ledger.rows import begin_day, put_day, put_ledger
from auditors.progressive.ledger.state import (
    LAG_US,
    READINGS_MAX,
    ROW_US,
    TRAIL_MAX,
    Day,
    Level,
)
from auditors.progressive.readings.judgement import judge_first

NEVER_US: Final = 1 << 62
"""Later than anything."""

_MOVING = frozenset({"accept", "void", "correct"})
_KEPT = frozenset({"accept", "void", "correct", "count", "read", "said"})


def take_in(work: Work, level: Level, frontier_us: int) -> None:
    """Take in what waits, up to a moment."""
    taken, pending = split_at(level.pending, frontier_us)
    level.pending = pending
    level.pending_count = level.pending_count - len(taken)
    fresh: list[Effect] = []
    next_us = next_due(work, level)
    for effect in taken:
        while next_us < effect.at_us:
            _keep(level, fresh)
            _fall_due(work, level, next_us)
            next_us = next_due(work, level)
        if effect.kind in _MOVING:
            if level.day is None:
                begin_day(level, effect.at_us)
            level.ledger = moved_by(level.ledger, effect)
            if level.changed_us <= level.row_us:
                level.changed_us = effect.at_us
                next_us = next_due(work, level)
            else:
                level.changed_us = effect.at_us
        elif effect.kind == "count":
            level.has_counts = True
        else:
            _keep(level, fresh)
            take_other(work, level, effect)
            next_us = next_due(work, level)
        if effect.kind in _KEPT:
            fresh.append(effect)
    _keep(level, fresh)
    if level.done_count > TRAIL_MAX:
        _cut(level)
    while next_us <= frontier_us:
        _fall_due(work, level, next_us)
        next_us = next_due(work, level)


def take_other(work: Work, level: Level, effect: Effect) -> None:
    """Take in an entry that is no wager of a table."""
    if effect.kind == "count":
        level.has_counts = True
    elif effect.kind == "lock":
        freeze(level, effect)
    elif effect.kind == "hit":
        cards_decided(work, level, effect)
    elif effect.kind == "read":
        readings = sorted((*level.readings, effect.at_us))
        level.readings = tuple(readings[-READINGS_MAX:])
    elif effect.kind == "said":
        take_said(work, level, effect)


def take_late(work: Work, level: Level, effect: Effect, sign: int) -> None:
    """Take in, or take back, an entry from before the frontier: the ledger moves now."""
    if effect.kind in _MOVING:
        if level.day is None:
            begin_day(level, effect.at_us)
        ledger = moved_by(level.ledger, effect, sign)
        day: Day | None = level.day
        if day is not None and effect.at_us < day.begin_us:
            moved = sign * (effect.display + effect.reserve)
            ledger = ledger._replace(corrected=ledger.corrected + moved)
        changed_us = max(level.changed_us, effect.at_us)
        # What was put out is put out again.
        level.ledger = ledger
        level.changed_us = changed_us
        level.row_us = min(level.row_us, changed_us - 1)
        accepted_before(work, level, effect, sign * effect.display)
    elif sign > 0:
        take_other(work, level, effect)
    if sign > 0 and effect.kind in _KEPT:
        done = with_effect(level.done, effect)
        level.done = done
        level.done_count = level.done_count + 1


def _keep(level: Level, fresh: list[Effect]) -> None:
    if fresh:
        done = with_effects(level.done, fresh)
        level.done = done
        level.done_count = level.done_count + len(fresh)
        fresh.clear()


def _cut(level: Level) -> None:
    """Drop the oldest half of what no reading has asked for; readings that wait stay."""
    effects = list(effects_in(level.done))
    half = len(effects) // 2
    kept = [one for one in effects[:half] if one.kind == "read"] + effects[half:]
    level.done = chunked(kept)
    level.done_count = len(kept)
    level.is_cut = True


def next_due(work: Work, level: Level) -> int:
    """Give the moment at which something falls due next."""
    moment = NEVER_US
    if level.changed_us > level.row_us and level.is_filed:
        moment = _row_due(work, level)
    if level.day is not None:
        moment = min(moment, level.day.end_us - 1)
    if level.readings and (due_us := _reading_due(work, level)) <= work.known_us:
        moment = min(moment, due_us)
    if level.due:
        moment = min(moment, level.due[0].at_us)
    return moment


def _reading_due(work: Work, level: Level) -> int:
    """Give when the first reading that waits is due: nothing is in flight once tables rest."""
    at_us = level.readings[0]
    if work.closed_us is not None and at_us >= work.closed_us + LAG_US:
        return at_us
    return at_us + LAG_US


def _row_due(work: Work, level: Level) -> int:
    """Give when a ledger that moved is put out: once a minute, or at once when all have closed."""
    at_us = level.changed_us
    due_us = -(-at_us // ROW_US) * ROW_US
    return due_us if work.closed_us is None else min(due_us, max(at_us, work.closed_us))


def _fall_due(work: Work, level: Level, at_us: int) -> None:
    """Do what is due at a moment."""
    while level.readings and _reading_due(work, level) <= min(at_us, work.known_us):
        judge_first(work, level)
        level.done_count = count_of(level.done)
    while level.due and level.due[0].at_us <= at_us:
        due = level.due[0]
        level.due = level.due[1:]
        if due.what == "hit":
            hit_due(work, level, due)
        else:
            said_due(work, level, due)
    day = level.day
    if day is not None and at_us >= day.end_us - 1:
        put_day(work, level, is_closed=True)
        begin_day(level, day.end_us)
    if level.row_us < level.changed_us and _row_due(work, level) <= at_us:
        put_ledger(work, level, at_us)
