"""What lies between two readings, laid out for the search for a cause."""

from __future__ import annotations

from fractions import Fraction

from auditors.law.interpretations import MeterCents
from auditors.progressive.attribution.interval import (
    NOTHING,
    AcceptedThere,
    CountedThere,
    EventPlace,
    Interval,
    MeterChange,
    Meters,
    ReadingPoint,
    SeenDisplay,
    TableCount,
)
from auditors.progressive.attribution.problem import is_shown_otherwise
from auditors.progressive.controller.statements import event_of
from auditors.progressive.ledger.context import Work, filed_of, law_of
from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.movements import split_at_limit
from auditors.progressive.ledger.rows import limit_of
from auditors.progressive.ledger.scaling import (
    SCALE,
    amount_parts,
    fraction_of,
    places_said,
    rate_parts,
)
from auditors.progressive.ledger.state import Baseline, Level
from auditors.progressive.readings.completeness import Compared, TableTally, was_counted_before
from auditors.progressive.readings.expectations import Counting
from auditors.progressive.readings.voided_coups import voids_of
from schemas.events import (
    ProgressiveAdjusted,
    ProgressiveLockedOut,
    ProgressiveParametersChanged,
    ProgressiveReading,
    ProgressiveReset,
)
from schemas.money import minor_digits


def interval_of(
    work: Work,
    level: Level,
    base: Baseline | None,
    effect: Effect,
    event: ProgressiveReading,
    counting: Counting,
    compared: Compared,
    tallies: list[TableTally],
    up_to: list[Effect],
) -> Interval:
    """Lay out an interval that does not agree."""
    currency = work.currency
    filed = filed_of(level)
    policy = (
        filed.readings.get(MeterCents.ID, MeterCents.TRUNCATED) if filed else MeterCents.TRUNCATED
    )
    off_display = off_reserve = 0
    off_before = base.off_display if base is not None else 0
    if base is not None and not counting.resets:
        off_display = base.off_display
    if base is not None:
        off_reserve = base.off_reserve
    due = _meters(level, counting.display + off_display, counting.reserve + off_reserve)
    position = base.position if base else (0, "", "", 0)
    return Interval(
        progressive_id=work.state.progressive_id,
        level=level.level,
        currency=currency,
        since=_point_of(base),
        reading=ReadingPoint(
            EventPlace(effect.source, effect.feed, effect.sequence),
            effect.at_us,
            Meters(
                *(
                    fraction_of(amount_parts(text, currency))
                    for text in (event.display, event.reserve, event.overflow)
                )
            ),
            (
                min(
                    _decimals(one, currency)
                    for one in (event.display, event.overflow)
                    if one is event.display or amount_parts(one, currency)
                ),
                _decimals(event.reserve, currency),
            ),
        ),
        for_counted=due,
        for_accepted=due,
        display_policy=MeterCents.ROUNDED if policy == MeterCents.ROUNDED else MeterCents.TRUNCATED,
        has_wager_events=level.has_counts,
        accepted=_accepted(level, counting, compared, tallies, up_to),
        counted=_counted(level, counting, compared, up_to, position),
        changes=tuple(_changes(level, counting, up_to, position, off_before, currency)),
        tables=_tables(event, tallies, counting, effect.at_us),
        seen=tuple(_seen(counting, up_to, position, off_display, currency)),
        around=_around(level, effect) if counting.resets else (),
        voids=voids_of(level, counting, compared, up_to),
        going_on=tuple(one.cause for one in base.matters) if base is not None else (),
        known_rates=_known_rates(level),
        time_zone=filed.time_zone if filed is not None else None,
    )


def _meters(level: Level, display: int, reserve: int) -> Meters:
    split = split_at_limit(display, limit_of(filed_of(level)))
    return Meters(fraction_of(split.display), fraction_of(reserve), fraction_of(split.overflow))


def _decimals(text: str, currency: str) -> int:
    return places_said(text, currency) - minor_digits(currency)


def _point_of(base: Baseline | None) -> ReadingPoint | None:
    if base is None:
        return None
    meters = Meters(*(fraction_of(one) for one in (base.display, base.reserve, base.overflow)))
    return ReadingPoint(EventPlace(*base.position[1:]), base.position[0], meters)


def _rate(parts: int, stake: int) -> Fraction:
    return Fraction(parts, SCALE * stake) if stake else Fraction(0)


def _accepted_there(effect: Effect) -> AcceptedThere:
    return AcceptedThere(
        EventPlace(effect.source, effect.feed, effect.sequence),
        effect.at_us,
        effect.name,
        effect.coup,
        effect.stake,
        _rate(effect.display, effect.stake),
        _rate(effect.reserve, effect.stake),
    )


def _accepted(
    level: Level,
    counting: Counting,
    compared: Compared,
    tallies: list[TableTally],
    up_to: list[Effect],
) -> tuple[AcceptedThere, ...]:
    if not level.has_counts:
        taken = sorted(one for each in tallies for one in each.taken)
        return tuple(_accepted_there(one) for one in taken)
    missing = {(one.table, one.name) for one in compared.missing + compared.known_missing}
    return tuple(
        _accepted_there(one)
        for one in up_to
        if one.kind == "accept"
        and ((one.table, one.name) in counting.counts or (one.table, one.name) in missing)
    )


def _counted(
    level: Level, counting: Counting, compared: Compared, up_to: list[Effect], base: Position
) -> tuple[CountedThere, ...]:
    undecided = {id(one) for one in compared.kept}
    found = []
    for one in up_to:
        if one.kind != "count" or one[:4] <= base or one.name in counting.withdrawn:
            continue
        key = (one.table, one.name)
        accepted = counting.accepts.get(key)
        is_unasked = accepted is None
        if is_unasked and (id(one) in undecided or one not in compared.unasked):
            continue
        if accepted is not None and accepted.stake == one.stake:
            rates = _rate(accepted.display, one.stake), _rate(accepted.reserve, one.stake)
        else:
            parts = counting.rates_at(one.table, one.at_us)
            rates = Fraction(parts[0], SCALE), Fraction(parts[1], SCALE)
        found.append(
            CountedThere(
                EventPlace(one.source, one.feed, one.sequence),
                one.at_us,
                one.table,
                one.name,
                one.coup or None,
                one.stake,
                *rates,
                times_before=int(is_unasked and was_counted_before(level, one)),
            )
        )
    return tuple(found)


def _around(level: Level, reading: Effect) -> tuple[CountedThere, ...]:
    return tuple(
        CountedThere(
            EventPlace(reading.source, reading.feed, one.sequence),
            one.at_us,
            one.table_id,
            one.wager_id,
            one.coup_id or None,
            one.stake,
            _rate(one.display, one.stake),
            NOTHING,
        )
        for one in level.recent
    )


def _changes(
    level: Level, counting: Counting, up_to: list[Effect], base: Position, off: int, currency: str
) -> list[MeterChange]:
    found = []
    resets = {one.reset_said.sequence: one for one in counting.resets if one.reset_said}

    def exact(text: str) -> Fraction:
        return fraction_of(amount_parts(text, currency))

    for one in up_to:
        if one.kind != "said" or one[:4] <= base:
            continue
        event = event_of(one)
        place = EventPlace(one.source, one.feed, one.sequence)
        if isinstance(event, ProgressiveAdjusted):
            found.append(
                MeterChange(
                    "adjustment", place, one.at_us, meter=event.meter, change=exact(event.change)
                )
            )
        elif isinstance(event, ProgressiveParametersChanged):
            value = event.value_after
            is_rate = value is not None and value.endswith("%")
            after = None
            if value is not None:
                after = Fraction(rate_parts(value), SCALE) if is_rate else exact(value)
            found.append(
                MeterChange(
                    "parameter",
                    place,
                    one.at_us,
                    parameter=event.parameter,
                    value_after=after,
                    table_id=event.table_id,
                )
            )
        elif isinstance(event, ProgressiveReset) and one.sequence in resets:
            hit = resets[one.sequence]
            said = hit.reset_said
            assert said is not None
            lock = counting.locks.get((hit.table_id, hit.coup_id))
            filed = hit.filed or filed_of(level)
            before, won = counting.at_resets[one.sequence]
            won_said = hit.said_amount
            found.append(
                MeterChange(
                    "reset",
                    place,
                    one.at_us,
                    hit_id=event.hit_id,
                    locked_sequence=lock.sequence if lock else None,
                    locked_at_us=lock.at_us if lock else hit.locked_us,
                    filed_reset=Fraction(filed.reset_minor) if filed else None,
                    before_said=exact(event.display_before),
                    before_expected=fraction_of(before + off),
                    after_said=exact(event.display_after),
                    after_expected=fraction_of(said.due_display + said.since),
                    reserve_said=exact(event.reserve_funded),
                    reserve_expected=fraction_of(said.due_reserve),
                    house_said=exact(event.house_funded),
                    house_expected=fraction_of(said.due_house),
                    won_said=None if won_said is None else fraction_of(won_said),
                    won_expected=fraction_of(won + off),
                )
            )
    return found


def _tables(
    event: ProgressiveReading, tallies: list[TableTally], counting: Counting, at_us: int
) -> tuple[TableCount, ...]:
    """Give the counts of each table, where they were compared, and the rates that are stated."""
    read = {one.table_id: one for one in event.tables}
    counted = {one.table_id: (one.read_count, one.read_stake) for one in tallies}
    found = []
    for table_id in dict.fromkeys((*counted, *read)):
        stated = read.get(table_id)

        def rate(text: str | None) -> Fraction | None:
            return None if text is None else Fraction(rate_parts(text), SCALE)

        count, coin_in = counted.get(table_id, (None, 0))
        found.append(
            TableCount(
                table_id,
                count,
                coin_in,
                rate(stated.increment_rate if stated else None),
                rate(stated.reserve_rate if stated else None),
                *(Fraction(one, SCALE) for one in counting.rates_at(table_id, at_us)),
            )
        )
    return tuple(found)


def _seen(
    counting: Counting, up_to: list[Effect], base: Position, off: int, currency: str
) -> list[SeenDisplay]:
    found = []
    for one in up_to:
        if one.kind != "said" or one[:4] <= base:
            continue
        event = event_of(one)
        if not isinstance(event, ProgressiveLockedOut):
            continue
        lock = counting.locks.get((event.table_id, event.coup_id))
        if lock is None or lock.sequence != one.sequence:
            continue
        said = fraction_of(amount_parts(event.display, currency))
        limit = limit_of(filed_of(counting.level))
        if limit is not None and max(amount_parts(event.display, currency), lock.display) >= limit:
            continue  # what lies above the limit is not shown
        expected = lock.display + off
        decimals = _decimals(event.display, currency)
        found.append(SeenDisplay(one.sequence, one.at_us, said, fraction_of(expected), decimals))
    return found


def is_contradicted(
    level: Level, counting: Counting, effect: Effect, up_to: list[Effect], off: int, currency: str
) -> bool:
    """Whether a display at a lock-out, or one that a reset left, is another than the ledger's.

    Args:
        level: The meter.
        counting: What should be read.
        effect: A reading that agrees with the ledger.
        up_to: Entries up to it.
        off: What the display was found to be off before.
        currency: Of the tables.
    """
    if not level.has_counts:
        return False
    for hit in counting.resets:
        reset = hit.reset_said
        if reset is not None and abs(reset.after - reset.since - reset.due_display) >= SCALE:
            return True
    base = level.baseline
    if base is None or base.position[2] != effect.feed:
        return False
    lock = counting.since_reset
    return any(
        is_shown_otherwise(seen)
        for seen in _seen(counting, up_to, base.position, off, currency)
        if lock is None or seen.at_us > lock[0]
    )


def _known_rates(level: Level) -> tuple[tuple[Fraction, Fraction], ...]:
    """Give the rates of every letter of the sections that are linked."""
    found: dict[tuple[Fraction, Fraction], None] = {}
    for table in level.tables.values():
        if table.filed is None:
            continue
        section = law_of(table.filed).sections.get(table.filed.wager.partition(".")[0])
        rates = section.progressive if section else None
        if rates is None:
            continue
        for letter, increment in rates.increment.items():
            reserve = rates.reserve.get(letter, "0%")
            pair = Fraction(rate_parts(increment), SCALE), Fraction(rate_parts(reserve), SCALE)
            found[pair] = None
    return tuple(found)
