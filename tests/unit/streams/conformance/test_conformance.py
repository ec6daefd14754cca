"""``feed.md``: numbering, chain, feeds, promises and controllers of a feed, event by event."""

import datetime
import hashlib
import json
from collections.abc import Callable

import orjson
import pytest

from schemas import events as said
from schemas.events import Capability as Can
from schemas.wire import FeedPosition, encode_event
from schemas.wire.vectors import event_vectors
from streams.conformance import ConformanceCheck, Level
from streams.files.event_files import DamagedLine
from tests.support.tables.conforming_day import (
    Breaking,
    Day,
    checked,
    errors,
    hints,
    only,
    place,
)


def test_a_conforming_day_has_neither_errors_nor_hints() -> None:
    day = Day().begin().load().play().play().end(coups=2)
    found, summary = checked(day.messages)
    assert found == []
    assert summary.is_conforming
    assert summary.types["wager_placed"] == 2
    (feed,) = summary.feeds
    assert (feed.source, feed.kind, feed.missing) == ("BAC-01", "table", 0)
    assert (feed.first_sequence, feed.last_sequence) == (1, len(day.messages))


def test_the_published_vectors_conform() -> None:
    assert errors([vector.raw for vector in event_vectors()]) == []


# The numbering.


def test_a_missing_event_is_a_gap_and_what_it_may_have_said_is_not_held_against_others() -> None:
    day = Day().begin().load().play().end()
    placed = next(n for n, raw in enumerate(day.messages) if b"wager_placed" in raw)
    del day.messages[placed]
    one = only(day.messages)
    assert (one.rule, one.line) == ("gap", placed + 1)
    assert one.problem == f"event {placed + 1} is missing before this one"


def test_a_missing_end_of_a_shoe_is_not_held_against_the_next_one() -> None:
    day = Day().begin().load().play()
    day.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=1)
    lost = len(day.messages) - 1
    day.load("S2").play().end(coups=1, shoe_id="S2")
    del day.messages[lost]
    assert [rule for rule, _ in errors(day.messages)] == ["gap"]


def test_a_file_that_begins_in_the_middle_of_a_feed_says_so() -> None:
    day = Day().begin().load().play().end()
    one = only(day.messages[3:])
    assert one.problem == ("the feed begins here with event 4; events 1 to 3 are not in the file")
    assert one.advice == "give the whole feed, from event 1 on"


def test_events_out_of_order_are_judged_in_the_order_of_the_numbering() -> None:
    day = Day().begin().load().play().end()
    day.messages[4], day.messages[9] = day.messages[9], day.messages[4]
    assert set(errors(day.messages)) == {("order", line) for line in (6, 7, 8, 9, 10)}


def test_an_event_that_comes_after_more_than_64_others_is_late() -> None:
    day = Day().begin()
    for _ in range(80):
        day.say(said.Heartbeat)
    late = day.messages.pop(2)
    day.messages.append(late)
    found = checked(day.messages)
    assert [(one.rule, one.sequence) for one in found[0] if one.level is Level.ERROR] == [
        ("gap", 4),
        ("order", 3),
    ]
    assert found[1].feeds[0].missing == 0
    assert found[1].feeds[0].events == 82


def test_the_same_event_again_is_a_hint_and_other_bytes_are_a_conflict() -> None:
    day = Day().begin().load()
    day.messages += [day.messages[3], day.messages[2], encoded_again(day.messages[3])]
    found, summary = checked(day.messages)
    told = [(one.rule, one.line) for one in found if one.rule != "table"]
    assert told == [("sent_again", 5), ("conflict", 7)]
    assert summary.hints["sent_again"] == 2


def encoded_again(raw: bytes) -> bytes:
    return raw.replace(b"feed-1", b"feed-1", 1).replace(
        b'"occurred_at":"2025', b'"occurred_at":"2026'
    )


def test_a_device_that_starts_anew_under_its_old_feed_is_told_to_make_a_new_one() -> None:
    first = Day().begin()
    again = Day()
    again.now += datetime.timedelta(hours=1)
    again.say(said.FeedStarted, source_kind="table")
    one = only([*first.messages, *again.messages])
    assert (one.rule, one.line) == ("conflict", 3)
    assert one.advice == "a device whose spool is new or lost makes a new random feed_id"


# The chain.


def linked(hash_of: Callable[[bytes], bytes]) -> list[bytes]:
    """Write three events whose third links to other bytes than those of the second."""
    day = Day().begin()
    day.position = FeedPosition(
        "BAC-01", "feed-1", 3, hashlib.sha256(hash_of(day.messages[1])).hexdigest()
    )
    return day.say(said.Heartbeat).messages


@pytest.mark.parametrize(
    ("hash_of", "advice"),
    [
        (lambda raw: raw + b"\n", "leave the line end out"),
        (lambda raw: raw + b"\r\n", "leave the line end out"),
        (lambda raw: orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS), "written again"),
        (lambda raw: json.dumps(json.loads(raw), indent=2).encode(), "written again"),
        (lambda raw: b"something else", "hash the exact bytes as they were sent"),
    ],
)
def test_a_broken_link_says_which_bytes_were_hashed(
    hash_of: Callable[[bytes], bytes], advice: str
) -> None:
    one = only(linked(hash_of))
    assert (one.rule, one.line) == ("chain", 3)
    assert "is not the hash of event 2 (line 2), which is " in one.problem
    assert advice in one.advice


def test_a_link_that_was_not_moved_on_is_named_so() -> None:
    day = Day().begin()
    day.position = FeedPosition("BAC-01", "feed-1", 3, hashlib.sha256(day.messages[0]).hexdigest())
    assert "hash of the event before that" in only(day.say(said.Heartbeat).messages).advice
    day.position = FeedPosition("BAC-01", "feed-1", 3)
    messages = [*day.messages[:2], *day.say(said.Heartbeat).messages[-1:]]
    assert "only event 1 has 64 zeros" in only(messages).advice


def test_the_event_after_a_refused_one_carries_the_hash_of_the_refused_bytes() -> None:
    day = Day().begin()
    raw = encode_event(said.Heartbeat(**day.position.fields(day.now)))
    bad = raw.replace(b'"heartbeat"', b'"heartbeet"')
    day.messages.append(bad)
    day.position = day.position.after(raw)
    found = checked(day.say(said.Heartbeat).messages)[0]
    assert [(one.rule, one.line) for one in found] == [
        ("unknown_type", 3),
        ("chain", 4),
        ("table", 4),
    ]
    assert found[0].advice.startswith("did you mean heartbeat?")
    assert found[1].advice.startswith("a refused event keeps its number and its bytes")


# Feeds.


def new_feed(day: Day, **fields: object) -> Day:
    before = day.position
    day.position = FeedPosition("BAC-01", "feed-2")
    named: dict[str, object] = {
        "predecessor_feed_id": before.feed_id,
        "predecessor_sequence": before.sequence - 1,
    }
    day.say(said.FeedStarted, source_kind="table", **{**named, **fields})
    return day


def test_a_new_feed_that_names_its_predecessor_goes_on_where_the_old_one_stopped() -> None:
    day = new_feed(Day().begin().load().play()).play()
    day.say(said.ShoeEnded, shoe_id="S1", reason="table_closed", coup_count=2)
    day.say(said.TableClosed, event_count=day.position.sequence, coup_count=2)
    found, summary = checked(day.messages)
    assert found == []
    assert [one.feed for one in summary.feeds] == ["feed-1", "feed-2"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"predecessor_feed_id": None, "predecessor_sequence": None}, "names no predecessor"),
        ({"predecessor_feed_id": "feed-0"}, "predecessor_feed_id is feed-0, and feed feed-1"),
        ({"predecessor_sequence": 9}, "predecessor_sequence is 9, and the last event that came"),
    ],
)
def test_a_new_feed_with_another_predecessor_is_said(
    fields: dict[str, object], problem: str
) -> None:
    one = only(new_feed(Day().begin(), **fields).messages)
    assert (one.rule, one.feed) == ("feed", "feed-2")
    assert problem in one.problem


def test_a_superseded_feed_that_goes_on_is_said_once_and_counted() -> None:
    day = Day().begin()
    old = day.position
    new_feed(day)
    day.position = old
    day.say(said.Heartbeat).say(said.Heartbeat)
    found, summary = checked(day.messages)
    assert [(one.rule, one.line) for one in found if one.level is Level.ERROR] == [("feed", 4)]
    assert summary.errors["feed"] == 2


def test_a_feed_begins_with_feed_started() -> None:
    one = only(Day().say(said.Heartbeat).messages)
    assert (one.rule, one.problem) == ("feed", "the feed begins with heartbeat")


def test_everything_at_a_table_comes_after_its_opening_said_once() -> None:
    day = Day()
    day.say(said.FeedStarted, source_kind="table").shoe().coup().close_bets()
    assert errors(day.messages) == [("table", 2)]


# What can be read only in part, or not at all.


def test_every_field_that_is_wrong_is_said_with_its_near_miss() -> None:
    day = Day().begin().load().coup()
    place(day)
    bad = day.messages[-1].replace(b'"seat"', b'"sead"').replace(b'_minor":1', b'_minor":1.5')
    found = checked([*day.messages[:-1], bad])[0]
    told = {one.problem.partition(":")[0]: one.advice for one in found if one.rule == "bad_field"}
    assert told["wager_placed.sead"] == "did you mean seat?"
    assert told["wager_placed.stake_minor"].startswith("write minor units as digits only")
    assert told["wager_placed.seat"].startswith("add it")


def test_a_line_without_an_envelope_has_no_place_in_a_feed() -> None:
    found, summary = checked([b"{", b"[]", b"\xff"])
    assert [(one.rule, one.source, one.line) for one in found] == [
        ("not_json", None, 1),
        ("not_an_object", None, 2),
        ("not_utf8", None, 3),
    ]
    assert not summary.has_events


def test_a_damaged_line_is_an_error_of_its_own() -> None:
    check = ConformanceCheck()
    (one,) = check.damaged(DamagedLine(7, "too_large", "9 bytes; split it"))
    assert (one.line, one.rule, one.problem, one.advice) == (7, "too_large", "9 bytes", "split it")
    assert not check.summary.is_conforming


def test_an_old_version_is_to_be_replaced() -> None:
    day = Day().begin().load().coup()
    old = {
        "type": "wager_placed",
        "schema_version": 1,
        "source_id": "BAC-01",
        "feed_id": "feed-1",
        "sequence": 5,
        "previous_hash": day.position.previous_hash,
        "occurred_at": "2025-06-07T22:00:05.000000Z",
        "coup_id": "S1/1",
        "wager_id": "W1",
        "seat": "4",
        "bet": "Banker",
        "amount": "100.00",
    }
    one = only([*day.messages, orjson.dumps(old)])
    assert (one.rule, one.advice) == ("version", "send version 2")


def test_other_spaces_and_orders_are_allowed_and_hinted_at_once_a_feed() -> None:
    day = Day()
    day.say(said.FeedStarted, source_kind="table")
    spaced = json.dumps(json.loads(day.messages[0])).encode()
    second = said.Heartbeat(
        **FeedPosition("BAC-01", "feed-1", 2, hashlib.sha256(spaced).hexdigest()).fields(day.now)
    )
    messages = [spaced, json.dumps(json.loads(encode_event(second))).encode()]
    found, summary = checked(messages)
    assert [one.rule for one in found] == ["form"]
    assert summary.hints["form"] == 2
    assert summary.is_conforming


# Promises.


def test_what_is_sent_and_not_promised_is_hinted_at_once() -> None:
    day = Day().begin(reports=(Can.WAGERS, Can.CARDS)).load().play().play().end(coups=2)
    found, summary = checked(day.messages)
    assert summary.is_conforming
    words = {one.problem.rpartition(" ")[2] for one in found}
    assert {"ranks", "suits", "payments", "announcements", "counts", "burn"} <= words
    assert len(found) == len({one.problem for one in found})


def test_a_value_only_card_promises_no_rank() -> None:
    day = Day().begin(reports=(Can.CARDS,)).load().coup().deal("5 0", "")
    assert not any("rank" in one.problem for one in checked(day.messages)[0])


def test_words_of_reports_that_rest_on_others_are_refused_without_them() -> None:
    day = Day().begin(reports=(Can.SUITS, Can.CARDS, Can.CARDS))
    told = [one.problem for one in checked(day.messages)[0] if one.level is Level.ERROR]
    assert told == ["reports names a word twice", "reports names suits and not ranks"]


def test_no_burn_before_the_deal_is_said_once_a_shoe() -> None:
    day = Day().begin()
    day.shoe("S1")
    day.play().play()
    assert [rule for rule, _ in errors(day.messages)] == ["reports"]


def test_seats_are_those_of_the_opening() -> None:
    day = Day().begin(seats=("1", "3", "4")).load().coup()
    one = only(place(day, seat="5").messages)
    assert one.problem.startswith("seat 5 is none of the seats of table_opened")
    assert "1, 3, 4" in one.advice


def test_a_wager_that_is_known_and_not_filed_is_hinted_at() -> None:
    day = Day().begin().load().coup()
    assert "name" in hints(place(day, wager="harmony_mini").messages)
    assert errors(day.messages) == []


def test_a_gaming_date_that_does_not_fit_the_clock_is_hinted_at() -> None:
    day = Day().begin(gaming_date=datetime.date(2025, 6, 8))
    found = [one for one in checked(day.messages)[0] if one.rule == "clock"]
    assert [one.level for one in found] == [Level.HINT]
    assert "occurred_at lies in that of 2025-06-07 at the property" in found[0].problem


# Controllers.


def controller() -> Day:
    day = Day("PRG-01")
    day.say(said.FeedStarted, source_kind="progressive_controller")
    return day


def accepted(day: Day, in_count: int) -> Day:
    day.say(
        said.ProgressiveWagerAccepted,
        progressive_id="P1",
        table_id="BAC-01",
        wager_id=f"W{in_count}",
        stake_minor=100,
        in_count=in_count,
    )
    return day


def reading(day: Day, in_count: int, after_s: float = 1.0) -> Day:
    day.say(
        said.ProgressiveReading,
        after_s,
        progressive_id="P1",
        display="10.00",
        reserve="0",
        in_count=in_count,
        coin_in_minor=100 * in_count,
        hits_count=0,
        wins_minor=0,
        tables=(),
    )
    return day


def test_a_controller_that_counts_and_reads_as_demanded_conforms() -> None:
    day = reading(accepted(accepted(controller(), 1), 2), 2)
    for _ in range(11):
        day.say(said.Heartbeat, 5)
    assert errors(reading(day, 2, 5).messages) == []


@pytest.mark.parametrize(
    ("bend", "problem"),
    [
        (lambda day: accepted(accepted(day, 1), 3), "in_count of P1 is 3 after 1"),
        (lambda day: reading(reading(day, 5), 4), "in_count of P1 fell from 5 to 4"),
        (
            lambda day: day.say(
                said.ProgressiveAdjusted,
                progressive_id="P1",
                adjustment_id="A1",
                meter="display",
                change="-1.00",
            ),
            "adjustment A1 names no reason",
        ),
        (
            lambda day: day.say(
                said.ProgressivePaid,
                progressive_id="P1",
                payment_id="X1",
                hit_id="H9",
                wager_id="W1",
                paid_minor=1,
            ),
            "hit H9 is not known",
        ),
        (lambda day: day.say(said.NoMoreBets, coup_id="S1/1"), "a progressive controller sends"),
    ],
)
def test_what_a_controller_breaks_is_said(bend: Breaking, problem: str) -> None:
    day = controller()
    bend(day)
    told = [one.problem for one in checked(day.messages)[0] if one.level is Level.ERROR]
    assert any(one.startswith(problem) for one in told)


def test_readings_are_due_each_minute() -> None:
    day = reading(controller(), 1)
    for _ in range(13):
        day.say(said.Heartbeat, 5)
    one = only(reading(day, 1).messages)
    assert (one.rule, one.problem) == ("meter", "66 s lie between two readings of P1")


def test_a_lost_event_of_a_controller_is_a_gap_and_no_jump_of_its_counts() -> None:
    day = accepted(accepted(accepted(controller(), 1), 2), 3)
    del day.messages[2]
    assert [rule for rule, _ in errors(day.messages)] == ["gap"]
