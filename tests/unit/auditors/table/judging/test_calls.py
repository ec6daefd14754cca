"""What is called wrongly and called again keeps its finding, put right; so do wrong first calls."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingStatus
from tests.support.tables.played import PLAYER_WINS, a_table
from tests.support.tables.table_script import Folded, TableScript, a_submission


def four_cards() -> TableScript:
    """Deal Player 9 and Banker 5."""
    return a_table().close_bets().deal(*PLAYER_WINS)


def counts(script: TableScript, player: int, banker: int) -> TableScript:
    return script.of_coup(said.CountsAnnounced, player_points=player, banker_points=banker)


def statuses(script: TableScript) -> list[tuple[str, str]]:
    found = Folded(script.messages).findings
    return sorted((one.code.value, one.status.value) for one in found)


def test_a_winner_called_wrongly_and_put_right_at_once_stays_in_sight() -> None:
    script = four_cards().result("banker", 9, 5)
    wrong = script.sequence
    script.result("player", 9, 5)
    finding = Folded(script.messages).finding
    assert finding.code.value == "RESULT_MISANNOUNCED"
    assert finding.status is FindingStatus.CORRECTED
    assert finding.sentence == (
        "Player 9S KD, Banker 2S 3H. Player 9, Banker 5: Player wins; announced Banker wins. "
        "It was put right at 18:00:10."
    )
    assert {wrong, wrong + 1} <= set(finding.evidence)
    assert Folded(script.close().messages).finding == finding


def test_a_call_that_is_right_at_first_and_wrong_at_last_stands() -> None:
    script = four_cards().result("player", 9, 5).result("banker", 9, 5).close()
    assert statuses(script) == [("RESULT_MISANNOUNCED", "standing")]


def test_a_call_that_is_wrong_again_is_one_finding_and_stands() -> None:
    script = four_cards().result("banker", 9, 5).result("tie", 9, 5).close()
    assert statuses(script) == [("RESULT_MISANNOUNCED", "standing")]


def test_counts_and_winner_are_put_right_each_by_itself() -> None:
    script = four_cards().result("banker", 5, 9).result("player", 5, 9).close()
    assert statuses(script) == [
        ("POINTS_MISANNOUNCED", "standing"),
        ("RESULT_MISANNOUNCED", "corrected"),
    ]


def test_counts_after_two_cards_that_are_put_right_stay_in_sight() -> None:
    script = counts(counts(four_cards(), 8, 5), 9, 5).result("player", 9, 5).close()
    assert statuses(script) == [("POINTS_MISANNOUNCED", "corrected")]


def test_a_list_of_winning_wagers_that_is_put_right_stays_in_sight() -> None:
    script = four_cards().result("player", 9, 5, winning_wagers=("banker",))
    script.result("player", 9, 5, winning_wagers=("player", "golden_talons@player")).close()
    assert statuses(script) == [("WINNING_WAGERS_MISREPORTED", "corrected")]


@pytest.mark.parametrize("times", [1, 3, 30])
def test_a_right_call_that_is_said_again_is_none(times: int) -> None:
    script = four_cards()
    for _ in range(times):
        script.result("player", 9, 5).result("player")
    assert statuses(script.close()) == []


def test_a_result_called_before_the_last_card_was_right_for_the_cards_of_then() -> None:
    script = a_table().close_bets().deal("2S 3H KD", "AC 2D").result("player", 5, 3)
    script.card("banker", 3, "5H").result("banker", 5, 8).close()
    assert statuses(script) == []


def test_a_result_called_before_a_card_was_taken_away_is_explained_by_that() -> None:
    script = a_table().close_bets().deal("3S 4H 9D", "6C KC").result("tie", 6, 6)
    script.of_coup(
        said.CardDrawnInError,
        error_id="E1",
        hand="player",
        position=3,
        card="9D",
        disposition="burned",
        authorised_by="su-1",
    )
    assert statuses(script.result("player", 7, 6).close()) == []


def test_calls_are_not_judged_where_they_are_not_reported() -> None:
    reports = (said.Capability.CARDS, said.Capability.WAGERS)
    script = a_table(a_submission(), reports).close_bets().deal(*PLAYER_WINS)
    assert statuses(script.result("banker", 9, 5).result("player", 9, 5).close()) == []


def test_a_call_is_put_right_in_the_next_feed_as_in_one() -> None:
    script = a_table().coup().close_bets().deal("9C KD", "4H 5C").restart()
    finding = Folded(script.result("banker", 9, 9).result("tie", 9, 9).messages).finding
    assert (finding.code.value, finding.status) == ("RESULT_MISANNOUNCED", FindingStatus.CORRECTED)


def test_a_card_that_is_read_in_the_next_feed_explains_the_call_before() -> None:
    script = a_table().coup().close_bets()
    for hand, position, card in (("player", 1, "9C"), ("banker", 1, "4H"), ("player", 2, "KD")):
        script.card(hand, position, card)
    script.card("banker", 2, "?").result("player", 9, 4).restart()
    script.of_coup(said.CardRead, hand="banker", position=2, card="5C")
    assert Folded(script.result("tie", 9, 9).close().messages).codes == ["CARD_UNREADABLE"]
