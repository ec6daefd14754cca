"""Events that are missing leave the coups beside them unverified; when they come late, all is told.

Nothing is asserted that a lost event might explain, and nothing is taken back that was certain.
"""

from __future__ import annotations

import pytest

from auditors.table import folding
from auditors.table.known.state import CHECKPOINT_BYTES_MAX
from schemas import events as said
from schemas.findings import FindingCode
from schemas.records import Record, encode_record
from schemas.topics import MESSAGE_BYTES_MAX
from tests.support.tables.amended import Amended, current
from tests.support.tables.played import PLAYER_WINS, a_table, dealt
from tests.support.tables.table_script import Folded, TableScript

STAKE = 10_000


def waited(script: TableScript) -> TableScript:
    """Let so much time pass that what is missing counts as lost."""
    for _ in range(25):
        script.say(said.Heartbeat)
    return script


def without(script: TableScript, *sequences: int) -> Folded:
    return Folded(
        raw for number, raw in enumerate(script.messages, start=1) if number not in sequences
    )


# --- what a gap leaves standing


def test_a_coup_that_lost_an_event_is_not_judged_by_what_may_be_missing() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_000)
    lost = script.sequence
    waited(script.close())
    folded = without(script, lost)
    assert folded.codes == ["SEQUENCE_GAP"]
    row = folded.coup("S1/1").coup
    assert row is not None
    assert row.is_unverified
    assert folded.coup("S1/1").wagers[0].due_minor is None


def test_what_was_certain_before_the_gap_goes_on_standing() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    other = script.wager("banker", STAKE, seat="2")
    dealt(script).settle(wager_id, 20_100)
    script.settle(other, 0)
    lost = script.sequence
    waited(script.close())
    folded = without(script, lost)
    assert folded.codes == ["SEQUENCE_GAP", "WAGER_OVERPAID"]
    assert [f.code.value for f in folded.coup("S1/1").findings] == ["WAGER_OVERPAID"]


def test_a_correction_after_the_gap_puts_right_what_was_certain_before_it() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).say(said.Heartbeat)
    lost = script.sequence
    waited(script).correct(wager_id, -100).close()
    folded = without(script, lost)
    overpaid = next(f for f in folded.findings if f.code is FindingCode.WAGER_OVERPAID)
    assert (overpaid.difference_minor, overpaid.residual_minor) == (100, 0)


def test_calls_cards_and_base_wagers_told_before_the_gap_are_judged_on() -> None:
    script = a_table()
    script.wager("golden_talons@player", 500)
    script.close_bets().card("player", 1, "9S").card("banker", 1, "?").card("player", 2, "KD")
    script.card("banker", 2, "3H")
    script.of_coup(said.CountsAnnounced, player_points=9, banker_points=5)
    script.result("player", 9, 5).say(said.Heartbeat)
    lost = script.sequence
    waited(script).close()
    folded = without(script, lost)
    assert folded.codes == ["CARD_UNREADABLE", "SEQUENCE_GAP", "WAGER_WITHOUT_BASE"]


def test_a_wrong_result_told_before_the_gap_goes_on_standing() -> None:
    script = a_table().close_bets().deal(*PLAYER_WINS)
    script.of_coup(said.CountsAnnounced, player_points=9, banker_points=6)
    script.result("banker", 9, 5).say(said.Heartbeat)
    lost = script.sequence
    waited(script).close()
    assert without(script, lost).codes == [
        "POINTS_MISANNOUNCED",
        "RESULT_MISANNOUNCED",
        "SEQUENCE_GAP",
    ]


def test_a_result_told_after_the_gap_is_not_compared_with_the_cards() -> None:
    script = a_table().close_bets().deal("2S 3H KD", "AC 2D 5H")
    lost = script.sequence
    script.result("banker", 5, 8).close()
    assert without(waited(script), lost).codes == ["SEQUENCE_GAP"]


def test_two_settlements_seen_beside_a_gap_are_settled_twice() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    dealt(script)
    lost = script.sequence
    script.settle(wager_id, 20_000).settle(wager_id, 20_000, settlement_id="T-2").close()
    assert without(waited(script), lost).codes == ["SEQUENCE_GAP", "SETTLED_TWICE"]


def test_a_gap_within_a_coup_touches_no_other_coup() -> None:
    script = TableScript().open().shoe().honest_coup().coup().close_bets()
    script.card("player", 1, "9S")
    lost = script.sequence
    script.card("banker", 1, "2D").card("player", 2, "KD").card("banker", 2, "3H")
    script.result("player", 9, 5).close().honest_coup()
    folded = without(waited(script), lost)
    unverified = [r.subject for r in folded.records.values() if r.coup and r.coup.is_unverified]
    assert unverified == ["S1/2"]
    assert folded.codes == ["SEQUENCE_GAP"]


def test_a_gap_between_coups_leaves_the_next_one_unverified() -> None:
    script = TableScript().open().shoe().honest_coup().coup()
    script.wager("player", STAKE)
    lost = script.sequence
    dealt(script).settle("W1", 20_000).close().honest_coup()
    folded = without(waited(script), lost)
    assert folded.codes == ["SEQUENCE_GAP"]
    rows = {r.subject: r.coup for r in folded.records.values() if r.coup}
    assert [subject for subject, row in rows.items() if row.is_unverified] == ["S1/2"]


def test_a_late_correction_of_a_closed_coup_does_not_verify_the_next_one() -> None:
    script = a_table()
    script.wager("player", STAKE)
    dealt(script).settle("W1", 20_000).close()
    script.say(said.Heartbeat).say(said.Heartbeat)
    script.coup()
    lost = script.sequence + 1
    script.wager("player", STAKE)
    script.say(
        said.PayoutCorrected,
        coup_id="S1/1",
        correction_id="C",
        settlement_id="T-W1",
        paid_change_minor=0,
        reason="seen again",
        authorised_by="su-1",
    )
    script.close_bets().deal("9C KC", "2C 3C").result("player", 9, 5).settle("W2", 20_000).close()
    folded = without(waited(script), lost)
    assert folded.codes == ["SEQUENCE_GAP"]


def test_references_to_what_was_lost_are_not_rejected() -> None:
    script = TableScript().open().shoe().coup()
    lost = [script.sequence + 1 + n for n in range(10)]
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).close()
    waited(script).correct(wager_id, -100)
    script.say(said.DeviceFaultCleared, fault_id="F9")
    script.of_shoe(said.CardReplaced, removal_id="M9")
    script.say(said.VigorishCollected, collection_id="V", shoe_id="S9", seat="1", collected_minor=1)
    folded = without(waited(script), *lost)
    assert folded.codes == ["SEQUENCE_GAP"]


def test_a_fault_and_a_removal_may_have_ended_in_the_gap() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shuffler", fault="red light")
    script.of_shoe(
        said.CardRemoved, removal_id="M1", taken_from="shoe", reason="damaged", card="7H"
    )
    script.say(said.Heartbeat)
    lost = script.sequence
    waited(script).honest_coup()
    assert without(script, lost).codes == ["SEQUENCE_GAP"]


def test_a_fault_raised_after_the_gap_is_judged() -> None:
    script = TableScript().open().shoe().say(said.Heartbeat)
    lost = script.sequence
    waited(script)
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shuffler", fault="red light")
    assert without(script.honest_coup(), lost).codes == ["DEVICE_FAULT_OPEN", "SEQUENCE_GAP"]


def test_a_shoe_that_lost_events_is_not_said_to_miss_cards() -> None:
    script = TableScript().open().shoe().honest_coup().coup().close_bets().card("player", 1, "9C")
    lost = script.sequence
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H").close()
    waited(script).end_shoe(cards_left_count=408)
    assert without(script, lost).codes == ["SEQUENCE_GAP"]


def test_a_shoe_of_which_the_loading_was_lost_is_taken_up_without_a_word() -> None:
    script = TableScript().open().shoe()
    lost = script.sequence
    waited(script).honest_coup()
    folded = without(script, lost)
    assert folded.codes == ["SEQUENCE_GAP"]
    assert folded.state.shoe is not None
    assert (folded.state.shoe.shoe_id, folded.state.shoe.is_unverified) == ("S1", True)


def test_a_close_is_not_counted_where_events_are_missing() -> None:
    script = TableScript().open().say(said.Heartbeat)
    lost = script.sequence
    waited(script).say(said.TableClosed, event_count=1, coup_count=7)
    assert without(script, lost).codes == ["SEQUENCE_GAP"]


def test_the_next_opening_begins_with_nothing_missing() -> None:
    script = TableScript().open().say(said.Heartbeat)
    lost = script.sequence
    waited(script).say(said.TableClosed, event_count=1, coup_count=7).open_again()
    script.say(said.TableClosed, event_count=9, coup_count=0)
    assert without(script, lost).codes == ["EVENT_REJECTED", "SEQUENCE_GAP"]


# --- late truth


def moved(script: TableScript, *moves: tuple[int, int]) -> list[bytes]:
    """Deliver some events late: sequence, and behind which sequence it comes."""
    late = dict(moves)
    order: list[int] = []
    for number in range(1, len(script.messages) + 1):
        if number not in late:
            order.append(number)
        order += [sequence for sequence, after in moves if after == number]
    return [script.messages[number - 1] for number in order]


def a_day() -> TableScript:
    """Two coups with wagers, a long pause, and two more coups."""
    script = TableScript().open().shoe()
    for number in range(4):
        script.coup()
        wager_id = script.wager("player", STAKE)
        suit = "CDHS"[number]
        script.close_bets().deal(f"9{suit} K{suit}", f"2{suit} 3{suit}").result("player", 9, 5)
        script.settle(wager_id, 20_000 + 100 * (number % 2)).close()
        waited(script)
    return script


@pytest.mark.parametrize("late", range(4, 40))
def test_an_event_that_comes_after_its_gap_ends_as_if_it_had_come_in_time(late: int) -> None:
    script = a_day()
    undisturbed = Folded(script.messages)
    folded = Amended(moved(script, (late, len(script.messages))))
    assert current(folded) == current(undisturbed)
    assert folded.codes == ["WAGER_OVERPAID", "WAGER_OVERPAID"]
    assert folded.state.had_gap is False


def test_amended_records_say_so_and_bear_the_offset_of_the_late_event() -> None:
    script = a_day()
    folded = Amended(moved(script, (5, len(script.messages))))
    records = folded.absorbed[-1].records
    assert {record.cause for record in records} == {"amended"}
    assert {record.offset for record in records} == {len(script.messages) - 1}
    assert ("feed", "SEQUENCE_GAP/feed-1/5") in {(r.kind.value, r.subject) for r in records}
    # What did not change is not put out again.
    assert "S1/4" not in {record.subject for record in records}


def test_a_gap_filled_in_part_is_a_smaller_gap() -> None:
    script = a_day()
    end = len(script.messages)
    lost = (13, 14, 15)
    messages = [
        *[raw for number, raw in enumerate(script.messages, 1) if number not in lost],
        script.messages[14 - 1],
    ]
    folded = Amended(messages)
    gaps = {f.sentence.split(" missing")[0] for f in folded.findings if f.code == "SEQUENCE_GAP"}
    assert gaps == {"Event 13 is", "Event 15 is"}
    for sequence in (13, 15):
        folded.log.append(script.messages[sequence - 1])
        folded.take(len(folded.log) - 1, folded.log[-1])
    assert current(folded) == current(Folded(script.messages))
    assert len(folded.log) == end


def test_another_gap_stays_declared_and_nothing_waits_for_it_again() -> None:
    script = a_day()
    lost = len(script.messages) - 1
    messages = [
        *[raw for n, raw in enumerate(script.messages, 1) if n not in (5, lost)],
    ]
    for _ in range(30):
        script.say(said.Heartbeat)
    messages += script.messages[-30:]
    before = Folded(messages)
    assert before.state.feed is not None
    assert before.state.feed.held == ()
    folded = Amended([*messages, script.messages[5 - 1]])
    assert folded.state.feed is not None
    assert (folded.state.feed.held, folded.state.feed.gaps) == ((), ((lost, lost),))
    gap = next(f for f in folded.findings if f.code is FindingCode.SEQUENCE_GAP)
    assert gap.sentence.startswith(f"Event {lost} is missing")


def test_events_that_still_wait_go_on_waiting() -> None:
    script = a_day().say(said.Heartbeat).say(said.Heartbeat).say(said.Heartbeat)
    waits = script.sequence - 1
    folded = Amended(moved(script, (5, waits - 1), (waits, waits + 1)))
    assert current(folded) == current(Folded(script.messages))


def test_a_late_event_of_the_shoe_before_is_left_to_the_reconciler() -> None:
    script = a_day().end_shoe().shoe("S2").honest_coup()
    folded = Amended(moved(script, (5, len(script.messages))))
    assert folded.absorbed[-1].amend_from is None
    assert folded.absorbed[-1].records == ()
    assert "SEQUENCE_GAP" in folded.codes


def test_a_checkpoint_that_no_message_could_hold_is_left_out_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def kinds(folded: Folded) -> list[str]:
        return [kind for _, kind, _ in folded.records if kind != "checkpoint"]

    script = a_day()
    whole = Folded(script.messages)
    (record,) = [one for key, one in whole.records.items() if key[2].startswith("shoe_loaded")]
    longest = len(encode_record(record))
    monkeypatch.setattr(folding, "CHECKPOINT_BYTES_MAX", longest // 2)
    folded = Folded(script.messages)
    assert [key for key in folded.records if key[1] == "checkpoint"] == []
    assert folded.state.checkpoint is None
    assert kinds(folded) == kinds(whole)
    late = Amended(moved(script, (5, len(script.messages))))
    assert late.absorbed[-1].amend_from is None


def test_the_longest_checkpoint_fits_into_a_message() -> None:
    script = a_day()
    record = next(iter(Folded(script.messages).records.values()))
    quotes = '"' * (CHECKPOINT_BYTES_MAX // 2)
    longest = record.model_copy(
        update={"state": quotes, "checks_off": (("x" * 40, "y" * 40),) * 64}
    )
    assert len(encode_record(longest)) <= MESSAGE_BYTES_MAX


def test_a_late_event_of_a_feed_that_began_within_the_shoe_is_amended() -> None:
    script = TableScript().open().shoe().honest_coup()
    script.restart(predecessor_sequence=script.sequence).coup()
    wager_id = script.wager("player", STAKE)
    at = len(script.messages)
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    assert current(Amended(moved(script, (at, len(script.messages))))) == current(
        Folded(script.messages)
    )


def test_a_late_event_of_the_feed_before_is_amended_within_the_shoe() -> None:
    script = TableScript().open().shoe().honest_coup().coup()
    wager_id = script.wager("player", STAKE)
    at = len(script.messages)
    script.restart(predecessor_sequence=script.sequence)
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    folded = Amended(moved(script, (at, len(script.messages))))
    assert current(folded) == current(Folded(script.messages))
    assert folded.codes == ["WAGER_OVERPAID"]


def test_what_a_superseded_feed_said_besides_is_not_taken_in_when_a_shoe_is_amended() -> None:
    script = a_day()
    split = TableScript()
    split.position = script.position
    split.now = script.now
    split.coup().wager("tie", 700)
    end = len(script.messages)
    script.restart(predecessor_sequence=end).say(said.Heartbeat)
    messages = [
        *[raw for number, raw in enumerate(script.messages, 1) if number != 5],
        *split.messages,
    ]
    before = Folded(messages)
    folded = Amended([*messages, script.messages[5 - 1]])
    assert "FEED_SPLIT" in before.codes
    assert all(one.name != "tie" for coup in folded.state.coups for one in coup.wagers)
    assert folded.state.split_asserted == ("feed-1",)


def test_repeats_and_dead_letters_among_the_messages_change_nothing() -> None:
    script = a_day()
    messages = moved(script, (5, len(script.messages)))
    disturbed = [*messages[:20], messages[10], b"{", *messages[20:40], messages[3], *messages[40:]]
    assert current(Amended(disturbed)) == current(Folded(script.messages))


def test_after_amending_a_repeat_is_still_known_from_a_conflict() -> None:
    script = a_day()
    folded = Amended(moved(script, (90, len(script.messages))))
    assert folded.state.feed is not None
    whole = Folded(script.messages).state.feed
    assert whole is not None
    assert folded.state.feed.hashes == whole.hashes


def test_a_loading_that_was_held_is_amended_from_all_that_came_before_its_turn() -> None:
    script = TableScript().open().shoe()
    loaded = script.sequence
    script.coup()
    wager_id = script.wager("player", STAKE)
    late = script.sequence + 1
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    # The wager comes before the loading of its shoe.
    messages = moved(script, (loaded, loaded + 1), (late, len(script.messages)))
    amended, whole = current(Amended(messages)), current(Folded(script.messages))
    # The checkpoint says which message was held, and at which offset.
    key = ("BAC-01", "checkpoint", "shoe_loaded/S1")
    assert amended.pop(key) != whole.pop(key)
    assert amended == whole


def test_a_loading_that_comes_late_itself_is_amended_from_the_shoe_before() -> None:
    script = TableScript().open().shoe().honest_coup().end_shoe().shoe("S2", backs=("red",))
    late = script.sequence
    script.coup()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    folded = Amended(moved(script, (late, len(script.messages))))
    amended, whole = current(folded), current(Folded(script.messages))
    key = ("BAC-01", "checkpoint", "shoe_loaded/S2")
    assert amended.pop(key) != whole.pop(key)
    assert amended == whole
    assert folded.state.shoe is not None
    assert folded.state.shoe.backs == ("red",)


def test_after_a_late_loading_another_late_event_is_amended_from_all_of_the_shoe() -> None:
    script = TableScript().open().shoe().honest_coup().end_shoe().shoe("S2")
    loading = script.sequence
    script.coup()
    wager_id = script.wager("player", STAKE)
    placed = script.sequence
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    end = len(script.messages)
    folded = Amended(moved(script, (loading, end), (placed, end)))
    amended, whole = current(folded), current(Folded(script.messages))
    key = ("BAC-01", "checkpoint", "shoe_loaded/S2")
    del amended[key], whole[key]
    assert amended == whole


def test_a_finding_that_late_truth_explains_is_withdrawn() -> None:
    script = TableScript().open().shoe().coup()
    wager_id = script.wager("player", STAKE)
    dealt(script).settle(wager_id, 20_100).close()
    waited(script)
    script.correct(wager_id, -100)
    late = script.sequence
    waited(script)
    messages = moved(script, (late, len(script.messages)))
    before, after = Folded(messages[:-1]), Amended(messages)
    overpaid = [f for f in before.findings if f.code is FindingCode.WAGER_OVERPAID]
    assert [one.residual_minor for one in overpaid] == [100]
    assert [one.residual_minor for one in after.findings] == [0]
    gone: Record = after.records["BAC-01", "feed", f"SEQUENCE_GAP/feed-1/{late}"]
    assert gone.findings == ()
    assert gone.withdrawn == tuple(f.id for f in before.findings if f.code == "SEQUENCE_GAP")
