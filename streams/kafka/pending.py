"""Outputs that stand on the topics and that the history does not have yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from schemas.records import Record

RecordId: TypeAlias = tuple[str, str, str, int]
"""Table, kind, subject and the offset of the version."""


def record_id(record: Record) -> RecordId:
    """Say which version of which subject a record is."""
    return (*record.key, record.offset)


@dataclass(frozen=True, slots=True)
class Pending:
    """What stands on the topics behind the sink's watermark: it is on its way to the history."""

    records: frozenset[tuple[RecordId, int]] = frozenset()
    """With the audit epoch of each."""
    letters: frozenset[str] = frozenset()
    """Ids of dead letters."""
