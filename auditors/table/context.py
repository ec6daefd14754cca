"""What does folding one event carry along? The state so far, and what was put out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from auditors.asserting import Claim, Place, assert_finding
from auditors.law import load_law
from auditors.law.model import Section
from auditors.rules import Rules
from auditors.table.state import TableState
from auditors.terms import game_section, terms_of
from schemas.findings import Finding, FindingCode
from schemas.records import Record, RecordKind
from schemas.rules_submission import RulesSubmission

_RULES_KEPT: Final = 256


@dataclass(slots=True)
class Folding:
    """One event on its way through the fold; local to a single call."""

    state: TableState
    sequence: int
    offset: int
    """Offset of the delivered message: what makes the version."""
    occurred_at_us: int
    own_offset: int
    """Offset of the event's own bytes, where it was held."""
    is_amending: bool = False
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    """Kind and subject to the last record: one per subject and message."""

    @property
    def submission(self) -> RulesSubmission | None:
        """The Rules Submission in force."""
        return self.state.filing

    def place(self, **where: object) -> Place:
        """Give the place of a finding at this event."""
        feed = self.state.feed
        filing = self.state.filing
        base = Place(
            source=self.state.source_id,
            feed=feed.feed_id if feed else None,
            currency=filing.currency if filing else "USD",
            rules_version=filing.rules_version if filing else None,
            evidence=(self.sequence,),
        )
        return replace(base, **where) if where else base  # type: ignore[arg-type]

    def assert_once(
        self, kind: RecordKind, code: FindingCode, subject: str, sentence: str, claim: Claim
    ) -> None:
        """Put out a finding that is a record of its own."""
        finding = assert_finding(
            code, subject, sentence, self.place(), claim, submission=self.submission
        )
        self.emit_findings(kind, f"{code.value}/{subject}", (finding,))

    def emit_findings(self, kind: RecordKind, subject: str, found: Iterable[Finding]) -> None:
        """Put out a record that is nothing but findings."""
        self.emit(self.record(kind, subject, findings=tuple(found)))

    def record(self, kind: RecordKind, subject: str, **content: object) -> Record:
        """Build a record at this event."""
        state, filing = self.state, self.state.filing
        shoe = state.shoe
        fields: dict[str, object] = {
            "kind": kind,
            "table_id": state.source_id,
            "feed_id": state.feed.feed_id if state.feed else "",
            "subject": subject,
            "shoe_id": shoe.shoe_id if shoe else None,
            "gaming_date": state.gaming_date,
            "currency": filing.currency if filing else "USD",
            "rules_version": filing.rules_version if filing else None,
            "audit_epoch": load_law().audit_epoch,
            "offset": self.offset,
            "cause": "amended" if self.is_amending else "event",
            "occurred_at_us": self.occurred_at_us,
            "is_simulated": state.is_simulated,
        }
        # Every field is the fold's own; checking each again would double the cost of an event.
        return Record.model_construct(**{**fields, **content})  # type: ignore[arg-type]

    def emit(self, record: Record) -> None:
        """Put out a record; it replaces an earlier one of the same message and subject."""
        key = (record.kind.value, record.subject)
        self.records.pop(key, None)
        self.records[key] = record


def filing_key(submission: RulesSubmission) -> str:
    """Name a filing by its content: BLAKE2b-128 of its canonical JSON."""
    canonical = orjson.dumps(
        submission.model_dump(mode="json", by_alias=True), option=orjson.OPT_SORT_KEYS
    )
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class TableRules:
    """The law under one filing."""

    rules: Rules
    game: Section


_RULES: Final[dict[str, TableRules]] = {}


def rules_of(state: TableState, key: str) -> TableRules:
    """Give the law under a filing of the state; remembered by the filing's content."""
    found = _RULES.get(key)
    if found is None:
        submission = next(one for name, one in state.filings if name == key)
        found = _under(submission)
        if len(_RULES) >= _RULES_KEPT:
            _RULES.clear()
        _RULES[key] = found
    return found


def _under(submission: RulesSubmission) -> TableRules:
    """Read the law under a filing; readings that cannot be are defects of it, and not in force."""
    law = load_law()
    known = {
        id_: code
        for id_, code in submission.readings.items()
        if id_ in law.interpretations and code in law.interpretations[id_].codes
    }
    terms = terms_of(law, submission.model_copy(update={"readings": known}))
    terms = replace(terms, submission=submission)
    return TableRules(Rules(law, terms), game_section(law, terms))
