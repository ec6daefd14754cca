"""Causes that go on from one reading to the next: one matter, found once, with what it comes to.

Another rate, or contributions rounded one by one, take effect wager by wager: the finding of the
first reading that shows it says at each further reading how many wagers it concerns by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from auditors.progressive.attribution.interval import Attribution, Cause
from auditors.progressive.ledger.amounts import effect_of_parts
from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.scaling import SCALE
from auditors.progressive.ledger.state import MATTERS_KEPT, Baseline, Level, Matter
from auditors.progressive.readings.expectations import Counting
from auditors.settlement.asserting import Claim
from schemas.finding_facts.meter import (
    Alternatives,
    LastingBefore,
    LastingFacts,
    RateApplied,
    RoundedSingly,
)
from schemas.findings import FindingCode
from schemas.records import RecordKind

GOING_ON: Final = (Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER)


def assert_going_on(
    work: Work,
    level: Level,
    counting: Counting,
    reading: Effect,
    told: Iterable[Attribution],
    base: Baseline | None,
) -> tuple[Matter, ...]:
    """Put out causes that take effect wager by wager, those that were found before with what they
    come to now.

    Returns:
        The matters that may go on.
    """
    before = base.matters if base is not None else ()
    kept = {one.subject: one for one in before if _may_go_on(one, level, counting)}
    for one in told:
        matter = next((old for old in before if _is_same(old, one)), None)
        if matter is None:
            matter = _begun(work, level, one, reading)
            facts = matter.facts
        else:
            matter = matter._replace(
                wagers=matter.wagers + one.wager_count,
                display=matter.display + int(one.display_effect * SCALE),
                reserve=matter.reserve + int(one.reserve_effect * SCALE),
            )
            changes = {
                "wager_count": matter.wagers,
                "reading_sequence": reading.sequence,
                "effect": effect_of_parts(matter.display, matter.reserve, work.currency),
            }
            if not isinstance(matter.facts, LastingBefore):
                changes |= {"until_sequence": None, "alternatives": Alternatives()}
            facts = matter.facts.model_copy(update=changes)
        kept[matter.subject] = matter
        _put(work, level, matter, reading, facts)
    return tuple(kept.values())[-MATTERS_KEPT:]


def _may_go_on(matter: Matter, level: Level, counting: Counting) -> bool:
    """Whether nothing was counted that would show the end of a cause."""
    if not level.has_counts:
        return not counting.in_count
    if matter.cause == Cause.ROUNDING_PER_WAGER.value:
        counted_ones = (counting.accepts.get(key) for key in counting.counts)
        return not any(one is not None and one.display % SCALE for one in counted_ones)
    return not any(name in counting.tables for name in matter.tables)


def _is_same(matter: Matter, one: Attribution) -> bool:
    # A rate is a table's own; how contributions are rounded is the meter's.
    is_of_meter = one.cause is Cause.ROUNDING_PER_WAGER
    is_there = is_of_meter or not set(one.tables).isdisjoint(matter.tables)
    return matter.cause == one.cause.value and is_there


def _begun(work: Work, level: Level, one: Attribution, reading: Effect) -> Matter:
    place = one.place
    assert place is not None, "a cause that goes on begins with a wager"
    assert isinstance(one.facts, RateApplied | RoundedSingly)
    return Matter(
        one.cause.value,
        one.tables,
        work.subject(level, one.subject),
        place.source_id,
        place.feed_id,
        place.sequence,
        reading.at_us,
        one.facts,
        one.wager_count,
        int(one.display_effect * SCALE),
        int(one.reserve_effect * SCALE),
        one.at_us or 0,
    )


def _put(work: Work, level: Level, matter: Matter, reading: Effect, facts: LastingFacts) -> None:
    evidence = {matter.sequence}
    if (matter.source, matter.feed) == (reading.source, reading.feed):
        evidence.add(reading.sequence)
    said = Origin(matter.source, matter.feed, tuple(sorted(evidence)), matter.at_us)
    said.act_us = matter.act_us or None
    code = FindingCode.METER_DRIFT
    found = work.finding(
        level, code, matter.subject, facts, said, Claim(citation=work.citations(level).meters)
    )
    work.emit(
        level,
        RecordKind.PROGRESSIVE,
        f"{code.value}/{matter.subject}",
        matter.at_us,
        findings=(found,),
        feed=matter.feed,
    )
