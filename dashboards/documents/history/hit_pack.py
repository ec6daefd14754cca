"""The verification pack of a hit, gathered from a history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from auditors.progressive.hits.pack import Evidence, PackContent
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.progressives import hit_json
from dashboards.documents.instants import utc
from schemas import events as said
from schemas.events.progressive import ProgressiveEvent
from schemas.progressive_rows import HitRow, ReadingRow
from schemas.records import Record
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.history.reading.progressives import TIME_MAX, ProgressiveHistory, RawEvent

_AFTER_LOCK_US: Final = 120_000_000
"""A controller says the lock-out at most this much later."""

_READINGS_BEFORE: Final = 20
_READINGS_AFTER: Final = 20
_UNTIL_THE_LOCK: Final = (
    "progressive_wager_accepted",
    "progressive_reading",
    "progressive_adjusted",
    "progressive_locked_out",
    "progressive_reset",
    "progressive_parameters_changed",
)
_ABOUT_THE_HIT: Final = ("progressive_hit", "progressive_paid", "progressive_reset")
_BEFORE_US: Final = 86_400_000_000


def gather_pack(history: ProgressiveHistory, record: Record, hit: HitRow) -> PackContent:
    """Gather all about a hit: as it stands, with the raw events behind it."""
    locked_us = hit.locked_at_us or record.occurred_at_us
    progressive_id = record.table_id
    ledgers = history.ledgers(progressive_id, locked_us) or history.ledgers(progressive_id)
    ledger = next((row for _, row in ledgers if row.level == hit.level), None)
    readings = _readings(history, progressive_id, hit.level, locked_us)
    raw = _controller_events(history, record, hit, _begin_us(readings, locked_us), locked_us)
    heard = [event for event, _ in raw]
    coup = history.coup(hit.table_id, hit.coup_id)
    return PackContent(
        progressive_id=progressive_id,
        record=record,
        hit=hit,
        hit_json=hit_json(record, hit),
        coup=coup,
        ledger=ledger,
        readings=[
            (utc(one.occurred_at_us) or "", one.feed_id, reading) for one, reading in readings
        ],
        heard=heard,
        evidence=_evidence([*_coup_events(history, coup), *(one for _, one in raw)]),
        findings=[*record.findings, *(coup.findings if coup else ())],
        locked_at=utc(hit.locked_at_us),
        advisory=ADVISORY,
    )


def _readings(
    history: ProgressiveHistory, progressive_id: str, level: int, locked_us: int
) -> list[tuple[Record, ReadingRow]]:
    """Give the readings around the lock-out."""
    found = [one for one in history.readings(progressive_id) if one[1].level == level]
    before = [one for one in found if one[0].occurred_at_us <= locked_us]
    behind = [one for one in found if one[0].occurred_at_us > locked_us]
    return [*before[-_READINGS_BEFORE:], *behind[:_READINGS_AFTER]]


def _begin_us(readings: Sequence[tuple[Record, ReadingRow]], locked_us: int) -> int:
    """Give the moment of the last reading that was found right before the lock-out."""
    right = [
        record.occurred_at_us
        for record, row in readings
        if record.occurred_at_us <= locked_us
        and row.is_arithmetic_right
        and row.showing_table_id is None
    ]
    return right[-1] if right else locked_us - _BEFORE_US


def _controller_events(
    history: ProgressiveHistory, record: Record, hit: HitRow, begin_us: int, locked_us: int
) -> list[tuple[ProgressiveEvent, RawEvent]]:
    """Give what the controller said from a reading before the lock-out to the reset, in order."""
    source_id = history.source_of_feed(record.feed_id) if record.feed_id else None
    if source_id is None:
        return []
    raw = history.events_of_types(
        source_id, _UNTIL_THE_LOCK, begin_us, locked_us + _AFTER_LOCK_US
    ) + history.events_of_types(source_id, _ABOUT_THE_HIT, begin_us, TIME_MAX)
    found: dict[tuple[str, int, str], tuple[ProgressiveEvent, RawEvent]] = {}
    for one in raw:
        event = _read(one)
        if event is None or (event.progressive_id, event.level) != (record.table_id, hit.level):
            continue
        if one.occurred_at_us > locked_us + _AFTER_LOCK_US and getattr(
            event, "hit_id", None
        ) not in (None, hit.hit_id):
            continue
        found[(one.feed_id, one.sequence, one.content_hash)] = (event, one)
    return _until_the_lock(
        sorted(found.values(), key=lambda pair: (pair[1].occurred_at_us, pair[1].sequence)), hit
    )


def _until_the_lock(
    heard: Sequence[tuple[ProgressiveEvent, RawEvent]], hit: HitRow
) -> list[tuple[ProgressiveEvent, RawEvent]]:
    """Leave out what the controller said behind the lock-out and not about the hit."""
    kept, is_locked = [], False
    for event, raw in heard:
        is_about = getattr(event, "hit_id", None) == hit.hit_id and hit.hit_id is not None
        if not is_locked or is_about:
            kept.append((event, raw))
        if isinstance(event, said.ProgressiveLockedOut) and (event.table_id, event.coup_id) == (
            hit.table_id,
            hit.coup_id,
        ):
            is_locked = True
    return kept


def _read(one: RawEvent) -> ProgressiveEvent | None:
    try:
        event = parse_event(one.raw)
    except UnreadableEventError:
        return None
    return event if isinstance(event, ProgressiveEvent) else None


def _coup_events(history: ProgressiveHistory, coup: Record | None) -> list[RawEvent]:
    if coup is None or coup.coup is None:
        return []
    row = coup.coup
    return history.raw_events(coup.table_id, coup.feed_id, row.first_sequence, row.last_sequence)


def _evidence(events: Iterable[RawEvent]) -> list[Evidence]:
    return [
        Evidence(one.source_id, one.feed_id, one.sequence, utc(one.occurred_at_us) or "", one.raw)
        for one in events
    ]


def hit_name(row: HitRow) -> str:
    """Name a hit as a person may ask for it: by its id, else by table and coup."""
    return row.hit_id or f"{row.table_id}/{row.coup_id}/{row.level}"


def is_named(row: HitRow, wanted: str) -> bool:
    """Whether a hit is meant."""
    place = f"{row.table_id}/{row.coup_id}/{row.level}"
    return wanted in (row.hit_id, place) or re.sub(r"/1$", "", place) == wanted
