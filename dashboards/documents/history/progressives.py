"""Shapes of progressives for programs: a schema name for each, no floats."""

from __future__ import annotations

from typing import Final

from auditors.progressive.hits.pack import review_reasons
from auditors.progressive.ledger.amounts import exact_text
from auditors.progressive.ledger.double_entry import NOTHING, DayLiability, day_liability, together
from dashboards.documents.instants import utc
from schemas.money import format_minor
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record

PROGRESSIVE_SCHEMA: Final = "ladderman.progressive/1"
READING_SCHEMA: Final = "ladderman.reading/1"
HIT_SCHEMA: Final = "ladderman.hit/1"
LIABILITY_SCHEMA: Final = "ladderman.liability/1"

PROGRESSIVE_COLUMNS: Final = (
    "progressive",
    "level",
    "currency",
    "as_of",
    "display",
    "display_shown",
    "reserve",
    "overflow",
    "base",
    "reset",
    "limit",
    "in_count",
    "coin_in",
    "hits_count",
    "wins",
    "voided_count",
    "voided",
    "house_funded",
    "pending_readings",
    "tables",
    "rules_version",
    "checks_on",
    "checks_off",
    "received",
    "simulated",
)
READING_COLUMNS: Final = (
    "progressive",
    "level",
    "at",
    "feed",
    "sequence",
    "state",
    "showing_table",
    "display",
    "reserve",
    "overflow",
    "in_count",
    "hits_count",
    "wins",
    "currency",
    "arithmetic_right",
    "complete",
    "compared",
    "left_out",
    "simulated",
)
LIABILITY_COLUMNS: Final = (
    "progressive",
    "level",
    "gaming_date",
    "currency",
    "opening",
    "contributions",
    "jackpots",
    "reseeds",
    "house_awards",
    "adjustments",
    "corrections",
    "closing",
    "display",
    "reserve",
    "overflow",
    "residue",
    "last_reading",
    "tied",
    "closed",
    "balanced",
    "simulated",
)

_LINES: Final = (
    "opening",
    "contributions",
    "jackpots",
    "reseeds",
    "house_awards",
    "adjustments",
    "corrections",
    "closing",
    "display",
    "reserve",
    "overflow",
)


def progressive_json(record: Record, row: LedgerRow) -> dict[str, object]:
    """Give one level of a progressive."""
    currency = record.currency
    return {
        "schema": PROGRESSIVE_SCHEMA,
        "progressive": record.table_id,
        "level": row.level,
        "currency": currency,
        "as_of": utc(row.as_of_us),
        "display": row.display,
        "display_shown": row.display_shown,
        "reserve": row.reserve,
        "overflow": row.overflow,
        "base": row.base,
        "reset": row.reset,
        "limit": row.limit,
        "in_count": row.in_count,
        "coin_in": format_minor(row.coin_in_minor, currency),
        "hits_count": row.hits_count,
        "wins": format_minor(row.wins_minor, currency),
        "voided_count": row.voided_count,
        "voided": format_minor(row.voided_minor, currency),
        "house_funded": row.house_funded,
        "pending_readings": row.pending_count,
        "tables": [
            {"source": table, "increment_rate": increment, "reserve_rate": reserve}
            for table, increment, reserve in row.tables
        ],
        "rules_version": record.rules_version,
        "checks_on": list(row.checks_on),
        "checks_off": [{"check": check, "reason": reason} for check, reason in row.checks_off],
        "received": [
            {
                "transfer": one.transfer_id,
                "from": one.from_progressive_id,
                "level": one.from_level,
                "at": utc(one.at_us),
                "display": one.display,
                "reserve": one.reserve,
            }
            for one in row.received
        ],
        "simulated": record.is_simulated,
    }


def reading_json(record: Record, row: ReadingRow) -> dict[str, object]:
    """Give one reading and what became of it."""
    return {
        "schema": READING_SCHEMA,
        "progressive": record.table_id,
        "level": row.level,
        "at": utc(record.occurred_at_us),
        "feed": record.feed_id,
        "sequence": row.sequence,
        "state": row.state,
        "showing_table": row.showing_table_id,
        "display": row.display,
        "reserve": row.reserve,
        "overflow": row.overflow,
        "in_count": row.in_count,
        "hits_count": row.hits_count,
        "wins": format_minor(row.wins_minor, record.currency),
        "currency": record.currency,
        "arithmetic_right": row.is_arithmetic_right,
        "complete": row.is_complete,
        "compared": [one.model_dump(mode="json") for one in row.compared],
        "left_out": list(row.left_out),
        "findings": [one.id for one in record.findings],
        "simulated": record.is_simulated,
    }


def hit_json(record: Record, row: HitRow) -> dict[str, object]:
    """Give one hit with its shares."""
    currency = record.currency

    def money(minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, currency)

    return {
        "schema": HIT_SCHEMA,
        "progressive": record.table_id,
        "level": row.level,
        "hit": row.hit_id,
        "source": row.table_id,
        "coup": row.coup_id,
        "gaming_date": record.gaming_date,
        "cards": row.cards,
        "locked_at": utc(row.locked_at_us),
        "amount": row.amount,
        "amount_said": row.amount_said,
        "currency": currency,
        "policy": row.policy,
        "close_order": row.close_order,
        "needs_review": row.needs_review,
        "review_reasons": list(review_reasons(row)),
        "state": row.state,
        "shares": [
            {
                "source": one.table_id,
                "wager_id": one.wager.wager_id,
                "seat": one.wager.seat,
                "patron": one.wager.patron,
                "stake": money(one.wager.stake_minor),
                "due": money(one.due_minor),
                "paid": money(one.paid_minor),
                "slip": one.slip,
            }
            for one in row.shares
        ],
        "display_after": row.display_after,
        "reserve_funded": row.reserve_funded,
        "house_funded": row.house_funded,
        "rules_version": record.rules_version,
        "findings": [one.id for one in record.findings],
        "simulated": record.is_simulated,
    }


def liability_json(record: Record, row: DayRow) -> dict[str, object]:
    """Give the liability of one level over a gaming date."""
    day = day_liability(row, record.currency)
    return {
        **_lines_json(record.table_id, row.level, record.gaming_date, record.currency, day),
        "last_reading": row.last_reading_sequence,
        "tied": row.is_tied,
        "closed": row.is_closed,
        "balanced": day.is_balanced,
        "simulated": record.is_simulated,
    }


def total_json(
    gaming_date: str, currency: str, days: list[DayLiability], *, simulated: bool
) -> dict[str, object]:
    """Give the liabilities of all progressives of a currency together; no progressive is named."""
    total = together(days)
    return {
        **_lines_json(None, None, gaming_date, currency, total),
        "residue": exact_text(sum((one.residue for one in days), NOTHING), currency),
        "last_reading": None,
        "tied": None,
        "closed": None,
        "balanced": all(one.is_balanced for one in days),
        "simulated": simulated,
    }


def _lines_json(
    progressive: str | None,
    level: int | None,
    gaming_date: str | None,
    currency: str,
    day: DayLiability,
) -> dict[str, object]:
    return {
        "schema": LIABILITY_SCHEMA,
        "progressive": progressive,
        "level": level,
        "gaming_date": gaming_date,
        "currency": currency,
        **{name: exact_text(getattr(day, name), currency) for name in _LINES},
        "residue": exact_text(day.residue, currency),
    }


def csv_row(document: dict[str, object]) -> dict[str, object]:
    """Give a document as one row: lists in one cell, their parts separated by blanks."""
    return {name: _cell(value) for name, value in document.items()}


def _cell(value: object) -> object:
    return " ".join(_part(one) for one in value) if isinstance(value, list) else value


def _part(value: object) -> str:
    if isinstance(value, dict):
        return ":".join(str(one) for one in value.values())
    return str(value)
