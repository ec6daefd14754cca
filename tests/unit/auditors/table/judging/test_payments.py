"""What was paid on a wager is compared with what was due; each fault has its code and money."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode, FindingStatus, Severity, finding_id
from schemas.records import WagerStatus
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, TIE, a_table, dealt, found
from tests.support.tables.table_script import (
    EVERYTHING,
    SEAT_TOTALS,
    Folded,
    TableScript,
    a_submission,
    all_but,
    with_wager,
)

STAKE = 10_000


def paid(
    wager: str,
    minor: int,
    hands: tuple[str, str] = PLAYER_WINS,
    **fields: object,
) -> TableScript:
    """One wager of 100.00 and one payment."""
    script = a_table()
    wager_id = script.wager(wager, STAKE)
    return dealt(script, hands).settle(wager_id, minor, **fields).close()


@pytest.mark.parametrize(
    ("wager", "minor", "hands", "fields"),
    [
        ("player", 20_000, PLAYER_WINS, {"stake_collected_minor": 0}),
        ("player", 20_000, PLAYER_WINS, {}),
        ("banker", 0, PLAYER_WINS, {"stake_collected_minor": STAKE}),
        ("banker", 19_500, BANKER_WINS, {"vigorish_taken_minor": 500}),
        ("banker", 10_000, TIE, {"stake_collected_minor": 0}),
        ("tie", 90_000, TIE, {}),
        ("golden_talons@player", 20_000, PLAYER_WINS, {}),
    ],
)
def test_a_wager_paid_as_it_came_out_is_no_finding(
    wager: str, minor: int, hands: tuple[str, str], fields: dict[str, object]
) -> None:
    script = a_table()
    main = script.wager("player", STAKE)
    wager_id = script.wager(wager, STAKE)
    due = {PLAYER_WINS: 20_000, BANKER_WINS: 0, TIE: 10_000}[hands]
    dealt(script, hands).settle(main, due).settle(wager_id, minor, **fields).close()
    assert found(script) == []


def test_a_winner_paid_too_much_is_overpaid_with_money_sentence_and_law() -> None:
    script = paid("banker", 20_000, BANKER_WINS, vigorish_taken_minor=0)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_OVERPAID
    assert finding.severity is Severity.HIGH
    assert (finding.due_minor, finding.paid_minor, finding.difference_minor) == (
        19_500,
        20_000,
        500,
    )
    assert (finding.corrected_minor, finding.residual_minor) == (0, 500)
    assert finding.sentence == (
        "Player 2S 3H KD, Banker AC 2D 5H. Banker 8, Player 5: Banker wins. 1 to 1 less 5 % "
        "vigorish: 100.00 + 95.00 = 195.00 due; 200.00 paid; overpaid 5.00 (58 Pa. Code "
        "§ 627a.11, .12 (text not seen); Rules Submission RS-7)."
    )
    assert finding.citation == "58 Pa. Code § 627a.11, .12 (text not seen)"
    assert (finding.source, finding.feed, finding.shoe, finding.coup, finding.seat) == (
        "BAC-01",
        "feed-1",
        "S1",
        "S1/1",
        "1",
    )
    assert (finding.wager, finding.hand, finding.rules_version) == (
        "minibaccarat.banker",
        None,
        "RS-7",
    )
    assert finding.interpretations == {"D27": "exact"}
    # The wager, the six cards and the settlement.
    assert finding.evidence == (4, 6, 7, 8, 9, 10, 11, 13)
    assert finding.status is FindingStatus.STANDING


def test_a_finding_is_named_by_the_wager_and_its_coup_where_the_wager_does_not_name_it() -> None:
    finding = Folded(paid("player", 20_100).messages).finding
    code = FindingCode.WAGER_OVERPAID
    assert finding.id == finding_id("BAC-01", "feed-1", code, "S1/1/W1")
    script = a_table()
    script.wager("player", STAKE, wager_id="S1/1/9")
    dealt(script).settle("S1/1/9", 20_100).close()
    finding = Folded(script.messages).finding
    assert finding.id == finding_id("BAC-01", "feed-1", code, "S1/1/9")


def test_a_winner_paid_too_little_is_underpaid() -> None:
    finding = Folded(paid("player", 19_999).messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert finding.difference_minor == -1
    assert "199.99 paid; underpaid 0.01" in finding.sentence


def test_a_push_that_was_collected_is_underpaid_by_the_stake() -> None:
    finding = Folded(paid("banker", 0, TIE, stake_collected_minor=STAKE).messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert (finding.due_minor, finding.paid_minor) == (STAKE, 0)
    assert "stake 100.00 returned = 100.00 due" in finding.sentence


def test_a_winner_recorded_with_zero_is_underpaid() -> None:
    finding = Folded(paid("player", 0).messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert finding.difference_minor == -20_000


def test_a_losing_wager_that_got_money_is_named_so() -> None:
    finding = Folded(paid("banker", 19_500, stake_collected_minor=STAKE).messages).finding
    assert finding.code is FindingCode.LOSER_PAID
    assert (finding.due_minor, finding.difference_minor) == (0, 19_500)


def test_a_losing_stake_left_in_part_was_not_collected() -> None:
    finding = Folded(paid("banker", 0, stake_collected_minor=4_000).messages).finding
    assert finding.code is FindingCode.LOSER_NOT_COLLECTED
    assert finding.difference_minor == 6_000


def test_a_losing_stake_handed_back_like_a_push_was_not_collected() -> None:
    finding = Folded(paid("banker", STAKE, stake_collected_minor=0).messages).finding
    assert finding.code is FindingCode.LOSER_NOT_COLLECTED
    assert finding.difference_minor == STAKE


def test_a_losing_stake_taken_and_paid_back_is_a_payment() -> None:
    finding = Folded(paid("banker", STAKE, stake_collected_minor=STAKE).messages).finding
    assert finding.code is FindingCode.LOSER_PAID


def test_collections_that_the_table_does_not_report_are_not_judged() -> None:
    script = a_table(reports=all_but(said.Capability.COLLECTIONS))
    wager_id = script.wager("banker", STAKE)
    dealt(script).settle(wager_id, 0, stake_collected_minor=0).close()
    assert found(script) == []


def test_more_collected_than_the_stake_is_taken_twice() -> None:
    finding = Folded(paid("banker", 0, stake_collected_minor=2 * STAKE).messages).finding
    assert finding.code is FindingCode.STAKE_TAKEN_TWICE
    assert finding.difference_minor == -STAKE
    assert (
        finding.sentence
        == "Seat 1, Banker: 200.00 was collected on a stake of 100.00; 100.00 too much."
    )


def test_a_stake_collected_before_the_deal_and_again_with_the_settlement_is_taken_twice() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.of_coup(
        said.StakeCollected, collection_id="K1", wager_id=wager_id, collected_minor=STAKE
    )
    dealt(script).settle(wager_id, 0, stake_collected_minor=STAKE).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.STAKE_TAKEN_TWICE
    assert finding.difference_minor == -STAKE


def test_a_stake_collected_before_the_deal_counts_for_a_loser() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    collection = {"collection_id": "K1", "wager_id": wager_id, "collected_minor": STAKE}
    script.of_coup(said.StakeCollected, **collection).of_coup(said.StakeCollected, **collection)
    dealt(script).settle(wager_id, 0, stake_collected_minor=0).close()
    assert found(script) == []


def test_a_stake_collected_in_part_before_the_deal_leaves_the_rest_uncollected() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.of_coup(
        said.StakeCollected, collection_id="K1", wager_id=wager_id, collected_minor=4_000
    )
    dealt(script).settle(wager_id, 0).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.LOSER_NOT_COLLECTED
    assert finding.difference_minor == 6_000


def test_more_than_the_stake_collected_apart_is_said_at_once() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.of_coup(
        said.StakeCollected, collection_id="K1", wager_id=wager_id, collected_minor=STAKE + 1
    )
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["STAKE_TAKEN_TWICE"]


def test_a_refund_of_what_was_taken_twice_puts_it_right() -> None:
    script = paid("banker", 0, stake_collected_minor=2 * STAKE)
    script.refund("W1", STAKE, reason="other")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.STAKE_TAKEN_TWICE
    assert finding.status is FindingStatus.CORRECTED
    assert (finding.difference_minor, finding.residual_minor) == (-STAKE, 0)


def test_a_wager_without_settlement_is_found_at_the_end_of_the_coup() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script)
    assert found(script) == []
    script.close()
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["WAGER_NOT_SETTLED"]
    assert (
        folded.finding.sentence
        == "Seat 1, Player: neither paid nor collected by the end of the coup."
    )
    assert folded.finding.evidence == (4,)


def test_a_settlement_that_comes_after_the_close_withdraws_the_finding() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).close().settle(wager_id, 20_000)
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.absorbed[-1].records[0].findings == ()


def test_a_wager_settled_before_the_result_is_out_of_turn_at_once() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).settle(wager_id, 20_000)
    at = script.sequence
    script.result("player", 9, 5).close()
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["SETTLED_OUT_OF_TURN"]
    assert folded.finding.sentence == ("Seat 1, Player: settled before the result was announced.")
    assert folded.finding.evidence == (at,)


def test_turn_is_not_judged_where_results_are_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.ANNOUNCEMENTS))
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).settle(wager_id, 20_000).close()
    assert found(script) == []


def test_without_announcements_a_payment_says_that_the_cards_are_final() -> None:
    script = a_table(reports=all_but(said.Capability.ANNOUNCEMENTS))
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).settle(wager_id, 20_100)
    assert Folded(script.messages).said_at(script.sequence) == ["WAGER_OVERPAID"]


BIG = ("baccarat.player", "baccarat.banker", "baccarat.tie", "majestic_match")
MAJESTIC = a_submission(game="baccarat", wagers=[{"id": one} for one in BIG])


def test_majestic_match_is_settled_on_the_first_four_cards() -> None:
    script = a_table(MAJESTIC)
    wager_id = script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3S", "7D KC").settle(wager_id, 7_000)
    script.card("player", 3, "4D").result("player", 9, 7).close()
    assert found(script) == []


def test_majestic_match_paid_wrongly_is_found_before_any_third_card() -> None:
    script = a_table(MAJESTIC)
    wager_id = script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3S", "7D KC").settle(wager_id, 4_000)
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["WAGER_UNDERPAID"]
    assert folded.finding.difference_minor == -3_000


def test_majestic_match_after_the_third_card_is_out_of_turn() -> None:
    script = a_table(MAJESTIC)
    wager_id = script.wager("majestic_match@player", 2_000)
    script.close_bets().deal("2S 3S 4D", "7D KC").settle(wager_id, 7_000)
    script.result("player", 9, 7).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.SETTLED_OUT_OF_TURN
    assert "after a third card was dealt" in finding.sentence


def test_majestic_match_before_its_cards_is_out_of_turn() -> None:
    script = a_table(MAJESTIC)
    wager_id = script.wager("majestic_match@player", 2_000)
    script.close_bets().card("player", 1, "2S").settle(wager_id, 7_000)
    at = script.sequence
    script.card("banker", 1, "7D").card("player", 2, "3S").card("banker", 2, "KC")
    script.card("player", 3, "4D").result("player", 9, 7).close()
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["SETTLED_OUT_OF_TURN"]
    assert "before its first four cards" in folded.finding.sentence


def test_a_second_settlement_of_a_winner_is_settled_twice_with_its_money() -> None:
    script = paid("player", 20_000).settle("W1", 20_000, settlement_id="T-2")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.SETTLED_TWICE
    assert (finding.due_minor, finding.paid_minor, finding.difference_minor) == (0, 20_000, 20_000)
    assert finding.sentence == (
        "Seat 1, Player: paid a second time, 200.00 too much (settlement T-2 after T-W1)."
    )


def test_many_further_settlements_are_one_finding() -> None:
    script = paid("player", 20_000)
    for number in range(3):
        script.settle("W1", 100, settlement_id=f"again-{number}")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.SETTLED_TWICE
    assert finding.difference_minor == 300


def test_a_second_settlement_taken_back_leaves_no_residual() -> None:
    script = paid("player", 20_000).settle("W1", 20_000, settlement_id="T-2")
    script.correct("W1", -20_000, settlement_id="T-2")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.SETTLED_TWICE
    assert finding.status is FindingStatus.CORRECTED
    assert (finding.corrected_minor, finding.residual_minor) == (20_000, 0)


def test_the_same_settlement_said_again_changes_nothing() -> None:
    script = paid("player", 20_000).settle("W1", 20_000)
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.absorbed[-1].records == ()


def test_the_same_settlement_with_another_amount_is_a_conflict_and_the_first_stays() -> None:
    script = paid("player", 20_000).settle("W1", 25_000).settle("W1", 30_000)
    folded = Folded(script.messages)
    assert folded.finding.code is FindingCode.SETTLEMENT_CONFLICT
    assert "Settlement T-W1 came again with 250.00" in folded.finding.sentence
    assert folded.finding.seat == "1"
    assert folded.coup("S1/1").wagers[0].paid_minor == 20_000


def test_a_wager_whose_odds_are_not_filed_stays_open() -> None:
    script = a_table(with_wager("house.player_natural"))
    wager_id = script.wager("house.player_natural", STAKE)
    dealt(script).settle(wager_id, 123_456).close()
    folded = Folded(script.messages)
    assert folded.codes == []
    row = folded.coup("S1/1").wagers[0]
    assert (row.outcome, row.due_minor) == ("win", None)


def test_an_amount_that_no_filed_policy_makes_payable_stays_open() -> None:
    script = a_table()
    wager_id = script.wager("banker", 10_001)
    dealt(script, BANKER_WINS).settle(wager_id, 1).close()
    folded = Folded(script.messages)
    assert folded.codes == ["EVENT_REJECTED"]
    assert folded.coup("S1/1").wagers[0].due_minor is None


def test_a_row_says_how_far_each_wager_has_come() -> None:
    script = a_table()
    first, second = script.wager("player", STAKE), script.wager("banker", STAKE)
    script.of_coup(said.WagerWithdrawn, wager_id=second)
    dealt(script).settle(first, 20_100, stake_collected_minor=0)
    folded = Folded(script.messages)
    won, gone = folded.coup("S1/1").wagers
    assert (won.status, won.outcome, won.outcome_code) == (
        WagerStatus.SETTLED,
        "win",
        "player_wins",
    )
    assert (won.stake_minor, won.due_minor, won.paid_minor) == (STAKE, 20_000, 20_100)
    assert (gone.status, gone.due_minor, gone.paid_minor) == (WagerStatus.WITHDRAWN, None, None)
    row = folded.coup("S1/1").coup
    assert row is not None
    assert (row.stake_minor, row.due_minor, row.paid_minor) == (STAKE, 20_000, 20_100)
    assert (row.state, row.is_determined, row.winner) == ("open", True, "player")


def test_a_finding_is_put_out_when_decided_and_again_at_the_end() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100)
    at = script.sequence
    script.close()
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["WAGER_OVERPAID"]
    assert folded.said_at(at + 1) == ["WAGER_OVERPAID"]
    states = [r.coup.state for a in folded.absorbed for r in a.records if r.coup is not None]
    assert states == ["open", "closed"]


def test_payments_are_not_compared_where_stakes_are_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.STAKES))
    wager_id = script.wager("player", None)
    dealt(script).settle(wager_id, 999).close()
    assert found(script) == []


def test_payments_are_not_compared_where_they_are_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.PAYMENTS))
    script.wager("player", STAKE)
    dealt(script).close()
    assert found(script) == []


RETURN_EXCESS = with_wager("minibaccarat.player", maximum="50.00")


def return_excess(stake: int = STAKE) -> TableScript:
    submission = RETURN_EXCESS.model_copy(update={"readings": {"D31": "return_excess"}})
    script = a_table(submission)
    script.wager("player", stake)
    return dealt(script)


def test_under_return_excess_the_rest_of_the_stake_is_settled_and_the_excess_refunded() -> None:
    script = return_excess().settle("W1", 10_000).refund("W1", 5_000, reason="excess_returned")
    assert found(script.close()) == ["WAGER_OUT_OF_LIMITS"]


def test_under_return_excess_an_excess_kept_is_found_at_the_end() -> None:
    script = return_excess().settle("W1", 10_000)
    assert found(script) == ["WAGER_OUT_OF_LIMITS"]
    folded = Folded(script.close().messages)
    assert folded.codes == ["WAGER_OUT_OF_LIMITS", "WAGER_UNDERPAID"]
    assert folded.findings[-1].difference_minor == -5_000
    assert folded.findings[-1].interpretations["D31"] == "return_excess"


def test_under_return_excess_too_much_is_found_at_once() -> None:
    script = return_excess().settle("W1", 20_001)
    assert Folded(script.messages).said_at(script.sequence) == [
        "WAGER_OUT_OF_LIMITS",
        "WAGER_OVERPAID",
    ]


def test_settled_in_full_an_excess_given_back_besides_is_overpaid() -> None:
    script = a_table(RETURN_EXCESS)
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).refund("W1", 5_000, reason="excess_returned").close()
    folded = Folded(script.messages)
    assert folded.codes == ["WAGER_OUT_OF_LIMITS", "WAGER_OVERPAID"]
    assert folded.findings[-1].difference_minor == 5_000


def test_a_late_wager_that_was_given_back_needs_no_settlement() -> None:
    script = a_table()
    script.close_bets()
    wager_id = script.wager("player", STAKE)
    script.deal(*PLAYER_WINS).result("player", 9, 5).refund(wager_id, STAKE, reason="other").close()
    assert found(script) == ["WAGER_LATE"]


def test_a_commission_free_banker_seven_in_three_cards_pushes() -> None:
    wagers = [{"id": f"rising_phoenix.{code}"} for code in ("player", "banker", "tie", "sun_7")]
    submission = a_submission(game="rising_phoenix", commission={"form": "free"}, wagers=wagers)
    script = a_table(submission)
    main, sun = script.wager("banker", STAKE), script.wager("sun_7", 500)
    hands = ("2S 3H KD", "AC 2D 4H")
    dealt(script, hands).settle(main, STAKE).settle(sun, 41 * 500).close()
    assert found(script) == []


@pytest.mark.parametrize("reports", [EVERYTHING, SEAT_TOTALS], ids=["wagers", "seats"])
def test_a_wager_on_which_no_whole_amount_is_due_is_said_to_stay_open(
    reports: tuple[said.Capability, ...],
) -> None:
    def banker_of(stake: int, **changes: object) -> Folded:
        script = a_table(a_submission(**changes), reports)
        wager_id = script.wager("banker", stake)
        dealt(script, BANKER_WINS)
        if reports is EVERYTHING:
            script.settle(wager_id, 498)
        else:
            script.of_coup(said.SeatSettled, settlement_id="T", seat="1", paid_minor=498)
        return Folded(script.close().messages)

    finding = banker_of(255).finding
    assert finding.code is FindingCode.EVENT_REJECTED
    assert "5 % of 2.55 is not payable" in finding.sentence
    assert "; what is due stays open (event " in finding.sentence
    assert (finding.coup, finding.wager, finding.due_minor) == ("S1/1", "minibaccarat.banker", None)
    assert banker_of(255, readings={"D27": "up_25c"}).codes == ["WAGER_OVERPAID"]


def test_a_third_card_that_was_drawn_in_error_and_burned_puts_no_settlement_out_of_turn() -> None:
    wagers = [{"id": one} for one in ("baccarat.player", "baccarat.banker", "majestic_match")]
    script = a_table(a_submission(game="baccarat", wagers=wagers))
    wager = script.wager("majestic_match@player", 1_000)
    script.close_bets().deal("2S 3H", "2D AH").card("banker", 3, "4D")
    script.settle(wager, 0, stake_collected_minor=1_000)
    drawn = {"error_id": "E1", "hand": "banker", "position": 3, "card": "4D"}
    script.of_coup(said.CardDrawnInError, **drawn, disposition="burned")
    script.card("player", 3, "6C").card("banker", 3, "9C").result("banker", 1, 2)
    assert "SETTLED_OUT_OF_TURN" not in Folded(script.close().messages).codes


@pytest.mark.parametrize("is_late", [False, True])
def test_a_wager_that_the_next_feed_tells_as_settled_is_not_out_of_turn(is_late: bool) -> None:
    script = a_table()
    for _ in range(10):
        script.say(said.Heartbeat)
    wager = script.wager("player", 10_000)
    script.close_bets().deal("9C KH", "2C 3D")
    if not is_late:
        script.result("player", 9, 5)
    script.restart().settle(wager, 20_000)
    if is_late:
        script.result("player", 9, 5)
    assert Folded(script.close().messages).codes == ["SETTLED_OUT_OF_TURN"] * is_late
