"""What ``ladderman ingest`` tells the person who gave it files."""

import gzip
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streams.embedding import ingest
from streams.history.embedded.ingest_marks import read_marks
from tests.support.ladderman import ladderman
from tests.support.tables.table_script import TableScript


def written(path: Path, lines: list[bytes]) -> Path:
    """Write a file of events."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def test_events_that_wait_for_a_missing_one_are_named_until_it_comes(tmp_path: Path) -> None:
    lines, store = TableScript().open().shoe().honest_coup().messages, tmp_path / "store"
    part = written(tmp_path / "part.jsonl", [*lines[:4], *lines[6:]])
    answer = ladderman("ingest", part, "--store", store)
    count = len(lines) - 6
    assert answer.err.splitlines() == [
        f"BAC-01: {count} events of feed feed-1 from 7 on wait for events 5 to 6; "
        "give the file that has it, else later events make it a gap"
    ]
    rest = written(tmp_path / "rest.jsonl", lines[4:6])
    assert ladderman("ingest", rest, "--store", store).err == ""


def test_lines_that_are_no_events_are_counted_and_can_be_looked_at_in_the_store(
    tmp_path: Path,
) -> None:
    lines, store = TableScript().open().messages, tmp_path / "store"
    broken = written(tmp_path / "broken.jsonl", [lines[0], b'{"half', lines[1]])
    answer = ladderman("ingest", broken, "--store", store)
    told = f"1 line could not be read; see ladderman dead-letters list --store {store}"
    assert answer.err.splitlines() == [told]
    again = ladderman("ingest", broken, "--store", store)
    assert again.err == ""
    listed = ladderman("dead-letters", "list", "--store", store, "--format", "json")
    (letter,) = json.loads(listed.out)["letters"]
    assert letter["reason"] == "not_json"
    shown = ladderman("dead-letters", "show", letter["id"], "--store", store)
    assert '{"half' in shown.out
    refused = ladderman("dead-letters", "list", "--store", store, "--from", "topic")
    assert refused.code == 2
    assert refused.err == "ladderman: --store and --from topic: give one of them\n"


def test_what_is_piped_in_may_be_gzipped_as_files_may(tmp_path: Path) -> None:
    lines = TableScript().open().messages
    packed = gzip.compress(b"\n".join(lines))
    answer = ladderman("ingest", "-", "--store", tmp_path / "store", stdin=packed)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"{len(lines)} lines: {len(lines)} new, ")


def test_a_line_that_is_cut_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "LINE_BYTES_MAX", 20_000)
    lines = [*TableScript().open().messages, b"x" * 30_000]
    path = written(tmp_path / "events.jsonl", lines)
    answer = ladderman("ingest", path, "--store", tmp_path / "store")
    assert answer.code == 0
    assert answer.err.splitlines()[0] == "1 line was longer than any event and was cut"


def test_a_file_of_something_else_is_nothing_readable(tmp_path: Path) -> None:
    other, store = written(tmp_path / "rounds.csv", [b"coup,winner", b"1,P"]), tmp_path / "store"
    answer = ladderman("ingest", other, "--store", store)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.splitlines() == [
        f"ladderman: {other}: no line is an event; nothing was taken; "
        f"ladderman conform {other} says what each lacks",
    ]
    assert not store.exists()


def test_parts_of_a_day_come_to_the_same_history_in_whatever_order_they_are_given(
    tmp_path: Path,
) -> None:
    lines = TableScript().open().shoe().honest_coup().honest_coup().messages
    half = len(lines) // 2
    earlier = written(tmp_path / "part-9.jsonl", lines[:half])
    later = written(tmp_path / "part-10.jsonl", lines[half:])
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    ladderman("ingest", written(tmp_path / "day.jsonl", lines), "--store", whole)
    answer = ladderman("ingest", later, earlier, "--store", parts)
    assert answer.err == f"read in the order of their first events: {earlier}, {later}\n"
    digests = [ladderman("history", "digest", "--store", one).out for one in (whole, parts)]
    assert digests[0] == digests[1]
    assert "coups (2)" in digests[0]


def test_events_that_had_been_given_up_as_missing_are_counted_with_what_to_do(
    tmp_path: Path,
) -> None:
    script = TableScript().open().shoe()
    while len(script.messages) < 150:
        script.honest_coup()
    lines, store = script.messages, tmp_path / "store"
    ladderman("ingest", written(tmp_path / "later.jsonl", lines[20:]), "--store", store)
    earlier = written(tmp_path / "earlier.jsonl", lines[:20])
    answer = ladderman("ingest", earlier, "--store", store)
    assert answer.err == (
        "20 events came after being given up as missing (BAC-01 20); only coups of a shoe in play "
        f"are judged again: to have all of them judged, give all files at once to a new store, "
        f"not {store}\n"
    )
    assert ladderman("ingest", earlier, "--store", store).err == ""


def test_a_failed_ingest_leaves_no_store_behind(tmp_path: Path) -> None:
    (tmp_path / "rounds.csv").write_text("coup,winner\n1,P\n")
    (tmp_path / "empty.jsonl").write_text("\n\n")
    store = tmp_path / "new" / "store"
    for file, words in (
        ("rounds.csv", "no line is an event; nothing was taken"),
        ("empty.jsonl", "no line is an event; nothing was taken"),
        ("missing.jsonl", "no such file or directory; nothing was taken"),
    ):
        answer = ladderman("ingest", tmp_path / file, "--store", store)
        assert (answer.code, answer.out) == (2, "")
        assert words in answer.err
        assert not store.parent.exists()
    piped = ladderman("ingest", "-", "--store", store, stdin=b"coup,winner\n1,P\n")
    assert piped.code == 2
    assert piped.err.splitlines()[-1].startswith("ladderman: -: no line is an event; nothing ")
    assert not store.parent.exists()


def test_a_failed_ingest_touches_nothing_that_was_there_before(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "mine").write_text("kept")
    piped = ladderman("ingest", "-", "--store", store, stdin=b"coup,winner\n1,P\n")
    assert piped.code == 2
    assert [one.name for one in store.iterdir()] == ["mine"]
    lines = TableScript().open().messages
    ladderman("ingest", written(tmp_path / "a.jsonl", lines), "--store", store)
    again = ladderman("ingest", "-", "--store", store, stdin=b"coup,winner\n1,P\n")
    assert "2 could not be read" in again.out
    assert ladderman("history", "status", "--store", store).code == 0


def test_real_play_and_simulated_play_are_not_put_into_one_store(tmp_path: Path) -> None:
    store = tmp_path / "store"
    simulated = written(
        tmp_path / "simulated.jsonl",
        TableScript("BAC-02").open(simulated=True).shoe().honest_coup().messages,
    )
    real = written(tmp_path / "real.jsonl", TableScript().open().shoe().honest_coup().messages)
    both = ladderman("ingest", simulated, real, "--store", store)
    assert both.code == 2
    assert "BAC-02 is simulated and BAC-01 is real" in both.err
    assert not store.exists()
    assert ladderman("ingest", simulated, "--store", store).code == 0
    before = ladderman("history", "status", "--store", store, "--format", "json").out
    for words, stdin in (([real], b""), (["-"], real.read_bytes())):
        refused = ladderman("ingest", *words, "--store", store, stdin=stdin)
        assert refused.code == 2
        assert refused.out == ""
        assert refused.err == (
            f"ladderman: BAC-01 is real and history {store / 'history'} holds simulated play; they "
            "are kept apart: name another --store; nothing was taken\n"
        )
        assert ladderman("history", "status", "--store", store, "--format", "json").out == before


def a_day(path: Path) -> Path:
    """Write a file with several groups of lines."""
    script = TableScript().open().shoe()
    for _ in range(12):
        script.honest_coup()
    return written(path, script.messages)


def test_an_interrupted_ingest_is_said_before_anything_else_until_it_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "GROUP_LINES", 20)
    day, store, stop = a_day(tmp_path / "day.jsonl"), tmp_path / "store", threading.Event()

    def interrupt(counts: ingest.IngestCounts) -> None:
        if counts.lines >= 60:
            stop.set()

    counts = ingest.ingest_events([str(day)], store, alert=print, report=interrupt, stop=stop)
    assert counts.taken == 60
    (mark,) = counts.interrupted
    assert (mark.read_bytes, mark.byte_count) == (
        sum(len(line) for line in day.read_bytes().splitlines(keepends=True)[:60]),
        day.stat().st_size,
    )
    line = (
        f"ingest of {day} was interrupted after {mark.read_bytes:,} of {mark.byte_count:,} bytes; "
        f"run `ladderman ingest {day} --store {store}` to go on"
    )
    listed = ladderman("incidents", "list", "--store", store)
    assert listed.err.splitlines()[0] == line
    document = json.loads(ladderman("history", "status", "--store", store, "--format", "json").out)
    assert document["lacks"] == [line]
    assert 0 < document["coups"] < 12
    assert ladderman("history", "backup", tmp_path / "copy", "--store", store).err == f"{line}\n"
    restored = ladderman("history", "restore", tmp_path / "copy", "--store", tmp_path / "other")
    assert "is of a history that is not whole" in restored.err
    assert (
        "was interrupted after" in ladderman("incidents", "list", "--store", tmp_path / "other").err
    )

    gone_on = ladderman("ingest", day, "--store", store)
    assert (gone_on.code, gone_on.err) == (0, "")
    assert " new, 60 known already; " in gone_on.out
    assert ladderman("incidents", "list", "--store", store).err == ""
    whole = tmp_path / "whole"
    ladderman("ingest", day, "--store", whole)
    digests = [ladderman("history", "digest", "--store", one).out for one in (store, whole)]
    assert digests[0] == digests[1]


@contextmanager
def ingesting(store: Path, lines: list[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Run an ingest that waits for more than it was given."""
    words = [str(Path(sys.executable).parent / "ladderman"), "ingest", "-", "--store", str(store)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        try:
            assert running.stdin is not None
            running.stdin.write(b"".join(line + b"\n" for line in lines))
            running.stdin.flush()
            yield running
        finally:
            running.kill()


def test_ctrl_c_keeps_what_was_read_and_says_how_to_go_on(tmp_path: Path) -> None:
    lines, store = a_day(tmp_path / "day.jsonl").read_bytes().splitlines(), tmp_path / "store"
    with ingesting(store, lines[:60]) as running:
        until_s = time.monotonic() + 60
        while not (store / "log" / "log.json").exists():
            assert time.monotonic() < until_s
            time.sleep(0.05)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out.startswith(b"60 lines: 60 new, ")
    assert err.decode().splitlines()[-2:] == [
        f"ingest of standard input was interrupted after "
        f"{sum(len(line) + 1 for line in lines[:60]):,} bytes; "
        f"run `ladderman ingest - --store {store}` to go on",
        "ladderman: stopped; what was read before that is kept",
    ]
    assert "was interrupted after" in ladderman("incidents", "list", "--store", store).err
    rest = b"\n".join(lines)
    assert "60 known already" in ladderman("ingest", "-", "--store", store, stdin=rest).out
    assert "interrupted" not in ladderman("incidents", "list", "--store", store).err


def test_after_a_kill_the_store_opens_at_once_and_says_that_it_is_not_whole(
    tmp_path: Path,
) -> None:
    lines, store = a_day(tmp_path / "day.jsonl").read_bytes().splitlines(), tmp_path / "store"
    with ingesting(store, lines * 40) as running:
        until_s = time.monotonic() + 60
        while not (marks := read_marks(store / "history")):
            assert time.monotonic() < until_s
            time.sleep(0.02)
        listed = ladderman("incidents", "list", "--store", store)
        assert "ingest of standard input is under way, " in listed.err
        running.kill()
        running.wait()
    assert marks[0].pid == running.pid
    listed = ladderman("incidents", "list", "--store", store)
    assert listed.code == 0
    assert "ingest of standard input was interrupted after " in listed.err


def test_days_that_are_not_held_are_said_before_0_findings(tmp_path: Path) -> None:
    day, store = a_day(tmp_path / "day.jsonl"), tmp_path / "store"
    ladderman("ingest", day, "--store", store)
    answer = ladderman(
        "incidents", "list", "--store", store, "--from", "2024-01-01", "--to", "2024-01-02"
    )
    assert "the range holds no coup: " in answer.err
    assert "holds gaming date 20" in answer.err
    missing = ladderman("incidents", "list", "--store", tmp_path / "none")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.splitlines()[-1].startswith(f"ladderman: no history at {tmp_path / 'none'}")
