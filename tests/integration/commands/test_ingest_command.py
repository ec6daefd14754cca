"""What ``ladderman ingest`` tells the person who gave it files."""

import gzip
import json
from pathlib import Path

import pytest

from streams.embedding import ingest
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
    assert answer.err.splitlines() == [
        f"2 lines could not be read; see ladderman dead-letters list --store {store}",
        f"ladderman: {other}: no line is an event; what each lacks stands in "
        f"ladderman dead-letters list --store {store}, or try ladderman conform",
    ]


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
