"""What a history holds and lacks, in the words that every command shows."""

import datetime
from dataclasses import replace
from pathlib import Path

from streams.history.embedded.ingest_marks import (
    IngestMark,
    IngestMarks,
    mark_of,
    marks_file,
    read_marks,
)
from streams.history.reading.holdings import Holdings, runs_of

FIRST_US, LAST_US = 1_000_000, 9_000_000
OPEN = (None, None, -(2**62), 2**62)
MARK = IngestMark("/data/day 1.jsonl", "ab", 1_234, 56_789, 7)
HELD = Holdings(
    place=".ladderman/history",
    store=Path(".ladderman"),
    event_count=900,
    coup_count=75,
    gaming_dates=tuple(datetime.date(2025, 6, day) for day in (7, 8, 9)),
    first_began_at_us=FIRST_US,
    last_began_at_us=LAST_US,
    has_simulated=False,
    has_real=True,
)


def june(day: int) -> datetime.date:
    """Give a day."""
    return datetime.date(2025, 6, day)


def test_days_that_follow_each_other_are_one_run() -> None:
    assert runs_of(()) == ""
    assert runs_of((june(7),)) == "2025-06-07"
    days = (june(7), june(8), june(9), june(12), datetime.date(2025, 7, 1))
    assert runs_of(days) == "2025-06-07 to 2025-06-09, 2025-06-12, 2025-07-01"


def test_a_history_that_holds_what_is_asked_for_lacks_nothing() -> None:
    assert HELD.lacks == ()
    for asked in (OPEN, (june(7), june(9), *OPEN[2:]), (june(8), None, *OPEN[2:])):
        assert HELD.lacks_of(*asked) == ()
    assert HELD.lacks_of(None, None, FIRST_US, FIRST_US + 1) == ()


def test_days_that_are_not_held_are_named_with_those_that_are() -> None:
    holds = "history .ladderman/history holds gaming dates 2025-06-07 to 2025-06-09"
    for first, last in ((june(1), june(2)), (june(10), None), (None, june(6))):
        assert HELD.lacks_of(first, last, *OPEN[2:]) == (f"the range holds no coup: {holds}",)
    assert HELD.lacks_of(june(5), june(10), *OPEN[2:]) == (
        f"no coup of gaming date 2025-06-05 to 2025-06-06, 2025-06-10 is held: {holds}",
    )
    for span in ((LAST_US + 1, OPEN[3]), (OPEN[2], FIRST_US)):
        assert HELD.lacks_of(None, None, *span) == (f"the range holds no coup: {holds}",)


def test_a_hole_between_held_days_matters_only_to_one_who_asks_for_days() -> None:
    holed = replace(HELD, gaming_dates=(june(7), june(9)))
    assert holed.lacks_of(*OPEN) == ()
    assert "2025-06-08 is held" in holed.lacks_of(june(7), None, *OPEN[2:])[0]


def test_an_interrupted_ingest_is_told_first_with_the_command_that_goes_on() -> None:
    empty = replace(
        HELD,
        event_count=0,
        coup_count=0,
        gaming_dates=(),
        first_began_at_us=None,
        has_simulated=True,
        interrupted=(MARK,),
    )
    assert empty.lacks == (
        "ingest of /data/day 1.jsonl was interrupted after 1,234 of 56,789 bytes; "
        "run `ladderman ingest '/data/day 1.jsonl' --store .ladderman` to go on",
        "history .ladderman/history holds simulated play and real play; take no total of it for "
        "either",
        "history .ladderman/history holds no events",
    )
    assert empty.lacks_of(june(1), None, *OPEN[2:]) == ()
    running = replace(HELD, coup_count=0, event_count=1, under_way=(MARK,))
    assert running.lacks == (
        "ingest of /data/day 1.jsonl is under way, 1,234 of 56,789 bytes so far; what is behind "
        "that is not in the answer",
        "history .ladderman/history holds 1 event and no coup",
    )


def test_a_mark_stays_until_the_same_file_was_read_to_its_end(tmp_path: Path) -> None:
    history, file = tmp_path / "history", tmp_path / "a.jsonl"
    file.write_bytes(b"one\n" * 5)
    assert read_marks(history) == ()
    marks, mark = IngestMarks(history), mark_of(str(file))
    assert (mark.byte_count, mark.read_bytes, len(mark.head_sha256)) == (20, 0, 64)
    marks.put(mark)
    marks.put(replace(mark, read_bytes=8))
    piped = mark_of("-")
    marks.put(piped)
    assert read_marks(history) == (replace(mark, read_bytes=8), piped)
    assert piped.progress == "0 bytes"
    moved = file.rename(tmp_path / "b.jsonl")
    marks.remove(mark_of(str(moved)))
    assert read_marks(history) == (piped,)
    marks.remove(piped)
    assert not marks_file(history).exists()


def test_marks_that_cannot_be_read_do_not_pass_for_none(tmp_path: Path) -> None:
    marks_file(tmp_path / "history").write_text("{")
    (mark,) = read_marks(tmp_path / "history")
    assert mark.title == "an unknown file"
