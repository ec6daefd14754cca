"""Which rows does a record become? One of its own, one per wager and one per finding.

Every row is a function of the record and of when it became known; nothing else goes in. They are
built by column: what a record says once stands beside each of its wagers, and tuples in between
would cost more than everything else.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

from schemas.records import CoupRow, Record
from streams.history.entries import DeadLetter, KnownRecord, ReceivedEvent

FIRST_KNOWN_MAX: Final = 2**64 - 1
"""``first_known = FIRST_KNOWN_MAX - known_at_us``: merges keep the highest, the earliest known."""

Built: TypeAlias = dict[str, list[Any]]
"""Column name to values."""

_COUP_FIELDS: Final = (
    "coup_no", "state", "is_determined", "is_unverified", "player_cards", "banker_cards",
    "player_points", "banker_points", "winner", "natural", "announced_winner", "dealer",
    "first_sequence", "last_sequence", "began_at_us", "stake_minor", "due_minor", "paid_minor",
)  # fmt: skip
_WAGER_FIELDS: Final = (
    "wager_no", "wager_id", "wager", "hand", "seat", "patron", "status", "paytable", "outcome",
    "outcome_code", "pays", "stake_minor", "due_minor", "paid_minor", "vigorish_due_minor",
    "vigorish_paid_minor", "citation", "interpretations",
)  # fmt: skip
_FINDING_FIELDS: Final = {
    "finding_id": "id", "file_column": "column",
} | {
    name: name
    for name in (
        "code", "severity", "status", "source", "feed", "file", "line", "shoe", "coup", "seat",
        "wager", "hand", "due_minor", "paid_minor", "difference_minor", "corrected_minor",
        "residual_minor", "currency", "sentence", "citation", "rules_version", "interpretations",
        "evidence",
    )
}  # fmt: skip
_SHOE_FIELDS: Final = {
    "shoe_state": "state", "decks": "decks", "coup_count": "coup_count", "cards_out": "cards_out",
    "loaded_sequence": "loaded_sequence", "loaded_at_us": "loaded_at_us",
}  # fmt: skip


def coup_columns(entries: Sequence[KnownRecord]) -> Built:
    """Give the columns of ``coups``."""
    records = [entry.record for entry in entries]
    coups = [coup_of(record) for record in records]
    return {
        **_versions(records, "coup_id"),
        **_origins(records),
        **_money_context(records),
        **{name: _values(coups, name) for name in _COUP_FIELDS},
        "wager_count": [len(record.wagers) for record in records],
        "finding_count": [len(record.findings) for record in records],
        **_bytes_and_time(entries),
    }


def other_subject_columns(entries: Sequence[KnownRecord]) -> Built:
    """Give the columns of ``other_subjects``: shoes, faults of feeds, matters of tables."""
    records = [entry.record for entry in entries]
    shoes = [record.shoe for record in records]
    return {
        **_versions(records, "subject"),
        "kind": [record.kind for record in records],
        **_origins(records),
        **_money_context(records),
        **{
            name: [getattr(one, field, None) for one in shoes]
            for name, field in _SHOE_FIELDS.items()
        },
        "finding_count": [len(record.findings) for record in records],
        **_bytes_and_time(entries),
    }


def checkpoint_columns(entries: Sequence[KnownRecord]) -> Built:
    """Give the columns of ``checkpoints``."""
    records = [entry.record for entry in entries]
    return {
        **_versions(records, "subject"),
        **_origins(records),
        "state_digest": [record.state_digest for record in records],
        **_bytes_and_time(entries),
    }


def wager_columns(entries: Sequence[KnownRecord]) -> Built:
    """Give the columns of ``wagers``."""
    records = [entry.record for entry in entries]
    coups = [coup_of(record) for record in records]
    counts = [len(record.wagers) for record in records]
    wagers = [wager for record in records for wager in record.wagers]
    shared: Built = {
        **_versions(records, "coup_id"),
        "shoe_id": [record.shoe_id for record in records],
        "gaming_date": [gaming_date(record.gaming_date) for record in records],
        "is_simulated": [record.is_simulated for record in records],
        **_money_context(records),
        "coup_no": [coup.coup_no for coup in coups],
        "coup_state": [coup.state for coup in coups],
        "began_at_us": [coup.began_at_us for coup in coups],
        "first_known": _first_known(entries),
    }
    return {
        **{name: _repeated(values, counts) for name, values in shared.items()},
        **{name: _values(wagers, name) for name in _WAGER_FIELDS},
    }


def finding_columns(entries: Sequence[KnownRecord]) -> Built:
    """Give the columns of ``findings``."""
    records = [entry.record for entry in entries]
    counts = [len(record.findings) for record in records]
    findings = [finding for record in records for finding in record.findings]
    shared: Built = {
        **_versions(records, "subject"),
        "kind": [record.kind for record in records],
        "gaming_date": [gaming_date(record.gaming_date) for record in records],
        "occurred_at_us": [record.occurred_at_us for record in records],
        "is_simulated": [record.is_simulated for record in records],
        "first_known": _first_known(entries),
    }
    return {
        **{name: _repeated(values, counts) for name, values in shared.items()},
        **{name: _values(findings, field) for name, field in _FINDING_FIELDS.items()},
    }


def event_columns(events: Sequence[ReceivedEvent]) -> Built:
    """Give the columns of ``events``."""
    return _stamped(events, ReceivedEvent._fields)


def dead_letter_columns(letters: Sequence[DeadLetter]) -> Built:
    """Give the columns of ``dead_letters``."""
    return _stamped(letters, DeadLetter._fields)


@lru_cache(maxsize=4096)
def gaming_date(text: str | None) -> datetime.date | None:
    """Read the gaming date of a record."""
    return None if text is None else datetime.date.fromisoformat(text)


def coup_of(record: Record) -> CoupRow:
    """Give what a record says about its coup."""
    if record.coup is None:
        raise ValueError(f"record {'/'.join(record.key)} is of a coup and says nothing about it")
    return record.coup


def _versions(records: Sequence[Record], subject: str) -> Built:
    return {
        "table_id": [record.table_id for record in records],
        subject: [record.subject for record in records],
        "version": [record.version for record in records],
    }


def _origins(records: Sequence[Record]) -> Built:
    return {
        "feed_id": [record.feed_id for record in records],
        "shoe_id": [record.shoe_id for record in records],
        "gaming_date": [gaming_date(record.gaming_date) for record in records],
        "audit_epoch": [record.audit_epoch for record in records],
        "log_offset": [record.offset for record in records],
        "cause": [record.cause for record in records],
        "occurred_at_us": [record.occurred_at_us for record in records],
        "is_simulated": [record.is_simulated for record in records],
    }


def _money_context(records: Sequence[Record]) -> Built:
    return {
        "currency": [record.currency for record in records],
        "rules_version": [record.rules_version for record in records],
    }


def _bytes_and_time(entries: Sequence[KnownRecord]) -> Built:
    return {
        "record_bytes": [entry.raw for entry in entries],
        "first_known": _first_known(entries),
    }


def _first_known(entries: Sequence[KnownRecord]) -> list[int]:
    return [FIRST_KNOWN_MAX - entry.known_at_us for entry in entries]


def _values(rows: Sequence[object], field: str) -> list[Any]:
    return [getattr(row, field) for row in rows]


def _repeated(values: Sequence[Any], counts: Iterable[int]) -> list[Any]:
    """Put what a record says once beside each of its rows."""
    return list(chain.from_iterable(map(repeat, values, counts)))


def _stamped(entries: Sequence[ReceivedEvent | DeadLetter], fields: Sequence[str]) -> Built:
    columns = {
        name: list(values) for name, values in zip(fields, zip(*entries, strict=True), strict=True)
    }
    known_at_us = columns.pop("known_at_us")
    return {**columns, "first_known": [FIRST_KNOWN_MAX - one for one in known_at_us]}
