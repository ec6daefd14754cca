"""A coup is played under a filing that is in effect when it begins."""

from __future__ import annotations

import datetime

import pytest

from schemas import events as said
from schemas.rules_submission import RulesSubmission
from tests.support.tables.table_script import START, Folded, TableScript, a_submission


def in_effect(seconds: float, **changes: object) -> RulesSubmission:
    """File with an effect so many seconds after the day of a script begins."""
    since = START + datetime.timedelta(seconds=seconds)
    return a_submission(effective_from=since, **changes)


# Feed, opening and shoe are the events before the first coup, a second apart.
@pytest.mark.parametrize(
    ("seconds", "codes"),
    [
        (-86_400, []),
        (3.5, []),
        (4, []),
        (4.000001, ["RULES_SUBMISSION_DEFECT"]),
        (86_400, ["RULES_SUBMISSION_DEFECT"]),
    ],
)
def test_a_filing_is_in_effect_when_the_first_coup_under_it_begins(
    seconds: float, codes: list[str]
) -> None:
    script = TableScript().open(in_effect(seconds)).shoe()
    for _ in range(3):
        script.honest_coup()
    assert Folded(script.messages).codes == codes


def test_the_sentence_says_both_times_at_the_property() -> None:
    script = TableScript().open(in_effect(3_600)).shoe().honest_coup()
    finding = Folded(script.messages).finding
    assert finding.sentence == (
        "A coup began at 2025-06-07 18:00:04-04:00 under Rules Submission RS-7, "
        "which takes effect only at 2025-06-07 19:00:00-04:00."
    )
    assert (finding.rules_version, finding.evidence) == ("RS-7", (4,))


def test_a_filing_changed_to_before_its_time_is_found_and_the_one_before_it_is_not() -> None:
    script = TableScript().open(in_effect(0)).shoe().honest_coup().end_shoe()
    later = in_effect(7_200, id="RS-8")
    script.say(said.RulesSubmissionChanged, submission=later).shoe("S2").honest_coup()
    finding = Folded(script.messages).finding
    assert (finding.code.value, finding.rules_version) == ("RULES_SUBMISSION_DEFECT", "RS-8")


def test_a_table_that_only_opens_before_its_filing_takes_effect_is_none() -> None:
    script = TableScript().open(in_effect(600)).shoe()
    script.now += datetime.timedelta(seconds=600)
    script.say(said.Heartbeat)
    assert "RULES_SUBMISSION_DEFECT" not in Folded(script.honest_coup().messages).codes


def test_times_are_corrected_by_the_offset_of_the_clock() -> None:
    script = TableScript().open(in_effect(60), clock_offset_us=60_000_000).shoe().honest_coup()
    assert Folded(script.messages).codes == []


def test_the_first_coup_before_the_effect_is_named_also_on_the_next_day() -> None:
    script = TableScript().open(in_effect(10 * 86_400)).shoe().honest_coup()
    first = Folded(script.messages).finding
    script.now += datetime.timedelta(days=1)
    script.open_again(in_effect(10 * 86_400)).shoe("S2").honest_coup()
    assert first in Folded(script.messages).findings
