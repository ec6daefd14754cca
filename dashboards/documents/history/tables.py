"""Tables and progressives of a store: which there are, their zones, and which checks are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from auditors.coverage import Coverage
from auditors.table import TableState, checks_off, checks_on, decode_state
from dashboards.documents.errors import NAMES_SHOWN, NotThereError
from schemas.canary import CANARY_TABLE
from schemas.progressive_rows import LedgerRow
from schemas.records import RecordKind
from schemas.words.suggestions import near_miss
from streams.replaying.sources import RecordSource

DEFAULT_ZONE: Final = "America/New_York"
"""Where a table has filed no time zone."""


_LATEST: Final = 2**62


_LEVELS: Final = 16


def known_table(source: RecordSource, table_id: str | None) -> str | None:
    """Check that a table is known.

    Raises:
        NotThereError: It is not; with the near miss.
    """
    if table_id is None:
        return None
    tables = source.tables()
    if table_id not in tables:
        tables = tuple(one for one in tables if one != CANARY_TABLE)
        hint = (
            near_miss(table_id, tables)
            or f"; there are {', '.join(tables[:NAMES_SHOWN]) or 'none'}"
        )
        raise NotThereError("table", table_id, source.name, hint)
    return table_id


def known_tables(source: RecordSource, table_ids: Sequence[str]) -> tuple[str, ...]:
    """Check that tables are known; each is given once.

    Raises:
        NotThereError: One is not; with the near miss.
    """
    for table_id in table_ids:
        known_table(source, table_id)
    return tuple(dict.fromkeys(table_ids))


def latest_state(source: RecordSource, table_id: str) -> TableState | None:
    """Give a table as it was at its latest checkpoint; None where there is none."""
    for record in source.checkpoints(table_id, _LATEST):
        if record.state is not None:
            return decode_state(record.state.encode())
    return None


def zone_of(state: TableState | None) -> str:
    """Give the time zone that a table has filed."""
    filing = state.filing if state is not None else None
    return filing.time_zone if filing is not None else DEFAULT_ZONE


def coverage_of(state: TableState | None) -> Coverage:
    """Say which checks a table feeds."""
    reports = frozenset(state.reports) if state is not None else frozenset()
    return Coverage(checks_on(reports), checks_off(reports))


def ledger_coverage(source: RecordSource, progressive_id: str) -> tuple[str, Coverage]:
    """Say in which zone a progressive is, and which checks of its meters are on.

    A check is on where it is on for every level. Nothing is on where there is no ledger.
    """
    on: dict[str, None] | None = None
    off: dict[tuple[str, str], None] = {}
    zone = DEFAULT_ZONE
    for level in range(1, _LEVELS + 1):
        record = source.record_of(progressive_id, RecordKind.LEDGER.value, str(level))
        row = record.progressive if record is not None else None
        if not isinstance(row, LedgerRow):
            break
        if on is None:
            on = dict.fromkeys(row.checks_on)
            states = (latest_state(source, table) for table, _, _ in row.tables)
            zone = next((zone_of(state) for state in states if state is not None), zone)
        off |= dict.fromkeys(row.checks_off)
    is_off = {check for check, _ in off}
    return zone, Coverage(tuple(one for one in on or () if one not in is_off), tuple(off))
