"""Vigorish: taken or marked, rounded as filed, collected before the seat or the shoe ends."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode, FindingStatus
from schemas.rules_submission import RulesSubmission
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, a_table, dealt, found
from tests.support.tables.table_script import (
    SEAT_TOTALS,
    Folded,
    TableScript,
    a_submission,
    all_but,
)

STAKE = 10_000


def filed(timing: str, rounding: str = "exact") -> RulesSubmission:
    return a_submission(
        commission={"form": "standard", "rate": "5%", "timing": timing},
        readings={} if rounding == "exact" else {"D27": rounding},
    )


def banker(submission: RulesSubmission, stake: int = STAKE, seat: str = "4") -> TableScript:
    script = a_table(submission)
    script.wager("banker", stake, seat=seat)
    return dealt(script, BANKER_WINS)


@pytest.mark.parametrize(
    ("timing", "rounding", "stake", "paid", "vigorish"),
    [
        ("taken", "exact", 12_300, 24_600 - 615, 615),
        ("taken", "nearest_25c", 12_300, 24_600 - 625, 625),
        ("taken", "up_25c", 12_600, 25_200 - 650, 650),
        ("marked", "exact", 12_300, 24_600, 615),
        ("marked", "nearest_25c", 12_200, 24_400, 600),
        ("marked", "up_25c", 12_200, 24_400, 625),
    ],
)
def test_vigorish_as_filed_is_no_finding_and_a_quarter_more_is(
    timing: str, rounding: str, stake: int, paid: int, vigorish: int
) -> None:
    def settled(paid_minor: int, vigorish_minor: int) -> list[str]:
        script = banker(filed(timing, rounding), stake)
        fields = {f"vigorish_{timing}_minor": vigorish_minor}
        script.settle("W1", paid_minor, **fields).close()
        if timing == "marked":
            collect(script, vigorish_minor)
        return found(script.end_shoe())

    assert settled(paid, vigorish) == []
    assert settled(paid, vigorish + 25) == ["VIGORISH_WRONG"]
    assert settled(paid + 25, vigorish) == ["WAGER_OVERPAID"]


def collect(script: TableScript, minor: int, seat: str = "4", **fields: object) -> TableScript:
    told = {"collection_id": f"V{script.sequence}", "shoe_id": "S1", **fields}
    return script.say(said.VigorishCollected, seat=seat, collected_minor=minor, **told)


def test_wrong_vigorish_beside_a_right_payment_says_both_amounts() -> None:
    script = banker(filed("taken")).settle("W1", 19_500, vigorish_taken_minor=400).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert "Seat 4, Banker: 1 to 1 less 5 % vigorish. 5.00 vigorish should have been taken; " in (
        finding.sentence
    )
    assert "; 4.00 was (58 Pa. Code § 627a.11, .12" in finding.sentence
    assert finding.title == "Banker vigorish 4.00 instead of 5.00"
    assert finding.citation == "58 Pa. Code § 627a.11, .12 (text not seen)"
    assert (finding.wager, finding.seat) == ("minibaccarat.banker", "4")


def test_vigorish_marked_where_it_is_filed_as_taken_is_wrong() -> None:
    script = banker(filed("taken"))
    script.settle("W1", 19_500, vigorish_taken_minor=500, vigorish_marked_minor=500)
    collect(script.close(), 500).end_shoe()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert "should have been taken; 5.00 was and 5.00 was marked (58 Pa." in finding.sentence


def test_vigorish_put_right_keeps_its_finding() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=400)
    script.correct("W1", 0, vigorish_marked_change_minor=100).close()
    finding = Folded(collect(script, 500).end_shoe().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.status is FindingStatus.CORRECTED
    assert finding.sentence.endswith(" Corrected since; nothing is outstanding.")


def test_right_vigorish_corrected_to_something_else_is_wrong() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=500)
    script.correct("W1", 0, vigorish_marked_change_minor=-100).close()
    finding = Folded(collect(script, 400).end_shoe().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert "5.00 vigorish should have been marked; 4.00 was (" in finding.sentence


def test_vigorish_taken_that_is_not_told_shows_in_the_payment() -> None:
    script = banker(filed("taken")).settle("W1", 19_500).close()
    assert found(script) == []


def test_vigorish_that_was_not_marked_at_all_is_wrong() -> None:
    finding = Folded(banker(filed("marked")).settle("W1", 20_000).close().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert "5.00 vigorish should have been marked; 0.00 was (" in finding.sentence
    lost = a_table(filed("marked"))
    lost.wager("banker", STAKE)
    assert found(dealt(lost, PLAYER_WINS).settle("W1", 0).close()) == []


def test_vigorish_is_not_judged_where_it_is_not_reported() -> None:
    script = a_table(filed("taken"), all_but(said.Capability.VIGORISH))
    script.wager("banker", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 19_500, vigorish_taken_minor=1).close()
    assert found(script) == []


def marked(minor: int = 500) -> TableScript:
    return banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=minor).close()


def test_marked_vigorish_left_at_the_end_of_the_shoe_is_outstanding() -> None:
    script = marked().end_shoe()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_OUTSTANDING
    assert (finding.due_minor, finding.paid_minor, finding.seat) == (500, 0, "4")
    assert finding.sentence == (
        "Seat 4: 5.00 vigorish was not collected before the shoe ended. It is still owed."
    )
    assert (finding.shoe, finding.coup) == ("S1", None)


def test_marked_vigorish_left_when_another_shoe_is_loaded_is_outstanding() -> None:
    assert found(marked().shoe("S2")) == ["VIGORISH_OUTSTANDING"]


def test_marked_vigorish_collected_in_parts_is_not_outstanding() -> None:
    script = collect(collect(marked(), 300), 200)
    assert found(script.say(said.SeatVacated, seat="4").end_shoe()) == []


def test_a_collection_said_twice_counts_once() -> None:
    script = collect(marked(), 250, collection_id="V1")
    script = collect(script, 250, collection_id="V1").end_shoe()
    finding = Folded(script.messages).finding
    assert finding.due_minor == 250


def test_a_seat_left_with_marked_vigorish_is_outstanding_at_once() -> None:
    script = marked().say(said.SeatVacated, seat="4")
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["VIGORISH_OUTSTANDING"]
    assert "before the seat was vacated. It is still owed." in folded.finding.sentence
    assert found(script.end_shoe()) == ["VIGORISH_OUTSTANDING"]


def test_another_seat_left_is_none() -> None:
    script = collect(marked().say(said.SeatVacated, seat="5"), 500)
    assert found(script.end_shoe()) == []


def test_vigorish_collected_too_late_leaves_the_finding_put_right() -> None:
    script = collect(marked().say(said.SeatVacated, seat="4"), 500)
    finding = Folded(script.end_shoe().messages).finding
    assert finding.status is FindingStatus.CORRECTED
    assert (finding.difference_minor, finding.residual_minor) == (-500, 0)
    assert finding.sentence == (
        "Seat 4: 5.00 vigorish was collected late, after the seat was vacated. Nothing is "
        "outstanding."
    )


def test_vigorish_collected_after_the_end_of_the_shoe_leaves_the_finding_put_right() -> None:
    finding = Folded(collect(marked().end_shoe(), 200).messages).finding
    assert (finding.status, finding.residual_minor) == (FindingStatus.STANDING, -300)


def test_two_patrons_who_leave_one_seat_with_marks_are_one_finding_of_the_seat() -> None:
    script = marked().say(said.SeatVacated, seat="4").coup()
    script.wager("banker", STAKE, seat="4")
    dealt(script, BANKER_WINS).settle("W2", 20_000, vigorish_marked_minor=500).close()
    script.say(said.SeatVacated, seat="4")
    finding = Folded(script.messages).finding
    assert finding.due_minor == 1_000


def test_a_mark_undone_by_a_correction_is_not_outstanding() -> None:
    script = a_table(filed("marked"))
    script.wager("player", STAKE, seat="4")
    dealt(script, PLAYER_WINS).settle("W1", 20_000, vigorish_marked_minor=500)
    script.correct("W1", 0, vigorish_marked_change_minor=-500).close().end_shoe()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.status is FindingStatus.CORRECTED


def test_a_correction_of_a_coup_of_the_shoe_before_marks_at_that_shoe_and_not_in_this_one() -> None:
    script = collect(marked(), 500).end_shoe().shoe("S2")
    script.say(
        said.PayoutCorrected,
        coup_id="S1/1",
        correction_id="C-1",
        settlement_id="T-W1",
        paid_change_minor=0,
        vigorish_marked_change_minor=300,
        reason="marked too low",
        authorised_by="su-1",
    )
    folded = Folded(script.end_shoe().messages)
    assert folded.codes == ["VIGORISH_OUTSTANDING", "VIGORISH_WRONG"]
    outstanding = next(one for one in folded.findings if one.due_minor is not None)
    assert (outstanding.shoe, outstanding.due_minor) == ("S1", 300)


def test_a_collection_for_the_shoe_before_is_no_event_to_reject() -> None:
    script = marked().end_shoe().shoe("S2")
    finding = Folded(collect(script, 500).messages).finding
    assert (finding.code, finding.shoe) == (FindingCode.VIGORISH_OUTSTANDING, "S1")
    assert finding.status is FindingStatus.CORRECTED


def test_a_collection_for_an_unknown_shoe_is_rejected() -> None:
    assert found(collect(marked(), 500, shoe_id="S9")) == ["EVENT_REJECTED"]


def test_marks_are_not_judged_where_vigorish_is_not_reported() -> None:
    script = a_table(filed("marked"), all_but(said.Capability.VIGORISH))
    script.wager("banker", STAKE)
    dealt(script, BANKER_WINS).settle("W1", 20_000, vigorish_marked_minor=500).close()
    assert found(script.end_shoe()) == []


def test_vigorish_of_a_seat_is_compared_in_one_sum() -> None:
    def settled(vigorish: int) -> TableScript:
        script = a_table(filed("taken"), SEAT_TOTALS)
        script.wager("banker", STAKE, seat="4")
        script.wager("banker", STAKE, seat="4")
        dealt(script, BANKER_WINS)
        return script.of_coup(
            said.SeatSettled,
            settlement_id="T1",
            seat="4",
            paid_minor=39_000,
            vigorish_taken_minor=vigorish,
        ).close()

    assert found(settled(1_000)) == []
    finding = Folded(settled(900).messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert (
        finding.sentence
        == "Seat 4: 10.00 vigorish should have been taken; 9.00 was (Rules Submission RS-7)."
    )


def test_vigorish_taken_where_it_is_to_be_marked_leaves_nobody_with_less() -> None:
    finding = Folded(
        banker(filed("marked")).settle("W1", 19_500, vigorish_taken_minor=500).close().messages
    ).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert "should have been marked; 0.00 was and 5.00 was taken (58 Pa." in finding.sentence
    # What lacks besides is underpaid, and so is what nobody says to have taken.
    short = banker(filed("marked")).settle("W1", 19_400, vigorish_taken_minor=500).close()
    assert found(short) == ["WAGER_UNDERPAID"]
    assert found(banker(filed("marked")).settle("W1", 19_500).close()) == ["WAGER_UNDERPAID"]


def test_vigorish_marked_where_it_is_to_be_taken_is_owed_and_not_overpaid() -> None:
    script = banker(filed("taken")).settle("W1", 20_000, vigorish_marked_minor=500).close()
    assert found(collect(script, 500).end_shoe()) == ["VIGORISH_WRONG"]
    script = banker(filed("taken")).settle("W1", 20_000, vigorish_marked_minor=500).close()
    assert found(script.end_shoe()) == ["VIGORISH_OUTSTANDING", "VIGORISH_WRONG"]
    script = banker(filed("taken")).settle("W1", 20_000, vigorish_marked_minor=400).close()
    assert found(collect(script, 400).end_shoe()) == ["WAGER_OVERPAID"]


@pytest.mark.parametrize(
    ("timing", "other", "paid", "code"),
    [
        ("taken", "marked", 20_000, "WAGER_OVERPAID"),
        ("marked", "taken", 19_500, "WAGER_UNDERPAID"),
    ],
)
def test_at_a_seat_too_vigorish_kept_in_the_other_way_is_no_wrong_payment(
    timing: str, other: str, paid: int, code: str
) -> None:
    def settled(paid_minor: int) -> list[str]:
        script = a_table(filed(timing), SEAT_TOTALS)
        script.wager("banker", STAKE, seat="4")
        told = {"settlement_id": "T4", "seat": "4", f"vigorish_{other}_minor": 500}
        dealt(script, BANKER_WINS).of_coup(said.SeatSettled, paid_minor=paid_minor, **told)
        return found(script.close())

    assert settled(paid) == ["VIGORISH_WRONG"]
    assert settled(paid + 100) == [code]


# --- what was collected and was not due


def test_vigorish_collected_beyond_what_was_marked_is_wrong_at_once() -> None:
    script = collect(marked(), 700)
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["VIGORISH_WRONG"]
    finding = folded.finding
    assert finding.sentence == "Seat 4: 7.00 vigorish was collected; 5.00 was due."
    assert (finding.due_minor, finding.paid_minor, finding.difference_minor) == (500, 700, 200)
    assert (finding.seat, finding.shoe, finding.coup, finding.wager) == ("4", "S1", None, None)
    assert found(script.end_shoe()) == ["VIGORISH_WRONG"]


def test_vigorish_collected_and_not_due_is_put_right_by_giving_it_back() -> None:
    script = collect(collect(marked(), 700), -150)
    finding = Folded(script.messages).finding
    assert finding.sentence == (
        "Seat 4: 7.00 vigorish was collected; 5.00 was due. 1.50 was given back later; 0.50 is "
        "still owed."
    )
    assert (finding.difference_minor, finding.corrected_minor) == (200, 150)
    assert (finding.residual_minor, finding.status) == (50, FindingStatus.STANDING)
    finding = Folded(collect(script, -50).end_shoe().messages).finding
    assert (finding.residual_minor, finding.status) == (0, FindingStatus.CORRECTED)


def test_what_is_given_back_of_what_was_due_is_due_again() -> None:
    script = collect(collect(marked(), 500), -200).end_shoe()
    finding = Folded(script.messages).finding
    assert (finding.code, finding.due_minor) == (FindingCode.VIGORISH_OUTSTANDING, 200)


def another_patron(script: TableScript, patron: str | None, wager_id: str) -> TableScript:
    script.coup().wager("banker", STAKE, seat="4", patron=patron, wager_id=wager_id)
    dealt(script, BANKER_WINS).settle(wager_id, 20_000, vigorish_marked_minor=500)
    return script.close()


def test_what_a_patron_paid_too_much_is_no_credit_of_the_next_one_at_the_seat() -> None:
    script = collect(marked(), 700).say(said.SeatVacated, seat="4")
    script = collect(another_patron(script, None, "W2"), 300).end_shoe()
    folded = Folded(script.messages)
    assert folded.codes == ["VIGORISH_OUTSTANDING", "VIGORISH_WRONG"]
    by_code = {one.code: one for one in folded.findings}
    assert by_code[FindingCode.VIGORISH_OUTSTANDING].due_minor == 200
    assert by_code[FindingCode.VIGORISH_WRONG].residual_minor == 200


def of_patron(patron: str) -> TableScript:
    script = a_table(filed("marked"))
    script.wager("banker", STAKE, seat="4", patron=patron)
    return dealt(script, BANKER_WINS).settle("W1", 20_000, vigorish_marked_minor=500).close()


def test_a_named_patron_pays_nothing_that_another_one_owes_at_the_seat() -> None:
    script = another_patron(of_patron("p-a"), "p-b", "W2")
    folded = Folded(collect(script, 1_000, patron="p-b").end_shoe().messages)
    by_code = {one.code: one for one in folded.findings}
    assert by_code.keys() == {FindingCode.VIGORISH_OUTSTANDING, FindingCode.VIGORISH_WRONG}
    assert by_code[FindingCode.VIGORISH_OUTSTANDING].due_minor == 500
    assert by_code[FindingCode.VIGORISH_WRONG].difference_minor == 500


@pytest.mark.parametrize("payer", ["p-a", None])
def test_each_patron_of_a_seat_pays_what_was_marked_for_him(payer: str | None) -> None:
    script = collect(another_patron(of_patron("p-a"), "p-b", "W2"), 500, patron="p-b")
    assert found(collect(script, 500, patron=payer).end_shoe()) == []
    script = collect(another_patron(of_patron("p-a"), "p-b", "W2"), 1_000)
    assert found(script.end_shoe()) == []


def test_a_patron_who_leaves_leaves_the_marks_of_the_other_one_at_the_seat() -> None:
    script = another_patron(of_patron("p-a"), "p-b", "W2")
    script.say(said.SeatVacated, seat="4", patron="p-a")
    finding = Folded(script.messages).finding
    assert (finding.code, finding.due_minor) == (FindingCode.VIGORISH_OUTSTANDING, 500)
    folded = Folded(collect(script, 500, patron="p-b").end_shoe().messages)
    assert folded.finding.due_minor == 500
    # What the one who left still owes is nothing that the other one pays.
    assert folded.finding.residual_minor == -500


def test_who_pays_what_is_due_and_was_marked_too_low_pays_nothing_wrong() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=400).close()
    assert found(collect(script, 500).end_shoe()) == ["VIGORISH_WRONG"]
    assert Folded(script.messages).finding.wager == "minibaccarat.banker"
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=400).close()
    assert found(collect(script, 501).end_shoe()) == ["VIGORISH_WRONG", "VIGORISH_WRONG"]


def test_marks_taken_back_after_they_were_collected_are_given_back_or_wrong() -> None:
    def corrected() -> TableScript:
        script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=600)
        collect(script, 600)
        return script.correct("W1", 0, vigorish_marked_change_minor=-100)

    assert found(collect(corrected(), -100).close().end_shoe()) == ["VIGORISH_WRONG"]
    # Nobody gives it back: the wager says that the mark was wrong, the seat that money was taken.
    folded = Folded(corrected().close().end_shoe().messages)
    assert folded.codes == ["VIGORISH_WRONG", "VIGORISH_WRONG"]
    (of_seat,) = (one for one in folded.findings if one.wager is None)
    assert of_seat.sentence == "Seat 4: 1.00 vigorish was collected; nothing was due."
    # What was unmarked before it was collected is no matter.
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=600)
    script.correct("W1", 0, vigorish_marked_change_minor=-100).close()
    assert found(collect(script, 500).end_shoe()) == ["VIGORISH_WRONG"]


def test_vigorish_that_comes_due_later_puts_right_what_was_collected_before_it() -> None:
    script = collect(marked(), 600)
    script = collect(another_patron(script, None, "W2"), 400).end_shoe()
    finding = Folded(script.messages).finding
    assert (finding.code, finding.residual_minor) == (FindingCode.VIGORISH_WRONG, 0)


@pytest.mark.parametrize("reports", [all_but(said.Capability.WAGERS), all_but()])
def test_what_goes_beyond_the_marks_is_judged_only_where_all_marks_are_told(
    reports: tuple[said.Capability, ...],
) -> None:
    script = TableScript().open(filed("marked"), reports)
    if said.Capability.WAGERS in reports:
        # A shoe of which the loading was not told: marks may have been made before.
        script.coup().close_bets()
    else:
        script.shoe().coup().close_bets()
    assert "VIGORISH_WRONG" not in found(collect(script, 300))


def test_vigorish_of_a_seat_that_is_settled_in_one_sum_is_of_its_only_patron() -> None:
    script = a_table(filed("marked"), SEAT_TOTALS)
    script.wager("banker", STAKE, seat="4", patron="p-a")
    dealt(script, BANKER_WINS).of_coup(
        said.SeatSettled,
        settlement_id="T1",
        seat="4",
        paid_minor=20_000,
        vigorish_marked_minor=500,
        patron="p-a",
    ).close()
    assert found(collect(script, 500, patron="p-a").end_shoe()) == []
    assert found(collect(script, 100, patron="p-a")) == ["VIGORISH_WRONG"]


# --- earlier shoes


def test_vigorish_of_an_earlier_shoe_collected_after_the_next_was_loaded_is_collected_later() -> (
    None
):
    script = marked().shoe("S2")
    script = collect(script.honest_coup().honest_coup(), 200)
    folded = Folded(script.messages)
    finding = folded.finding
    assert (finding.due_minor, finding.difference_minor, finding.residual_minor) == (
        500,
        -500,
        -300,
    )
    assert (finding.shoe, finding.status) == ("S1", FindingStatus.STANDING)
    assert folded.said_at(script.sequence) == ["VIGORISH_OUTSTANDING"]
    record = folded.records["BAC-01", "shoe", "S1"]
    assert record.shoe is not None
    assert (record.shoe_id, record.shoe.state, record.shoe.cards_out) == ("S1", "closed", 6)
    for shoe in ("S3", "S4"):
        script.shoe(shoe)
    finding = Folded(collect(script, 300).messages).finding
    assert (finding.residual_minor, finding.status) == (0, FindingStatus.CORRECTED)
    assert finding.sentence == (
        "Seat 4: 5.00 vigorish was collected late, after the shoe ended. Nothing is outstanding."
    )


def test_vigorish_of_an_earlier_shoe_is_no_debt_of_the_shoe_in_play() -> None:
    script = marked().shoe("S2").coup()
    script.wager("banker", STAKE, seat="4")
    dealt(script, BANKER_WINS).settle("W2", 20_000, vigorish_marked_minor=500).close()
    script = collect(collect(script, 500, shoe_id="S2"), 500).end_shoe()
    finding = Folded(script.messages).finding
    assert (finding.shoe, finding.residual_minor) == ("S1", 0)


def test_vigorish_collected_for_an_earlier_shoe_that_owed_none_is_wrong() -> None:
    script = collect(collect(marked(), 500).end_shoe().shoe("S2"), 100)
    finding = Folded(script.messages).finding
    assert (finding.code, finding.shoe) == (FindingCode.VIGORISH_WRONG, "S1")
    assert finding.difference_minor == 100


def test_marks_taken_back_after_the_seat_was_left_leave_nothing_outstanding() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=600)
    script.close().say(said.SeatVacated, seat="4")
    script.correct("W1", 0, vigorish_marked_change_minor=-600)
    folded = Folded(script.messages)
    (finding,) = (one for one in folded.findings if one.code is FindingCode.VIGORISH_OUTSTANDING)
    assert finding.sentence.endswith(" 6.00 was unmarked later; nothing is outstanding.")
    assert finding.status is FindingStatus.CORRECTED


# --- voids: nobody won, so no vigorish is due (N.J.A.C. 13:69F and D27: of the amount won)


def voided(collected: int = 0) -> TableScript:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=500)
    if collected:
        collect(script, collected)
    script.void().correct("W1", -20_000)
    return script.refund("W1", STAKE)


def test_vigorish_marked_in_a_coup_that_was_voided_is_not_due() -> None:
    assert found(voided().close().end_shoe()) == []
    # Unmarked besides, as the feed page says, it is no less than nothing.
    script = voided()
    told = {"correction_id": "C-2", "vigorish_marked_change_minor": -500}
    script.correct("W1", 0, **told).close()
    assert found(script.end_shoe()) == []


def test_vigorish_of_a_voided_coup_that_is_collected_all_the_same_was_not_due() -> None:
    script = collect(voided().close(), 500)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence == "Seat 4: 5.00 vigorish was collected; nothing was due."


def test_vigorish_collected_before_the_void_goes_back_with_the_stakes() -> None:
    assert found(collect(voided(500), -500).close().end_shoe()) == []
    script = voided(500).close()
    assert Folded(script.messages).said_at(script.sequence) == ["VIGORISH_WRONG"]
    finding = Folded(collect(script, -500).messages).finding
    assert finding.status is FindingStatus.CORRECTED


def test_a_void_after_the_seat_was_left_takes_the_vigorish_off_what_is_outstanding() -> None:
    script = marked().say(said.SeatVacated, seat="4").void().correct("W1", -20_000)
    script.refund("W1", STAKE).close()
    finding = Folded(script.end_shoe().messages).finding
    assert finding.code is FindingCode.VIGORISH_OUTSTANDING
    assert finding.status is FindingStatus.CORRECTED
