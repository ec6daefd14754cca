"""What folding one event carries along: the state so far and the records made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from auditors.law import load_law
from auditors.settlement.asserting import Claim, Place, assert_finding
from auditors.table.known.rules import TableRules, rules_under
from auditors.table.known.state import CoupState, ShoeState, TableState
from schemas.finding_facts import FindingFacts
from schemas.findings import Finding, FindingCode
from schemas.money import DEFAULT_CURRENCY
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import CoupRow, Record, RecordKind, ShoeRow, VideoRow, WagerRow
from schemas.rules_submission import RulesSubmission

Inputs: TypeAlias = dict[tuple[str, str, int | str, str | int], ProgressiveInput]
"""Kind, progressive, level or feed, and coup or sequence, to the last word on it."""


class Belonging(NamedTuple):
    """Feed, shoe, day and filing that a record belongs to."""

    feed_id: str
    shoe_id: str | None
    gaming_date: str | None
    currency: str
    rules_version: str | None


class Snapshot(NamedTuple):
    """A state as a checkpoint puts it out."""

    state: str
    digest: str
    state_format: int
    checks_off: tuple[tuple[str, str], ...]
    """Checks that the table cannot feed, with the reason."""


@dataclass(slots=True)
class Folding:
    """One event on its way through the fold; local to a single call."""

    state: TableState
    """The state as far as the event has been folded: a copy of its own, changed in place, and
    given out when the event is through."""
    sequence: int
    occurred_at_us: int
    own_offset: int
    """Offset of the event's own bytes, which may have been held."""
    offset: int
    """Offset of the delivered message: what makes the version."""
    is_amending: bool = False
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    """Kind and subject to the last record: one per subject and message."""
    inputs: Inputs = field(default_factory=dict)
    """What the ledgers of progressives are told, likewise."""

    def put_coup(self, coup: CoupState) -> CoupState:
        """Put a coup in the place of its earlier self; mostly it is the latest one."""
        coups, coup_id = self.state.coups, coup.coup_id
        if coups[-1].coup_id == coup_id:
            put = (*coups[:-1], coup)
        else:
            put = tuple([coup if one.coup_id == coup_id else one for one in coups])
        self.state.coups = put
        return coup

    def put_shoe(self, shoe: ShoeState) -> ShoeState:
        """Put the shoe in play in the place of its earlier self."""
        self.state.shoe = shoe
        return shoe

    @property
    def submission(self) -> RulesSubmission | None:
        """The Rules Submission in force."""
        return self.state.filing

    @property
    def currency(self) -> str:
        """The currency of the filing in force."""
        filing = self.state.filing
        return filing.currency if filing else DEFAULT_CURRENCY

    @property
    def feed_id(self) -> str:
        """The feed in whose turn this event is."""
        return self.state.feed.feed_id if self.state.feed else ""

    @property
    def rules(self) -> TableRules:
        """The law under the filing in force; only where one is."""
        return rules_of(self.state, self.state.filings[-1][0])

    def can(self, *words: str) -> bool:
        """Whether the table reports all of these."""
        return self.state.reports.issuperset(words)

    def place(self) -> Place:
        """Give the place of a finding at this event."""
        filing = self.state.filing
        return Place(
            source=self.state.source_id,
            feed=self.feed_id or None,
            currency=self.currency,
            rules_version=filing.rules_version if filing else None,
            evidence=(self.sequence,),
            occurred_at_us=self.occurred_at_us,
            gaming_date=self.state.gaming_date,
        )

    def assert_of_feed(self, code: FindingCode, subject: str, told: FindingFacts) -> None:
        """Put out a finding about what came through the feed; numbers begin anew with a feed."""
        self.assert_once(RecordKind.FEED, code, subject, told, is_of_feed=True)

    def assert_once(
        self,
        kind: RecordKind,
        code: FindingCode,
        subject: str,
        told: FindingFacts,
        claim: Claim | None = None,
        *,
        is_of_feed: bool = False,
    ) -> None:
        """Put out a finding that is a record of its own.

        Args:
            kind: What the record is about.
            code: The finding's code.
            subject: Its subject.
            told: Its facts.
            claim: Wager, money and law.
            is_of_feed: The subject is a number in the feed, so another feed may use it again.
        """
        finding = assert_finding(
            code, subject, told, self.place(), claim or Claim(), submission=self.submission
        )
        within = f"{self.feed_id}/" if is_of_feed else ""
        self.emit_findings(kind, f"{code.value}/{within}{subject}", (finding,))

    def emit_findings(self, kind: RecordKind, subject: str, found: Iterable[Finding]) -> None:
        """Put out a record that is nothing but findings."""
        self.emit(self.record(kind, subject, findings=tuple(found)))

    def record(
        self,
        kind: RecordKind,
        subject: str,
        of: Belonging | None = None,
        *,
        coup: CoupRow | None = None,
        wagers: tuple[WagerRow, ...] = (),
        shoe: ShoeRow | None = None,
        video: VideoRow | None = None,
        findings: tuple[Finding, ...] = (),
        withdrawn: tuple[str, ...] = (),
        snapshot: Snapshot | None = None,
    ) -> Record:
        """Build a record at this event.

        Args:
            kind: What the record is about.
            subject: Its subject.
            of: Where it belongs; None: to what is in play and in force now.
            coup: The coup, for the record of one.
            wagers: The wagers of the coup.
            shoe: The shoe, for the record of one.
            video: The recording, for the record of one.
            findings: All that stand.
            withdrawn: Ids of findings that the version before listed and this does not.
            snapshot: The state, for checkpoints.
        """
        state, of = self.state, of or self.belonging()
        return Record(
            kind=kind,
            table_id=state.source_id,
            feed_id=of.feed_id,
            subject=subject,
            shoe_id=of.shoe_id,
            gaming_date=of.gaming_date,
            currency=of.currency,
            rules_version=of.rules_version,
            audit_epoch=load_law().audit_epoch,
            offset=self.offset,
            cause="amended" if self.is_amending else "event",
            occurred_at_us=self.occurred_at_us,
            is_simulated=state.is_simulated,
            coup=coup,
            wagers=wagers,
            shoe=shoe,
            video=video,
            findings=findings,
            state_digest=snapshot.digest if snapshot else None,
            state=snapshot.state if snapshot else None,
            state_format=snapshot.state_format if snapshot else None,
            checks_off=snapshot.checks_off if snapshot else (),
            withdrawn=withdrawn,
        )

    def belonging(self) -> Belonging:
        """Give what a record at this event belongs to, unless it names something else."""
        state, filing = self.state, self.state.filing
        return Belonging(
            self.feed_id,
            state.shoe.shoe_id if state.shoe else None,
            state.gaming_date,
            self.currency,
            filing.rules_version if filing else None,
        )

    def emit(self, record: Record) -> None:
        """Put out a record; it replaces an earlier one of the same message and subject."""
        key = (record.kind.value, record.subject)
        replaced = self.records.pop(key, None)
        if replaced is not None and replaced.withdrawn:
            standing = {one.id for one in record.findings}
            gone = dict.fromkeys((*replaced.withdrawn, *record.withdrawn))
            withdrawn = tuple(one for one in gone if one not in standing)
            record = record.model_copy(update={"withdrawn": withdrawn})
        self.records[key] = record


def rules_of(state: TableState, key: str) -> TableRules:
    """Give the law under a filing of the state; mostly it is the one in force."""
    name, submission = state.filings[-1]
    if name == key:
        return rules_under(key, submission)
    for name, submission in reversed(state.filings):
        if name == key:
            return rules_under(key, submission)
    raise KeyError(f"no filing {key} in the state")
