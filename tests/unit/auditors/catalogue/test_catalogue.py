"""The catalogue describes every finding code, once, in words about records."""

import itertools
import re

from auditors.catalogue import Lane, load_catalogue
from schemas.findings import FindingCode, Severity

INTENT = re.compile(r"\b(cheat|collu|fraud|suspect|steal|theft|dishonest)", re.IGNORECASE)

SEVERITIES = """
C CHAIN_BROKEN FEED_SPLIT SHOE_COMPOSITION CARD_FROM_OTHER_SHOE CARD_AFTER_NATURAL
C THIRD_CARD_NOT_DRAWN THIRD_CARD_DRAWN_IN_ERROR PAYTABLE_MISMATCH METER_DECREASED RATE_MISMATCH
C JACKPOT_MISPAID ADJUSTMENT_UNAUTHORISED PARAMETER_CHANGED_IN_USE
H SEQUENCE_GAP SEQUENCE_CONFLICT DEVICE_FAULT_OPEN COVER_CARD_OVERRUN CARD_REMOVED
H SHOE_ORDER_REPEATED DEAL_ORDER RESULT_MISANNOUNCED WINNING_WAGERS_MISREPORTED WAGER_LATE
H WAGER_CHANGED_LATE WAGER_NOT_OFFERED WAGER_WITHOUT_BASE STAKE_TAKEN_TWICE WAGER_OVERPAID
H WAGER_UNDERPAID LOSER_PAID LOSER_NOT_COLLECTED WAGER_NOT_SETTLED SETTLED_TWICE
H SETTLEMENT_CONFLICT CORRECTION_UNAUTHORISED VOID_NOT_REFUNDED RULES_SUBMISSION_DEFECT METER_DRIFT
H CONTRIBUTION_MISSING CONTRIBUTION_DUPLICATED RESEED_MISMATCH LINK_DISAGREES
H PROGRESSIVE_WAGER_AFTER_LOCKOUT OVERFLOW_MISHANDLED
N CLOCK_REGRESSION EVENT_REJECTED TABLE_SILENT SHOE_NOT_INSPECTED BURN_MISMATCH
N POINTS_MISANNOUNCED CARD_UNREADABLE WAGER_OUT_OF_LIMITS SETTLED_OUT_OF_TURN VIGORISH_WRONG
N VIGORISH_OUTSTANDING RULE_LAPSED RULE_NOT_YET_IN_FORCE RULES_CHANGED_MID_SHOE
N PROGRESSIVE_CHIPS_MISMATCH PROGRESSIVE_STAKE_NOT_UNIT
"""

WORDS = {"C": Severity.CRITICAL, "H": Severity.HIGH, "N": Severity.NOTICE}


def test_every_code_is_described_in_the_order_of_the_codes() -> None:
    catalogue = load_catalogue()
    assert list(catalogue) == list(FindingCode)
    assert all(code is description.code for code, description in catalogue.items())


def test_the_default_severities_are_the_agreed_ones() -> None:
    agreed = {
        FindingCode(code): WORDS[letter]
        for letter, *codes in (line.split() for line in SEVERITIES.split("\n") if line)
        for code in codes
    }
    assert {code: one.severity for code, one in load_catalogue().items()} == agreed


def test_every_lane_has_findings_and_they_stand_together() -> None:
    lanes = [description.lane for description in load_catalogue().values()]
    assert [lane for lane, _ in itertools.groupby(lanes)] == list(Lane)


def test_the_titles_tell_the_codes_apart() -> None:
    titles = [description.title for description in load_catalogue().values()]
    assert len(set(titles)) == len(titles)


def test_no_description_speaks_of_intent() -> None:
    texts = {
        code: f"{one.title} {one.subject} {one.explanation} {one.what_to_do}"
        for code, one in load_catalogue().items()
    }
    assert {code for code, text in texts.items() if INTENT.search(text)} == set()


def test_every_citation_is_of_the_code() -> None:
    cited = {one.citation for one in load_catalogue().values()} - {""}
    assert [citation for citation in cited if not citation.startswith("58 Pa. Code §")] == []
