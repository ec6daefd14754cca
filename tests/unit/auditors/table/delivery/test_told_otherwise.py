"""An id that comes again with other words is told: nothing about money or cards is lost unsaid."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas import events as said
from tests.support.tables.played import BANKER_WINS, a_table, dealt
from tests.support.tables.table_script import SEAT_TOTALS, Folded, TableScript, a_submission

STAKE = 10_000
MARKED = a_submission(commission={"form": "standard", "rate": "5%", "timing": "marked"})


def two_winners() -> TableScript:
    """Two patrons win 100.00 on Player; nobody is paid yet."""
    script = a_table()
    script.wager("player", STAKE, "1")
    script.wager("player", STAKE, "2")
    return dealt(script)


def a_banker_winner() -> TableScript:
    script = a_table()
    script.wager("banker", STAKE)
    return dealt(script, BANKER_WINS)


def test_a_settlement_id_of_another_wager_is_a_conflict() -> None:
    script = two_winners().settle("W1", 2 * STAKE, settlement_id="T1")
    folded = Folded(script.settle("W2", 2 * STAKE, settlement_id="T1").messages)
    assert folded.said_at(script.sequence) == ["SETTLEMENT_CONFLICT"]
    assert folded.finding.sentence == (
        "Settlement T1 came again with 200.00, for another wager or seat or with another "
        "collection or vigorish; the first one stays in force."
    )
    assert Folded(script.close().messages).codes == ["SETTLEMENT_CONFLICT", "WAGER_NOT_SETTLED"]


@pytest.mark.parametrize(
    "other",
    [{"vigorish_taken_minor": 0}, {"vigorish_marked_minor": 500}, {"stake_collected_minor": STAKE}],
)
def test_a_settlement_that_comes_again_with_another_amount_beside_the_payment_is_a_conflict(
    other: dict[str, int],
) -> None:
    first = {"vigorish_taken_minor": 500, "vigorish_marked_minor": 0, "stake_collected_minor": 0}
    script = (
        a_banker_winner()
        .settle("W1", 19_500, **first)
        .settle(
            "W1",
            19_500,
            **first,
        )
    )
    assert Folded(script.messages).codes == []
    script.settle("W1", 19_500, **{**first, **other}).close()
    assert Folded(script.messages).codes == ["SETTLEMENT_CONFLICT"]


def test_a_settlement_that_says_less_the_second_time_is_no_conflict() -> None:
    script = a_banker_winner().settle("W1", 19_500, vigorish_taken_minor=500)
    assert Folded(script.settle("W1", 19_500).close().messages).codes == []


def test_a_seat_settlement_that_comes_again_for_another_seat_is_a_conflict() -> None:
    script = a_table(reports=SEAT_TOTALS)
    script.wager("player", STAKE, "1")
    script.wager("player", STAKE, "2")
    dealt(script)
    for seat in ("1", "1", "2"):
        script.of_coup(said.SeatSettled, settlement_id="T1", seat=seat, paid_minor=2 * STAKE)
    assert Folded(script.close().messages).codes == ["SETTLEMENT_CONFLICT", "WAGER_NOT_SETTLED"]


def _corrected(script: TableScript, minor: int, wager: str) -> None:
    script.correct(wager, -minor, correction_id="C1")


def _refunded(script: TableScript, minor: int, wager: str) -> None:
    script.refund(wager, minor, refund_id="R1")


def _collected(script: TableScript, minor: int, wager: str) -> None:
    script.of_coup(said.StakeCollected, collection_id="K1", wager_id=wager, collected_minor=minor)


@pytest.mark.parametrize("say", [_corrected, _refunded, _collected])
@pytest.mark.parametrize(("minor", "wager"), [(STAKE // 2, "W1"), (STAKE, "W2")])
def test_money_under_a_used_id_with_other_words_is_rejected(
    say: Callable[[TableScript, int, str], None], minor: int, wager: str
) -> None:
    script = two_winners().settle("W1", 3 * STAKE).settle("W2", 3 * STAKE)
    say(script, STAKE, "W1")
    say(script, STAKE, "W1")
    before = Folded(script.messages).codes
    assert "EVENT_REJECTED" not in before
    say(script, minor, wager)
    folded = Folded(script.messages)
    assert folded.codes == sorted([*before, "EVENT_REJECTED"])
    rejected = next(one for one in folded.findings if one.code.value == "EVENT_REJECTED")
    assert rejected.evidence == (script.sequence,)
    assert "was told before, with other words; it was kept but not used" in rejected.sentence


@pytest.mark.parametrize("other", [{"collected_minor": 900}, {"seat": "5"}, {"patron": "P2"}])
def test_vigorish_under_a_used_id_with_other_words_is_rejected(other: dict[str, object]) -> None:
    script = a_table(MARKED)
    script.wager("banker", STAKE, "4", patron="P1")
    dealt(script, BANKER_WINS).settle("W1", 20_000, vigorish_marked_minor=500).close()
    paid = {"collection_id": "V1", "seat": "4", "collected_minor": 500, "patron": "P1"}
    script.of_shoe(said.VigorishCollected, **paid).of_shoe(said.VigorishCollected, **paid)
    assert Folded(script.messages).codes == []
    script.of_shoe(said.VigorishCollected, **{**paid, **other}).end_shoe()
    finding = Folded(script.messages).finding
    assert finding.sentence == (
        f"Event {script.sequence - 1}, vigorish_collected: collection V1 was told before, with "
        "other words; it was kept but not used."
    )


def test_another_card_removed_under_a_used_id_is_rejected() -> None:
    script = TableScript().open().shoe().honest_coup()
    gone = {"removal_id": "M1", "taken_from": "shoe", "reason": "damaged", "card": "9C"}
    script.of_shoe(said.CardRemoved, **gone).of_shoe(said.CardRemoved, **gone)
    script.of_shoe(said.CardRemoved, **{**gone, "card": "8C"})
    script.of_shoe(said.CardReplaced, removal_id="M1", card="9C").honest_coup()
    finding = Folded(script.messages).finding
    assert finding.sentence.endswith(
        "removal M1 was told before, with other words; it was kept but not used."
    )


def test_ids_of_a_state_before_this_are_known_without_their_words() -> None:
    script = two_winners()
    script.settle("W1", 3 * STAKE).correct("W1", -STAKE, correction_id="C1")
    script.refund("W2", STAKE, refund_id="R1")
    folded = Folded(script.messages)
    (coup,) = folded.state.coups
    old = coup.__class__(**{**coup.__dict__, "entry_ids": ("refund R1",)})
    folded.state = folded.state.__class__(**{**folded.state.__dict__, "coups": (old,)})
    before = list(script.messages)
    _corrected(script, STAKE // 2, "W1")
    _refunded(script, STAKE // 2, "W2")
    for raw in script.messages[len(before) :]:
        folded.log.append(raw)
        folded.take(len(folded.log) - 1, raw)
    assert "EVENT_REJECTED" not in folded.codes


def test_a_collected_stake_of_a_voided_coup_may_go_back_by_the_correction_of_its_collection() -> (
    None
):
    script = a_table()
    script.wager("banker", STAKE)
    dealt(script).settle("W1", 0, stake_collected_minor=STAKE).void()
    script.correct("W1", 0, stake_collected_change_minor=-STAKE)
    assert Folded([*script.messages]).codes == []
    assert Folded(script.close().messages).codes == []


@pytest.mark.parametrize(
    ("given_back", "refunded", "codes"),
    [
        (STAKE, STAKE, []),
        (STAKE // 2, 0, ["VOID_NOT_REFUNDED"]),
        (0, 0, ["VOID_NOT_REFUNDED"]),
        (STAKE // 2, STAKE // 2, []),
        (STAKE, 2 * STAKE, ["WAGER_OVERPAID"]),
    ],
)
def test_what_goes_back_of_a_voided_coup_is_the_stake_however_it_is_told(
    given_back: int, refunded: int, codes: list[str]
) -> None:
    script = a_table()
    script.wager("banker", STAKE)
    dealt(script).settle("W1", 0, stake_collected_minor=STAKE).void()
    if given_back:
        script.correct("W1", 0, stake_collected_change_minor=-given_back)
    if refunded:
        script.refund("W1", refunded)
    assert Folded(script.close().messages).codes == codes


def test_what_a_voided_stake_lacks_is_what_went_back_in_neither_way() -> None:
    script = a_table()
    script.wager("banker", STAKE)
    dealt(script).settle("W1", 0, stake_collected_minor=STAKE).void()
    script.correct("W1", 0, stake_collected_change_minor=-STAKE // 4)
    assert Folded(script.close().messages).finding.difference_minor == -STAKE * 3 // 4


@pytest.mark.parametrize(
    ("cards", "codes"),
    [
        (("9H", "9H"), []),
        (("9H", "8H"), ["EVENT_REJECTED"]),
        (("8H", "8H"), ["SHOE_COMPOSITION"]),
    ],
)
def test_a_removal_that_is_made_good_again_by_another_card_is_told_otherwise(
    cards: tuple[str, str], codes: list[str]
) -> None:
    script = TableScript().open().shoe()
    removed = {"card": "9H", "taken_from": "shoe", "reason": "damaged"}
    script.of_shoe(said.CardRemoved, removal_id="R1", **removed)
    for card in cards:
        script.of_shoe(said.CardReplaced, removal_id="R1", card=card)
    assert Folded(script.honest_coup().messages).codes == codes


def test_a_card_that_was_removed_amid_a_coup_whose_first_card_was_lost_is_none_from_before() -> (
    None
):
    script = TableScript().open().shoe().coup()
    script.wager("player", 1_000)
    script.close_bets().card("player", 1, "9C")
    lost = len(script.messages) - 1
    removed = {"card": "9H", "taken_from": "shoe", "reason": "damaged"}
    script.of_shoe(said.CardRemoved, removal_id="R1", **removed).card("banker", 1, "2C")
    script.of_shoe(said.CardReplaced, removal_id="R1", card="9H")
    for _ in range(70):
        script.say(said.Heartbeat, 0.5)
    codes = Folded(script.messages[:lost] + script.messages[lost + 1 :]).codes
    assert codes == ["SEQUENCE_GAP"]


def test_a_removal_that_was_made_good_is_told_again_without_effect() -> None:
    script = TableScript().open().shoe()
    for _ in range(2):
        removed = {"removal_id": "R1", "card": "9H", "taken_from": "shoe", "reason": "damaged"}
        script.of_shoe(said.CardRemoved, **removed)
        script.of_shoe(said.CardReplaced, removal_id="R1", card="9H")
    script.of_shoe(said.CardRemoved, **removed)
    assert Folded(script.honest_coup().messages).codes == []
