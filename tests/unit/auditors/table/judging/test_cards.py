"""Cards of a coup: dealt in turn and by the rules, read, and called rightly."""

from __future__ import annotations

import pytest

from auditors.table.known.state import decode_state, encode_state
from schemas import events as said
from schemas.findings import FindingCode, FindingStatus, Severity
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, a_table, dealt, found
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but

STAKE = 10_000


def called(player: str, banker: str, winner: str, *points: int) -> TableScript:
    return a_table().close_bets().deal(player, banker).result(winner, *points)


def test_the_player_who_had_to_draw_and_stood_is_found_with_the_result() -> None:
    script = called("2S 3H", "7D KC", "banker", 5, 7)
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["THIRD_CARD_NOT_DRAWN"]
    finding = folded.finding
    assert finding.severity is Severity.CRITICAL
    assert finding.hand == "player"
    assert finding.sentence == (
        "Player 2S 3H, Banker 7D KC. Player must draw on 5, but has no third card."
    )
    assert finding.citation == "58 Pa. Code § 627a.10 (text not seen)"
    assert finding.evidence == (5, 6, 7, 8)


def test_b01_the_banker_who_stood_on_three_against_a_ten_is_found() -> None:
    finding = Folded(called("2S 3H KD", "AC 2D", "player", 5, 3).messages).finding
    assert finding.code is FindingCode.THIRD_CARD_NOT_DRAWN
    assert "Banker must draw on 3 against a ten-valued card (KD)" in finding.sentence


def test_b01_the_banker_who_drew_on_three_against_a_ten_is_paid_as_winner() -> None:
    script = a_table()
    banker, player = script.wager("banker", STAKE), script.wager("player", STAKE, seat="2")
    dealt(script, BANKER_WINS).settle(banker, 19_500).settle(player, 0).close()
    assert found(script) == []


def test_the_banker_is_judged_against_the_players_third_card_as_it_lies() -> None:
    # Player stands on six by the rules but drew an 8: Banker 3 must not draw against it.
    script = called("2S 4H 8D", "AC 2D 5H", "banker", 4, 8)
    folded = Folded(script.messages)
    assert [(one.code.value, one.hand) for one in folded.findings] == [
        ("THIRD_CARD_DRAWN_IN_ERROR", "player"),
        ("THIRD_CARD_DRAWN_IN_ERROR", "banker"),
    ]


def test_a_card_after_a_natural_has_its_own_code() -> None:
    finding = Folded(called("9S KD 2H", "2S 3H", "banker", 1, 5).messages).finding
    assert finding.code is FindingCode.CARD_AFTER_NATURAL
    assert finding.hand == "player"


def test_the_draw_is_not_judged_before_the_result() -> None:
    script = a_table().close_bets().deal("9S KD 2H", "2S 3H")
    assert found(script) == []


def test_without_announcements_the_draw_is_judged_at_the_end() -> None:
    script = a_table(reports=all_but(said.Capability.ANNOUNCEMENTS))
    script.close_bets().deal("9S KD 2H", "2S 3H")
    assert found(script) == []
    assert found(script.close()) == ["CARD_AFTER_NATURAL"]


def test_a_faulty_draw_leaves_wagers_on_the_result_undetermined() -> None:
    script = a_table()
    main, pair = script.wager("player", STAKE), script.wager("house.player_pair", 500)
    script.close_bets().deal("9S 9D 2H", "2S 3H").result("banker", 0, 5)
    script.settle(main, 999).settle(pair, 5_000).close()
    folded = Folded(script.messages)
    # The pair is decided by the first two cards, and 11 to 1 was due on it.
    assert folded.codes == ["CARD_AFTER_NATURAL", "WAGER_UNDERPAID"]
    main_row, pair_row = folded.coup("S1/1").wagers
    assert (main_row.outcome, main_row.due_minor) == (None, None)
    assert (pair_row.outcome, pair_row.due_minor) == ("win", 6_000)
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.is_determined is False


@pytest.mark.parametrize(
    "places",
    [
        ["P1", "P2", "B1", "B2"],
        ["B1", "P1", "B2", "P2"],
    ],
)
def test_cards_out_of_turn_are_found_and_settled_as_they_lie(places: list[str]) -> None:
    cards = {"P1": "9S", "P2": "KD", "B1": "2S", "B2": "3H"}
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets()
    for place in places:
        script.card("player" if place[0] == "P" else "banker", int(place[1]), cards[place])
    script.result("player", 9, 5).settle(wager_id, 20_000).close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.DEAL_ORDER
    assert f"(dealt: {' '.join(places)})" in finding.sentence


def test_the_bankers_third_card_before_the_players_is_out_of_turn() -> None:
    script = a_table().close_bets().deal("2S 3H", "AC 2D").card("banker", 3, "5H")
    script.card("player", 3, "KD").result("banker", 5, 8)
    assert found(script) == ["DEAL_ORDER"]


def test_turn_is_not_judged_where_the_order_is_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.DEAL_ORDER)).close_bets()
    script.card("player", 1, "9S").card("player", 2, "KD")
    script.card("banker", 1, "2S").card("banker", 2, "3H").result("player", 9, 5)
    assert found(script) == []


@pytest.mark.parametrize(
    ("player", "banker"),
    [("9S", "2S 3H"), ("9S KD", "2S"), ("2S 3H 4D", "2S")],
)
def test_a_hand_with_too_few_cards_is_out_of_order_and_undetermined(
    player: str, banker: str
) -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(player, banker).result("player").settle(wager_id, 777).close()
    folded = Folded(script.messages)
    assert folded.codes == ["DEAL_ORDER"]
    assert "a hand has fewer than two cards" in folded.finding.sentence


def test_a_fourth_card_is_out_of_order() -> None:
    script = a_table().close_bets().deal("2S 3H 4D", "7S KH").card("player", 4, "AD")
    script.result("banker").close()
    finding = Folded(script.messages).findings[0]
    assert finding.code is FindingCode.DEAL_ORDER
    assert "more than three cards" in finding.sentence


def test_a_place_dealt_to_twice_is_out_of_order() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS).card("banker", 2, "4H")
    script.result("player", 9, 5).close()
    assert found(script) == ["DEAL_ORDER"]


def test_wagers_of_a_coup_without_cards_are_a_deal_out_of_order() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().settle(wager_id, 0).close()
    assert found(script) == ["DEAL_ORDER", "SETTLED_OUT_OF_TURN"]


def test_a_coup_without_wagers_and_cards_is_none() -> None:
    assert found(a_table().close_bets().close()) == []


def test_a_winner_announced_against_the_cards_is_found() -> None:
    script = called("9S KD", "2S 3H", "banker", 9, 5)
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.RESULT_MISANNOUNCED
    assert finding.column == "result_announced"
    assert finding.sentence == (
        "Player 9S KD, Banker 2S 3H. Player 9, Banker 5: Player wins; announced Banker wins."
    )
    assert finding.citation == "58 Pa. Code § 627a.11 (text not seen)"
    assert finding.evidence == (5, 6, 7, 8, 9)


def test_b09_a_seven_seven_tie_stored_as_banker_is_one_finding_and_paid_by_the_cards() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.close_bets().deal("6H 8S 3D", "JC 2D 5S").result("banker", 7, 7)
    script.settle(wager_id, STAKE).close()
    assert found(script) == ["RESULT_MISANNOUNCED"]


def test_wrong_counts_after_two_cards_are_found_at_once() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS)
    script.of_coup(said.CountsAnnounced, player_points=9, banker_points=6)
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["POINTS_MISANNOUNCED"]
    assert folded.finding.column == "counts_announced"
    assert "Player 9, Banker 5; announced Player 9 and Banker 6." in folded.finding.sentence


def test_counts_after_two_cards_are_those_of_the_first_two() -> None:
    script = a_table().close_bets().deal("2S 3H", "AC 2D")
    script.of_coup(said.CountsAnnounced, player_points=5, banker_points=3)
    script.card("player", 3, "KD").card("banker", 3, "5H").result("banker", 5, 8).close()
    assert found(script) == []


def test_wrong_final_counts_are_a_finding_apart_from_the_winner() -> None:
    finding = Folded(called("9S KD", "2S 3H", "player", 9, 4).messages).finding
    assert finding.code is FindingCode.POINTS_MISANNOUNCED
    assert finding.column == "result_announced"


def test_points_that_are_not_announced_are_not_judged() -> None:
    assert found(called("9S KD", "2S 3H", "player")) == []


@pytest.mark.parametrize(
    ("missing", "left"),
    [
        (said.Capability.ANNOUNCEMENTS, ["POINTS_MISANNOUNCED", "WINNING_WAGERS_MISREPORTED"]),
        (
            said.Capability.COUNTS,
            ["POINTS_MISANNOUNCED", "RESULT_MISANNOUNCED", "WINNING_WAGERS_MISREPORTED"],
        ),
        (
            said.Capability.WINNING_WAGERS,
            ["POINTS_MISANNOUNCED", "POINTS_MISANNOUNCED", "RESULT_MISANNOUNCED"],
        ),
        (said.Capability.CARDS, []),
    ],
)
def test_calls_that_are_not_reported_are_not_judged(
    missing: said.Capability, left: list[str]
) -> None:
    script = a_table(reports=all_but(missing)).close_bets().deal(*PLAYER_WINS)
    script.of_coup(said.CountsAnnounced, player_points=8, banker_points=5)
    script.result("banker", 8, 5, winning_wagers=("banker",)).close()
    assert found(script) == left


def announced(*winning: str, player: str = "9S KD", banker: str = "2S 3H") -> list[str]:
    script = a_table().close_bets().deal(player, banker)
    return found(script.result("player", 9, 5, winning_wagers=winning).close())


def test_the_list_of_winning_wagers_is_compared_with_the_wagers_on_offer() -> None:
    right = ("player", "golden_talons@player")
    assert announced(*right) == []
    assert announced("player") == ["WINNING_WAGERS_MISREPORTED"]
    assert announced(*right, "banker") == ["WINNING_WAGERS_MISREPORTED"]
    assert announced(*right, "no_such_wager") == []


def test_a_wrong_list_names_both_kinds_of_mistakes() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS)
    script.result("player", 9, 5, winning_wagers=("player", "tie")).close()
    assert Folded(script.messages).finding.sentence == (
        "Coup 1 of shoe S1: Tie was announced as winning but did not win; Golden Talons on Player "
        "was left out of the announcement although won."
    )


def test_wagers_that_depend_on_unread_suits_are_not_missed_on_the_list() -> None:
    script = a_table().close_bets().deal("9 K", "2 3")
    script.result("player", 9, 5, winning_wagers=("player", "golden_talons@player")).close()
    assert found(script) == []


def test_a_card_that_cannot_be_read_is_found_when_it_is_dealt() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().card("player", 1, "?")
    at = script.sequence
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H")
    script.result("player", 9, 5).settle(wager_id, 20_000).close()
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["CARD_UNREADABLE"]
    finding = folded.finding
    assert (
        finding.sentence
        == "Player card 1 could not be read; the coup cannot be judged until it is."
    )
    assert (finding.hand, finding.evidence) == ("player", (at,))
    record = folded.coup("S1/1")
    assert record.coup is not None
    assert (record.coup.player_cards, record.coup.winner) == ("? KD", None)
    assert record.wagers[0].due_minor is None


def test_an_unread_third_card_leaves_wagers_on_the_first_four_settled() -> None:
    script = a_table()
    main, pair = script.wager("player", STAKE), script.wager("house.player_pair", 500)
    script.close_bets().deal("2S 2H ?", "7D KC").result("banker", 6, 7)
    script.settle(main, 0).settle(pair, 500).close()
    folded = Folded(script.messages)
    assert folded.codes == ["CARD_UNREADABLE", "WAGER_UNDERPAID"]
    assert folded.findings[-1].wager == "house.player_pair"


def test_every_unread_card_is_a_finding_of_its_own() -> None:
    script = a_table().close_bets().deal("? KD", "? 3H").result("player").close()
    assert found(script) == ["CARD_UNREADABLE", "CARD_UNREADABLE"]


def in_error(
    disposition: str, hand: str = "player", position: int | None = 3, **fields: object
) -> dict[str, object]:
    return {
        "error_id": "E1",
        "hand": hand,
        "position": position,
        "disposition": disposition,
        **fields,
    }


def test_a_card_drawn_in_error_and_burned_is_explained() -> None:
    script = a_table().close_bets().deal("9S KD 2H", "2S 3H")
    script.of_coup(said.CardDrawnInError, **in_error("burned", card="2H"))
    folded = Folded(script.result("player", 9, 5).close().messages)
    assert folded.codes == []
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.player_cards == "9S KD"


def test_a_card_drawn_in_error_for_the_player_may_be_the_bankers_third() -> None:
    script = a_table().close_bets().deal("2S 4H 5D", "AC 2D")
    script.of_coup(said.CardDrawnInError, **in_error("other_hand", card="5D"))
    script.card("banker", 3, "5D", error_id="E1").result("banker", 6, 8).close()
    folded = Folded(script.messages)
    assert folded.codes == []
    shoe = folded.state.shoe
    assert shoe is not None
    assert len(shoe.order) == 5


def test_a_card_drawn_in_error_may_begin_the_next_coup() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS)
    script.of_coup(said.CardDrawnInError, **in_error("next_coup", position=None, card="7C"))
    script.result("player", 9, 5).close().coup().close_bets()
    script.card("player", 1, "7C", error_id="E1").card("banker", 1, "8S")
    script.card("player", 2, "KD").card("banker", 2, "KS").result("banker", 7, 8).close()
    folded = Folded(script.messages)
    assert folded.codes == []
    shoe = folded.state.shoe
    assert shoe is not None
    assert len(shoe.order) == 8


def test_a_disposition_after_the_result_withdraws_the_finding() -> None:
    script = called("9S KD 2H", "2S 3H", "player", 9, 5)
    assert found(script) == [
        "CARD_AFTER_NATURAL",
        "POINTS_MISANNOUNCED",
        "RESULT_MISANNOUNCED",
    ]
    script.of_coup(said.CardDrawnInError, **in_error("burned", card="2H"))
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.absorbed[-1].records[-1].findings == ()


def test_a_disposition_of_a_card_that_was_not_dealt_is_rejected() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS)
    script.of_coup(said.CardDrawnInError, **in_error("burned", card="2H"))
    assert found(script) == ["EVENT_REJECTED"]


def test_a_card_with_an_unknown_error_left_the_shoe_now() -> None:
    script = a_table().close_bets().card("player", 1, "9S", error_id="E9")
    shoe = Folded(script.messages).state.shoe
    assert shoe is not None
    assert len(shoe.order) == 1


def test_a_card_after_the_result_is_judged_when_it_comes() -> None:
    script = called("9S KD", "2S 3H", "player", 9, 5).card("player", 3, "KH")
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["CARD_AFTER_NATURAL"]


def test_the_first_card_of_a_coup_ends_the_coup_before_it() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).coup().close_bets()
    assert found(script) == []
    script.card("player", 1, "2S")
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["WAGER_NOT_SETTLED"]
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.state == "closed"


def test_values_alone_are_enough_for_the_draw_and_the_main_wagers() -> None:
    reports = all_but(said.Capability.SUITS, said.Capability.RANKS)
    script = a_table(reports=reports)
    main, pair = script.wager("banker", STAKE), script.wager("house.player_pair", 500)
    script.close_bets().deal("5 0 0", "A 2 5").result("banker", 5, 8)
    script.settle(main, 20_000).settle(pair, 12_345).close()
    folded = Folded(script.messages)
    assert folded.codes == ["WAGER_OVERPAID"]
    # Whether two ten-valued cards are of one rank is not known, so nothing is said of the pair.
    assert folded.coup("S1/1").wagers[1].due_minor is None


def test_ranks_alone_are_enough_for_pairs_and_not_for_suits() -> None:
    names = ("baccarat.player", "baccarat.banker", "baccarat.tie", "majestic_match")
    wagers = [{"id": one} for one in (*names, "house.player_pair")]
    script = a_table(a_submission(game="baccarat", wagers=wagers), all_but(said.Capability.SUITS))
    pair, match = script.wager("player_pair", 500), script.wager("majestic_match@player", 500)
    script.close_bets().deal("9 9", "2 3").settle(match, 999).result("player", 8, 5)
    script.settle(pair, 500).close()
    folded = Folded(script.messages)
    assert folded.codes == ["WAGER_UNDERPAID"]
    assert folded.finding.wager == "house.player_pair"


def test_a_card_drawn_in_error_explains_no_disorder_of_the_cards_before_it() -> None:
    script = a_table().close_bets()
    for hand, position, card in (("player", 1, "9S"), ("player", 2, "KD"), ("banker", 1, "2S")):
        script.card(hand, position, card)
    script.card("banker", 2, "3H").card("player", 3, "2H")
    script.of_coup(said.CardDrawnInError, **in_error("burned", card="2H"))
    assert found(script.result("player", 9, 5).close()) == ["DEAL_ORDER"]


def test_a_card_that_replaces_one_drawn_in_error_comes_when_the_error_is_seen() -> None:
    script = a_table().close_bets().deal("9S KD", "2S 3H")
    script.of_coup(said.CardDrawnInError, **in_error("burned", position=2, card="KD"))
    assert found(script.card("player", 2, "QD").result("player", 9, 5).close()) == []


# --- a card that is read later (schemas/feed.md, section 7)


def unread(player: str = "9S ?", banker: str = "2S 3H") -> TableScript:
    script = a_table()
    script.wager("player", STAKE)
    return script.close_bets().deal(player, banker)


def read(script: TableScript, card: str, **fields: object) -> TableScript:
    told = {"hand": "player", "position": 2, **fields}
    return script.of_coup(said.CardRead, card=card, **told)


def test_a_card_that_is_read_later_is_the_same_card_and_settles_the_coup() -> None:
    script = read(unread(), "KD").result("player", 9, 5)
    folded = Folded(script.settle("W1", 20_000).close().messages)
    finding = folded.finding
    assert finding.code is FindingCode.CARD_UNREADABLE
    assert finding.status is FindingStatus.CORRECTED
    assert finding.sentence == (
        "Player card 2 could not be read when it was dealt; it was read as KD before the result "
        "was announced."
    )
    assert finding.evidence == (8, 10)
    record = folded.coup("S1/1")
    assert record.coup is not None
    assert (record.coup.player_cards, record.coup.is_determined) == ("9S KD", True)
    assert record.wagers[0].due_minor == 20_000
    # It left the shoe once.
    assert folded.state.shoe is not None
    assert folded.state.shoe.cards_out == 4


def test_what_a_card_read_later_decides_is_judged_also_when_the_coup_is_closed() -> None:
    script = unread().result("player", 9, 5).settle("W1", 0, stake_collected_minor=STAKE).close()
    assert found(script) == ["CARD_UNREADABLE"]
    folded = Folded(read(script, "KD").messages)
    assert folded.codes == ["CARD_UNREADABLE", "WAGER_UNDERPAID"]
    unreadable = next(one for one in folded.findings if one.code is FindingCode.CARD_UNREADABLE)
    assert unreadable.sentence.endswith("read as KD after the result was announced.")
    # A card that says otherwise than the call, and cards that should have been drawn.
    assert "RESULT_MISANNOUNCED" in found(read(unread().result("player", 9, 5), "5D"))
    assert "THIRD_CARD_NOT_DRAWN" in found(
        read(unread("2S ?", "AC 6D").result("banker", 5, 7), "3D")
    )


def test_a_second_card_dealt_to_the_place_of_an_unread_one_is_no_reading_of_it() -> None:
    """A dealer who covers a card and deals another one is not helped by a device."""
    script = unread().card("player", 2, "KD").result("player", 9, 5).close()
    assert found(script) == ["CARD_UNREADABLE", "DEAL_ORDER", "WAGER_NOT_SETTLED"]
    # Nor does reading one of the two hide the other.
    assert found(read(script, "7D")) == ["CARD_UNREADABLE", "DEAL_ORDER", "WAGER_NOT_SETTLED"]


def test_a_card_that_was_read_is_not_changed_by_reading_it_again() -> None:
    script = read(read(unread(), "KD"), "KD")
    assert found(script) == ["CARD_UNREADABLE"]
    script = read(script, "QD")
    folded = Folded(script.messages)
    assert folded.codes == ["CARD_UNREADABLE", "EVENT_REJECTED"]
    (rejected,) = (one for one in folded.findings if one.code is FindingCode.EVENT_REJECTED)
    assert "player card 2 of coup S1/1 was read as KD" in rejected.sentence
    assert found(read(a_table().close_bets().deal("9S KD", "2S 3H"), "QD")) == ["EVENT_REJECTED"]
    assert found(read(unread(), "KD", position=3)) == ["CARD_UNREADABLE", "EVENT_REJECTED"]


def with_ids(card_id: str | None, back: str | None = None) -> TableScript:
    script = TableScript().open().shoe(card_id_prefix="K7:", backs=("blue",)).coup().close_bets()
    script.card("player", 1, "9S", card_id="K7:1").card("banker", 1, "2S", card_id="K7:2")
    script.card("player", 2, "?", card_id=card_id, back=back)
    return script.card("banker", 2, "3H", card_id="K7:4")


def test_another_card_id_is_another_card() -> None:
    assert found(read(with_ids("K7:3"), "KD", card_id="K7:3")) == ["CARD_UNREADABLE"]
    assert found(read(with_ids("K7:3"), "KD", card_id="K7:9")) == [
        "CARD_UNREADABLE",
        "EVENT_REJECTED",
    ]
    assert found(read(with_ids(None, "blue"), "KD", back="red")) == [
        "CARD_UNREADABLE",
        "EVENT_REJECTED",
    ]
    # An id that is read only now still tells of another shoe.
    assert found(read(with_ids(None), "KD", card_id="K8:3")) == [
        "CARD_FROM_OTHER_SHOE",
        "CARD_UNREADABLE",
    ]


def test_a_card_read_later_is_one_of_those_that_the_decks_hold() -> None:
    script = a_table()
    for number in range(4):
        if number:
            script.coup()
        # 8S seven times, the unread one is the eighth, and a ninth would be too many.
        cards = ("8S ?", "8S KD") if number == 0 else ("8S 9C", "8S QD")
        script.close_bets().deal(*cards).close()
    assert "SHOE_COMPOSITION" not in found(script)
    told = {"coup_id": "S1/1", "shoe_id": "S1", "hand": "player", "position": 2}
    assert "SHOE_COMPOSITION" in found(script.say(said.CardRead, card="8S", **told))


def test_a_state_that_knows_nothing_of_when_a_card_was_drawn_in_error_is_read() -> None:
    """Format 1 of states had no such field: a worker reads what the build before it kept."""
    folded = Folded(a_table().close_bets().deal("9S KD", "2S 3H").messages)
    before = encode_state(folded.state).replace(b'"error_sequence":null,', b"")
    assert b"error_sequence" not in before
    assert decode_state(before) == folded.state
