"""A voided coup gives every stake back; what was settled before it stands where that is filed."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode
from schemas.records import WagerStatus
from schemas.rules_submission import RulesSubmission
from tests.support.tables.played import PLAYER_WINS, a_table, dealt, found
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but

STAKE = 10_000


def voided(*stakes: int) -> TableScript:
    """A coup that is voided after two cards."""
    script = a_table()
    for number, stake in enumerate(stakes or (STAKE,)):
        script.wager("player", stake, seat=str(number + 1))
    script.close_bets().card("player", 1, "9S").card("banker", 1, "2S")
    return script.void()


def test_a_voided_coup_whose_stakes_went_back_is_no_finding() -> None:
    script = voided(STAKE, 2_000).refund("W1", STAKE).refund("W2", 2_000).close()
    folded = Folded(script.messages)
    assert folded.codes == []
    record = folded.coup("S1/1")
    assert record.coup is not None
    assert record.coup.state == "voided"
    assert [(row.status, row.due_minor, row.paid_minor) for row in record.wagers] == [
        (WagerStatus.REFUNDED, STAKE, STAKE),
        (WagerStatus.REFUNDED, 2_000, 2_000),
    ]


def test_a_stake_of_a_voided_coup_that_was_kept_is_found_at_its_end() -> None:
    script = voided(STAKE, 2_000).refund("W1", STAKE)
    assert found(script) == []
    folded = Folded(script.close().messages)
    finding = folded.finding
    assert finding.code is FindingCode.VOID_NOT_REFUNDED
    assert (finding.due_minor, finding.paid_minor, finding.difference_minor) == (2_000, 0, -2_000)
    assert finding.sentence == (
        "Seat 2, Player: coup 1 was voided, the 20.00 stake should have been returned; 0.00 was, "
        "20.00 is still owed."
    )
    assert finding.evidence == (5, 9)


def test_a_stake_given_back_in_part_is_short_by_the_rest() -> None:
    finding = Folded(voided().refund("W1", 4_000).close().messages).finding
    assert finding.code is FindingCode.VOID_NOT_REFUNDED
    assert finding.difference_minor == -6_000


def test_a_stake_given_back_in_two_parts_is_whole() -> None:
    script = voided().refund("W1", 4_000).refund("W1", 6_000, refund_id="R2").close()
    assert found(script) == []


def test_a_refund_said_twice_counts_once() -> None:
    finding = Folded(voided().refund("W1", 5_000).refund("W1", 5_000).close().messages).finding
    assert finding.difference_minor == -5_000


def test_a_refund_after_the_close_withdraws_the_finding() -> None:
    folded = Folded(voided().close().refund("W1", STAKE).messages)
    assert folded.codes == []
    assert folded.absorbed[-2].records[-1].findings != ()
    assert folded.absorbed[-1].records[-1].findings == ()


def test_more_than_the_stake_of_a_voided_coup_is_overpaid() -> None:
    finding = Folded(voided().refund("W1", STAKE + 500).close().messages).finding
    assert finding.code is FindingCode.WAGER_OVERPAID
    assert finding.difference_minor == 500


def test_a_withdrawn_wager_needs_no_refund() -> None:
    script = a_table()
    script.wager("player", STAKE)
    script.of_coup(said.WagerWithdrawn, wager_id="W1").close_bets().void().close()
    assert found(script) == []


def test_refunds_are_not_judged_where_they_are_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.REFUNDS))
    script.wager("player", STAKE)
    script.close_bets().void().close()
    assert found(script) == []


def test_a_coup_voided_after_its_close_goes_on_until_it_is_closed_again() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).close().void()
    assert found(script) == []
    script.correct("W1", -10_000).close()
    assert found(script) == []


def test_winnings_kept_of_a_coup_voided_afterwards_are_overpaid() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).close().void().close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_OVERPAID
    assert finding.difference_minor == STAKE


def test_missing_cards_of_a_voided_coup_are_no_fault_of_the_deal() -> None:
    script = a_table().close_bets().card("player", 1, "9S").void().close()
    assert found(script) == []


def test_a_void_explains_a_card_that_should_not_have_been_drawn() -> None:
    script = a_table().close_bets().deal("9S KD 2H", "2S 3H").void().close()
    assert found(script) == []


BIG = ("baccarat.player", "baccarat.banker", "baccarat.tie", "majestic_match")


def majestic(reading: str) -> RulesSubmission:
    wagers = [{"id": one} for one in BIG]
    return a_submission(game="baccarat", wagers=wagers, readings={"D24": reading})


def voided_after_four(reading: str, paid: int) -> TableScript:
    """Majestic Match is settled on the first four cards, then the coup is voided."""
    script = a_table(majestic(reading))
    script.wager("player", STAKE)
    script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3S", "7D KC").settle("W2", paid)
    return script.void().refund("W1", STAKE)


def test_under_d24_stands_a_settled_majestic_match_is_left_out_of_the_refund() -> None:
    assert found(voided_after_four("stands", 7_000).close()) == []


def test_under_d24_stands_a_settled_majestic_match_is_judged_as_ever() -> None:
    finding = Folded(voided_after_four("stands", 6_000).close().messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert finding.difference_minor == -1_000


def test_under_d24_refunded_a_settled_majestic_match_comes_back_to_its_stake() -> None:
    script = voided_after_four("refunded", 7_000)
    folded = Folded(script.close().messages)
    assert folded.finding.code is FindingCode.WAGER_OVERPAID
    assert folded.finding.difference_minor == 5_000
    assert folded.finding.interpretations == {"D24": "refunded"}


def test_under_d24_refunded_a_lost_majestic_match_goes_back() -> None:
    script = a_table(majestic("refunded"))
    script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3H", "7D KC").settle("W1", 0).void()
    assert found(TableScriptCopy(script).refund("W1", 2_000).close()) == []
    finding = Folded(script.close().messages).finding
    assert finding.code is FindingCode.VOID_NOT_REFUNDED
    assert finding.difference_minor == -2_000


def test_a_majestic_match_that_was_not_settled_before_the_void_is_refunded() -> None:
    script = a_table(majestic("stands"))
    script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3S", "7D KC").void()
    assert found(TableScriptCopy(script).refund("W1", 2_000).close()) == []
    assert found(script.close()) == ["VOID_NOT_REFUNDED"]


class TableScriptCopy(TableScript):
    """A script that goes on from where another one stands."""

    def __init__(self, script: TableScript) -> None:
        self.__dict__.update(script.__dict__, messages=list(script.messages))


def test_a_coup_voided_before_the_call_is_not_said_to_lack_base_wagers() -> None:
    script = a_table()
    script.wager("golden_talons@player", 500)
    assert found(script.void().refund("W1", 500).close()) == []


def test_wagers_of_a_voided_coup_need_no_settlement() -> None:
    script = voided().refund("W1", STAKE).close()
    assert "WAGER_NOT_SETTLED" not in found(script)


def test_a_payment_after_the_void_is_not_before_the_result() -> None:
    script = voided().settle("W1", STAKE).close()
    assert found(script) == []


def test_d30_void_settles_a_card_drawn_in_error_as_a_void_coup() -> None:
    submission = a_submission(readings={"D30": "void"})

    def played(paid: int) -> TableScript:
        script = a_table(submission)
        script.wager("player", STAKE)
        script.close_bets().deal("9S KD 2H", "2S 3H").result("player", 1, 5)
        return script.settle("W1", paid).close()

    expected = ["CARD_AFTER_NATURAL", "RESULT_MISANNOUNCED"]
    assert found(played(STAKE)) == expected
    assert found(played(0)) == [*expected, "VOID_NOT_REFUNDED"]
    assert found(played(20_000)) == [*expected, "WAGER_OVERPAID"]


def test_d30_void_holds_also_where_the_card_was_taken_out_of_the_hand() -> None:
    script = a_table(a_submission(readings={"D30": "void"}))
    script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).card("player", 3, "2H")
    script.of_coup(
        said.CardDrawnInError,
        error_id="E1",
        hand="player",
        position=3,
        disposition="burned",
        card="2H",
    )
    script.result("player", 9, 5).settle("W1", STAKE).close()
    assert found(script) == []


@pytest.mark.parametrize(
    ("told", "lacks"),
    [
        ({"reason": "misdeal"}, "no supervisor"),
        ({"authorised_by": "su-1"}, "no reason"),
        ({}, "no supervisor and no reason"),
    ],
)
def test_a_void_that_nobody_allowed_or_for_no_reason_is_a_correction_unauthorised(
    told: dict[str, str], lacks: str
) -> None:
    script = a_table()
    script.wager("player", STAKE)
    script.close_bets().card("player", 1, "9S").of_coup(said.CoupVoided, **told)
    at = script.sequence
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["CORRECTION_UNAUTHORISED"]
    finding = Folded(script.refund("W1", STAKE).close().messages).finding
    assert finding.sentence == f"The void of coup 1 has {lacks}."
    assert (finding.coup, finding.evidence) == ("S1/1", (at,))


def test_a_void_said_again_with_a_name_leaves_the_first_one_unauthorised() -> None:
    script = a_table()
    script.close_bets().card("player", 1, "9S").of_coup(said.CoupVoided, reason="misdeal")
    assert found(script.void().close()) == ["CORRECTION_UNAUTHORISED"]


def test_who_allowed_a_void_is_not_asked_of_a_table_that_reports_no_corrections() -> None:
    script = a_table(reports=all_but(said.Capability.CORRECTIONS))
    script.close_bets().card("player", 1, "9S").of_coup(said.CoupVoided).close()
    assert found(script) == []
