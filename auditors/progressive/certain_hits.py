"""What is certain of a hit before its turn in the order of time; it is said at once.

The controller's feed has no gaps: once it has gone past the end of a coup whose cards win the
meter, nothing that it says later is of before. And a hit that it says of a coup that is over
without such cards needs no other table. What is due follows when all linked tables have spoken.
"""

from __future__ import annotations

from typing import Final

from auditors.progressive.controller.statements import as_said, event_of
from auditors.progressive.hits.hit_rows import are_cards_unknown, put_hit
from auditors.progressive.hits.jackpots import is_unsaid, put
from auditors.progressive.ledger.chunks import effects_in
from auditors.progressive.ledger.context import Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import ASKED_US, Hit, Level
from auditors.values import evolve
from schemas.events import ProgressiveHit, ProgressiveLinkLost
from schemas.progressive_inputs import CoupOnProgressive

HITS_AHEAD_MAX: Final = 64
"""Hits of the controller that may wait for their turn."""


def hit_said(work: Work, level: Level, effect: Effect) -> None:
    """Hear of a hit whose turn comes when all linked tables have spoken."""
    level.hits_ahead = (*level.hits_ahead, effect)[-HITS_AHEAD_MAX:]
    _say_without_cards(work, level, effect)


def coup_told(work: Work, level: Level, coup: CoupOnProgressive) -> None:
    """Hold what a coup tells against a hit that was said of it and waits for its turn."""
    for effect in level.hits_ahead:
        event = _hit_of(effect)
        if (event.table_id, event.coup_id) == (coup.table_id, coup.coup_id):
            _say_without_cards(work, level, effect)


def _say_without_cards(work: Work, level: Level, effect: Effect) -> None:
    hit = as_said(level, effect, _hit_of(effect), work.currency)
    if hit.cards is None and not are_cards_unknown(level, hit):
        put_hit(work, level, hit)


def look_at_cards(work: Work) -> None:
    """Find the hits that the controller has passed by without a word."""
    levels = work.levels.values()
    if not any(one.has_unsaid for one in (*work.state.levels, *levels)):
        return
    spoken = [one.watermark_us for one in work.state.sources.values() if one.is_controller]
    numbers = {one.level for one in (*work.state.levels, *levels)}
    for number in sorted(numbers) if spoken else ():
        level, heard_us = work.level(number), min(spoken) - ASKED_US
        for hit in level.hits:
            if is_unsaid(hit) and hit.closed_us <= heard_us and not _is_open(level, hit):
                passed = evolve(hit, is_passed=True)
                put(level, passed)
                put_hit(work, level, passed)


def _is_open(level: Level, hit: Hit) -> bool:
    """Whether the controller said the hit, or has no contact with the table."""
    if any(
        (event.table_id, event.coup_id) == (hit.table_id, hit.coup_id)
        for event in map(_hit_of, level.hits_ahead)
    ):
        return True
    table = level.tables.get(hit.table_id)
    if table is not None and table.is_lost:
        return True
    events = [event_of(one) for one in effects_in(level.pending) if one.kind == "said"]
    return any(
        isinstance(event, ProgressiveLinkLost) and event.table_id == hit.table_id
        for event in events
    )


def _hit_of(effect: Effect) -> ProgressiveHit:
    event = event_of(effect)
    assert isinstance(event, ProgressiveHit)
    return event
