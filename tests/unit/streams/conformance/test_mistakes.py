"""A mistake that makers often make is told once, as what it is, and not by what follows from it."""

import json

from schemas import events as said
from schemas.wire import FeedPosition, chain_hash
from streams.conformance import Level
from tests.support.tables.conforming_day import Day, checked, errors, only


def of_rule(messages: list[bytes], rule: str) -> list[str]:
    """Give the problems of one rule."""
    return [one.problem for one in checked(messages)[0] if one.rule == rule]


def test_ids_that_begin_anew_with_each_shoe_are_told_as_ids_used_before() -> None:
    day = Day().begin().load()
    day.play()
    day.say(said.ShoeEnded, shoe_id="S1", reason="table_closed", coup_count=1)
    day.load()
    day.play()
    day.end(coups=2)
    found = [one for one in checked(day.messages)[0] if one.level is Level.ERROR]
    assert {one.rule for one in found} <= {"id", "shoe", "table"}
    assert of_rule(day.messages, "id")[:2] == [
        "shoe S1 was used before at this source",
        "coup S1/1 was used before at this source",
    ]


def test_a_correction_of_a_coup_of_the_shoe_before_is_no_other_coup() -> None:
    day = Day().begin().load()
    day.play()
    day.say(said.ShoeEnded, shoe_id="S1", reason="table_closed", coup_count=1)
    day.load("S2")
    day.say(
        said.PayoutCorrected,
        coup_id="S1/1",
        correction_id="C1",
        settlement_id="T-W1",
        paid_change_minor=-500,
        reason="overpaid",
        authorised_by="P1",
    )
    assert errors(day.messages) == []


def test_positions_that_count_on_over_both_hands_are_told() -> None:
    day = Day().begin().load()
    day.bet()
    for position, hand in enumerate(("player", "banker", "player", "banker"), start=1):
        day.card(hand, position, "2S")
    found = [one for one in checked(day.messages)[0] if one.rule == "coup"]
    assert [one.problem for one in found[:3]] == [
        "banker card 2 of coup S1/1 was dealt, and card 1 was not",
        "player card 3 of coup S1/1 was dealt, and card 2 was not",
        "banker card 4 of coup S1/1 was dealt, and card 3 was not",
    ]
    assert found[0].advice.endswith("counted for each hand by itself")


def test_a_card_that_was_taken_back_leaves_its_place_to_the_next() -> None:
    day = Day().begin().load()
    day.bet()
    day.deal("2S 3H", "AC 2D").card("player", 3, "4S")
    day.of_coup(
        said.CardDrawnInError, error_id="E1", hand="player", position=3, disposition="burned"
    )
    day.card("player", 4, "5S")
    assert errors(day.messages) == []


def test_a_feed_id_made_anew_for_each_event_is_told_so() -> None:
    day = Day().begin()
    day.position = FeedPosition("BAC-01", "feed-2")
    one = only(day.say(said.Heartbeat).messages)
    assert (one.rule, one.problem) == ("feed", "the feed begins with heartbeat")
    assert one.advice.startswith("keep feed_id as long as the spool lasts: feed feed-1 came before")


def test_a_new_feed_id_under_which_the_numbering_goes_on_is_told_so() -> None:
    day = Day().begin()
    day.position = FeedPosition("BAC-01", "feed-2", 3, chain_hash(day.messages[-1]))
    one = only(day.say(said.Heartbeat).messages)
    assert one.rule == "gap"
    assert one.advice.startswith("begin a new feed_id with feed_started as event 1; keep the old")


def test_the_hash_of_an_object_that_was_written_anew_is_known_in_more_forms() -> None:
    day = Day().say(said.FeedStarted, source_kind="table", software="Gerät ♠")
    document = json.loads(day.messages[0])
    for written in (
        json.dumps(document),
        json.dumps(document, separators=(",", ":")),
        json.dumps(dict(sorted(document.items())), separators=(",", ":"), ensure_ascii=False),
    ):
        link = chain_hash(written.encode())
        day.position = FeedPosition("BAC-01", "feed-1", 2, link)
        one = only([day.messages[0], day.say(said.Heartbeat).messages[-1]])
        assert one.advice.startswith("it is the hash of the same object written again"), written
