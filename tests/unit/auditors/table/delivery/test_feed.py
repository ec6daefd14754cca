"""A feed: numbered, chained and clocked; every event once, in order, or missed aloud."""

from __future__ import annotations

import datetime

import orjson
import pytest

from auditors.table import Delivered, absorb, new_state
from auditors.table.known.state import HASHES_KEPT, HELD_MAX
from schemas import events as said
from schemas.findings import FindingCode, Severity, finding_id
from schemas.records import Record
from schemas.wire import FeedPosition, encode_event
from tests.support.tables.played import PLAYER_WINS, a_table, found
from tests.support.tables.table_script import Folded, TableScript

STAKE = 10_000


def beats(count: int, *, every_s: float = 0.1, script: TableScript | None = None) -> TableScript:
    """An open table with so many heartbeats."""
    script = script or TableScript().open()
    for _ in range(count):
        script.say(said.Heartbeat, every_s)
    return script


def without(script: TableScript, *sequences: int) -> list[bytes]:
    return [raw for number, raw in enumerate(script.messages, start=1) if number not in sequences]


def codes(messages: list[bytes]) -> list[str]:
    return Folded(messages).codes


def changed(raw: bytes, **fields: object) -> bytes:
    return orjson.dumps({**orjson.loads(raw), **fields})


# --- once, in order


def test_b23_an_event_delivered_139_times_counts_once() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    placed = script.messages[-1]
    messages = [*script.messages, *[placed] * 69]
    start = len(script.messages)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_000).close()
    messages += [*script.messages[start:], *[placed] * 70]
    folded = Folded(messages)
    assert folded.codes == []
    (row,) = folded.coup("S1/1").wagers
    assert (row.stake_minor, row.paid_minor) == (STAKE, 20_000)
    assert sum(bool(one.records) for one in folded.absorbed[-70:]) == 0


def test_b31_events_are_folded_by_sequence_and_not_by_arrival() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.close_bets().card("player", 1, "4S").card("banker", 1, "9H").card("player", 2, "KD")
    script.card("banker", 2, "KC")
    late = script.sequence
    script.result("banker", 4, 9).settle(wager_id, 19_500).close()
    messages = [*without(script, late), script.messages[late - 1]]
    folded = Folded(messages)
    assert folded.codes == []
    assert folded.coup("S1/1").wagers[0].due_minor == 19_500


def test_b31_what_never_comes_is_a_gap_and_its_coup_is_unverified() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.close_bets().card("player", 1, "4S").card("banker", 1, "9H").card("player", 2, "KD")
    script.card("banker", 2, "KC")
    late = script.sequence
    script.result("banker", 4, 9).settle(wager_id, 1).close()
    folded = Folded(without(beats(30, every_s=1.0, script=script), late))
    finding = folded.finding
    assert finding.code is FindingCode.SEQUENCE_GAP
    assert finding.severity is Severity.HIGH
    assert finding.id == finding_id("BAC-01", "feed-1", FindingCode.SEQUENCE_GAP, str(late))
    assert finding.sentence == (
        f"Event {late} is missing from feed feed-1; the coups beside the gap are unverified."
    )
    assert finding.evidence == (late + 1,)
    row = folded.coup("S1/1").coup
    assert row is not None
    assert (row.is_unverified, row.state) == (True, "closed")


def test_64_events_wait_and_the_65th_ends_the_waiting() -> None:
    script = beats(80)
    assert codes(without(script, 5)[: 4 + HELD_MAX]) == []
    folded = Folded(without(script, 5)[: 5 + HELD_MAX])
    assert folded.codes == ["SEQUENCE_GAP"]
    assert folded.state.feed is not None
    assert folded.state.feed.next_sequence == 5 + 1 + HELD_MAX + 1


def test_20_seconds_wait_and_a_microsecond_more_ends_the_waiting() -> None:
    def waited(last_s: float) -> list[str]:
        script = beats(3).say(said.Heartbeat).say(said.Heartbeat)
        missing = script.sequence - 1
        return codes(without(script.say(said.Heartbeat, last_s), missing))

    assert waited(20.0) == []
    assert waited(20.000001) == ["SEQUENCE_GAP"]


def test_a_gap_of_several_events_is_one_finding_of_its_first() -> None:
    script = beats(90)
    finding = Folded(without(script, 5, 6, 7)).finding
    assert finding.sentence.startswith("Events 5 to 7 are missing from feed feed-1;")
    assert finding.id == finding_id("BAC-01", "feed-1", FindingCode.SEQUENCE_GAP, "5")


def test_two_gaps_are_two_findings() -> None:
    assert codes(without(beats(190), 5, 9)) == ["SEQUENCE_GAP", "SEQUENCE_GAP"]


def test_an_event_far_ahead_keeps_nobody_waiting() -> None:
    script = beats(200, every_s=1.0)
    ahead = FeedPosition("BAC-01", "feed-1", 9_000)
    raw = encode_event(said.Heartbeat(**ahead.fields(script.now)))
    messages = [*script.messages[:4], raw, *script.messages[4:]]
    # A single swap long afterwards must still be waited for.
    messages[150], messages[151] = messages[151], messages[150]
    assert codes(messages) == []


def test_a_held_event_is_read_again_by_its_offset() -> None:
    script = beats(3)
    asked: list[int] = []

    def read_again(offset: int) -> bytes:
        asked.append(offset)
        return script.messages[3]

    state = new_state("BAC-01")
    for offset, number in ((100, 0), (101, 1), (102, 3), (103, 2), (104, 4)):
        state = absorb(state, Delivered(offset, script.messages[number]), read_again).state
    assert asked == [102]
    assert state.feed is not None
    assert (state.feed.next_sequence, state.feed.held) == (6, ())


def test_a_held_event_that_comes_again_is_held_once() -> None:
    script = beats(4)
    messages = script.messages
    folded = Folded([*messages[:3], messages[4], messages[4], messages[3], messages[5]])
    assert folded.codes == []


def test_records_of_held_events_bear_the_offset_that_brought_their_turn() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100)
    messages = script.messages
    messages[-3], messages[-1] = messages[-1], messages[-3]
    folded = Folded(messages)
    (record,) = folded.absorbed[-1].records
    assert record.offset == len(messages) - 1
    assert [f.code.value for f in record.findings] == ["WAGER_OVERPAID"]


# --- other bytes


def test_other_bytes_under_a_used_number_are_a_conflict_and_the_first_stay() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    at = script.sequence
    messages = [*script.messages, changed(script.messages[-1], stake_minor=99)]
    folded = Folded(messages)
    finding = folded.finding
    assert finding.code is FindingCode.SEQUENCE_CONFLICT
    assert finding.sentence == (
        f"Event {at} came a second time with other content; the first one counts."
    )
    assert folded.state.coups[-1].wagers[0].stake_minor == STAKE
    assert wager_id == "W1"


def test_other_bytes_of_a_held_event_are_a_conflict_too() -> None:
    messages = beats(5).messages
    other = changed(messages[4], clock_offset_us=5)
    assert codes([*messages[:3], messages[4], other, messages[3]]) == ["SEQUENCE_CONFLICT"]


def test_an_old_repeat_is_left_to_the_reconciler() -> None:
    script = beats(HASHES_KEPT + 10)
    other = changed(script.messages[3], clock_offset_us=5)
    assert codes([*script.messages, other]) == []
    recent = changed(script.messages[-HASHES_KEPT], clock_offset_us=5)
    assert codes([*script.messages, recent]) == ["SEQUENCE_CONFLICT"]


def test_a_number_of_a_gap_long_filled_up_is_no_conflict() -> None:
    script = beats(800)
    gaps = [10 + 40 * n for n in range(18)]
    folded = Folded(without(script, *gaps))
    assert folded.codes == ["SEQUENCE_GAP"] * 18
    late = absorb(
        folded.state, Delivered(2000, script.messages[gaps[0] - 1]), folded.log.__getitem__
    )
    assert late.records == ()


# --- the chain


def test_a_wrong_hash_breaks_the_chain_at_its_event_and_everything_goes_on() -> None:
    script = a_table()
    before = script.position
    script.position = FeedPosition("BAC-01", "feed-1", before.sequence, "ab" * 32)
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_000).close()
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.CHAIN_BROKEN
    assert finding.severity is Severity.CRITICAL
    assert finding.evidence == (4,)
    assert "It names abababababab…; the event before it has " in finding.sentence
    assert folded.coup("S1/1").wagers[0].paid_minor == 20_000


def test_behind_a_gap_no_chain_can_be_checked() -> None:
    assert codes(without(beats(80), 5)) == ["SEQUENCE_GAP"]


def test_the_first_event_of_a_feed_links_to_nothing() -> None:
    position = FeedPosition("BAC-01", "feed-1", 1, "ab" * 32)
    raw = encode_event(said.Heartbeat(**position.fields(TableScript().now)))
    assert codes([raw]) == ["CHAIN_BROKEN"]


# --- the clock


def test_a_clock_may_go_back_a_second_and_no_more() -> None:
    def stepped(step_s: float) -> list[str]:
        return found(beats(2).say(said.Heartbeat, step_s))

    assert stepped(-1.0) == []
    assert stepped(-1.000001) == ["CLOCK_REGRESSION"]


def test_a_clock_that_stays_back_is_one_finding() -> None:
    script = beats(2).say(said.Heartbeat, -600.0)
    at = script.sequence
    finding = Folded(beats(5, script=script).messages).finding
    assert finding.code is FindingCode.CLOCK_REGRESSION
    assert finding.sentence == f"Event {at} is dated 600.0 s before the event before it."


def test_an_open_table_may_say_nothing_for_two_minutes() -> None:
    def silent(step_s: float) -> list[str]:
        return found(beats(2).say(said.Heartbeat, step_s))

    assert silent(120.0) == []
    assert silent(120.000001) == ["TABLE_SILENT"]


def test_a_silence_is_named_by_the_event_that_ended_it() -> None:
    script = beats(2).say(said.Heartbeat, 300.0)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.TABLE_SILENT
    assert finding.sentence == (
        f"The open table sent nothing for 300.0 s before event {script.sequence}."
    )
    assert finding.evidence == (script.sequence,)


def test_a_closed_table_may_be_silent() -> None:
    script = TableScript().open()
    script.say(said.TableClosed, event_count=2, coup_count=0).say(said.Heartbeat, 40_000.0)
    assert found(script) == []


def test_a_silence_over_a_new_feed_is_a_silence() -> None:
    script = TableScript().open().restart()
    assert found(script) == []
    script = TableScript().open()
    script.now += datetime.timedelta(seconds=300)
    assert found(script.restart()) == ["TABLE_SILENT"]


# --- new feeds


def test_a_new_feed_takes_over_and_coups_go_on_in_it() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().restart(predecessor_sequence=script.sequence)
    script.deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100).close()
    folded = Folded(script.messages)
    finding = folded.finding
    # The coup began in the first feed, and its findings keep their names.
    assert finding.feed == "feed-1"
    assert folded.coup("S1/1").feed_id == "feed-1"


def test_a_finding_keeps_its_name_when_the_feed_changes() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100)
    first = Folded(script.messages).finding
    script.restart().correct(wager_id, -100).close()
    second = Folded(script.messages).finding
    assert first.id == second.id
    assert second.residual_minor == 0


def test_a_lost_end_of_the_feed_before_is_a_gap_of_that_feed() -> None:
    script = beats(3)
    kept = len(script.messages)
    beats(4, script=script)
    script.restart(predecessor_sequence=script.sequence)
    messages = [*script.messages[:kept], script.messages[-1]]
    finding = Folded(messages).finding
    assert finding.code is FindingCode.SEQUENCE_GAP
    assert finding.feed == "feed-1"
    assert finding.sentence.startswith("Events 6 to 9 are missing from feed feed-1;")
    assert finding.evidence == (5,)


def test_a_feed_that_does_not_say_where_its_predecessor_ended_leaves_that_end_unknown() -> None:
    script = beats(3)
    end = script.sequence
    kept = len(script.messages)
    beats(4, script=script).restart(predecessor_sequence=None)
    finding = Folded([*script.messages[:kept], script.messages[-1]]).finding
    assert finding.code is FindingCode.SEQUENCE_GAP
    assert finding.id == finding_id("BAC-01", "feed-1", FindingCode.SEQUENCE_GAP, str(end + 1))
    assert finding.sentence == (
        f"Everything feed feed-1 sent from event {end + 1} on is missing; how many events "
        "that is, nobody knows; the coups beside the gap are unverified."
    )
    assert finding.evidence == (end,)


def test_a_predecessor_that_was_never_heard_is_a_gap_from_its_first_event_on() -> None:
    script = beats(3)
    script.position = FeedPosition("BAC-01", "feed-2", 9)
    finding = Folded(script.restart("feed-3", predecessor_sequence=8).messages).finding
    assert (finding.code, finding.feed) == (FindingCode.SEQUENCE_GAP, "feed-2")
    assert finding.sentence.startswith("Events 1 to 8 are missing from feed feed-2;")


def test_the_first_feed_that_is_heard_may_name_one_that_went_elsewhere() -> None:
    script = TableScript(feed_id="feed-0").restart("feed-1", predecessor_sequence=None)
    assert found(beats(3, script=script.open_again())) == []


def test_events_that_the_old_feed_held_are_folded_before_the_new_one() -> None:
    script = a_table()
    script.wager("player", STAKE)
    missing = script.sequence
    script.wager("banker", STAKE)
    script.restart(predecessor_sequence=script.sequence)
    folded = Folded(without(script, missing))
    assert folded.codes == ["SEQUENCE_GAP"]
    assert [one.name for one in folded.state.coups[-1].wagers] == ["banker"]


def test_further_events_of_a_superseded_feed_split_it_once() -> None:
    script = beats(3)
    old = script.position
    script.restart(predecessor_sequence=script.sequence)
    for number in range(3):
        position = FeedPosition("BAC-01", "feed-1", old.sequence + number)
        script.messages.append(encode_event(said.Heartbeat(**position.fields(script.now))))
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.FEED_SPLIT
    assert finding.severity is Severity.CRITICAL
    assert finding.sentence == (
        "Feed feed-1 sent events again after feed feed-2 had taken its place."
    )
    assert sum(bool(one.records) for one in folded.absorbed[-3:]) == 1


def test_repeats_of_a_superseded_feed_are_no_split() -> None:
    script = beats(3).restart()
    assert codes([*script.messages, *script.messages[:5]]) == []
    other = changed(script.messages[4], clock_offset_us=9)
    assert codes([*script.messages, other]) == ["SEQUENCE_CONFLICT"]


def test_a_second_return_to_the_first_feed_is_a_split_and_not_a_new_feed() -> None:
    script = beats(3).restart("feed-2")
    script.restart("feed-3")
    position = FeedPosition("BAC-01", "feed-1", 50)
    script.messages.append(encode_event(said.Heartbeat(**position.fields(script.now))))
    assert found(script) == ["FEED_SPLIT"]


def test_the_same_number_missing_from_two_feeds_is_two_findings() -> None:
    script = beats(80)
    start = len(script.messages)
    script.restart(predecessor_sequence=script.sequence)
    beats(80, script=script)
    second = script.messages[start:]
    folded = Folded([*script.messages[:4], *script.messages[5:start], *second[:4], *second[5:]])
    gaps = [(f.code.value, f.feed) for f in folded.findings]
    assert gaps == [("SEQUENCE_GAP", "feed-1"), ("SEQUENCE_GAP", "feed-2")]


def test_openings_of_two_feeds_have_two_checkpoints() -> None:
    script = TableScript().open()
    script.say(said.TableClosed, event_count=2, coup_count=0).restart().open_again()
    folded = Folded(script.messages)
    assert [s for (_, kind, s) in folded.records if kind == "checkpoint"] == [
        "table_opened/feed-1/2",
        "table_opened/feed-2/2",
    ]


def test_a_new_feed_of_which_later_events_come_first_waits_for_its_beginning() -> None:
    script = beats(3)
    start = len(script.messages)
    script.restart(predecessor_sequence=script.sequence)
    beats(3, script=script)
    first, *later = script.messages[start:]
    folded = Folded([*script.messages[:start], *later, first])
    assert folded.codes == []
    assert folded.state.feed is not None
    assert (folded.state.feed.feed_id, folded.state.feed.next_sequence) == ("feed-2", 5)


def test_a_new_feed_whose_beginning_never_comes_takes_over_at_the_limit() -> None:
    script = beats(3)
    start = len(script.messages)
    script.restart()
    beats(70, script=script)
    folded = Folded([*script.messages[:start], *script.messages[start + 1 :]])
    assert folded.codes == ["SEQUENCE_GAP"]
    assert folded.finding.feed == "feed-2"
    assert folded.state.superseded[-1].feed_id == "feed-1"


def test_a_log_that_begins_in_the_middle_of_a_feed_is_a_gap_and_nothing_is_guessed() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 1).close()
    folded = Folded(beats(70, script=script).messages[3:])
    assert folded.codes == ["SEQUENCE_GAP"]
    assert folded.state.coups == ()


def test_a_log_that_begins_in_the_middle_goes_on_with_the_next_opening() -> None:
    script = beats(70).open_again().shoe("S2").coup()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100).close()
    folded = Folded(script.messages[2:])
    assert folded.codes == ["SEQUENCE_GAP", "WAGER_OVERPAID"]


# --- what cannot be read


def test_an_event_that_cannot_be_read_is_a_finding_and_the_numbering_goes_on() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    at = script.sequence + 1
    bad = orjson.dumps(
        {
            "type": "wager_pleased",
            "schema_version": 1,
            "source_id": "BAC-01",
            "feed_id": "feed-1",
            "sequence": at,
            "previous_hash": script.position.previous_hash,
            "occurred_at": f"{script.now:%Y-%m-%dT%H:%M:%S.%f}Z",
        }
    )
    script.add(bad).close_bets().deal(*PLAYER_WINS).result("player", 9, 5)
    folded = Folded(script.settle(wager_id, 20_000).close().messages)
    finding = folded.finding
    assert finding.code is FindingCode.EVENT_REJECTED
    assert finding.severity is Severity.NOTICE
    assert f"Event {at} cannot be read: type:" in finding.sentence
    assert not folded.absorbed[at - 1].is_valid


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"[]", "not_an_object"),
        (b"\xff", "not_utf8"),
        (b"{}", "bad_field"),
        (b'{"type":"heartbeat"' + b" " * 20_000 + b"}", "too_large"),
    ],
)
def test_bytes_without_a_readable_envelope_are_a_dead_letter(raw: bytes, reason: str) -> None:
    state = Folded(beats(3).messages).state
    absorbed = absorb(state, Delivered(9, raw), {}.__getitem__)
    assert absorbed.dead_letter is not None
    assert absorbed.dead_letter.reason == reason
    assert absorbed.state is state
    assert (absorbed.records, absorbed.is_valid) == ((), False)


def test_an_event_under_the_key_of_another_source_is_a_dead_letter() -> None:
    other = TableScript("BAC-02").open().messages[0]
    absorbed = absorb(new_state("BAC-01"), Delivered(0, other), {}.__getitem__)
    assert absorbed.dead_letter is not None
    assert absorbed.dead_letter.reason == "wrong_key"
    assert "source_id BAC-02 came under the key BAC-01" in absorbed.dead_letter.message


def test_events_of_a_controller_pass_through() -> None:
    script = TableScript("HP-1", "feed-hp")
    script.say(said.FeedStarted, source_kind="progressive_controller")
    script.say(said.ProgressiveLinkLost, progressive_id="HP", level=1, table_id="BAC-01")
    folded = Folded(script.messages, "HP-1")
    assert (folded.codes, folded.records) == ([], {})


# --- references to what was never told


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (said.WagerSettled, {"settlement_id": "T1", "wager_id": "W9", "paid_minor": 1}),
        (
            said.WagerRefunded,
            {"refund_id": "R1", "wager_id": "W9", "refunded_minor": 1, "reason": "other"},
        ),
        (
            said.PayoutCorrected,
            {"correction_id": "C1", "settlement_id": "T9", "paid_change_minor": 1},
        ),
        (said.StakeCollected, {"collection_id": "K1", "wager_id": "W9", "collected_minor": 1}),
    ],
)
def test_an_event_of_an_unknown_coup_or_wager_is_rejected(
    kind: type, fields: dict[str, object]
) -> None:
    known = a_table().close_bets().of_coup(kind, **fields)
    assert found(known) == ["EVENT_REJECTED"]
    unknown = a_table().of_coup(kind, **fields)
    assert found(unknown) == ["EVENT_REJECTED"]


def test_an_event_of_a_coup_long_closed_is_rejected() -> None:
    script = TableScript().open().shoe()
    for _ in range(20):
        script.honest_coup()
    script.say(
        said.PayoutCorrected,
        coup_id="S1/1",
        correction_id="C",
        settlement_id="T",
        paid_change_minor=1,
        reason="late",
        authorised_by="su-1",
    )
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.EVENT_REJECTED
    assert "coup S1/1 is long closed" in finding.sentence


def test_a_coup_that_never_closed_is_closed_before_it_is_forgotten() -> None:
    script = TableScript().open().shoe()
    for _ in range(17):
        script.coup()
        script.wager("player", STAKE, wager_id=f"{script.coup_id}/1")
        script.close_bets()
    folded = Folded(script.messages)
    assert len(folded.state.coups) == 16
    assert sorted(folded.codes) == ["DEAL_ORDER", "WAGER_NOT_SETTLED"]
    record: Record = folded.coup("S1/1")
    assert record.coup is not None
    assert record.coup.state == "closed"


def test_events_before_any_opening_are_rejected() -> None:
    script = TableScript().say(said.FeedStarted, source_kind="table").shoe().coup().close_bets()
    assert found(script) == ["EVENT_REJECTED", "EVENT_REJECTED"]


def test_a_coup_may_begin_with_any_call_of_it() -> None:
    script = TableScript().open().shoe().coup().result("tie").close()
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.coup("S1/1").coup is not None
