"""A voided coup where the table knows only what each seat got in all: stakes go back, no more."""

from __future__ import annotations

import pytest

from schemas import events as said
from tests.support.tables.played import a_table, dealt
from tests.support.tables.table_script import SEAT_TOTALS, Folded, TableScript, a_submission

STAKE = 10_000


def paid_seat(script: TableScript, paid_minor: int, seat: str = "1") -> TableScript:
    return script.of_coup(
        said.SeatSettled, settlement_id=f"T-{seat}", seat=seat, paid_minor=paid_minor
    )


def a_voided_coup(paid_minor: int, stakes: tuple[int, ...] = (STAKE,)) -> TableScript:
    """Play a coup of one seat, settle it in one sum, and void it."""
    script = a_table(reports=SEAT_TOTALS)
    for stake in stakes:
        script.wager("player", stake)
    return paid_seat(dealt(script), paid_minor).void()


def taken_back(script: TableScript, minor: int) -> TableScript:
    return script.correct("1", -minor)


def test_winnings_taken_back_leave_the_stakes_that_are_due() -> None:
    script = a_voided_coup(2 * STAKE, (6_000, 4_000))
    assert Folded(taken_back(script, STAKE).close().messages).codes == []


def test_a_total_that_went_back_whole_is_made_good_by_refunds() -> None:
    script = taken_back(a_voided_coup(2 * STAKE), 2 * STAKE)
    assert Folded(script.refund("W1", STAKE).close().messages).codes == []


@pytest.mark.parametrize(
    ("change", "refunded", "code", "difference"),
    [
        (0, 0, "WAGER_OVERPAID", STAKE),
        (0, STAKE, "WAGER_OVERPAID", 2 * STAKE),
        (2 * STAKE, 0, "VOID_NOT_REFUNDED", -STAKE),
        (2 * STAKE, STAKE // 2, "VOID_NOT_REFUNDED", -STAKE // 2),
    ],
)
def test_what_a_seat_keeps_of_a_voided_coup_is_its_stakes(
    change: int, refunded: int, code: str, difference: int
) -> None:
    script = a_voided_coup(2 * STAKE)
    if change:
        taken_back(script, change)
    if refunded:
        script.refund("W1", refunded)
    finding = Folded(script.close().messages).finding
    assert (finding.code.value, finding.seat, finding.difference_minor) == (code, "1", difference)
    assert finding.sentence.startswith(
        "Seat 1: coup 1 was voided, stakes of 100.00 should have been returned; "
    )


def test_stakes_that_go_back_in_one_sum_need_no_refund_for_each() -> None:
    script = a_table(reports=SEAT_TOTALS)
    script.wager("player", 6_000)
    script.wager("tie", 4_000)
    paid_seat(script.close_bets().void(), STAKE).close()
    assert Folded(script.messages).codes == []


def test_a_seat_that_was_not_settled_is_judged_by_its_refunds() -> None:
    script = a_voided_coup(STAKE)
    script.wager("banker", STAKE, "2")
    folded = Folded(script.close().messages)
    assert [(one.code.value, one.seat) for one in folded.findings if one.wager] == [
        ("WAGER_LATE", "2"),
        ("VOID_NOT_REFUNDED", "2"),
    ]


@pytest.mark.parametrize(("reading", "codes"), [("stands", []), ("refunded", ["WAGER_OVERPAID"])])
def test_a_total_that_may_hold_a_majestic_match_that_stands_is_left_alone(
    reading: str, codes: list[str]
) -> None:
    wagers = [{"id": one} for one in ("baccarat.player", "baccarat.banker", "majestic_match")]
    filed = a_submission(game="baccarat", wagers=wagers, readings={"D24": reading})
    script = a_table(filed, SEAT_TOTALS)
    script.wager("majestic_match@player", STAKE)
    script.close_bets().deal("KS QS", "2D 3H")
    assert Folded(paid_seat(script, 26 * STAKE).void().close().messages).codes == codes


@pytest.mark.parametrize(("given_back", "codes"), [(STAKE, []), (0, ["VOID_NOT_REFUNDED"])])
def test_a_collected_stake_of_a_seat_may_go_back_by_the_correction_of_its_collection(
    given_back: int, codes: list[str]
) -> None:
    script = a_table(reports=SEAT_TOTALS)
    script.wager("banker", STAKE)
    settled = {"settlement_id": "T-1", "seat": "1", "paid_minor": 0}
    dealt(script).of_coup(said.SeatSettled, stake_collected_minor=STAKE, **settled).void()
    script.correct("1", 0, stake_collected_change_minor=-given_back)
    assert Folded(script.close().messages).codes == codes


def test_a_table_that_tells_no_wagers_does_not_show_what_a_seat_had_staked() -> None:
    reports = [one for one in SEAT_TOTALS if one is not said.Capability.WAGERS]
    script = dealt(a_table(reports=reports))
    assert Folded(paid_seat(script, STAKE).void().close().messages).codes == []


@pytest.mark.parametrize("is_of_seats", [True, False])
def test_a_majestic_match_stands_also_where_the_next_feed_voids_the_coup(
    is_of_seats: bool,
) -> None:
    wagers = [{"id": one} for one in ("baccarat.player", "baccarat.banker", "majestic_match")]
    filed = a_submission(game="baccarat", wagers=wagers)
    script = a_table(filed, SEAT_TOTALS) if is_of_seats else a_table(filed)
    script.wager("majestic_match@player", STAKE)
    script.close_bets().deal("KS QS", "2D 3H")
    for _ in range(20):
        script.say(said.Heartbeat)
    if is_of_seats:
        paid_seat(script, 26 * STAKE)
    else:
        script.settle("W1", 26 * STAKE)
    assert Folded(script.restart().void().close().messages).codes == []
