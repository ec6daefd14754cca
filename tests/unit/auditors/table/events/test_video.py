"""A reference to a recording is kept with its coup, checked for form, and judged by nobody."""

import datetime

import pytest
from pydantic import ValidationError

from auditors.table import encode_state
from dashboards.documents.history.event_words import words_of
from schemas import events as said
from schemas.records import RecordKind, VideoRow, decode_record, encode_record
from schemas.wire import parse_event
from tests.support.tables.amended import Amended, current
from tests.support.tables.conforming_day import Day, checked
from tests.support.tables.table_script import START, Folded, TableScript

AT = START + datetime.timedelta(seconds=3)
SPAN = {"recorded_from": AT, "recorded_until": AT + datetime.timedelta(seconds=30)}
AT_US = int(AT.timestamp()) * 1_000_000


def videos(script: TableScript) -> dict[str, VideoRow | None]:
    """Give what records of recordings say, by their subject."""
    records = Folded(script.messages).records.values()
    return {one.subject: one.video for one in records if one.kind is RecordKind.VIDEO}


def played() -> TableScript:
    """Play a coup at a table whose clock is a millisecond late."""
    return TableScript().open(clock_offset_us=1_000).shoe().honest_coup()


def beats(script: TableScript, count: int) -> TableScript:
    """Let the table say that it is there, so often that a gap before it is given up."""
    for _ in range(count):
        script.say(said.Heartbeat, 0.1)
    return script


def test_it_is_kept_with_the_coup_that_it_shows() -> None:
    script = played()
    script.say(said.VideoReference, camera_id="C1", recording="R-9", coup_id="S1/1", **SPAN)
    row = VideoRow(
        coup_id="S1/1",
        camera_id="C1",
        recording="R-9",
        from_us=AT_US,
        until_us=AT_US + 30_000_000,
        clock_offset_us=1_000,
    )
    assert videos(script) == {f"feed-1/{script.sequence}": row}
    (record,) = [one for one in Folded(script.messages).records.values() if one.video is not None]
    assert (record.shoe_id, record.gaming_date, record.findings) == ("S1", "2025-06-07", ())
    assert decode_record(encode_record(record)) == record


def test_it_may_be_about_a_time_only_and_come_after_the_close() -> None:
    script = played().say(said.TableClosed, event_count=1, coup_count=1)
    script.say(said.VideoReference, camera_id="C1", **SPAN)
    (row,) = videos(script).values()
    assert row is not None
    assert (row.coup_id, row.recording) == (None, None)


def test_a_coup_that_was_forgotten_keeps_its_id_and_none_begins_by_it() -> None:
    script = played()
    for _ in range(20):
        script.honest_coup()
    for coup_id in ("S1/1", "S0/40"):
        script.say(said.VideoReference, camera_id="C1", coup_id=coup_id, **SPAN)
    folded = Folded(script.messages)
    assert [row and row.coup_id for row in videos(script).values()] == ["S1/1", "S0/40"]
    assert all(one.findings == () for one in folded.records.values())
    assert {one.subject for one in folded.records.values() if one.coup is not None} == {
        f"S1/{number}" for number in range(1, 22)
    }


def test_nothing_else_changes_with_it() -> None:
    told = TableScript().open().shoe().honest_coup()
    before = Folded(told.messages)
    told.say(said.VideoReference, camera_id="C1", coup_id="S1/1", **SPAN)
    after = Folded(told.messages)
    assert [after.records[key] for key in before.records] == list(before.records.values())
    assert len(after.records) == len(before.records) + 1
    states = [encode_state(one.state).partition(b'"incoming"')[2] for one in (before, after)]
    assert states[0] == states[1]


def test_one_that_comes_late_is_put_out_then_and_those_that_stand_are_not_put_out_anew() -> None:
    script = played()
    for number in range(3):
        script.say(said.VideoReference, camera_id=f"C{number}", coup_id="S1/1", **SPAN)
    beats(script, 70)
    late = script.messages.pop(-72)
    folded = Amended([*script.messages, late])
    assert current(folded) == current(Amended([*script.messages[:-70], late]))
    (record,) = [one for one in folded.absorbed[-1].records if one.kind is not RecordKind.FEED]
    assert record.video is not None
    assert (record.video.camera_id, record.cause) == ("C1", "amended")


def test_other_records_do_not_say_that_they_have_none() -> None:
    folded = Folded(played().messages)
    assert all(b'"video"' not in encode_record(one) for one in folded.records.values())


def test_one_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValidationError, match="recorded_until lies before recorded_from"):
        TableScript().say(
            said.VideoReference, camera_id="C1", recorded_from=AT, recorded_until=START
        )
    instant = {"recorded_from": AT, "recorded_until": AT}
    assert TableScript().say(said.VideoReference, camera_id="C1", **instant).messages


@pytest.mark.parametrize("field", ["camera_id", "recording", "coup_id"])
@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "https://x?y", "<b>", 'a"b', "a\nb"])
def test_its_texts_are_bounded(field: str, text: str) -> None:
    with pytest.raises(ValidationError):
        TableScript().say(said.VideoReference, **{"camera_id": "C1", **SPAN, field: text})


def test_it_is_said_in_words() -> None:
    script = TableScript()
    script.say(said.VideoReference, camera_id="C1", recording="R-9", coup_id="S1/1", **SPAN)
    script.say(said.VideoReference, camera_id="C1", **SPAN)
    assert [words_of(parse_event(raw), "USD") for raw in script.messages] == [
        "camera C1 shows coup S1/1 from 2025-06-07 22:00:03 to 2025-06-07 22:00:33 UTC, "
        "recording R-9",
        "camera C1 shows the table from 2025-06-07 22:00:03 to 2025-06-07 22:00:33 UTC",
    ]


def test_conform_checks_its_camera_its_coup_and_its_time() -> None:
    camera = said.Camera(camera_id="C1", shows="layout")
    day = Day().begin(cameras=(camera,))
    day.load().play()
    for _ in range(6):
        day.say(said.Heartbeat, 5.0)
    day.say(said.VideoReference, camera_id="C1", coup_id="S1/1", **SPAN)
    assert checked(day.messages)[0][:-1] == []
    day.say(said.VideoReference, camera_id="C2", coup_id="S1/2", **SPAN)
    later = {**SPAN, "recorded_until": AT + datetime.timedelta(days=1)}
    day.say(said.VideoReference, camera_id="C1", **later)
    assert [one.problem for one in checked(day.messages)[0][:-1]] == [
        "camera C2 is not among the cameras of table_opened",
        "coup S1/2 is not known",
        "recorded_until lies behind occurred_at",
    ]
