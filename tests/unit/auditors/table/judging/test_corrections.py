"""What was put right keeps its finding with the residual; a wrong correction is a fault itself."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import Finding, FindingCode, FindingStatus
from tests.support.tables.played import BANKER_WINS, a_table, dealt, found
from tests.support.tables.table_script import Folded, TableScript, all_but

STAKE = 10_000


def overpaid() -> TableScript:
    """Banker paid without vigorish: 5.00 too much."""
    script = a_table()
    script.wager("banker", STAKE, seat="4")
    return dealt(script, BANKER_WINS).settle("W1", 20_000, vigorish_taken_minor=0)


def the_overpayment(script: TableScript) -> Finding:
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_OVERPAID
    assert (finding.due_minor, finding.paid_minor) == (19_500, 20_000)
    assert finding.difference_minor == 500
    return finding


def test_an_overpayment_put_right_at_once_keeps_its_finding_with_nothing_left() -> None:
    script = overpaid().correct("W1", -500, vigorish_taken_change_minor=500)
    at = script.sequence
    finding = the_overpayment(script.close())
    assert finding.status is FindingStatus.CORRECTED
    assert (finding.corrected_minor, finding.residual_minor) == (500, 0)
    # The correction came 14 seconds after six in the evening, New York time.
    assert "200.00 paid; overpaid 5.00 (58 Pa." in finding.sentence
    assert finding.sentence.endswith(" Corrected at 18:00:14; nothing is outstanding.")
    assert finding.title == "Banker overpaid 5.00, corrected"
    assert at in finding.evidence


def test_a_correction_changes_the_record_when_it_comes() -> None:
    script = overpaid()
    before = Folded(script.messages).absorbed[-1].records[-1].findings[0]
    folded = Folded(script.correct("W1", -500).messages)
    after = folded.absorbed[-1].records[-1].findings[0]
    assert (before.status, after.status) == (FindingStatus.STANDING, FindingStatus.CORRECTED)
    assert before.id == after.id
    row = folded.coup("S1/1").wagers[0]
    assert (row.paid_minor, row.due_minor) == (19_500, 19_500)


def test_a_part_put_right_leaves_the_rest() -> None:
    finding = the_overpayment(overpaid().correct("W1", -300).close())
    assert finding.status is FindingStatus.STANDING
    assert (finding.corrected_minor, finding.residual_minor) == (300, 200)
    assert finding.sentence.endswith(" 3.00 was corrected at 18:00:14; 2.00 is still outstanding.")
    assert finding.title == "Banker overpaid 5.00, 2.00 still outstanding"


def test_a_correction_the_wrong_way_makes_the_residual_greater() -> None:
    finding = the_overpayment(overpaid().correct("W1", 500).close())
    assert finding.status is FindingStatus.STANDING
    assert (finding.corrected_minor, finding.residual_minor) == (-500, 1_000)


def test_two_corrections_add_up() -> None:
    script = overpaid().correct("W1", -300).correct("W1", -200, correction_id="C-2").close()
    finding = the_overpayment(script)
    assert (finding.corrected_minor, finding.residual_minor) == (500, 0)


def test_the_same_correction_said_again_counts_once() -> None:
    finding = the_overpayment(overpaid().correct("W1", -300).correct("W1", -300).close())
    assert finding.residual_minor == 200


def test_a_correction_after_the_close_counts_too() -> None:
    script = overpaid().close().correct("W1", -500)
    folded = Folded(script.messages)
    assert folded.finding.status is FindingStatus.CORRECTED
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.state == "closed"


def test_a_correction_after_another_shoe_was_loaded_counts_too() -> None:
    script = overpaid().close().end_shoe().shoe("S2")
    script.say(
        said.PayoutCorrected,
        coup_id="S1/1",
        shoe_id="S1",
        correction_id="C-1",
        settlement_id="T-W1",
        paid_change_minor=-500,
        reason="seen on the recording",
        authorised_by="su-1",
    )
    assert the_overpayment(script).residual_minor == 0


@pytest.mark.parametrize("lacking", ["reason", "authorised_by"])
def test_a_correction_without_authoriser_or_reason_is_a_finding_beside(lacking: str) -> None:
    script = overpaid().correct("W1", -500, **{lacking: None}).close()
    folded = Folded(script.messages)
    assert folded.codes == ["CORRECTION_UNAUTHORISED", "WAGER_OVERPAID"]
    found_ = next(f for f in folded.findings if f.code is FindingCode.CORRECTION_UNAUTHORISED)
    word = {"reason": "reason", "authorised_by": "supervisor"}[lacking]
    assert found_.sentence == f"The 5.00 correction at seat 4 has no {word} (correction C-W1)."
    assert found_.evidence == (script.sequence - 1,)


def test_a_right_payment_corrected_downwards_is_underpaid() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).correct("W1", -5_000).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert (finding.difference_minor, finding.corrected_minor) == (-5_000, 0)
    assert (finding.residual_minor, finding.status) == (-5_000, FindingStatus.STANDING)


def test_a_right_payment_corrected_away_and_back_is_no_finding() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).correct("W1", -5_000)
    script.correct("W1", 5_000, correction_id="C-2").close()
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.absorbed[-2].records[-1].findings == ()


def test_a_losing_stake_left_and_then_collected_is_put_right() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 0, stake_collected_minor=0)
    script.correct("W1", 0, stake_collected_change_minor=STAKE).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.LOSER_NOT_COLLECTED
    assert (finding.difference_minor, finding.residual_minor) == (STAKE, 0)


def test_a_loser_paid_and_the_money_taken_back_is_put_right() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 20_000, stake_collected_minor=0)
    script.correct("W1", -20_000, stake_collected_change_minor=STAKE).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.LOSER_PAID
    assert (finding.difference_minor, finding.residual_minor) == (20_000, 0)


def test_a_loser_whose_winnings_alone_were_taken_back_keeps_the_stake_as_residual() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 20_000, stake_collected_minor=0)
    script.correct("W1", -10_000).close()
    finding = Folded(script.messages).finding
    assert (finding.difference_minor, finding.residual_minor) == (20_000, STAKE)


def test_a_stake_taken_twice_and_given_back_is_put_right() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 0, stake_collected_minor=2 * STAKE)
    script.correct("W1", 0, stake_collected_change_minor=-STAKE).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.STAKE_TAKEN_TWICE
    assert (finding.difference_minor, finding.residual_minor) == (-STAKE, 0)
    assert finding.status is FindingStatus.CORRECTED


def test_a_correction_of_an_unknown_settlement_is_rejected() -> None:
    script = overpaid().correct("W1", -500, settlement_id="T-other").close()
    assert found(script) == ["EVENT_REJECTED", "WAGER_OVERPAID"]


def test_corrections_are_applied_where_they_are_not_promised_and_not_judged() -> None:
    script = a_table(reports=all_but(said.Capability.CORRECTIONS))
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_500).correct("W1", -500, reason=None).close()
    assert Folded(script.messages).finding.residual_minor == 0


def test_a_corrected_count_of_money_without_authoriser_is_a_finding() -> None:
    script = TableScript().open()
    count: dict[str, object] = {"count_id": "N2", "amount_minor": 1, "occasion": "shift"}
    script.say(said.InventoryCounted, **count, corrects_count_id="N1", reason="counted anew")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.CORRECTION_UNAUTHORISED
    assert finding.sentence == "Count N2 replaced count N1 with no supervisor."


def test_a_corrected_count_that_somebody_allowed_is_none() -> None:
    script = TableScript().open()
    script.say(
        said.DropCounted,
        count_id="D2",
        amount_minor=1,
        gaming_date=script.now.date(),
        corrects_count_id="D1",
        reason="counted anew",
        authorised_by="su-1",
    )
    assert found(script) == []
