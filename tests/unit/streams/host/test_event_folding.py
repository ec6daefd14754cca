"""Lines of files become records as a host makes them, in memory that does not grow."""

import datetime

import orjson
import pytest

from schemas import events as said
from schemas.events.fields import SEQUENCE_MAX
from schemas.wire import encode_event
from streams.host import event_folding
from streams.host.event_folding import EventFolder, FoldedLine, who_says
from tests.support.tables.floors import progressive_floor
from tests.support.tables.table_script import START, Folded, TableScript


def folded(messages: list[bytes]) -> tuple[EventFolder, list[FoldedLine]]:
    """Fold messages; position is ten times the offset, offsets begin with 1."""
    folder = EventFolder(lambda position: messages[position // 10 - 1])
    lines = [folder.take(n, 10 * n, raw) for n, raw in enumerate(messages, 1)]
    return folder, [*lines, *folder.finish()]


def heartbeats(count: int) -> TableScript:
    script = TableScript().open().shoe()
    for _ in range(count):
        script.say(said.Heartbeat)
    return script


def test_records_are_those_of_the_fold() -> None:
    script = TableScript().open().shoe().coup()
    wager_id = script.wager("banker", 10_000)
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    script.settle(wager_id, 20_000).close()
    _, lines = folded(script.messages)
    ours = {record.key: record for line in lines for record in line.records}
    theirs = Folded(script.messages).records
    assert ours.keys() == theirs.keys()
    for key, record in ours.items():
        assert record.findings == theirs[key].findings
        assert record.offset == theirs[key].offset + 1


def test_a_held_line_is_read_again_by_its_position_also_where_a_new_shoe_came_between() -> None:
    script = heartbeats(3).shoe("S2").say(said.Heartbeat)
    messages = script.messages
    messages[3], messages[-2], messages[-1] = messages[-2], messages[-1], messages[3]
    folder, _ = folded(messages)
    state = folder.sources["BAC-01"].state
    assert state.shoe is not None
    assert (state.shoe.shoe_id, folder.sources["BAC-01"].held_count) == ("S2", 0)


def test_places_of_lines_before_the_shoe_in_play_are_forgotten() -> None:
    script = heartbeats(100)
    folder, _ = folded(script.messages)
    assert folder.sources["BAC-01"].offset_of(50) == 50
    folder, _ = folded(script.shoe("S2").messages)
    assert folder.sources["BAC-01"].offset_of(50) is None
    assert folder.sources["BAC-01"].offset_of(104) == 104


def test_a_shoe_without_end_does_not_fill_the_memory_and_late_truth_of_it_stays_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_folding, "LINES_KEPT_MAX", 200)
    monkeypatch.setattr(event_folding, "_PLACES_KEPT", 80)
    script = heartbeats(400)
    late = script.messages.pop(20)
    folder, lines = folded([*script.messages, late])
    source = folder.sources["BAC-01"]
    assert source.offset_of(30) is None
    assert [record.cause for line in lines for record in line.records].count("amended") == 0
    script.shoe("S2")
    folder, _ = folded(script.messages)
    assert folder.sources["BAC-01"].offset_of(404) == 403


def test_a_source_before_its_first_shoe_does_not_fill_the_memory() -> None:
    script = TableScript().open()
    for _ in range(1200):
        script.say(said.Heartbeat)
    folder, _ = folded(script.messages)
    assert folder.sources["BAC-01"].offset_of(100) is None
    assert folder.sources["BAC-01"].offset_of(1100) == 1100


def test_what_waits_at_the_end_is_folded_behind_every_gap_and_no_heartbeat_is_left_over() -> None:
    script = heartbeats(10)
    kept = [raw for n, raw in enumerate(script.messages, 1) if n not in (5, 8)]
    folder, lines = folded(kept)
    state = folder.sources["BAC-01"].state
    assert state.feed is not None
    assert state.feed.next_sequence == len(script.messages) + 1
    codes = [one.code.value for line in lines for record in line.records for one in record.findings]
    assert codes == ["SEQUENCE_GAP"] * 2


@pytest.mark.parametrize(
    ("sequence", "occurred_at"),
    [(SEQUENCE_MAX, START), (9, datetime.datetime(2199, 12, 31, 23, 59, 59, tzinfo=datetime.UTC))],
)
def test_what_waits_at_the_end_is_folded_at_the_end_of_numbers_and_of_time_too(
    sequence: int, occurred_at: datetime.datetime
) -> None:
    script = heartbeats(2)
    last = said.Heartbeat(
        source_id="BAC-01",
        feed_id=script.position.feed_id,
        sequence=sequence,
        previous_hash="0" * 64,
        occurred_at=occurred_at,
    )
    folder, lines = folded([*script.messages, encode_event(last)])
    codes = [one.code.value for line in lines for record in line.records for one in record.findings]
    assert "SEQUENCE_GAP" in codes
    assert folder.sources["BAC-01"].held_count == 0


def test_what_waits_at_the_end_is_folded_also_where_the_clock_had_run_ahead() -> None:
    script = heartbeats(10)
    messages = [*script.messages]
    ahead = orjson.loads(messages[4])
    ahead["occurred_at"] = "2030-01-01T00:00:00.000000Z"
    messages[4] = orjson.dumps(ahead)
    del messages[6]
    folder, lines = folded(messages)
    codes = [one.code.value for line in lines for record in line.records for one in record.findings]
    assert "SEQUENCE_GAP" in codes
    assert folder.sources["BAC-01"].held_count == 0


def test_a_source_is_only_remembered_once_it_has_said_something_that_can_be_read() -> None:
    folder, lines = folded([b'{"source_id":"X"}', b'{"source_id":"no name!"}', b"[]", b"{"])
    assert not folder.sources
    assert [(one.source_id, one.dead and one.dead.reason) for one in lines] == [
        ("X", "bad_field"),
        ("no name!", "bad_field"),
        (None, "not_an_object"),
        (None, "not_json"),
    ]


@pytest.mark.parametrize(
    ("sequence", "read"), [(7, 7), (-1, 0), (2**80, 0), (True, 0), (1.5, 0), ("7", 0), (None, 0)]
)
def test_a_sequence_that_cannot_be_read_counts_as_none(sequence: object, read: int) -> None:
    raw = b'{"source_id":"X","sequence":%s}' % (
        str(sequence).encode()
        if isinstance(sequence, int) and sequence > 2**60
        else orjson.dumps(sequence)
    )
    found = who_says(raw)
    assert found is not None
    assert found.sequence == read


def test_what_tables_and_controllers_tell_is_folded_by_the_ledgers_as_well() -> None:
    floor = [raw for _, raw in progressive_floor(coups=24)]
    folder, lines = folded(floor)
    records = [record for line in lines for record in line.ledger_records]
    assert {record.table_id for record in records} == set(folder.ledgers.states) != set()
    assert {"ledger", "progressive_day"} <= {record.kind.value for record in records}
    assert not any(record.kind.value == "ledger" for line in lines for record in line.records)


def test_files_without_progressives_have_no_ledgers() -> None:
    folder, lines = folded(heartbeats(5).messages)
    assert folder.ledgers.states == {}
    assert not any(line.ledger_records for line in lines)
