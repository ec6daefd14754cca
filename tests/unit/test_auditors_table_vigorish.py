"""Vigorish: taken or marked, rounded as filed, collected before the seat or the shoe ends."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode, FindingStatus
from schemas.rules_submission import RulesSubmission
from tests.support.played import BANKER_WINS, PLAYER_WINS, a_table, dealt, found
from tests.support.table_script import SEAT_TOTALS, Folded, TableScript, a_submission, all_but

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
    assert finding.sentence.endswith("Vigorish of 5.00 is due; 4.00 was taken.")
    assert finding.citation == "58 Pa. Code § 627a.11, .12 (text not seen)"
    assert (finding.wager, finding.seat) == ("minibaccarat.banker", "4")


def test_vigorish_marked_where_it_is_filed_as_taken_is_wrong() -> None:
    script = banker(filed("taken"))
    script.settle("W1", 19_500, vigorish_taken_minor=500, vigorish_marked_minor=500)
    collect(script.close(), 500).end_shoe()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence.endswith("5.00 is due; 5.00 was taken and 5.00 marked.")


def test_vigorish_put_right_keeps_its_finding() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=400)
    script.correct("W1", 0, vigorish_marked_change_minor=100).close()
    finding = Folded(collect(script, 500).end_shoe().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.status is FindingStatus.CORRECTED


def test_right_vigorish_corrected_to_something_else_is_wrong() -> None:
    script = banker(filed("marked")).settle("W1", 20_000, vigorish_marked_minor=500)
    script.correct("W1", 0, vigorish_marked_change_minor=-100).close()
    finding = Folded(collect(script, 400).end_shoe().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence.endswith("5.00 is due; 4.00 was marked.")


def test_vigorish_taken_that_is_not_told_shows_in_the_payment() -> None:
    script = banker(filed("taken")).settle("W1", 19_500).close()
    assert found(script) == []


def test_vigorish_that_was_not_marked_at_all_is_wrong() -> None:
    finding = Folded(banker(filed("marked")).settle("W1", 20_000).close().messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence.endswith("Vigorish of 5.00 is due; 0.00 was marked.")
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
        "Seat 4: marked vigorish of 5.00 was not collected when the shoe ended."
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
    assert "when the seat was vacated" in folded.finding.sentence
    assert found(script.end_shoe()) == ["VIGORISH_OUTSTANDING"]


def test_another_seat_left_is_none() -> None:
    script = collect(marked().say(said.SeatVacated, seat="5"), 500)
    assert found(script.end_shoe()) == []


def test_vigorish_collected_too_late_leaves_the_finding_put_right() -> None:
    script = collect(marked().say(said.SeatVacated, seat="4"), 500)
    finding = Folded(script.end_shoe().messages).finding
    assert finding.status is FindingStatus.CORRECTED
    assert (finding.difference_minor, finding.residual_minor) == (-500, 0)
    assert finding.sentence.endswith("5.00 was collected later, residual 0.00.")


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


def test_a_correction_of_a_coup_of_the_shoe_before_marks_nothing_in_this_one() -> None:
    script = collect(marked(), 500).end_shoe().shoe("S2")
    script.say(
        said.PayoutCorrected,
        coup_id="S1/1", correction_id="C-1", settlement_id="T-W1", paid_change_minor=0,
        vigorish_marked_change_minor=300, reason="marked too low", authorised_by="su-1",
    )  # fmt: skip
    assert found(script.end_shoe()) == ["VIGORISH_WRONG"]


def test_a_collection_for_the_shoe_before_is_no_event_to_reject() -> None:
    script = collect(collect(marked(), 500).end_shoe().shoe("S2"), 100)
    assert found(script) == []


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
            said.SeatSettled, settlement_id="T1", seat="4", paid_minor=39_000,
            vigorish_taken_minor=vigorish,
        ).close()  # fmt: skip

    assert found(settled(1_000)) == []
    finding = Folded(settled(900).messages).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence == "Seat 4: vigorish of 10.00 is due; 9.00 was taken."


def test_vigorish_taken_where_it_is_to_be_marked_leaves_nobody_with_less() -> None:
    finding = Folded(
        banker(filed("marked")).settle("W1", 19_500, vigorish_taken_minor=500).close().messages
    ).finding
    assert finding.code is FindingCode.VIGORISH_WRONG
    assert finding.sentence.endswith("Vigorish of 5.00 is due; 0.00 was marked and 5.00 taken.")
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
