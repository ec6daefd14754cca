"""How does a difference become a finding? One place builds them, for files, folds and commands.

The catalogue gives the severity, a submission may raise it; the subject gives the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from auditors.catalogue import load_catalogue
from schemas.findings import Finding, FindingCode, Severity, finding_id
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
    """What is asserted about it, beside code, subject and sentence."""

    wager: str | None = None
    hand: str | None = None
    due_minor: int | None = None
    paid_minor: int | None = None
    citation: str | None = None
    interpretations: Mapping[str, str] = field(default_factory=dict)


NO_CLAIM = Claim()
"""A finding that is about no wager and no money."""


def severity_of(code: FindingCode, submission: RulesSubmission | None) -> Severity:
    """Give the severity of a code: the catalogue's, or the submission's where that is higher."""
    default = load_catalogue()[code].severity
    filed = submission.severities.get(code, default) if submission else default
    return max(default, filed, key=_ORDER.index)


def assert_finding(
    code: FindingCode,
    subject: str,
    sentence: str,
    place: Place,
    claim: Claim = NO_CLAIM,
    *,
    submission: RulesSubmission | None = None,
) -> Finding:
    """Build a finding.

    Args:
        code: Its code.
        subject: What the catalogue names as the code's subject, as text; it makes the id unique.
        sentence: Describes the record, never anybody's intent.
        place: Where it was recorded. A file of rounds does not say what was put right later, so
            there the corrected and the residual amount stay unknown.
        claim: Wager, money and law.
        submission: May raise the severity.
    """
    difference = None
    if claim.due_minor is not None and claim.paid_minor is not None:
        difference = claim.paid_minor - claim.due_minor
    follows_corrections = difference is not None and place.line is None
    return Finding(
        id=finding_id(place.source or place.file, place.feed, code, subject),
        code=code,
        severity=severity_of(code, submission),
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
        sentence=sentence,
        citation=claim.citation,
        rules_version=place.rules_version,
        interpretations=dict(claim.interpretations),
        evidence=place.evidence,
    )
