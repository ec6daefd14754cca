"""Findings about meters of a reading: drift, limit, fall, signs and counts."""

from __future__ import annotations

from typing import Literal, TypeAlias

from auditors.progressive.attribution.interval import Attribution
from auditors.progressive.ledger.amounts import said_exactly
from auditors.progressive.ledger.context import Origin, Work, filed_of
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.rows import limit_of
from auditors.progressive.ledger.scaling import (
    SCALE,
    amount_parts,
    decimal_text,
    parts_of_place,
    places_said,
)
from auditors.progressive.ledger.state import (
    LAG_US,
    Baseline,
    Level,
)
from auditors.progressive.readings.expectations import Counting
from auditors.progressive.readings.reading_points import Reading, Sums
from auditors.progressive.readings.reading_rows import Judged
from auditors.settlement.asserting import Claim
from schemas.finding_facts.progressive import (
    CountMeterDiffers,
    CountMeterFell,
    DisplayFell,
    OverflowMishandled,
    SignDiffers,
)
from schemas.findings import Finding, FindingCode
from schemas.money import format_minor

CountMeter: TypeAlias = Literal["in", "coin_in", "hits", "wins"]


def drift(work: Work, level: Level, one: Attribution, effect: Effect) -> Finding:
    """Assert that a meter differs from its ledger, at the first event where they part."""
    source, feed = effect.source, effect.feed
    evidence: tuple[int, ...] = (effect.sequence,)
    if one.place is not None:
        source, feed = one.place.source_id, one.place.feed_id
        sequences = {one.place.sequence}
        if (source, feed) == (effect.source, effect.feed):
            sequences.add(effect.sequence)
        evidence = tuple(sorted(sequences))
    coup = one.coups[0] if one.coup_count == 1 and one.coups else None
    return work.finding(
        level,
        one.code,
        work.subject(level, one.subject),
        one.facts,
        Origin(source, feed, evidence, effect.at_us, coup, act_us=one.at_us),
        Claim(citation=work.citations(level).meters),
    )


def overflow_finding(
    work: Work, level: Level, reading: Reading, expected: int, limit: int | None
) -> Finding:
    """Assert that what lies beyond the limit was not handled as filed."""
    event, effect, currency = reading.event, reading.effect, work.currency
    due = expected if limit is None else min(expected, limit)
    facts = OverflowMishandled(
        sequence=effect.sequence,
        display=said_exactly(event.display, currency),
        overflow=said_exactly(event.overflow, currency),
        limit=None if limit is None else decimal_text(limit, currency),
        display_due=decimal_text(due, currency),
        overflow_due=decimal_text(max(expected - due, 0), currency),
    )
    return work.finding(
        level,
        FindingCode.OVERFLOW_MISHANDLED,
        work.subject(level, f"{effect.source}/{effect.feed}/{effect.sequence}"),
        facts,
        Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us),
        Claim(citation=work.citations(level).meters),
    )


def fall_finding(work: Work, level: Level, reading: Reading, base: Baseline) -> Finding:
    """Assert that a display fell without a permitted reason."""
    event, effect = reading.event, reading.effect
    evidence = {effect.sequence}
    if base.position[1:3] == (effect.source, effect.feed):
        evidence.add(base.position[3])
    return work.finding(
        level,
        FindingCode.METER_DECREASED,
        work.subject(level, f"{effect.source}/{effect.feed}/{effect.sequence}"),
        DisplayFell(
            before=decimal_text(base.display, work.currency),
            after=said_exactly(event.display, work.currency),
            sequence=effect.sequence,
        ),
        Origin(effect.source, effect.feed, tuple(sorted(evidence)), effect.at_us),
        Claim(citation=work.citations(level).meters),
    )


def assert_sign(work: Work, level: Level, counting: Counting, reading: Reading, sums: Sums) -> None:
    """Compare the sign of a table with what the progressive showed within the lag."""
    level.has_signs = True
    event, effect, currency = reading.event, reading.effect, work.currency
    read = amount_parts(event.display, currency)
    limit = limit_of(filed_of(level))
    since_us = effect.at_us - LAG_US
    recent = [shown for at_us, shown in level.shown if at_us >= since_us]
    before = [shown for at_us, shown in level.shown if at_us < since_us][-1:]
    shown = [*before, *recent, counting.low + sums.off_display, counting.high + sums.off_display]
    if limit is not None:
        shown = [min(one, limit) for one in shown]
    unit = parts_of_place(places_said(event.display, currency), currency)
    if min(shown) - unit < read < max(shown) + unit:
        return
    expected = shown[-1]
    table_id = event.showing_table_id or ""
    work.assert_once(
        level,
        FindingCode.LINK_DISAGREES,
        work.subject(level, table_id),
        SignDiffers(
            table_id=table_id,
            shown=said_exactly(event.display, currency),
            due=decimal_text(expected, currency),
            lag_us=LAG_US,
            sequence=effect.sequence,
        ),
        Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us),
        Claim(citation=work.citations(level).linked_meters),
    )


def assert_counts(
    work: Work, level: Level, counting: Counting, reading: Reading, judged: Judged
) -> None:
    """Compare the meters that count, for what the controller itself said since."""
    base, effect = level.baseline, reading.effect
    if base is None:
        return
    event = reading.event
    if not level.has_counts:
        _assert_none_fell(work, level, base, reading, judged)
    paid = base.wins_minor + counting.paid
    pairs: list[tuple[CountMeter, int, set[int]]] = [
        ("in", event.in_count, {base.in_count + counting.in_count}),
        ("coin_in", event.coin_in_minor, {base.coin_in_minor + counting.coin_in}),
        ("hits", event.hits_count, {base.hits_count + counting.hits}),
        ("wins", event.wins_minor, {paid, base.wins_minor + counting.won // SCALE}),
    ]
    for meter, read, right in pairs if level.has_counts else pairs[2:]:
        if read in right:
            continue
        _assert_count(
            work,
            level,
            (meter, effect),
            judged,
            CountMeterDiffers(
                meter=meter,
                read=_counted_text(meter, read, work.currency),
                due=_counted_text(meter, min(right), work.currency),
                sequence=effect.sequence,
            ),
        )


def _counted_text(meter: CountMeter, number: int, currency: str) -> str:
    """Write what a counting meter reads: a number, or an amount where it adds up money."""
    return format_minor(number, currency) if meter in ("coin_in", "wins") else str(number)


def _assert_none_fell(
    work: Work, level: Level, base: Baseline, reading: Reading, judged: Judged
) -> None:
    """See that the meters of wagers counted up only, where no event says by how much."""
    event, effect = reading.event, reading.effect
    pairs: tuple[tuple[Literal["in", "coin_in"], int, int], ...] = (
        ("in", event.in_count, base.in_count),
        ("coin_in", event.coin_in_minor, base.coin_in_minor),
    )
    for meter, read, before in pairs:
        if read >= before:
            continue
        _assert_count(
            work,
            level,
            (meter, effect),
            judged,
            CountMeterFell(
                meter=meter,
                before=_counted_text(meter, before, work.currency),
                read=_counted_text(meter, read, work.currency),
                sequence=effect.sequence,
            ),
        )


def _assert_count(
    work: Work,
    level: Level,
    at: tuple[str, Effect],
    judged: Judged,
    facts: CountMeterDiffers | CountMeterFell,
) -> None:
    """Assert that a meter of counts reads otherwise than it may.

    Args:
        work: The fold's.
        level: The meter's.
        at: Which meter, and the reading.
        judged: Takes the finding.
        facts: What it says.
    """
    meter, effect = at
    judged.is_right = False
    subject = f"{meter}/{effect.source}/{effect.feed}/{effect.sequence}"
    judged.findings.append(
        work.finding(
            level,
            FindingCode.METER_DRIFT,
            work.subject(level, subject),
            facts,
            Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us),
            Claim(citation=work.citations(level).meters),
        )
    )
