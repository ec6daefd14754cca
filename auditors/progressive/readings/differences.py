"""Differences of a reading from the ledger, and the findings about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from auditors.progressive.attribution.interval import Attribution, Cause
from auditors.progressive.attribution.smallest_cause import attribute
from auditors.progressive.controller.rates import check_configured, check_rates
from auditors.progressive.ledger.context import Work, filed_of
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.movements import moved_by
from auditors.progressive.ledger.rows import limit_of
from auditors.progressive.ledger.scaling import (
    SCALE,
    amount_parts,
    decimal_text,
    parts_of_place,
    places_said,
)
from auditors.progressive.ledger.state import (
    LOCKS_KEPT,
    SHOWN_KEPT,
    TABLES_MAX,
    Baseline,
    Level,
    LockSaid,
    Matter,
    TableCounts,
)
from auditors.progressive.readings.clocks import assert_clocks
from auditors.progressive.readings.completeness import Compared, TableTally
from auditors.progressive.readings.contributions import (
    assert_after_lock_out,
    assert_contribution,
    assert_voids,
    open_runs,
    withdraw_found_late,
)
from auditors.progressive.readings.expectations import Counting
from auditors.progressive.readings.lasting_causes import GOING_ON, assert_going_on
from auditors.progressive.readings.layouts import interval_of, is_contradicted
from auditors.progressive.readings.meter_findings import (
    assert_counts,
    assert_sign,
    drift,
    fall_finding,
    overflow_finding,
)
from auditors.progressive.readings.reading_points import Reading, Sums
from auditors.progressive.readings.reading_rows import Judged, put_reading
from auditors.progressive.readings.recent_counts import counted_lately
from auditors.values import evolve
from schemas.events import ProgressiveReading
from schemas.finding_facts.meter import ReserveKept, ResetLeft, ResetMistimed, ResetToOther
from schemas.findings import FindingCode
from schemas.progressive_rows import MeterComparison

_OF_WAGERS: Final = frozenset(
    {Cause.WAGERS_NOT_COUNTED, Cause.COUNTED_TWICE, Cause.NOT_ACCEPTED, Cause.STAKE_DIFFERS}
)

_IN_METERS: Final = (Cause.WAGERS_NOT_COUNTED, Cause.COUNTED_TWICE)

_UNNAMED: Final = (Cause.UNEXPLAINED, Cause.STEP_UNKNOWN)


def unjudged(work: Work, level: Level, effect: Effect, event: ProgressiveReading) -> None:
    """Put out a reading that came too late to be judged."""
    put_reading(work, level, effect, event, Judged())


def judge(
    work: Work,
    level: Level,
    counting: Counting,
    compared: Compared,
    tallies: list[TableTally],
    reading: Reading,
) -> list[Effect]:
    """Judge a reading and go on from it.

    Returns:
        Entries up to the reading that are undecided still.
    """
    effect, event, base = reading.effect, reading.event, level.baseline
    sums = _sums(work, level, counting, reading)
    judged = Judged(left_out=tuple(sorted(reading.absent)))
    check_rates(work, level, effect, event)
    check_configured(work, level, effect, event)
    attributions: tuple[Attribution, ...] = ()
    is_alike = compared.is_alike and all(one.is_alike for one in tallies)
    is_sure = not reading.is_lost and not reading.is_opening
    arithmetic = sums.is_display_right and sums.is_reserve_right
    is_shown = (
        is_sure
        and arithmetic
        and not reading.has_receipts
        and is_contradicted(level, counting, effect, reading.up_to, sums.off_display, work.currency)
    )
    if is_sure and (is_shown or not (arithmetic and is_alike)):
        interval = interval_of(
            work, level, base, effect, event, counting, compared, tallies, reading.up_to
        )
        attributions = attribute(interval)
        if is_shown and attributions:
            judged.is_right = False
    gap = _gap(level, counting, compared)
    told = [one for one in attributions if one.cause not in _OF_WAGERS]
    counted_attributions = [one for one in attributions if one.cause in _OF_WAGERS]
    arithmetical = [one for one in attributions if _is_arithmetical(one)]
    by_counts = (0, 0)
    if not level.has_counts:
        by_counts = _effect_of([one for one in attributions if one not in arithmetical])
    active: tuple[bool, tuple[Matter, ...]] = (False, ())
    _note_causes(counting, told)
    if is_sure:
        names = {}
        for one in counted_attributions:
            names[one.subject] = assert_contribution(work, level, one, effect.at_us)
        open_runs(level, counting, compared, names)
        unsaid = {one.coups[0] for one in told if one.cause is Cause.VOID_REVERSED}
        assert_voids(work, level, compared, reading.effect, unsaid)
        assert_after_lock_out(work, level, compared)
        withdraw_found_late(work, level, compared, effect.at_us)
        if base is not None:
            assert_clocks(work, level, counting, effect, reading.up_to, base.position)
        for late in compared.refused:
            level.ledger = moved_by(level.ledger, late, -1)
        is_known = by_counts != (0, 0)
        active = _assert_meters(
            work, level, counting, reading, sums, (arithmetical, is_known), judged
        )
        assert_counts(work, level, counting, reading, judged)
    _compare(work, level, counting, reading, sums, gap, judged)
    _settle_row(judged, reading, arithmetic, is_alike, compared)
    put_reading(work, level, effect, event, judged)
    _go_on(work, level, counting, reading, sums, arithmetical, gap, by_counts, active)
    _tie(level, effect, judged)
    return [*compared.kept, *_open_run_entries(level, reading.up_to)]


def _is_arithmetical(one: Attribution) -> bool:
    """Whether a cause lies in what the meters made of what was counted."""
    return one.cause not in _OF_WAGERS or (
        one.cause in _IN_METERS and one.code is FindingCode.METER_DRIFT
    )


def _effect_of(told: list[Attribution]) -> tuple[int, int]:
    """Give what causes come to together, display and reserve."""
    return (
        sum(int(one.display_effect * SCALE) for one in told),
        sum(int(one.reserve_effect * SCALE) for one in told),
    )


def _note_causes(counting: Counting, told: list[Attribution]) -> None:
    """Let the finding of a reset say why the meter differs since: one cause is found once."""
    for at, hit in enumerate(counting.resets):
        causes = [one for one in told if one.hit_id is not None and one.hit_id == hit.hit_id]
        reset = hit.reset_said
        if causes and reset is not None:
            reset = reset._replace(
                causes=tuple(
                    one.facts
                    for one in causes
                    if isinstance(one.facts, ResetMistimed | ResetToOther | ResetLeft | ReserveKept)
                ),
                is_amount=isinstance(causes[0].facts, ResetToOther | ResetLeft),
                events=tuple(sorted({one for each in causes for one in each.stretch})),
            )
            counting.resets[at] = evolve(hit, reset_said=reset)


def _sums(work: Work, level: Level, counting: Counting, reading: Reading) -> Sums:
    event, base, currency = reading.event, level.baseline, work.currency
    off_display = base.off_display if base and not counting.resets else 0
    off_reserve = base.off_reserve if base else 0
    display = amount_parts(event.display, currency) + amount_parts(event.overflow, currency)
    reserve = amount_parts(event.reserve, currency)
    if event.showing_table_id is not None:
        display = counting.display + off_display
    # Each of the two is rounded by itself.
    unit = parts_of_place(places_said(event.display, currency), currency)
    if amount_parts(event.overflow, currency):
        unit += parts_of_place(places_said(event.overflow, currency), currency)
    reserve_unit = parts_of_place(places_said(event.reserve, currency), currency)
    return Sums(
        display,
        reserve,
        off_display,
        off_reserve,
        abs(display - counting.display - off_display) < unit,
        abs(reserve - counting.reserve - off_reserve) < reserve_unit,
    )


def _gap(level: Level, counting: Counting, compared: Compared) -> tuple[int, int, int, int]:
    """Give what the tables accepted beyond what was counted: display, reserve, count, stake."""
    base = level.baseline
    display = base.gap_display if base and not counting.resets else 0
    reserve = base.gap_reserve if base else 0
    count, stake = (base.gap_count, base.gap_stake) if base else (0, 0)
    since = counting.since_reset
    display += counting.gap_display
    reserve += counting.gap_reserve

    def add(effect: Effect, times: int, display_part: int, reserve_part: int) -> None:
        nonlocal display, reserve, count, stake
        if since is None or effect[:4] > since:
            display += times * display_part
        reserve += times * reserve_part
        count += times
        stake += times * effect.stake

    for one in compared.missing:
        add(one, 1, one.display, one.reserve)
    for one in compared.again:
        add(one, 1 - counting.counts[one.table, one.name], one.display, one.reserve)
    for one in (*compared.found_late, *compared.unasked):
        rates = counting.rates_at(one.table, one.at_us)
        add(one, -1, one.stake * rates[0], one.stake * rates[1])
    for one in compared.other_stake:
        accepted = counting.accepts[one.table, one.name]
        rates = counting.rates_at(one.table, one.at_us)
        display += accepted.display - one.stake * rates[0]
        reserve += accepted.reserve - one.stake * rates[1]
        stake += accepted.stake - one.stake
    for _, void_display, void_reserve in compared.voids:
        display += void_display
        reserve += void_reserve
    return display, reserve, count, stake


def _assert_meters(
    work: Work,
    level: Level,
    counting: Counting,
    reading: Reading,
    sums: Sums,
    causes: tuple[list[Attribution], bool],
    judged: Judged,
) -> tuple[bool, tuple[Matter, ...]]:
    """Find what is wrong with display, reserve and overflow; give what may go on.

    ``causes`` are those in the meters, and whether wagers that were not counted are another.
    """
    arithmetical, is_known = causes
    told = [one for one in arithmetical if one.hit_id is None and one.cause not in _OF_WAGERS]
    base, effect = level.baseline, reading.effect
    is_sign = reading.event.showing_table_id is not None
    was_wrong = base is not None and base.is_overflow_wrong
    # Where nothing was added since, or nobody read the controller, nothing shows its end.
    is_wrong = was_wrong and (is_sign or not (told or counting.in_count))
    matters = base.matters if base is not None else ()
    limit = limit_of(filed_of(level))
    event, currency = reading.event, work.currency
    expected = counting.display + sums.off_display
    if is_sign:
        assert_sign(work, level, counting, reading, sums)
    elif _is_parted_wrongly(reading, limit, currency) or (
        limit is not None
        and not sums.is_display_right
        and expected > limit
        and not is_known
        and _is_of_overflow(arithmetical, is_reserve_right=sums.is_reserve_right)
    ):
        is_wrong = True
        if not was_wrong:
            judged.findings.append(overflow_finding(work, level, reading, expected, limit))
    if not is_wrong:
        judged.findings += [
            drift(work, level, one, effect) for one in told if one.cause not in GOING_ON
        ]
    if not (is_wrong or is_sign):
        going_on = [one for one in told if one.cause in GOING_ON]
        matters = assert_going_on(work, level, counting, effect, going_on, base)
    if base is not None and not is_sign:
        fell = (
            amount_parts(event.display, currency) < base.display
            and sums.display < base.display + base.overflow - SCALE
        )
        if fell and counting.risen and not sums.is_display_right:
            judged.findings.append(fall_finding(work, level, reading, base))
    return is_wrong, matters


def _is_parted_wrongly(reading: Reading, limit: int | None, currency: str) -> bool:
    """Whether the display is above the limit, or the overflow holds what is due in the display."""
    display = amount_parts(reading.event.display, currency)
    if limit is not None and display >= limit + SCALE:
        return True
    is_below = limit is None or display <= limit - SCALE
    return is_below and amount_parts(reading.event.overflow, currency) >= SCALE


def _is_of_overflow(told: list[Attribution], *, is_reserve_right: bool) -> bool:
    """Whether only what lies above the limit is off; what the reserve lacks as well has a cause."""
    return is_reserve_right or not told or any(one.cause in _UNNAMED for one in told)


def _compare(
    work: Work,
    level: Level,
    counting: Counting,
    reading: Reading,
    sums: Sums,
    gap: tuple[int, int, int, int],
    judged: Judged,
) -> None:
    """List what differs, by meter."""
    event, base, currency = reading.event, level.baseline, work.currency

    def add(meter: str, read: str, counted: str, accepted: str) -> None:
        judged.compared.append(
            MeterComparison(meter=meter, read=read, for_counted=counted, for_accepted=accepted)
        )

    for meter, read, due, more, is_right in (
        (
            "display",
            sums.display,
            counting.display,
            gap[0],
            sums.is_display_right and not sums.off_display,
        ),
        (
            "reserve",
            sums.reserve,
            counting.reserve,
            gap[1],
            sums.is_reserve_right and not sums.off_reserve,
        ),
    ):
        if not is_right or more:
            add(meter, *(decimal_text(one, currency) for one in (read, due, due + more)))
    if base is None:
        return
    for meter, read, due, more in (
        ("in", event.in_count, base.in_count + counting.in_count, gap[2]),
        ("coin_in", event.coin_in_minor, base.coin_in_minor + counting.coin_in, gap[3]),
    ):
        if read != due or more:
            add(meter, str(read), str(due), str(due + more))
    had = {one.table_id: one for one in base.tables}
    for table in event.tables if level.has_counts else ():
        before = had.get(table.table_id)
        if before is None:
            continue
        count, stake = counting.tables.get(table.table_id, (0, 0))
        if table.in_count != before.in_count + count:
            right = str(before.in_count + count)
            add(f"in@{table.table_id}", str(table.in_count), right, right)
        if table.coin_in_minor != before.coin_in_minor + stake:
            right = str(before.coin_in_minor + stake)
            add(f"coin_in@{table.table_id}", str(table.coin_in_minor), right, right)


def _settle_row(
    judged: Judged, reading: Reading, arithmetic: bool, is_alike: bool, compared: Compared
) -> None:
    if reading.is_lost:
        return
    if judged.is_right is None:
        judged.is_right = arithmetic and not any(
            one.meter in ("display", "reserve")
            and one.read != one.for_counted
            and one.for_counted == one.for_accepted
            for one in judged.compared
        )
    if not is_alike:
        judged.is_complete = False
    elif not (compared.is_undecided or reading.absent):
        judged.is_complete = True


def _go_on(
    work: Work,
    level: Level,
    counting: Counting,
    reading: Reading,
    sums: Sums,
    told: list[Attribution],
    gap: tuple[int, int, int, int],
    by_counts: tuple[int, int],
    active: tuple[bool, tuple[Matter, ...]],
) -> None:
    """Let the next reading be held against this one."""
    event, effect, base = reading.event, reading.effect, level.baseline
    currency = work.currency
    off_display, off_reserve = sums.off_display, sums.off_reserve
    counted_display = counting.display + by_counts[0]
    counted_reserve = counting.reserve + by_counts[1]
    if reading.is_lost or reading.is_opening:
        counted_display, counted_reserve = sums.display, sums.reserve
        off_display = off_reserve = 0
    elif told and not any(one.cause is Cause.UNEXPLAINED for one in told):
        more_display, more_reserve = _effect_of(told)
        off_display += more_display
        off_reserve += more_reserve
    else:
        if not sums.is_display_right:
            off_display = sums.display - counted_display
        if not sums.is_reserve_right:
            off_reserve = sums.reserve - counted_reserve
    tables = {one.table_id: one for one in base.tables} if base else {}
    for one in event.tables:
        tables[one.table_id] = TableCounts(one.table_id, one.in_count, one.coin_in_minor)
    display = amount_parts(event.display, currency)
    if event.showing_table_id is not None:
        display = sums.display - amount_parts(event.overflow, currency)
    # Looks at the baseline before this one.
    level.recent = counted_lately(level, counting, effect, reading.up_to)
    level.baseline = Baseline(
        effect.position,
        display,
        sums.reserve,
        amount_parts(event.overflow, currency),
        event.in_count,
        event.coin_in_minor,
        event.hits_count,
        event.wins_minor,
        event.voided_count,
        event.voided_minor,
        tuple(tables.values())[-TABLES_MAX:],
        counted_display,
        counted_reserve,
        off_display,
        off_reserve,
        gap[0] - by_counts[0],
        gap[1] - by_counts[1],
        gap[2],
        gap[3],
        _latest(counting.locks.values()),
        *active,
    )
    level.shown = (*level.shown, (effect.at_us, counted_display + off_display))[-SHOWN_KEPT:]
    level.is_cut = False


def _latest(locks: Iterable[LockSaid]) -> tuple[LockSaid, ...]:
    """Keep the latest lock-outs of each table."""
    kept: dict[str, list[LockSaid]] = {}
    for one in sorted(locks, key=lambda lock: (lock.at_us, lock.sequence)):
        kept.setdefault(one.table_id, []).append(one)
    return tuple(one for each in kept.values() for one in each[-LOCKS_KEPT:])


def _tie(level: Level, effect: Effect, judged: Judged) -> None:
    """Tie the gaming date to the reading."""
    day = level.day
    if day is not None and day.begin_us <= effect.at_us < day.end_us:
        is_tied = bool(judged.is_right) and judged.is_complete is not False
        level.day = day._replace(last_reading=effect.sequence, is_tied=is_tied)


def _open_run_entries(level: Level, up_to: list[Effect]) -> list[Effect]:
    """Give the wagers of runs that may go on: they are told together with what follows."""
    if not level.runs:
        return []
    wanted = {(run.table_id, wager) for run in level.runs for wager in run.wagers}
    return [one for one in up_to if one.kind == "accept" and (one.table, one.name) in wanted]
