"""What folding one message carries along: the state so far, and what was put out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from auditors.law import Law, law_in_force, load_law
from auditors.law.model import Citations
from auditors.progressive.ledger.days import day_of
from auditors.progressive.ledger.state import (
    ASSERTED_KEPT,
    STANDING_IDS_MAX,
    STANDING_KEPT,
    Level,
    LinkedTable,
    ProgressiveState,
)
from auditors.settlement.asserting import Claim, Place, assert_finding
from auditors.values import evolve
from schemas.finding_facts import FindingFacts
from schemas.findings import Finding, FindingCode
from schemas.money import DEFAULT_CURRENCY
from schemas.progressive_inputs import FiledMeter
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record, RecordKind

_MAY_GO: Final = frozenset({RecordKind.HIT, RecordKind.PROGRESSIVE})
"""What may be put out again without a finding; a reading is judged once."""


@dataclass(slots=True)
class Origin:
    """Where something was said that a finding is about."""

    source_id: str
    feed_id: str
    evidence: tuple[int, ...]
    at_us: int
    coup: str | None = None
    seat: str | None = None
    act_us: int | None = None
    """When the act happened that is wrong; where it is None, ``at_us``."""


@dataclass(slots=True)
class Work:
    """One message on its way through the fold; local to a single call."""

    state: ProgressiveState
    """A copy of its own, changed in place, and given out when the message is through."""
    offset: int
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    """Kind and subject to the last record: one per subject and message."""
    known_us: int = 0
    """Every source that is waited for has said everything up to then."""
    closed_us: int | None = None
    """When the last linked table closed; None while one is open."""
    levels: dict[int, Level] = field(default_factory=dict)
    """Private copies of the levels that the message touches."""

    def level(self, number: int) -> Level:
        """Give the private copy of a level; a new one where nothing was heard of it."""
        found = self.levels.get(number)
        if found is None:
            old = next((one for one in self.state.levels if one.level == number), None)
            found = self.levels[number] = evolve(old) if old is not None else Level(number)
        return found

    def finish(self) -> ProgressiveState:
        """Give the state with the levels as they were left, and note what stands and what went."""
        self._note_standing()
        if len(self.levels) == 1 == len(self.state.levels):
            self.state.levels = tuple(self.levels.values())
        elif self.levels:
            kept = {one.level: one for one in self.state.levels} | self.levels
            self.state.levels = tuple(kept[number] for number in sorted(kept))
        return self.state

    def _note_standing(self) -> None:
        before = self.state.standing
        standing = before
        for key, record in self.records.items():
            name = "/".join(key)
            old = before.get(name, ())
            if record.kind not in _MAY_GO or not (old or record.findings):
                continue
            ids = tuple(one.id for one in record.findings)
            if gone := tuple(one for one in old if one not in ids):
                self.records[key] = record.model_copy(update={"withdrawn": gone})
            if ids[:STANDING_IDS_MAX] != old:
                kept = {one: its for one, its in standing.items() if one != name}
                standing = {**kept, name: ids[:STANDING_IDS_MAX]} if ids else kept
        if standing is not before:
            forgotten = max(0, len(standing) - STANDING_KEPT)
            self.state.standing = dict(islice(standing.items(), forgotten, None))

    @property
    def currency(self) -> str:
        """The currency that the tables play in."""
        return self.state.currency or DEFAULT_CURRENCY

    @property
    def controller_feed(self) -> str:
        """The feed of the controller; empty where none is known."""
        for one in self.state.sources.values():
            if one.is_controller:
                return one.feed_id
        return ""

    def citations(self, level: Level) -> Citations:
        """Give what findings about a level cite that concern no one section."""
        return law_of(filed_of(level)).jurisdiction.citations

    def subject(self, level: Level, rest: str) -> str:
        """Name a matter of the progressive, with its level where it is not the first."""
        name = self.state.progressive_id
        return f"{name}/{rest}" if level.level == 1 else f"{name}/{level.level}/{rest}"

    def finding(
        self,
        level: Level,
        code: FindingCode,
        subject: str,
        facts: FindingFacts,
        said: Origin,
        claim: Claim | None = None,
    ) -> Finding:
        """Build a finding."""
        filed = filed_of(level)
        act_us = said.at_us if said.act_us is None else said.act_us
        place = Place(
            source=said.source_id,
            feed=said.feed_id or None,
            coup=said.coup,
            seat=said.seat,
            currency=self.currency,
            rules_version=filed.rules_version if filed else None,
            evidence=said.evidence,
            occurred_at_us=act_us,
            gaming_date=day_of(filed, act_us).date if filed else None,
        )
        return assert_finding(code, subject, facts, place, claim or Claim())

    def assert_once(
        self,
        level: Level,
        code: FindingCode,
        subject: str,
        facts: FindingFacts,
        said: Origin,
        claim: Claim | None = None,
    ) -> None:
        """Put out a finding that is a record of its own, the first time that it stands."""
        name = f"{code.value}/{subject}"
        if name in level.asserted:
            return
        level.asserted = (*level.asserted, name)[-ASSERTED_KEPT:]
        found = self.finding(level, code, subject, facts, said, claim)
        self.emit(
            level, RecordKind.PROGRESSIVE, name, said.at_us, findings=(found,), feed=said.feed_id
        )

    def withdraw(self, level: Level, name: str, at_us: int) -> None:
        """Take back a finding that was put out under this subject."""
        self.emit(level, RecordKind.PROGRESSIVE, name, at_us)

    def emit(
        self,
        level: Level,
        kind: RecordKind,
        subject: str,
        at_us: int,
        *,
        row: LedgerRow | ReadingRow | HitRow | DayRow | None = None,
        findings: tuple[Finding, ...] = (),
        feed: str | None = None,
    ) -> None:
        """Put out a record; it replaces an earlier one of the same message and subject."""
        filed = filed_of(level)
        record = Record(
            kind=kind,
            table_id=self.state.progressive_id,
            feed_id=self.controller_feed if feed is None else feed,
            subject=subject,
            shoe_id=None,
            gaming_date=day_of(filed, at_us).date if filed else None,
            currency=self.currency,
            rules_version=filed.rules_version if filed else None,
            audit_epoch=load_law().audit_epoch,
            offset=self.offset,
            cause="event",
            occurred_at_us=at_us,
            is_simulated=self.state.is_simulated,
            progressive=row,
            findings=findings,
        )
        key = (kind.value, subject)
        self.records.pop(key, None)
        self.records[key] = record


def law_of(filed: FiledMeter | None) -> Law:
    """Give the law under which a meter is filed."""
    return law_in_force(filed.jurisdiction) if filed else load_law()


def filed_of(level: Level) -> FiledMeter | None:
    """Give the filing that the level goes by: that of its first table in order of names."""
    for name in sorted(level.tables):
        filed = level.tables[name].filed
        if filed is not None:
            return filed
    return None


def filed_of_table(table: LinkedTable | None, at_us: int) -> FiledMeter | None:
    """Give the filing that was in force at a table."""
    if table is None:
        return None
    is_before = table.filed_before is not None and at_us < table.filed_since_us
    return table.filed_before if is_before else table.filed
