"""Builds findings from facts, in one place for files, folds and commands.

The catalogue gives the severity, a submission may raise it; the subject gives the id; the sentence
and the title are rendered from the facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

from auditors.catalogue import load_catalogue
from auditors.catalogue.consequence import severity_by_amount
from auditors.catalogue.sentences import words_of
from schemas.finding_facts import FindingFacts
from schemas.finding_facts.parts import PutRight
from schemas.findings import Finding, FindingCode, FindingStatus, Severity, finding_id
from schemas.money import DEFAULT_CURRENCY
from schemas.rules_submission import RulesSubmission

_ORDER = (Severity.INFO, Severity.NOTICE, Severity.HIGH, Severity.CRITICAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something was recorded: in a feed or in a line of a file."""

    source: str | None = None
    feed: str | None = None
    file: str | None = None
    line: int | None = None
    column: str | None = None
    shoe: str | None = None
    coup: str | None = None
    seat: str | None = None
    currency: str = DEFAULT_CURRENCY
    rules_version: str | None = None
    evidence: tuple[int, ...] = ()
    occurred_at_us: int | None = None
    """When the act happened that is wrong."""
    coup_began_at_us: int | None = None
    gaming_date: str | None = None
    coup_no: int | None = None
    dealer: str | None = None

    def at(self, column: str | None) -> Place:
        """Give the same place, in a column of its line."""
        return replace(self, column=column)

    @property
    def coup_subject(self) -> str:
        """The coup as part of a finding's subject; in a file with its line, as ids repeat there."""
        if self.line is None:
            return self.coup or "coup"
        return f"{self.coup}@{self.line}" if self.coup else f"@{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is asserted about it, beside code, subject and facts."""

    wager: str | None = None
    hand: str | None = None
    wager_id: str | None = None
    settlement_id: str | None = None
    patron: str | None = None
    stake_minor: int | None = None
    due_minor: int | None = None
    paid_minor: int | None = None
    citation: str | None = None
    interpretations: Mapping[str, str] = field(default_factory=dict)


NO_CLAIM = Claim()
"""A finding that is about no wager and no money."""


def severity_of(
    code: FindingCode,
    submission: RulesSubmission | None,
    outstanding_minor: int | None = None,
    currency: str = DEFAULT_CURRENCY,
) -> Severity:
    """Give the severity of a finding: the catalogue's, or the submission's where that is higher.

    Args:
        code: The finding's code.
        submission: What the property filed.
        outstanding_minor: Money still out, minor units, by which findings about money rank.
        currency: The currency of that amount.
    """
    by_amount = severity_by_amount(code, outstanding_minor, currency, submission)
    default = by_amount or load_catalogue()[code].severity
    filed = submission.severities.get(code, default) if submission else default
    return max(default, filed, key=_ORDER.index)


def assert_finding(
    code: FindingCode,
    subject: str,
    facts: FindingFacts,
    place: Place,
    claim: Claim = NO_CLAIM,
    *,
    submission: RulesSubmission | None = None,
) -> Finding:
    """Build a finding.

    Args:
        code: Its code.
        subject: What the catalogue names as the code's subject, as text; it makes the id unique.
        facts: What sentence and title are rendered from. They describe the record, never
            anybody's intent.
        place: Where it was recorded. A file of rounds does not say what was put right later, so
            there the corrected and the residual amount stay unknown.
        claim: Wager, money and law.
        submission: May raise the severity.
    """
    difference = None
    if claim.due_minor is not None and claim.paid_minor is not None:
        difference = claim.paid_minor - claim.due_minor
    follows_corrections = difference is not None and place.line is None
    found = Finding(
        id=finding_id(place.source or place.file, place.feed, code, subject),
        code=code,
        severity=severity_of(code, submission, difference, place.currency),
        source=place.source,
        feed=place.feed,
        file=place.file,
        line=place.line,
        column=place.column,
        shoe=place.shoe,
        coup=place.coup,
        seat=place.seat,
        wager=claim.wager,
        hand=claim.hand,
        due_minor=claim.due_minor,
        paid_minor=claim.paid_minor,
        difference_minor=difference,
        corrected_minor=0 if follows_corrections else None,
        residual_minor=difference if follows_corrections else None,
        currency=place.currency,
        sentence="",
        citation=claim.citation,
        rules_version=place.rules_version,
        interpretations=dict(claim.interpretations),
        evidence=place.evidence,
        occurred_at_us=place.occurred_at_us,
        coup_began_at_us=place.coup_began_at_us,
        gaming_date=place.gaming_date,
        coup_no=place.coup_no,
        stake_minor=claim.stake_minor,
        patron=claim.patron,
        wager_id=claim.wager_id,
        settlement_id=claim.settlement_id,
        dealer=place.dealer,
        facts=facts,
    )
    return worded(found)


class Change(TypedDict, total=False):
    """Fields of a finding that may change after it was asserted."""

    status: FindingStatus
    severity: Severity
    corrected_minor: int
    residual_minor: int
    facts: FindingFacts | None
    citation: str | None
    evidence: tuple[int, ...]


def worded(found: Finding, **changes: Unpack[Change]) -> Finding:
    """Change fields of a finding and render its sentence and title from what it says then.

    A finding without facts keeps its sentence, and its title is that of its code.
    """
    changed = found.model_copy(update=changes) if changes else found
    words = words_of(changed)
    return changed.model_copy(update={"sentence": words.sentence, "title": words.title})


def put_right(
    found: Finding,
    corrected_minor: int,
    how: PutRight | None = None,
    *,
    submission: RulesSubmission | None,
    evidence: tuple[int, ...] | None = None,
) -> Finding:
    """Give a finding of money with what was put right since; it keeps its original difference.

    Args:
        found: The finding as first asserted.
        corrected_minor: What was put right, minor units, with the sign of the difference.
        how: When that was; for facts that have a place for it.
        submission: May raise the severity, which goes by what is still out.
        evidence: The events that show it now; those of the finding where none are given.
    """
    residual = (found.difference_minor or 0) - corrected_minor
    facts = found.facts
    if how is not None and facts is not None:
        facts = facts.model_copy(update={"put_right": how})
    return worded(
        found,
        severity=severity_of(found.code, submission, residual, found.currency),
        corrected_minor=corrected_minor,
        residual_minor=residual,
        status=FindingStatus.CORRECTED if residual == 0 else FindingStatus.STANDING,
        facts=facts,
        evidence=found.evidence if evidence is None else evidence,
    )
