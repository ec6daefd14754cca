"""Judgement of a reading: two judgements, kept apart.

One is about the controller's arithmetic, for what it counted itself; the other about what it
counted, against what the tables accepted. What differed before is not said again: each reading is
held against the one before, with what that was found to be off.
"""

from __future__ import annotations

from auditors.progressive.controller.statements import event_of
from auditors.progressive.hits.hit_rows import put_hit
from auditors.progressive.ledger.capabilities import is_followed
from auditors.progressive.ledger.chunks import chunked, effects_in
from auditors.progressive.ledger.context import Work
from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.frontier import left_out
from auditors.progressive.ledger.scaling import amount_parts
from auditors.progressive.ledger.state import EARLIEST, LAG_US, Level, TableCounts
from auditors.progressive.readings.completeness import Compared, TableTally, compare_wagers, tally
from auditors.progressive.readings.differences import judge, unjudged
from auditors.progressive.readings.expectations import Counting, counting_from, gone_through
from auditors.progressive.readings.reading_points import Reading
from auditors.progressive.readings.receipts import look_for_receipts
from auditors.values import evolve
from schemas.events import ProgressiveReading


def judge_first(work: Work, level: Level) -> None:
    """Judge the earliest reading that waits."""
    effects = list(effects_in(level.done))
    place = next((n for n, one in enumerate(effects) if one.kind == "read"), None)
    readings = level.readings[1:]
    if place is None:
        level.readings = readings
        return
    effect = effects[place]
    event = event_of(effect)
    assert isinstance(event, ProgressiveReading)
    base = level.baseline
    if base is not None and effect.position <= base.position:
        unjudged(work, level, effect, event)
        level.readings = readings
        level.done = chunked(effects[:place] + effects[place + 1 :])
        return
    up_to, rest = effects[:place], effects[place + 1 :]
    later = [one for one in rest if one.at_us <= effect.at_us + LAG_US]
    reading = Reading(effect, event, up_to, later)
    reading.absent = _absent(work, level, effect.at_us)
    position = base.position if base else EARLIEST
    reading.is_lost = level.is_cut or _has_lost(work, effect, position) or not is_followed(level)
    if base is None:
        _open(work, level, reading)
    counting = gone_through(
        counting_from(level, work.currency, base), up_to, position, effect.at_us - LAG_US
    )
    compared, tallies = _compare(work, level, counting, reading)
    if not (reading.is_lost or reading.is_opening):
        reading.has_receipts = any(one.is_open and not one.is_foreign for one in level.receipts)
        look_for_receipts(work, level, counting, effect, event)
    kept = judge(work, level, counting, compared, tallies, reading)
    if reading.early:
        rest = [one for one in rest if one not in reading.early]
    level.readings = readings
    level.done = chunked(sorted(kept) + rest)
    for one in counting.resets:
        reset = one.reset_said
        hit = (
            one
            if reset is None
            else evolve(one, reset_said=reset._replace(judged_us=effect.at_us + LAG_US))
        )
        hits = tuple(
            hit if (other.table_id, other.coup_id) == (hit.table_id, hit.coup_id) else other
            for other in level.hits
        )
        level.hits = hits
        put_hit(work, level, hit)


def _compare(
    work: Work, level: Level, counting: Counting, reading: Reading
) -> tuple[Compared, list[TableTally]]:
    effect = reading.effect
    if level.has_counts:
        found = compare_wagers(
            counting, reading.up_to, reading.later, effect.position, reading.absent
        )
        return found, []
    accepts = [one for one in reading.up_to + reading.later if one.kind == "accept"]
    # A table that left is told no more; what it had counted by then it said as it left.
    told = {name: TableCounts(name, *counts) for name, counts in counting.left.items()}
    told |= {
        one.table_id: TableCounts(one.table_id, one.in_count, one.coin_in_minor)
        for one in reading.event.tables
    }
    base = level.baseline
    is_anew = base is not None and reading.event.in_count < base.in_count
    tallies = tally(
        level, base, tuple(told.values()), accepts, effect.at_us, counting.joined, is_anew=is_anew
    )
    found = compare_wagers(counting, reading.up_to, reading.later, effect.position, reading.absent)
    found.kept = [one for one in found.kept if one.kind != "accept"]
    found.missing, found.refused = [], []
    for each in tallies:
        for one in each.taken:
            counting.display += one.display
            counting.reserve += one.reserve
        counting.in_count += each.read_count
        counting.coin_in += each.read_stake
        found.kept += [one for one in each.left if one.at_us <= effect.at_us]
    found.kept += [one for one in accepts if one.at_us <= effect.at_us and one.table not in told]
    # Wagers after the reading that are in it already are not to be counted with the next one.
    reading.early = [one for each in tallies for one in each.taken if one.at_us > effect.at_us]
    return found, tallies


def _absent(work: Work, level: Level, at_us: int) -> frozenset[str]:
    """Name the tables that have not spoken of a reading's time, however long was waited."""
    silent = [
        name
        for name, one in work.state.sources.items()
        if not one.is_controller
        and (not one.is_heard or (one.is_open and one.watermark_us < at_us + LAG_US))
    ]
    unknown = [name for name, one in level.tables.items() if one.filed is None]
    return frozenset([*left_out(work.state.sources), *silent, *unknown])


def _has_lost(work: Work, effect: Effect, base: Position) -> bool:
    """Whether events of the controller between two readings are lost."""
    source = work.state.sources.get(effect.source)
    if source is None:
        return False
    since = base[3] if base[2] == effect.feed else 0
    return any(last > since and first < effect.sequence for first, last in source.lost)


def _open(work: Work, level: Level, reading: Reading) -> None:
    """Begin with what the first reading says, where the progressive is older than the feeds."""
    event, currency = reading.event, work.currency
    counts = [one for one in reading.up_to if one.kind == "count"]
    if counts:
        opening_in = counts[0].number - 1
        stake = sum(one.stake for one in counts)
    else:
        known = [one for one in reading.up_to + reading.later if one.kind == "accept"]
        opening_in = event.in_count if level.has_counts else event.in_count - len(known)
        stake = 0
    hits = sum(one.hit_id is not None for one in level.hits)
    if opening_in <= 0 and event.hits_count <= hits and level.opening is not None:
        return
    counting = gone_through(
        Counting(level, currency, 0, 0), reading.up_to, EARLIEST, reading.effect.at_us
    )
    display = amount_parts(event.display, currency) + amount_parts(event.overflow, currency)
    opening = display - counting.display
    reserve = amount_parts(event.reserve, currency) - counting.reserve
    more = opening - (level.opening or 0)
    ledger, day = level.ledger, level.day
    level.ledger = ledger._replace(
        display=ledger.display + more,
        reserve=ledger.reserve + reserve,
        in_count=ledger.in_count + max(opening_in, 0),
        coin_in_minor=ledger.coin_in_minor + max(event.coin_in_minor - stake, 0),
        hits_count=ledger.hits_count + event.hits_count - hits,
    )
    level.opening, level.opening_reserve, level.is_taken_over = opening, reserve, True
    if day is not None:
        first = day.opening
        level.day = day._replace(
            opening=first._replace(display=first.display + more, reserve=first.reserve + reserve)
        )
    level.changed_us = max(level.changed_us, reading.effect.at_us)
    level.row_us = min(level.row_us, level.changed_us - 1)
    reading.is_opening = True
