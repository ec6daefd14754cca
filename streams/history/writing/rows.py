"""The rows that a record becomes: one of its own, one per wager and one per finding.

Every row is a function of the record and of when it became known; nothing else goes in. They are
built by column: what a record says once stands beside each of its wagers, and rows in between would
cost more than everything else.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, Final, TypeAlias

import orjson

from schemas.finding_facts import encode_facts
from schemas.records import EPOCH_SHIFT
from streams.history.names import names_of
from streams.history.writing.entries import (
    DeadLetter,
    ReceivedEvent,
    ReceivedEvents,
    RecordFields,
    ToldRecord,
)

FIRST_KNOWN_MAX: Final = 2**64 - 1
"""``first_known = FIRST_KNOWN_MAX - known_at_us``: merges keep the highest, the earliest known."""

Built: TypeAlias = dict[str, Sequence[Any]]
"""Column name to values."""

_RECORD_FIELDS: Final = names_of(
    """
    kind table_id subject feed_id shoe_id gaming_date currency rules_version audit_epoch offset
    cause occurred_at_us is_simulated state_digest
    """
)
_ORIGINS: Final = (
    "feed_id",
    "shoe_id",
    "gaming_date",
    "audit_epoch",
    "log_offset",
    "cause",
    "occurred_at_us",
    "is_simulated",
)
_MONEY_CONTEXT: Final = ("currency", "rules_version")

_COUP_FIELDS: Final = names_of(
    """
    coup_no state is_determined is_unverified player_cards banker_cards player_points banker_points
    winner natural announced_winner dealer first_sequence last_sequence began_at_us stake_minor
    due_minor paid_minor
    """
)
_WAGER_FIELDS: Final = names_of(
    """
    wager_no wager_id wager hand seat patron status paytable outcome outcome_code pays stake_minor
    due_minor paid_minor vigorish_due_minor vigorish_paid_minor citation interpretations
    """
)
_FINDING_FIELDS: Final = (
    {
        "finding_id": "id",
        "file_column": "column",
    }
    | {
        name: name
        for name in names_of(
            """
        code severity status source feed file line shoe coup seat wager hand due_minor paid_minor
        difference_minor corrected_minor residual_minor currency sentence citation rules_version
        interpretations evidence coup_began_at_us coup_no stake_minor patron wager_id settlement_id
        dealer title
        """
        )
    }
    | {"act_occurred_at_us": "occurred_at_us"}
)
_SHOE_FIELDS: Final = {
    "shoe_state": "state",
    "decks": "decks",
    "coup_count": "coup_count",
    "cards_out": "cards_out",
    "loaded_sequence": "loaded_sequence",
    "loaded_at_us": "loaded_at_us",
}


def coup_columns(records: Sequence[ToldRecord]) -> Built:
    """Give the columns of ``coups``."""
    said = _said_once(records)
    fields = [record.fields for record in records]
    return {
        **_versions(said, "coup_id"),
        **_some(said, _ORIGINS),
        **_some(said, _MONEY_CONTEXT),
        **_columns([coup_of(field) for field in fields], _COUP_FIELDS),
        "wager_count": [len(field["wagers"]) for field in fields],
        "finding_count": [len(field["findings"]) for field in fields],
        **_bytes_and_time(records),
    }


def other_subject_columns(records: Sequence[ToldRecord]) -> Built:
    """Give the columns of ``other_subjects``: shoes, faults of feeds, matters of tables."""
    said = _said_once(records)
    shoes = [record.fields["shoe"] or {} for record in records]
    return {
        **_versions(said, "subject"),
        "kind": said["kind"],
        **_some(said, _ORIGINS),
        **_some(said, _MONEY_CONTEXT),
        **{name: [shoe.get(field) for shoe in shoes] for name, field in _SHOE_FIELDS.items()},
        "finding_count": [len(record.fields["findings"]) for record in records],
        **_bytes_and_time(records),
    }


def checkpoint_columns(records: Sequence[ToldRecord]) -> Built:
    """Give the columns of ``checkpoints``."""
    said = _said_once(records)
    return {
        **_versions(said, "subject"),
        **_some(said, _ORIGINS),
        "state_digest": said["state_digest"],
        **_bytes_and_time(records),
    }


def wager_columns(records: Sequence[ToldRecord]) -> Built:
    """Give the columns of ``wagers``."""
    said = _said_once(records)
    coups = [coup_of(record.fields) for record in records]
    shared: Built = {
        **_versions(said, "coup_id"),
        **_some(said, ("shoe_id", "gaming_date", "is_simulated")),
        **_some(said, _MONEY_CONTEXT),
        "coup_no": [coup["coup_no"] for coup in coups],
        "coup_state": [coup["state"] for coup in coups],
        "began_at_us": [coup["began_at_us"] for coup in coups],
        "first_known": _first_known(record.known_at_us for record in records),
    }
    wagers = [record.fields["wagers"] for record in records]
    return {**_beside(shared, wagers), **_columns(chain.from_iterable(wagers), _WAGER_FIELDS)}


def finding_columns(records: Sequence[ToldRecord]) -> Built:
    """Give the columns of ``findings``."""
    said = _said_once(records)
    shared: Built = {
        **_versions(said, "subject"),
        **_some(said, ("kind", "gaming_date", "occurred_at_us", "is_simulated")),
        "first_known": _first_known(record.known_at_us for record in records),
    }
    findings = [record.fields["findings"] for record in records]
    names = (*_FINDING_FIELDS.values(), "gaming_date", "facts")
    columns = _columns(chain.from_iterable(findings), names)
    return {
        **_beside(shared, findings),
        **{name: columns[field] for name, field in _FINDING_FIELDS.items()},
        "act_gaming_date": [gaming_date(text) for text in columns["gaming_date"]],
        "facts": [_facts_text(facts) for facts in columns["facts"]],
    }


def _facts_text(facts: Any) -> str | None:
    """Write facts as canonical JSON text, whether they come from values or from bytes."""
    if facts is None:
        return None
    return orjson.dumps(facts).decode() if isinstance(facts, dict) else encode_facts(facts)


def event_columns(events: ReceivedEvents) -> Built:
    """Give the columns of ``events``."""
    *columns, known_at_us = events.columns
    names = ReceivedEvent._fields[:-1]
    return {
        **dict(zip(names, columns, strict=True)),
        "first_known": _first_known(known_at_us),
    }


def dead_letter_columns(letters: Sequence[DeadLetter]) -> Built:
    """Give the columns of ``dead_letters``."""
    *columns, known_at_us = zip(*letters, strict=True)
    names = DeadLetter._fields[:-1]
    return {
        **dict(zip(names, columns, strict=True)),
        "first_known": _first_known(known_at_us),
    }


@lru_cache(maxsize=4096)
def gaming_date(text: str | None) -> datetime.date | None:
    """Read the gaming date of a record."""
    return None if text is None else datetime.date.fromisoformat(text)


def coup_of(fields: RecordFields) -> Mapping[str, Any]:
    """Give what a record says about its coup."""
    coup: Mapping[str, Any] | None = fields["coup"]
    if coup is None:
        key = "/".join((fields["table_id"], fields["kind"], fields["subject"]))
        raise ValueError(f"record {key} is of a coup and says nothing about it")
    return coup


def _said_once(records: Sequence[ToldRecord]) -> Built:
    """Give what records say outside of their rows."""
    said = _columns([record.fields for record in records], _RECORD_FIELDS)
    epochs, offsets = said["audit_epoch"], said.pop("offset")
    said["log_offset"] = offsets
    said["version"] = [
        (epoch << EPOCH_SHIFT) + offset for epoch, offset in zip(epochs, offsets, strict=True)
    ]
    said["gaming_date"] = [gaming_date(text) for text in said["gaming_date"]]
    return said


def _versions(said: Built, subject: str) -> Built:
    return {
        "table_id": said["table_id"],
        subject: said["subject"],
        "version": said["version"],
    }


def _some(said: Built, names: Iterable[str]) -> Built:
    return {name: said[name] for name in names}


def _bytes_and_time(records: Sequence[ToldRecord]) -> Built:
    return {
        "record_bytes": [record.raw for record in records],
        "first_known": _first_known(record.known_at_us for record in records),
    }


def _first_known(known_at_us: Iterable[int]) -> list[int]:
    return [FIRST_KNOWN_MAX - moment_us for moment_us in known_at_us]


def _columns(rows: Iterable[Mapping[str, Any]], names: tuple[str, ...]) -> Built:
    """Turn rows into columns."""
    columns = tuple(zip(*map(itemgetter(*names), rows), strict=True))
    return dict(zip(names, columns or repeat(()), strict=bool(columns)))


def _beside(shared: Built, rows: Sequence[Sequence[object]]) -> Built:
    """Put what a record says once beside each of its rows."""
    counts = [len(row) for row in rows]
    return {
        name: [*chain.from_iterable(map(repeat, values, counts))] for name, values in shared.items()
    }
