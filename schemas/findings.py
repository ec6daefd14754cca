"""Findings: what the product asserts where a record differs from what should be.

A finding is a value with a code, a subject, an amount, typed facts, the sentence that is rendered
from them, and the paragraph it rests on. Codes are stored in verdicts and never reused.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from schemas.finding_facts import FindingFacts, facts_as_json
from schemas.instants import instant_text
from schemas.money import DEFAULT_CURRENCY, format_minor

FINDING_SCHEMA: Final = "ladderman.finding/2"
"""Name and version of the one shape in which findings are written everywhere."""


class Severity(StrEnum):
    """How soon somebody has to act."""

    CRITICAL = "critical"
    """Before the next coup."""

    HIGH = "high"
    """This shift."""

    NOTICE = "notice"
    """This week."""

    INFO = "info"
    """For the record."""


class FindingStatus(StrEnum):
    """Whether a finding still stands."""

    STANDING = "standing"
    """The record differs and nothing has put it right."""

    CORRECTED = "corrected"
    """Put right on the spot; the finding keeps its original difference."""

    WITHDRAWN = "withdrawn"
    """A later version of the record no longer lists it."""


class FindingCode(StrEnum):
    """Every code of the catalogue, in its order."""

    SEQUENCE_GAP = "SEQUENCE_GAP"
    SEQUENCE_CONFLICT = "SEQUENCE_CONFLICT"
    CHAIN_BROKEN = "CHAIN_BROKEN"
    FEED_SPLIT = "FEED_SPLIT"
    CLOCK_REGRESSION = "CLOCK_REGRESSION"
    EVENT_REJECTED = "EVENT_REJECTED"
    DEVICE_FAULT_OPEN = "DEVICE_FAULT_OPEN"
    TABLE_SILENT = "TABLE_SILENT"
    SHOE_COMPOSITION = "SHOE_COMPOSITION"
    SHOE_NOT_INSPECTED = "SHOE_NOT_INSPECTED"
    BURN_MISMATCH = "BURN_MISMATCH"
    COVER_CARD_OVERRUN = "COVER_CARD_OVERRUN"
    CARD_FROM_OTHER_SHOE = "CARD_FROM_OTHER_SHOE"
    CARD_REMOVED = "CARD_REMOVED"
    SHOE_ORDER_REPEATED = "SHOE_ORDER_REPEATED"
    DEAL_ORDER = "DEAL_ORDER"
    CARD_AFTER_NATURAL = "CARD_AFTER_NATURAL"
    THIRD_CARD_NOT_DRAWN = "THIRD_CARD_NOT_DRAWN"
    THIRD_CARD_DRAWN_IN_ERROR = "THIRD_CARD_DRAWN_IN_ERROR"
    RESULT_MISANNOUNCED = "RESULT_MISANNOUNCED"
    POINTS_MISANNOUNCED = "POINTS_MISANNOUNCED"
    WINNING_WAGERS_MISREPORTED = "WINNING_WAGERS_MISREPORTED"
    CARD_UNREADABLE = "CARD_UNREADABLE"
    WAGER_LATE = "WAGER_LATE"
    WAGER_CHANGED_LATE = "WAGER_CHANGED_LATE"
    WAGER_NOT_OFFERED = "WAGER_NOT_OFFERED"
    WAGER_WITHOUT_BASE = "WAGER_WITHOUT_BASE"
    WAGER_OUT_OF_LIMITS = "WAGER_OUT_OF_LIMITS"
    STAKE_TAKEN_TWICE = "STAKE_TAKEN_TWICE"
    WAGER_OVERPAID = "WAGER_OVERPAID"
    WAGER_UNDERPAID = "WAGER_UNDERPAID"
    LOSER_PAID = "LOSER_PAID"
    LOSER_NOT_COLLECTED = "LOSER_NOT_COLLECTED"
    WAGER_NOT_SETTLED = "WAGER_NOT_SETTLED"
    SETTLED_OUT_OF_TURN = "SETTLED_OUT_OF_TURN"
    SETTLED_TWICE = "SETTLED_TWICE"
    SETTLEMENT_CONFLICT = "SETTLEMENT_CONFLICT"
    CORRECTION_UNAUTHORISED = "CORRECTION_UNAUTHORISED"
    VIGORISH_WRONG = "VIGORISH_WRONG"
    VIGORISH_OUTSTANDING = "VIGORISH_OUTSTANDING"
    VOID_NOT_REFUNDED = "VOID_NOT_REFUNDED"
    RULE_LAPSED = "RULE_LAPSED"
    RULE_NOT_YET_IN_FORCE = "RULE_NOT_YET_IN_FORCE"
    PAYTABLE_MISMATCH = "PAYTABLE_MISMATCH"
    RULES_SUBMISSION_DEFECT = "RULES_SUBMISSION_DEFECT"
    RULES_CHANGED_MID_SHOE = "RULES_CHANGED_MID_SHOE"
    METER_DRIFT = "METER_DRIFT"
    METER_DECREASED = "METER_DECREASED"
    CONTRIBUTION_MISSING = "CONTRIBUTION_MISSING"
    CONTRIBUTION_DUPLICATED = "CONTRIBUTION_DUPLICATED"
    RATE_MISMATCH = "RATE_MISMATCH"
    JACKPOT_MISPAID = "JACKPOT_MISPAID"
    RESEED_MISMATCH = "RESEED_MISMATCH"
    LINK_DISAGREES = "LINK_DISAGREES"
    PROGRESSIVE_CHIPS_MISMATCH = "PROGRESSIVE_CHIPS_MISMATCH"
    PROGRESSIVE_WAGER_AFTER_LOCKOUT = "PROGRESSIVE_WAGER_AFTER_LOCKOUT"
    PROGRESSIVE_STAKE_NOT_UNIT = "PROGRESSIVE_STAKE_NOT_UNIT"
    ADJUSTMENT_UNAUTHORISED = "ADJUSTMENT_UNAUTHORISED"
    OVERFLOW_MISHANDLED = "OVERFLOW_MISHANDLED"
    PARAMETER_CHANGED_IN_USE = "PARAMETER_CHANGED_IN_USE"


def finding_id(source: str | None, feed: str | None, code: FindingCode, subject: str) -> str:
    """Name a finding by what it is about, so that the same fault has the same id everywhere.

    Args:
        source: What spoke: a table, a controller, or the file of recorded rounds.
        feed: One unbroken numbering of the source, or None for files.
        code: The finding's code.
        subject: The subject that the catalogue names for the code; one finding per subject.

    Returns:
        BLAKE2b-128 of the canonical JSON ``[1, source, feed, code, subject]``, 32 hex digits.
    """
    canonical = json.dumps(
        [1, source, feed, code.value, subject], ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()


class Finding(BaseModel):
    """One difference between what a record says and what should be; unknown is None."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str
    code: FindingCode
    severity: Severity
    status: FindingStatus = FindingStatus.STANDING
    source: str | None = None
    feed: str | None = None
    file: str | None = None
    line: int | None = None
    """Physical line in the file; the header is line 1."""
    column: str | None = None
    """Header name of the column that made the claim."""
    shoe: str | None = None
    coup: str | None = None
    seat: str | None = None
    wager: str | None = None
    """Full id, such as ``minibaccarat.banker``."""
    hand: str | None = None
    due_minor: int | None = None
    paid_minor: int | None = None
    difference_minor: int | None = None
    """Paid less due, as first found; a correction does not change it."""
    corrected_minor: int | None = None
    """Put right since, same sign as the difference."""
    residual_minor: int | None = None
    """Difference less what was put right."""
    currency: str = DEFAULT_CURRENCY
    sentence: str
    citation: str | None = None
    rules_version: str | None = None
    interpretations: dict[str, str] = Field(default_factory=dict)
    """Interpretation id to the code in force, for those that the verdict used."""
    evidence: tuple[int, ...] = ()
    """Sequences of the events that the finding rests on, ascending."""
    occurred_at_us: int | None = None
    """When the act happened that is wrong: the payment, the card, the call; microseconds since
    1970 UTC, as the device stamped it. None in files that tell no time. Likewise below."""
    coup_began_at_us: int | None = None
    gaming_date: str | None = None
    """ISO date of the accounting day of the coup or shoe, else of the act."""
    coup_no: int | None = None
    """Number of the coup in its shoe, from 1."""
    stake_minor: int | None = None
    patron: str | None = None
    """Keyed pseudonym, as the table reports it."""
    wager_id: str | None = None
    """The table's own id of the wager."""
    settlement_id: str | None = None
    """The table's own id of the payment that is wrong."""
    dealer: str | None = None
    """Keyed pseudonym of who dealt the coup."""
    title: str | None = None
    """What happened in a few words, the same wherever the finding is shown."""
    facts: FindingFacts | None = None
    """What the sentence and the title say, as typed data; None in findings of earlier builds."""

    def as_json(self) -> dict[str, object]:
        """Give the finding in the shape ``ladderman.finding/2``: money as decimal strings."""
        return {
            "schema": FINDING_SCHEMA,
            "id": self.id,
            "code": self.code.value,
            "severity": self.severity.value,
            "status": self.status.value,
            "source": self.source,
            "feed": self.feed,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "shoe": self.shoe,
            "coup": self.coup,
            "seat": self.seat,
            "wager": self.wager,
            "hand": self.hand,
            "due": self._money(self.due_minor),
            "paid": self._money(self.paid_minor),
            "difference": self._money(self.difference_minor),
            "corrected": self._money(self.corrected_minor),
            "residual": self._money(self.residual_minor),
            "currency": self.currency,
            "sentence": self.sentence,
            "citation": self.citation,
            "rules_version": self.rules_version,
            "interpretations": dict(self.interpretations),
            "evidence": list(self.evidence),
            "occurred_at": _instant(self.occurred_at_us),
            "coup_began_at": _instant(self.coup_began_at_us),
            "gaming_date": self.gaming_date,
            "coup_no": self.coup_no,
            "stake": self._money(self.stake_minor),
            "patron": self.patron,
            "wager_id": self.wager_id,
            "settlement_id": self.settlement_id,
            "dealer": self.dealer,
            "title": self.title,
            "facts": None if self.facts is None else facts_as_json(self.facts, self.currency),
        }

    @staticmethod
    def json_fields() -> tuple[str, ...]:
        """Give the names of the JSON fields after ``schema``, in their order."""
        empty = Finding(id="", code=FindingCode.EVENT_REJECTED, severity=Severity.INFO, sentence="")
        return tuple(empty.as_json())[1:]

    def _money(self, minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, self.currency)


def _instant(at_us: int | None) -> str | None:
    return None if at_us is None else instant_text(at_us)


FIELDS_OF_FINDING_1: Final = frozenset(
    {
        "id",
        "code",
        "severity",
        "status",
        "source",
        "feed",
        "file",
        "line",
        "column",
        "shoe",
        "coup",
        "seat",
        "wager",
        "hand",
        "due_minor",
        "paid_minor",
        "difference_minor",
        "corrected_minor",
        "residual_minor",
        "currency",
        "sentence",
        "citation",
        "rules_version",
        "interpretations",
        "evidence",
    }
)
"""Fields of a finding in records of ``ladderman.record/1``; all others are unknown there."""

FIELDS_SINCE_FINDING_2: Final = frozenset(Finding.model_fields) - FIELDS_OF_FINDING_1
"""Fields that findings have since ``ladderman.finding/2``."""
