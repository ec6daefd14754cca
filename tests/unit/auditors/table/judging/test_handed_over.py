"""Money goes back to a patron in several ways: each way counts, and none counts twice."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import Finding, FindingStatus
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, TIE, a_table, dealt, found
from tests.support.tables.table_script import (
    SEAT_TOTALS,
    Folded,
    TableScript,
    a_submission,
    with_wager,
)

STAKE = 10_000


def money(finding: Finding) -> tuple[str, int | None, int | None]:
    """Give code, difference and residual of a finding."""
    return finding.code.value, finding.difference_minor, finding.residual_minor


def withdrawn(wager: str) -> tuple[TableScript, str]:
    """A wager that the patron takes back in time, in a coup that the Player wins."""
    script = a_table()
    wager_id = script.wager(wager, STAKE)
    script.of_coup(said.WagerWithdrawn, wager_id=wager_id)
    return dealt(script), wager_id


def test_what_is_paid_on_a_withdrawn_wager_was_due_to_nobody() -> None:
    script, wager_id = withdrawn("player")
    finding = Folded(script.settle(wager_id, 20_000).close().messages).finding
    assert money(finding) == ("WAGER_OVERPAID", 20_000, 20_000)
    assert finding.due_minor == 0


def test_what_is_due_on_a_withdrawn_wager_is_said_in_the_currency_of_the_table() -> None:
    script = a_table(a_submission(currency="JPY"))
    wager_id = script.wager("player", STAKE)
    script.of_coup(said.WagerWithdrawn, wager_id=wager_id)
    finding = Folded(dealt(script).settle(wager_id, 20_000).close().messages).finding
    assert finding.sentence.endswith("nothing due; the dealer paid 20,000.")


def test_what_was_paid_on_a_withdrawn_wager_and_taken_back_is_corrected() -> None:
    script, wager_id = withdrawn("player")
    script.settle(wager_id, 20_000).correct(wager_id, -20_000).close()
    finding = Folded(script.messages).finding
    assert money(finding) == ("WAGER_OVERPAID", 20_000, 0)
    assert finding.status is FindingStatus.CORRECTED


def test_a_stake_collected_on_a_withdrawn_wager_was_taken_a_second_time() -> None:
    script, wager_id = withdrawn("banker")
    script.settle(wager_id, 0, stake_collected_minor=STAKE).close()
    assert money(Folded(script.messages).finding) == ("STAKE_TAKEN_TWICE", -STAKE, -STAKE)
    script, wager_id = withdrawn("banker")
    script.of_coup(
        said.StakeCollected, collection_id="K1", wager_id=wager_id, collected_minor=STAKE
    ).close()
    assert money(Folded(script.messages).finding) == ("STAKE_TAKEN_TWICE", -STAKE, -STAKE)


def test_a_stake_collected_on_a_withdrawn_wager_and_given_back_is_corrected() -> None:
    script, wager_id = withdrawn("banker")
    script.settle(wager_id, 0, stake_collected_minor=STAKE)
    script.refund(wager_id, STAKE, reason="other").close()
    assert money(Folded(script.messages).finding) == ("STAKE_TAKEN_TWICE", -STAKE, 0)


def test_a_withdrawn_wager_whose_return_is_told_is_no_finding() -> None:
    script, wager_id = withdrawn("banker")
    assert found(script.refund(wager_id, STAKE, reason="other").close()) == []


@pytest.mark.parametrize(
    ("wager", "difference"), [("player", -10_000), ("banker", 10_000)], ids=["winner", "loser"]
)
def test_a_refund_does_not_settle_a_wager_that_stands(wager: str, difference: int) -> None:
    script = a_table()
    wager_id = script.wager(wager, STAKE)
    dealt(script).refund(wager_id, STAKE, reason="other").close()
    assert money(Folded(script.messages).finding)[:2] == ("WAGER_NOT_SETTLED", difference)


def test_a_refund_is_all_that_a_wager_needs_which_is_due_its_stake_or_does_not_stand() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    assert found(dealt(script, TIE).refund(wager_id, STAKE, reason="other").close()) == []
    script = a_table()
    wager_id = script.wager("golden_talons@player", STAKE)
    dealt(script).refund(wager_id, STAKE, reason="other").close()
    assert found(script) == ["WAGER_WITHOUT_BASE"]
    script = a_table()
    wager_id = script.wager("house.big", STAKE)
    dealt(script).refund(wager_id, STAKE, reason="other").close()
    assert found(script) == ["WAGER_NOT_OFFERED"]


def test_a_part_of_a_losing_stake_that_is_refunded_counts_once() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    dealt(script).refund(wager_id, 4_000, reason="other")
    script.settle(wager_id, 0, stake_collected_minor=6_000).close()
    assert money(Folded(script.messages).finding)[:2] == ("LOSER_NOT_COLLECTED", 4_000)


def test_under_return_excess_an_excess_refunded_before_the_rest_is_collected_counts_once() -> None:
    submission = with_wager("minibaccarat.banker", maximum="50.00")
    script = a_table(submission.model_copy(update={"readings": {"D31": "return_excess"}}))
    wager_id = script.wager("banker", STAKE)
    dealt(script).refund(wager_id, 5_000, reason="excess_returned")
    script.settle(wager_id, 0, stake_collected_minor=5_000).close()
    assert found(script) == ["WAGER_OUT_OF_LIMITS"]


@pytest.mark.parametrize("collected", [0, STAKE], ids=["untold", "told"])
def test_a_loser_paid_with_its_stake_that_gives_all_of_it_back_has_no_residual(
    collected: int,
) -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    dealt(script, PLAYER_WINS).settle(wager_id, 20_000, stake_collected_minor=0)
    script.correct(wager_id, -20_000, stake_collected_change_minor=collected).close()
    assert money(Folded(script.messages).finding) == ("LOSER_PAID", 20_000, 0)


def test_a_loser_that_gives_back_what_it_won_and_keeps_its_stake_has_the_stake_left() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script, BANKER_WINS).settle(wager_id, 20_000, stake_collected_minor=0)
    script.correct(wager_id, -10_000).close()
    assert money(Folded(script.messages).finding) == ("LOSER_PAID", 20_000, STAKE)


def seat_collected(collected: int, change: int = 0) -> Folded:
    """A seat wins 100.00 on Player and loses 25.00 on Banker; it is paid what is due."""
    script = a_table(reports=SEAT_TOTALS)
    script.wager("player", STAKE, seat="4")
    script.wager("banker", 2_500, seat="4")
    told = {"settlement_id": "T4", "seat": "4", "paid_minor": 20_000}
    dealt(script).of_coup(said.SeatSettled, **told, stake_collected_minor=collected)
    if change:
        script.correct("", 0, settlement_id="T4", stake_collected_change_minor=change)
    return Folded(script.close().messages)


def test_a_losing_stake_that_a_seat_kept_is_found_though_its_total_is_right() -> None:
    assert seat_collected(2_500).codes == []
    assert money(seat_collected(0).finding) == ("LOSER_NOT_COLLECTED", 2_500, 2_500)
    assert money(seat_collected(0, 2_500).finding) == ("LOSER_NOT_COLLECTED", 2_500, 0)
    assert seat_collected(0).finding.seat == "4"


def test_a_seat_of_which_more_was_collected_than_it_staked_is_found() -> None:
    assert money(seat_collected(15_000).finding) == ("STAKE_TAKEN_TWICE", -2_500, -2_500)
    assert money(seat_collected(15_000, -2_500).finding) == ("STAKE_TAKEN_TWICE", -2_500, 0)
