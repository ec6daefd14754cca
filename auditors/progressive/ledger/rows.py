"""Rows of a ledger and of its days, as they are put out for people."""

from __future__ import annotations

from auditors.law.interpretations import MeterCents
from auditors.progressive.ledger.capabilities import checks_of
from auditors.progressive.ledger.context import Work, filed_of
from auditors.progressive.ledger.days import day_of
from auditors.progressive.ledger.movements import split_at_limit
from auditors.progressive.ledger.scaling import SCALE, decimal_text, shown_parts
from auditors.progressive.ledger.state import ROW_US, Day, Level, Receipt
from schemas.money import format_minor
from schemas.progressive_inputs import FiledMeter
from schemas.progressive_rows import DayRow, LedgerRow, ReceiptRow
from schemas.records import RecordKind


def limit_of(filed: FiledMeter | None) -> int | None:
    """Give the filed limit in parts."""
    return None if filed is None or filed.limit_minor is None else filed.limit_minor * SCALE


def put_ledger(work: Work, level: Level, at_us: int) -> None:
    """Put the ledger and its day out, where they moved since they were put out last."""
    filed = filed_of(level)
    if filed is None or level.changed_us <= level.row_us:
        return
    level.row_us = at_us
    as_of_us = -(-level.changed_us // ROW_US) * ROW_US
    ledger, currency = level.ledger, work.currency
    shown = split_at_limit(ledger.display, limit_of(filed))
    checks_on, checks_off = checks_of(level)
    row = LedgerRow(
        level=level.level,
        as_of_us=as_of_us,
        display=decimal_text(shown.display, currency),
        display_shown=decimal_text(
            shown_parts(shown.display, filed.readings.get(MeterCents.ID, MeterCents.TRUNCATED)),
            currency,
        ),
        reserve=decimal_text(ledger.reserve, currency),
        overflow=decimal_text(shown.overflow, currency),
        base=format_minor(filed.base_minor, currency),
        reset=format_minor(filed.reset_minor, currency),
        limit=None if filed.limit_minor is None else format_minor(filed.limit_minor, currency),
        in_count=ledger.in_count,
        coin_in_minor=ledger.coin_in_minor,
        hits_count=ledger.hits_count,
        wins_minor=ledger.wins // SCALE,
        voided_count=ledger.voided_count,
        voided_minor=ledger.voided_minor,
        house_funded=decimal_text(ledger.house_funded, currency),
        tables=tuple(
            (name, one.filed.increment_rate, one.filed.reserve_rate)
            for name, one in sorted(level.tables.items())
            if one.filed is not None
        ),
        pending_count=len(level.readings),
        checks_on=checks_on,
        checks_off=checks_off,
        received=tuple(_received(one, currency) for one in level.receipts),
    )
    work.emit(level, RecordKind.LEDGER, str(level.level), as_of_us, row=row)
    put_day(work, level, is_closed=False)


def _received(one: Receipt, currency: str) -> ReceiptRow:
    return ReceiptRow(
        transfer_id=one.transfer_id,
        from_progressive_id=one.from_id,
        from_level=one.from_level,
        at_us=one.at_us,
        display=decimal_text(one.display, currency),
        reserve=decimal_text(one.reserve, currency),
    )


def put_day(work: Work, level: Level, *, is_closed: bool) -> None:
    """Put the liability of the gaming date out."""
    day, filed = level.day, filed_of(level)
    if day is None or filed is None:
        return
    ledger, opening, currency = level.ledger, day.opening, work.currency
    shown = split_at_limit(ledger.display, limit_of(filed))

    def text(parts: int) -> str:
        return decimal_text(parts, currency)

    corrections = ledger.corrected - opening.corrected
    row = DayRow(
        level=level.level,
        opening=text(opening.liability),
        contributions=text(ledger.contributed - opening.contributed - corrections),
        jackpots=text(ledger.won - opening.won),
        reseeds=text(ledger.house_funded - opening.house_funded),
        house_awards=text(ledger.house_awards - opening.house_awards),
        adjustments=text(ledger.adjusted - opening.adjusted),
        closing=text(ledger.liability),
        display=text(shown.display),
        reserve=text(ledger.reserve),
        overflow=text(shown.overflow),
        residue=text(shown.display % SCALE + shown.overflow % SCALE + ledger.reserve % SCALE),
        last_reading_sequence=day.last_reading,
        is_tied=day.is_tied,
        is_closed=is_closed,
        corrections=text(corrections),
    )
    work.emit(level, RecordKind.PROGRESSIVE_DAY, f"{level.level}/{day.date}", day.begin_us, row=row)


def begin_day(level: Level, at_us: int) -> None:
    """Begin the gaming date of a moment."""
    filed = filed_of(level)
    if filed is not None:
        date, begin_us, end_us = day_of(filed, at_us)
        level.day = Day(date, begin_us, end_us, level.ledger)


def opened_with(level: Level, base_minor: int) -> None:
    """Begin the ledger with the filed base, or move it to that of another filing."""
    base = base_minor * SCALE
    level.is_filed = True
    if level.is_taken_over or level.opening == base:
        return
    before = level.opening or 0
    ledger = level.ledger
    level.opening = base
    level.ledger = ledger._replace(display=ledger.display + base - before)
