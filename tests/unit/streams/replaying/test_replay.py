"""A replay starts from a checkpoint and gives the very records that stand, or says which differ."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from schemas import events as said
from schemas.records import RecordKind
from streams.files.event_files import open_events
from streams.replaying.file_records import FileRecords
from streams.replaying.replay import Replay, ReplayStep, content_of, digest_of
from streams.replaying.span import EVERYTHING, Span
from tests.support.tables.played_table import correct, opened_table, play, with_shoe, written
from tests.support.tables.table_script import TableScript


@pytest.fixture
def stack() -> ExitStack:
    with ExitStack() as stack:
        yield stack


def records_of(stack: ExitStack, folder: Path, messages: list[bytes]) -> FileRecords:
    return FileRecords([stack.enter_context(open_events(str(written(folder, messages))))])


def two_shoes() -> TableScript:
    """Two shoes of three coups, the second coup of the first shoe overpaid and corrected."""
    script = play(opened_table())
    correct(play(script, 20_000), "T-W2")
    play(script)
    script.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=3)
    with_shoe(script, "S2")
    for _ in range(3):
        play(script)
    return script


def steps_of(replay: Replay) -> list[ReplayStep]:
    return list(replay.steps())


def test_every_coup_replayed_alone_is_the_one_that_stands(stack: ExitStack, tmp_path: Path) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    for place in source.coups_in("BAC-01", EVERYTHING):
        replay = Replay(source, [place])
        steps_of(replay)
        assert replay.started_at == f"shoe_loaded/{place.shoe_id}"
        (one,) = replay.comparison()
        assert one.is_identical, place.coup_id
        assert digest_of([one.replayed]) == digest_of([one.stored])


def test_a_shoe_is_compared_with_all_that_the_range_says(stack: ExitStack, tmp_path: Path) -> None:
    script = two_shoes()
    script.say(said.DeviceFaultCleared, fault_id="F9")
    play(script)
    script.say(said.ShoeEnded, shoe_id="S2", reason="other", coup_count=4)
    source = records_of(stack, tmp_path, script.messages)
    replay = Replay(source, source.coups_of_shoe("S2"), is_whole=True)
    steps_of(replay)
    compared = replay.comparison()
    assert all(one.is_identical for one in compared)
    kinds = [one.kind for one in compared]
    assert (kinds.count("coup"), kinds.count("shoe"), kinds.count("feed")) == (4, 1, 1)


def test_findings_are_told_in_the_step_that_decides_or_changes_them(
    stack: ExitStack, tmp_path: Path
) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    replay = Replay(source, source.coups_named("S1/2"))
    told = [
        (step.event.type, finding.status.value)
        for step in steps_of(replay)
        if step.event is not None
        for finding in step.decided
    ]
    assert told == [("wager_settled", "standing"), ("payout_corrected", "corrected")]


def test_a_record_that_was_changed_afterwards_differs(stack: ExitStack, tmp_path: Path) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    key = ("BAC-01", RecordKind.COUP.value, "S1/2")
    record = source._records[key]
    row = record.wagers[0].model_copy(update={"paid_minor": 19_600})
    source._records[key] = record.model_copy(update={"wagers": (row,)})
    replay = Replay(source, source.coups_named("S1/2"))
    steps_of(replay)
    (one,) = replay.comparison()
    assert not one.is_identical
    assert digest_of([one.replayed]) != digest_of([one.stored])


def test_a_record_that_is_gone_differs(stack: ExitStack, tmp_path: Path) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    places = source.coups_of_shoe("S1")
    del source._records["BAC-01", RecordKind.COUP.value, "S1/3"]
    replay = Replay(source, places, is_whole=True)
    steps_of(replay)
    different = [one for one in replay.comparison() if not one.is_identical]
    assert [(one.subject, one.stored) for one in different] == [("S1/3", None)]


def test_a_table_without_checkpoints_is_replayed_from_its_first_event(
    stack: ExitStack, tmp_path: Path
) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    source._checkpoints.clear()
    replay = Replay(source, source.coups_named("S2/1"))
    steps_of(replay)
    assert replay.started_at == "the first event that is kept"
    assert replay.comparison()[0].is_identical


def test_a_coup_that_was_amended_is_replayed_in_the_order_of_the_numbering(
    stack: ExitStack, tmp_path: Path
) -> None:
    script = opened_table()
    for _ in range(8):
        play(script, 20_000)
    late = script.messages.pop(8)
    source = records_of(stack, tmp_path, [*script.messages, late])
    (place,) = source.coups_named("S1/1")
    assert place.is_amended
    replay = Replay(source, [place])
    sequences = [step.event.sequence for step in steps_of(replay) if step.event is not None]
    assert sequences == sorted(sequences)
    assert replay.comparison()[0].is_identical


def test_late_truth_about_other_coups_of_the_shoe_changes_nothing(
    stack: ExitStack, tmp_path: Path
) -> None:
    script = opened_table()
    for _ in range(8):
        play(script, 20_000)
    late = script.messages.pop(8)
    source = records_of(stack, tmp_path, [*script.messages, late])
    replay = Replay(source, source.coups_of_shoe("S1"), is_whole=True)
    steps_of(replay)
    assert all(one.is_identical for one in replay.comparison())


def test_what_waited_when_the_file_ended_is_given_up_in_the_replay_too(
    stack: ExitStack, tmp_path: Path
) -> None:
    script = play(opened_table(), 20_000)
    messages = [raw for n, raw in enumerate(script.messages, 1) if n != 6]
    source = records_of(stack, tmp_path, messages)
    replay = Replay(source, source.coups_named("S1/1"))
    last = steps_of(replay)[-1]
    assert last.event is None
    assert replay.comparison()[0].is_identical


def test_sources_say_where_coups_stand(stack: ExitStack, tmp_path: Path) -> None:
    messages = [*two_shoes().messages, *play(opened_table("BAC-02")).messages]
    source = records_of(stack, tmp_path, messages)
    assert source.tables() == ("BAC-01", "BAC-02")
    assert source.shoe_ids() == ["S1", "S2"]
    assert [one.table_id for one in source.coups_named("S1/1")] == ["BAC-01", "BAC-02"]
    assert [one.coup_no for one in source.coups_of_shoe("S2")] == [1, 2, 3]
    first = source.coups_in("BAC-01", EVERYTHING)[0]
    span = Span(from_us=first.began_at_us + 1)
    assert len(source.coups_in("BAC-01", span)) == 5
    assert source.coups_in("BAC-01", Span(first_date="2025-06-08")) == ()
    assert len(source.coup_ids(2)) == 2
    assert source.record_of("BAC-01", "coup", "S9/1") is None


def test_endings_of_faults_and_removals_are_found_in_the_events(
    stack: ExitStack, tmp_path: Path
) -> None:
    script = opened_table()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shoe", fault="red light")
    play(script)
    script.say(said.DeviceFaultCleared, fault_id="F1")
    script.say(said.CardRemoved, shoe_id="S1", removal_id="R1", taken_from="shoe", reason="damaged")
    play(script)
    script.say(said.CardReplaced, shoe_id="S1", removal_id="R1")
    source = records_of(stack, tmp_path, script.messages)
    (table,) = source.told(EVERYTHING)
    assert table.ended == {("feed-1", 5): ("feed-1", 17), ("feed-1", 18): ("feed-1", 30)}


def test_the_content_of_a_record_is_what_it_says_and_not_when(
    stack: ExitStack, tmp_path: Path
) -> None:
    source = records_of(stack, tmp_path, two_shoes().messages)
    record = source.record_of("BAC-01", "coup", "S1/1")
    assert record is not None
    moved = record.model_copy(update={"offset": 9, "cause": "amended", "audit_epoch": 9})
    assert content_of(moved) == content_of(record)
    assert content_of(record.model_copy(update={"currency": "CAD"})) != content_of(record)
