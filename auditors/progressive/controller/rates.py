"""Findings about a controller that is not configured as filed.

Each table has the rates of its own paytable letter; reset and limit are the progressive's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from auditors.law.interpretations import ResetAmount
from auditors.progressive.ledger.amounts import said_exactly
from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.scaling import SCALE, amount_parts, rate_parts
from auditors.progressive.ledger.state import LAG_US, Level, LinkedTable
from auditors.settlement.asserting import Claim
from schemas.events import ProgressiveParametersChanged, ProgressiveReading, ProgressiveTableJoined
from schemas.events.progressive import ProgressiveEvent
from schemas.finding_facts.progressive import RateConfigured, SettingConfigured
from schemas.findings import FindingCode
from schemas.progressive_inputs import FiledMeter

_Rate: TypeAlias = Literal["increment_rate", "reserve_rate"]


def check_rates(work: Work, level: Level, effect: Effect, event: ProgressiveEvent) -> None:
    """Compare the rates that an event of the controller states with those that are filed."""
    for table_id, parameter, text in _stated(level, event):
        table = level.tables.get(table_id)
        if text is None or table is None or table.filed is None:
            continue
        filed = _filed_at(table, effect.at_us)
        if any(_rate(one, parameter) == text for one in filed):
            continue
        if any(rate_parts(_rate(one, parameter)) == rate_parts(text) for one in filed):
            continue
        right = filed[-1]
        work.assert_once(
            level,
            FindingCode.RATE_MISMATCH,
            work.subject(level, f"{table_id}/{parameter}"),
            RateConfigured(
                table_id=table_id,
                parameter=parameter,
                configured=text,
                filed=_rate(right, parameter),
                paytable=right.paytable or None,
                rules_version=right.rules_version,
            ),
            Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us),
            Claim(wager=right.wager, citation=right.rate_citation),
        )


def check_configured(work: Work, level: Level, effect: Effect, event: ProgressiveReading) -> None:
    """Compare reset and limit as a reading has them with those that are filed.

    What was changed by an event of its own is not told again; nor is what stays as it was.
    """
    filed = [
        one
        for table in level.tables.values()
        if table.filed is not None
        for one in _filed_at(table, effect.at_us)
    ]
    if not filed:
        return
    said, before = dict(level.said_parameters), dict(level.configured)
    now: dict[str, int] = {}
    for parameter, text, right in _configured(event, filed):
        if text is None:
            now |= {parameter: before[parameter]} if parameter in before else {}
            continue
        value = amount_parts(text, work.currency)
        if value in {None if one is None else one * SCALE for one in right}:
            continue
        if said.get(parameter) == value:
            continue
        now[parameter] = value
        if before.get(parameter) == value:
            continue
        place = f"{parameter}@{effect.source}/{effect.feed}/{effect.sequence}"
        work.assert_once(
            level,
            FindingCode.PARAMETER_CHANGED_IN_USE,
            work.subject(level, place),
            SettingConfigured(
                parameter=parameter,
                configured=said_exactly(text, work.currency),
                filed_minor=right[0],
                sequence=effect.sequence,
            ),
            Origin(effect.source, effect.feed, (effect.sequence,), effect.at_us),
            Claim(wager=filed[0].wager),
        )
    if now != before:
        level.configured = tuple(sorted(now.items()))


def _configured(
    event: ProgressiveReading, filed: list[FiledMeter]
) -> Iterator[tuple[Literal["reset", "limit"], str | None, list[int | None]]]:
    """Give reset and limit as read and as filed; a reset out of the reserve has no amount (D6)."""
    if all(one.readings.get(ResetAmount.ID) != ResetAmount.RESERVE_ONLY for one in filed):
        yield "reset", event.reset, [one.reset_minor for one in filed]
    yield "limit", event.limit, [one.limit_minor for one in filed]


def _stated(level: Level, event: ProgressiveEvent) -> Iterator[tuple[str, _Rate, str | None]]:
    if isinstance(event, ProgressiveReading):
        for one in event.tables:
            yield one.table_id, "increment_rate", one.increment_rate
            yield one.table_id, "reserve_rate", one.reserve_rate
    elif isinstance(event, ProgressiveTableJoined):
        yield event.table_id, "increment_rate", event.increment_rate
        yield event.table_id, "reserve_rate", event.reserve_rate
    elif isinstance(event, ProgressiveParametersChanged) and event.parameter.endswith("_rate"):
        tables = [event.table_id] if event.table_id else sorted(level.tables)
        is_reserve = event.parameter == "reserve_rate"
        for name in tables:
            yield name, "reserve_rate" if is_reserve else "increment_rate", event.value_after


def _filed_at(table: LinkedTable, at_us: int) -> list[FiledMeter]:
    """Give the filings that may hold at a moment: both, within the lag of a change."""
    assert table.filed is not None
    before = table.filed_before
    if before is None or at_us > table.filed_since_us + LAG_US:
        return [table.filed]
    if at_us < table.filed_since_us - LAG_US:
        return [before]
    return [before, table.filed]


def _rate(filed: FiledMeter, parameter: str) -> str:
    return filed.increment_rate if parameter == "increment_rate" else filed.reserve_rate
