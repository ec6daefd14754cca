"""Files of events: byte-exact lines, whatever is damaged on the way."""

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from schemas.wire.vectors import event_vectors
from streams.files.event_files import (
    LINE_BYTES_MAX,
    DamagedLine,
    EventFileError,
    EventLine,
    is_event_file,
    looks_like_events,
    open_events,
)

VECTORS = [vector.raw for vector in event_vectors()]
FEED = b"".join(raw + b"\n" for raw in VECTORS)


def write(folder: Path, content: bytes, name: str = "events.jsonl") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def lines_of(path: str) -> list[EventLine | DamagedLine]:
    with open_events(path) as file:
        return list(file.lines())


def as_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content)))
    )


def test_every_line_is_given_byte_by_byte_with_its_number(tmp_path: Path) -> None:
    found = lines_of(write(tmp_path, FEED))
    assert [one.raw for one in found] == VECTORS
    assert [one.line for one in found] == list(range(1, len(VECTORS) + 1))


def test_the_line_end_is_no_part_of_the_event_and_blanks_before_it_are(tmp_path: Path) -> None:
    found = lines_of(write(tmp_path, b'{"a":1} \r\n\n   \n{"b":2}\r\n{"c":3}\r'))
    assert [(one.line, one.raw) for one in found] == [
        (1, b'{"a":1} '),
        (4, b'{"b":2}'),
        (5, b'{"c":3}\r'),
    ]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_line_can_be_read_again_as_soon_as_it_is_given(tmp_path: Path, packed: bool) -> None:
    path = write(tmp_path, gzip.compress(FEED, mtime=0) if packed else FEED)
    with open_events(path) as file:
        for one in file.lines():
            assert isinstance(one, EventLine)
            assert file.read_at(one.position) == one.raw


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_line_can_be_read_again_at_its_position(tmp_path: Path, packed: bool) -> None:
    content = b"\n" + b"x" * (LINE_BYTES_MAX + 5) + b"\n" + FEED.replace(b"\n", b"\r\n")
    with open_events(
        write(tmp_path, gzip.compress(content, mtime=0) if packed else content)
    ) as file:
        found = [one for one in file.lines() if isinstance(one, EventLine)]
        assert [one.raw for one in found] == VECTORS
        for one in (found[7], found[0], found[19]):
            assert file.read_at(one.position) == one.raw


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_standard_input_is_recognised_unread_and_read_again(
    monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    as_standard_input(monkeypatch, gzip.compress(FEED, mtime=0) if packed else FEED)
    assert is_event_file("-")
    with open_events("-") as file:
        found = [one for one in file.lines() if isinstance(one, EventLine)]
        assert [one.raw for one in found] == VECTORS
        assert file.name == "standard input"
        assert file.read_at(found[3].position) == VECTORS[3]


def test_a_line_of_ten_megabytes_is_said_and_stepped_over(tmp_path: Path) -> None:
    found = lines_of(write(tmp_path, b"{" * 10_000_000 + b"\n" + FEED))
    assert found[0] == DamagedLine(
        1,
        "too_large",
        "10,000,000 bytes; an event has at most 16,384: split it or shorten lists",
    )
    assert [one.raw for one in found[1:]] == VECTORS
    assert [one.line for one in found[1:3]] == [2, 3]


@pytest.mark.parametrize("end", [b"\n", b""], ids=["with-end", "without"])
@pytest.mark.parametrize("length", [LINE_BYTES_MAX - 2, LINE_BYTES_MAX - 1, LINE_BYTES_MAX])
def test_a_line_at_the_limit_is_kept_and_one_above_is_measured(
    tmp_path: Path, length: int, end: bytes
) -> None:
    (only,) = lines_of(write(tmp_path, b"x" * length + end))
    if length < LINE_BYTES_MAX:
        assert isinstance(only, EventLine)
        assert len(only.raw) == length
    else:
        assert isinstance(only, DamagedLine)
        assert only.message.startswith(f"{length:,} bytes;")


def test_a_gzip_that_breaks_off_gives_what_it_held_and_says_where(tmp_path: Path) -> None:
    packed = gzip.compress(FEED, compresslevel=0, mtime=0)
    found = lines_of(write(tmp_path, packed[: len(packed) // 2]))
    assert isinstance(found[-1], DamagedLine)
    assert found[-1].reason == "breaks_off"
    assert found[-1].message.startswith("the file breaks off here (")
    assert [one.raw for one in found[:3]] == VECTORS[:3]


@pytest.mark.parametrize(
    ("head", "is_events"),
    [
        (b'{"type":"heartbeat"}', True),
        (b'\n  {"type":"heartbeat"}', True),
        (b'\xef\xbb\xbf{"type":1}', True),
        (b"damaged\x00\n{", True),
        ("{}".encode("utf-16"), True),
        (gzip.compress(b"{}", mtime=0), True),
        (gzip.compress(FEED * 50, mtime=0)[:600], True),
        (b"round_id,player_cards\n1,2S", False),
        (gzip.compress(b"round_id,player_cards", mtime=0), False),
        (b'a,"{""x"":1}"', False),
        (b"\x1f\x8bno gzip", False),
        (b"", False),
    ],
)
def test_files_of_events_are_told_by_their_first_bytes(head: bytes, is_events: bool) -> None:
    assert looks_like_events(head) is is_events


def test_what_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    refused = {
        str(tmp_path / "none.jsonl"): "no such file or directory",
        str(tmp_path): "is a folder; name a file of events",
        write(tmp_path, b""): "is empty; events are expected, one a line",
        write(tmp_path, "{}".encode("utf-16"), "wide.jsonl"): (
            "is UTF-16; write events as UTF-8 without byte order mark"
        ),
        "nul\0byte": "embedded null byte",
    }
    for path, message in refused.items():
        assert not is_event_file(path) or "wide" in path
        with pytest.raises(EventFileError) as caught, open_events(path):
            pass
        assert str(caught.value) == f"{path}: {message}"
