"""What stands about one table when its findings are grouped, as light as can be.

It is taken from records, or from columns of the history: every coup of the range with its wagers,
because a coup without a finding tells where a cause began and ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from schemas.findings import Finding
from schemas.money import DEFAULT_CURRENCY
from schemas.records import Record, RecordKind, WagerStatus

EventPlace: TypeAlias = tuple[str, int]
"""Feed and sequence."""


@dataclass(frozen=True, slots=True)
class ToldWager:
    """One wager of a coup that stood. Unknown is None."""

    wager: str
    """Full id of the law."""
    hand: str | None
    seat: str
    outcome: str | None
    outcome_code: str | None
    stake_minor: int | None
    paid_minor: int | None
    vigorish_minor: int | None
    """Vigorish due."""


@dataclass(frozen=True, slots=True)
class ToldCoup:
    """One coup with its place in the shoe and the money on it."""

    coup_id: str
    shoe_id: str | None
    coup_no: int
    feed_id: str
    gaming_date: str | None
    first_sequence: int
    last_sequence: int
    began_at_us: int
    stake_minor: int
    is_unverified: bool
    wagers: tuple[ToldWager, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldShoe:
    """One shoe: when it was loaded."""

    shoe_id: str
    feed_id: str
    loaded_sequence: int
    loaded_at_us: int


@dataclass(frozen=True, slots=True)
class ToldFinding:
    """One finding that stands, with the place of its record."""

    finding: Finding
    kind: RecordKind
    feed_id: str
    occurred_at_us: int
    gaming_date: str | None


@dataclass(frozen=True, slots=True)
class TableTold:
    """All that stands about one table in a range."""

    table_id: str
    currency: str = DEFAULT_CURRENCY
    is_simulated: bool = False
    coups: tuple[ToldCoup, ...] = ()
    """In the order in which they began."""
    shoes: tuple[ToldShoe, ...] = ()
    """In the order in which they were loaded."""
    findings: tuple[ToldFinding, ...] = ()
    ended: Mapping[EventPlace, EventPlace] = field(default_factory=lambda: MappingProxyType({}))
    """Where a fault was raised or a card removed, to where it was cleared or replaced."""


def told_of(
    records: Iterable[Record], ended: Mapping[str, Mapping[EventPlace, EventPlace]] | None = None
) -> tuple[TableTold, ...]:
    """Take what stands about each table from its standing records.

    Args:
        records: One record of each subject: the version that stands.
        ended: Table to where faults and removals began, and where each ended.

    Returns:
        The tables, by name.
    """
    tables: dict[str, list[Record]] = {}
    for record in records:
        tables.setdefault(record.table_id, []).append(record)
    return tuple(_table(name, tables[name], (ended or {}).get(name, {})) for name in sorted(tables))


def _table(
    table_id: str, records: list[Record], ended: Mapping[EventPlace, EventPlace]
) -> TableTold:
    coups = [coup for record in records if (coup := _coup(record)) is not None]
    shoes = [
        ToldShoe(
            record.subject, record.feed_id, record.shoe.loaded_sequence, record.shoe.loaded_at_us
        )
        for record in records
        if record.shoe is not None
    ]
    coups_by_id = {coup.coup_id: coup for coup in coups}
    currencies = [record.currency for record in records if record.coup is not None]
    return TableTold(
        table_id=table_id,
        currency=currencies[-1] if currencies else records[-1].currency,
        is_simulated=any(record.is_simulated for record in records),
        coups=tuple(sorted(coups_by_id.values(), key=lambda one: (one.began_at_us, one.coup_no))),
        shoes=tuple(sorted(shoes, key=lambda one: (one.loaded_at_us, one.shoe_id))),
        findings=tuple(
            ToldFinding(
                finding, record.kind, record.feed_id, record.occurred_at_us, record.gaming_date
            )
            for record in records
            for finding in record.findings
        ),
        ended=ended,
    )


def _coup(record: Record) -> ToldCoup | None:
    coup = record.coup
    if coup is None:
        return None
    return ToldCoup(
        coup_id=record.subject,
        shoe_id=record.shoe_id,
        coup_no=coup.coup_no,
        feed_id=record.feed_id,
        gaming_date=record.gaming_date,
        first_sequence=coup.first_sequence,
        last_sequence=coup.last_sequence,
        began_at_us=coup.began_at_us,
        stake_minor=coup.stake_minor,
        is_unverified=coup.is_unverified,
        wagers=tuple(
            ToldWager(
                wager=wager.wager,
                hand=wager.hand,
                seat=wager.seat,
                outcome=wager.outcome,
                outcome_code=wager.outcome_code,
                stake_minor=wager.stake_minor,
                paid_minor=wager.paid_minor,
                vigorish_minor=wager.vigorish_due_minor,
            )
            for wager in record.wagers
            if wager.status is not WagerStatus.WITHDRAWN
        ),
    )
