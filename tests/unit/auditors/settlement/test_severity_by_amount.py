"""How severe a finding about money is follows from what is still out."""

import pytest

from auditors.catalogue.consequence import amounts_in_force
from auditors.settlement.asserting import Claim, Place, assert_finding, put_right
from schemas.finding_facts.payment import WithdrawnPaid
from schemas.findings import FindingCode as Code
from schemas.findings import FindingStatus, Severity
from schemas.rules_submission import RulesSubmission
from tests.support.tables.table_script import Folded, TableScript, a_submission

FEED = Place(source="BAC-01", feed="feed-1", evidence=(7,))
FACTS = WithdrawnPaid(wager_name="Banker")


def severity(
    code: Code, out: int, submission: RulesSubmission | None = None, place: Place = FEED
) -> Severity:
    claim = Claim(due_minor=out, paid_minor=0)
    return assert_finding(code, "w", FACTS, place, claim, submission=submission).severity


@pytest.mark.parametrize(
    ("minor", "expected"),
    [
        (1, Severity.NOTICE),
        (50, Severity.NOTICE),
        (499, Severity.NOTICE),
        (500, Severity.HIGH),
        (99_999, Severity.HIGH),
        (100_000, Severity.CRITICAL),
        (140_000, Severity.CRITICAL),
    ],
)
@pytest.mark.parametrize("code", [Code.WAGER_UNDERPAID, Code.VIGORISH_OUTSTANDING])
def test_money_still_out_ranks_by_its_amount(code: Code, minor: int, expected: Severity) -> None:
    assert severity(code, minor) is expected
    assert severity(code, -minor) is expected


def test_what_was_put_right_does_not_rank_any_more_and_the_rest_does() -> None:
    claim = Claim(due_minor=0, paid_minor=150_000)
    found = assert_finding(Code.LOSER_PAID, "w", FACTS, FEED, claim)
    assert found.severity is Severity.CRITICAL
    part = put_right(found, 149_000, submission=None)
    assert (part.severity, part.status) == (Severity.HIGH, FindingStatus.STANDING)
    whole = put_right(found, 150_000, submission=None)
    assert (whole.severity, whole.status) == (Severity.NOTICE, FindingStatus.CORRECTED)
    assert whole.id == found.id


def test_a_finding_without_an_amount_keeps_the_severity_of_its_code() -> None:
    assert assert_finding(Code.WAGER_OVERPAID, "w", FACTS, FEED).severity is Severity.HIGH
    assert severity(Code.WAGER_NOT_SETTLED, 1) is Severity.HIGH


def test_a_filing_raises_severities_by_lower_amounts_and_cannot_lower_them() -> None:
    lower = a_submission(severity_amounts={"high_from": "0.50", "critical_from": "100.00"})
    assert severity(Code.WAGER_UNDERPAID, 50, lower) is Severity.HIGH
    assert severity(Code.WAGER_UNDERPAID, 10_000, lower) is Severity.CRITICAL
    higher = a_submission(severity_amounts={"high_from": "50.00", "critical_from": "9000.00"})
    assert amounts_in_force("USD", higher) == amounts_in_force("USD", None)
    named = a_submission(severities={"WAGER_UNDERPAID": "critical"})
    assert severity(Code.WAGER_UNDERPAID, 1, named) is Severity.CRITICAL


def test_in_another_currency_only_filed_amounts_rank() -> None:
    place = Place(source="BAC-01", feed="feed-1", currency="JPY")
    assert severity(Code.WAGER_UNDERPAID, 1, None, place) is Severity.HIGH
    filed = a_submission(currency="JPY", severity_amounts={"high_from": "500"})
    assert severity(Code.WAGER_UNDERPAID, 499, filed, place) is Severity.NOTICE
    assert severity(Code.WAGER_UNDERPAID, 500, filed, place) is Severity.HIGH


def test_a_filing_that_names_no_amounts_is_written_as_before() -> None:
    assert "severity_amounts" not in a_submission().model_dump(mode="json")
    filed = a_submission(severity_amounts={"high_from": "1.00"})
    assert RulesSubmission.model_validate(filed.model_dump(mode="json", by_alias=True)) == filed


def test_the_amounts_come_with_the_filing_of_the_log() -> None:
    def played(submission: RulesSubmission) -> Severity:
        script = TableScript().open(submission).shoe().coup()
        wager = script.wager("banker", 10_000, "4")
        script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
        script.settle(wager, 19_450, stake_collected_minor=0).close()
        (found,) = [
            one for one in Folded(script.messages).findings if one.code is Code.WAGER_UNDERPAID
        ]
        return found.severity

    assert played(a_submission()) is Severity.NOTICE
    assert played(a_submission(severity_amounts={"high_from": "0.50"})) is Severity.HIGH
