"""A new feed: what its predecessor may still have said, and what it may not add to.

A spool that was lost takes events with it that nobody else has; a second spool of one table tells
again what the first one told. Neither may pass in silence, and neither takes a finding back.
"""

from __future__ import annotations

import datetime

import orjson

from auditors.table.known.state import decode_state, encode_state
from schemas import events as said
from schemas.findings import FindingCode, Severity, finding_id
from schemas.progressive_inputs import ControllerWatermark
from schemas.wire import FeedPosition, encode_event, parse_event
from streams.host.ports import LogEntry
from streams.reconcile.refolding import passed_by
from tests.support.tables.amended import Amended, current
from tests.support.tables.played import PLAYER_WINS, a_table, dealt
from tests.support.tables.table_script import Folded, TableScript

STAKE = 10_000


def unverified(folded: Folded) -> list[str]:
    return [one.subject for one in folded.records.values() if one.coup and one.coup.is_unverified]


def overpaid(script: TableScript) -> TableScript:
    """Play a coup of which the payment is 1.00 too high."""
    script.coup()
    wager_id = script.wager("player", STAKE)
    number = int(script.coup_id.partition("/")[2])
    suit = "CDHS"[number % 4]
    script.close_bets().deal(f"9{suit} K{suit}", f"2{suit} 3{suit}").result("player", 9, 5)
    return script.settle(wager_id, 20_100).close()


def through_another_spool(
    messages: list[bytes], feed_id: str = "feed-2", **named: object
) -> list[bytes]:
    """Say the same drafts again through a spool of their own, which begins after the last."""
    now = parse_event(messages[-1]).occurred_at + datetime.timedelta(seconds=1)
    position = FeedPosition("BAC-01", feed_id)
    first = encode_event(said.FeedStarted(**position.fields(now), source_kind="table", **named))
    again, position = [first], position.after(first)
    for raw in messages:
        if parse_event(raw).type == "feed_started":
            continue
        fields = position.fields(now)
        document = {**orjson.loads(raw), "feed_id": feed_id, "sequence": fields["sequence"]}
        document["previous_hash"] = fields["previous_hash"]
        again.append(encode_event(parse_event(orjson.dumps(document))))
        position = position.after(again[-1])
    return again


# --- a spool that was lost


def lost_spool() -> tuple[TableScript, int]:
    """Lose the spool after a coup was closed, and with it the beginning of the next coup."""
    script = overpaid(TableScript().open().shoe())
    end = len(script.messages)
    script.coup().wager("banker", STAKE, seat="3")
    script.restart(predecessor_sequence=None)
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).close().honest_coup()
    return script, end


def test_the_coup_that_may_have_lost_events_with_a_spool_is_unverified() -> None:
    script, end = lost_spool()
    folded = Folded([*script.messages[:end], *script.messages[end + 1 :]])
    assert folded.codes == ["SEQUENCE_GAP", "WAGER_OVERPAID"]
    assert unverified(folded) == ["S1/2"]
    assert folded.records["BAC-01", "feed", f"SEQUENCE_GAP/feed-1/{end + 1}"].findings


def test_a_coup_that_goes_on_in_the_feed_after_a_lost_spool_is_unverified() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.restart(predecessor_sequence=None)
    folded = Folded(dealt(script).settle(wager_id, 20_100).close().honest_coup().messages)
    assert folded.codes == ["SEQUENCE_GAP"]
    assert unverified(folded) == ["S1/1"]


def test_what_was_certain_before_a_spool_was_lost_goes_on_standing() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).restart(predecessor_sequence=None)
    assert Folded(script.close().messages).codes == ["SEQUENCE_GAP", "WAGER_OVERPAID"]


def test_an_event_that_was_lost_with_a_spool_and_comes_late_fills_in() -> None:
    script, end = lost_spool()
    late = script.messages[end]
    folded = Amended([*script.messages[:end], *script.messages[end + 1 :], late])
    whole = Folded(script.messages)
    assert current(folded) == current(whole)
    # Whether more was lost is still not known.
    assert f"SEQUENCE_GAP/feed-1/{end + 2}" in {one.subject for one in folded.records.values()}
    assert [one.seat for one in folded.coup("S1/2").wagers] == ["3", "1"]


def test_an_event_from_the_middle_of_what_was_lost_fills_in_too() -> None:
    script = overpaid(TableScript().open().shoe())
    end = len(script.messages)
    overpaid(script).restart(predecessor_sequence=None).honest_coup()
    back = script.messages.index(script.messages[end + 3])
    kept = [*script.messages[:end], *script.messages[len(script.messages) - 8 :]]
    assert parse_event(kept[end]).type == "feed_started"
    folded = Amended([*kept, script.messages[back]])
    gaps = sorted(one.sentence for one in folded.findings if one.code == "SEQUENCE_GAP")
    assert [one.partition(" missing")[0] for one in gaps] == [
        f"Events {end + 1} to {back} are",
        f"Everything feed feed-1 sent from event {back + 2} on is",
    ]


def test_what_the_old_feed_says_of_later_than_its_end_splits_it() -> None:
    script = TableScript().open().shoe()
    old, now = script.position, script.now
    script.restart(predecessor_sequence=None)

    def beat(sequence: int, after_s: float) -> bytes:
        at = FeedPosition("BAC-01", "feed-1", sequence, old.previous_hash)
        later = now + datetime.timedelta(seconds=after_s)
        return encode_event(said.Heartbeat(**at.fields(later)))

    in_time = [*script.messages, beat(old.sequence, 0.5)]
    assert Amended(in_time).codes == ["SEQUENCE_GAP"]
    folded = Amended([*script.messages, beat(old.sequence, 5.0)])
    assert sorted(folded.codes) == ["FEED_SPLIT", "SEQUENCE_GAP"]


def test_an_unknown_end_survives_a_snapshot() -> None:
    script, end = lost_spool()
    state = Folded([*script.messages[:end], *script.messages[end + 1 :]]).state
    assert decode_state(encode_state(state)) == state


# --- a second spool


def test_the_same_day_through_a_second_spool_is_one_critical_finding_and_takes_nothing_back() -> (
    None
):
    script = TableScript().open().shoe()
    for _ in range(3):
        overpaid(script)
    before = Folded(script.messages)
    assert before.codes == ["WAGER_OVERPAID"] * 3
    folded = Folded([*script.messages, *through_another_spool(script.messages)])
    split = next(one for one in folded.findings if one.code is FindingCode.FEED_SPLIT)
    assert split.severity is Severity.CRITICAL
    assert split.id == finding_id("BAC-01", "feed-2", FindingCode.FEED_SPLIT, "feed-2")
    assert split.sentence == (
        "Feed feed-2 began and named no feed before it, while the table of feed feed-1 was still "
        "open; what it reports of that feed's coups is not used."
    )
    others = sorted(one for one in folded.codes if one != "CLOCK_REGRESSION")
    assert others == ["FEED_SPLIT", "SEQUENCE_GAP", *["WAGER_OVERPAID"] * 3]
    for number in (1, 2, 3):
        assert folded.coup(f"S1/{number}") == before.coup(f"S1/{number}")


def test_coups_that_a_second_spool_tells_anew_are_judged() -> None:
    script = overpaid(TableScript().open().shoe())
    told = list(script.messages)
    overpaid(script)
    folded = Folded([*told, *through_another_spool(script.messages)])
    assert folded.coup("S1/2").feed_id == "feed-2"
    assert [one.code.value for one in folded.coup("S1/2").findings] == ["WAGER_OVERPAID"]
    assert unverified(folded) == []


def test_the_coup_in_play_stays_as_it_was_told_first_and_is_unverified() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100)
    folded = Folded([*script.messages, *through_another_spool(script.messages)])
    assert unverified(folded) == ["S1/1"]
    assert [one.code.value for one in folded.coup("S1/1").findings] == ["WAGER_OVERPAID"]


def test_a_feed_that_names_another_than_the_one_that_speaks_is_told_too() -> None:
    script = overpaid(TableScript().open().shoe())
    first = script.position
    script.restart("feed-2")
    second = script.position
    script.position = first
    script.restart("feed-3")
    folded = Folded(script.messages)
    assert "FEED_SPLIT" in folded.codes
    assert "Feed feed-3 began and named feed feed-1 as the one before it," in next(
        one.sentence for one in folded.findings if one.code is FindingCode.FEED_SPLIT
    )
    assert second.feed_id in folded.state.other_feeds


def test_a_day_that_begins_with_a_feed_of_its_own_after_the_table_closed_owes_nothing() -> None:
    script = TableScript().open().shoe().honest_coup().end_shoe()
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    script.position = FeedPosition("BAC-01", "feed-2")
    script.say(said.FeedStarted, source_kind="table").open_again().shoe("S2").honest_coup()
    assert Folded(script.messages).codes == []


def test_the_opening_after_a_close_ends_what_a_second_feed_may_not_do() -> None:
    script = overpaid(TableScript().open().shoe())
    again = TableScript("BAC-01", "feed-2")
    again.now = script.now
    again.say(said.FeedStarted, source_kind="table").open_again()
    assert Folded([*script.messages, *again.messages]).state.other_feeds == ("feed-1",)
    again.say(said.TableClosed, event_count=1, coup_count=0)
    again.open_again()
    assert Folded([*script.messages, *again.messages]).state.other_feeds == ()


def test_the_deal_of_a_coup_is_in_order_although_another_feed_deals_it_again() -> None:
    script = a_table()
    dealt(script, PLAYER_WINS).close()
    folded = Folded([*script.messages, *through_another_spool(script.messages)])
    assert "DEAL_ORDER" not in folded.codes
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.is_determined


# --- what others make of it


def test_the_reconciler_takes_only_what_was_said_before_the_end_for_late() -> None:
    script = TableScript().open().shoe()
    old, now = script.position, script.now
    state = Folded(script.restart(predecessor_sequence=None).messages).state

    def passed(after_s: float) -> bool:
        at = FeedPosition("BAC-01", "feed-1", old.sequence, old.previous_hash)
        raw = encode_event(said.Heartbeat(**at.fields(now + datetime.timedelta(seconds=after_s))))
        noticed = passed_by(state, LogEntry(9, b"BAC-01", raw))
        return noticed is not None and noticed.is_late

    assert passed(0.5)
    assert not passed(5.0)


def test_ledgers_hear_that_a_controller_lost_something_before_its_new_feed() -> None:
    script = TableScript("HP-1")
    script.say(said.FeedStarted, source_kind="progressive_controller")
    script.say(said.ProgressiveLinkLost, progressive_id="HP", level=1, table_id="BAC-01")
    folded = Folded(script.restart(predecessor_sequence=None).messages, "HP-1")
    (told,) = [one for one in folded.absorbed[-1].inputs if isinstance(one, ControllerWatermark)]
    assert told.lost == ((1, 1),)


# --- a second controller


def a_controller(feed_id: str = "feed-1") -> TableScript:
    script = TableScript("HP-1", feed_id)
    script.say(said.FeedStarted, source_kind="progressive_controller")
    return script.say(said.ProgressiveLinkLost, progressive_id="HP", level=1, table_id="BAC-01")


def test_a_controller_that_forgot_what_it_said_is_told() -> None:
    script = a_controller()
    script.restart(
        source_kind="progressive_controller", predecessor_feed_id=None, predecessor_sequence=None
    )
    folded = Folded(script.messages, "HP-1")
    assert sorted(folded.codes) == ["FEED_SPLIT", "SEQUENCE_GAP"]
    split = next(one for one in folded.findings if one.code is FindingCode.FEED_SPLIT)
    assert split.severity is Severity.CRITICAL
    assert split.sentence == (
        "Feed feed-2 began and named no feed before it, while feed feed-1 was still sending; its "
        "meters may come from two devices, or have started over."
    )
    assert folded.state.other_feeds == ()
    (told,) = [one for one in folded.absorbed[-1].inputs if isinstance(one, ControllerWatermark)]
    assert told.lost == ((1, 1),)


def test_two_controllers_that_speak_as_one_source_are_told_once_each() -> None:
    one, other = a_controller(), a_controller("feed-2")
    second = len(other.messages)
    for script in (one, other):
        for _ in range(3):
            script.say(said.Heartbeat, after_s=30)
    messages = [*one.messages[:2], *other.messages[:second]]
    for mine, its in zip(one.messages[2:], other.messages[second:], strict=True):
        messages += [mine, its]
    folded = Folded(messages, "HP-1")
    splits = [one.sentence for one in folded.findings if one.code is FindingCode.FEED_SPLIT]
    assert [one.split(" ")[1] for one in splits] == ["feed-2", "feed-1"]
    assert len(folded.codes) == 3  # and the gap


def test_a_controller_that_names_where_its_feed_ended_owes_nothing() -> None:
    script = a_controller()
    script.restart(source_kind="progressive_controller")
    assert Folded(script.messages, "HP-1").codes == []


def test_the_first_feed_of_a_controller_names_nothing_and_owes_nothing() -> None:
    assert Folded(a_controller().messages, "HP-1").codes == []


def test_a_controller_that_names_another_feed_than_the_one_that_speaks_is_told() -> None:
    script = a_controller()
    script.restart("feed-2", source_kind="progressive_controller")
    script.restart(
        "feed-3",
        source_kind="progressive_controller",
        predecessor_feed_id="feed-1",
        predecessor_sequence=2,
    )
    folded = Folded(script.messages, "HP-1")
    assert "Feed feed-3 began and named feed feed-1 as the one before it," in next(
        one.sentence for one in folded.findings if one.code is FindingCode.FEED_SPLIT
    )
