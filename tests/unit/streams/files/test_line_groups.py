"""Lines are read as they come, whole, and no faster than is due."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from streams.files.line_groups import (
    GROUP_LINES,
    LINE_BYTES_MAX,
    Line,
    LinesError,
    line_groups,
    opened_lines,
    paced,
)
from streams.files.opened_files import GZIP_MARK
from tests.support.clocks import SetClock


def pieces(*parts: bytes) -> Callable[[int], bytes]:
    """Give a reader that has these pieces one after the other."""
    rest = list(parts)
    return lambda _size: rest.pop(0) if rest else b""


def lines_of(*parts: bytes) -> list[Line]:
    return [line for group in line_groups(pieces(*parts), "f") for line in group]


@given(
    st.lists(st.binary(min_size=1, max_size=20).filter(lambda one: one.strip() == one)),
    st.lists(st.integers(0, 400)),
)
@example([GZIP_MARK[:1]], [])
@example([b"a", GZIP_MARK], [1, 2])
def test_lines_are_whole_wherever_the_pieces_end(rows: list[bytes], cuts: list[int]) -> None:
    rows = [row for row in rows if b"\n" not in row and row.strip()]
    text = b"\n".join(rows)
    assume(not text.startswith(GZIP_MARK))  # what begins so is unpacked
    ends = [*sorted(cut for cut in cuts if cut < len(text)), len(text)]
    parts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert [line.raw for line in lines_of(*filter(None, parts))] == rows


def test_numbers_count_blank_lines_too() -> None:
    assert lines_of(b"a\r\n\n  \nb") == [Line(1, b"a"), Line(4, b"b")]


def test_what_is_there_is_given_before_more_comes() -> None:
    groups = line_groups(pieces(b"a\nb\nc", b"d\n"), "f")
    assert [line.raw for line in next(groups)] == [b"a", b"b"]
    assert [line.raw for line in next(groups)] == [b"cd"]


def test_groups_are_never_larger_than_one_flush() -> None:
    groups = list(line_groups(pieces(b"x\n" * (GROUP_LINES + 1)), "f"))
    assert [len(group) for group in groups if group] == [GROUP_LINES, 1]


def test_a_line_that_is_too_long_is_told_apart_and_the_next_is_whole() -> None:
    long = b"x" * (LINE_BYTES_MAX + 1)
    parts = [long[at : at + 300_000] for at in range(0, len(long), 300_000)]
    assert lines_of(b"a\n", *parts, b"x\nb\n") == [Line(1, b"a"), Line(2, None), Line(3, b"b")]
    assert lines_of(b"x" * LINE_BYTES_MAX + b"\n")[0].raw is not None


def test_a_gzipped_file_is_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    (tmp_path / "b").write_bytes(gzip.compress(b"one\ntwo\n", mtime=0))
    for name in ("a", "b"):
        with opened_lines(str(tmp_path / name)) as read:
            raws = [line.raw for group in line_groups(read, name) for line in group]
        assert raws == [b"one", b"two"]


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_what_is_gzipped_is_unpacked_as_it_comes_in_one_part_or_several(size: int) -> None:
    packed = gzip.compress(b"one\ntw", mtime=0) + gzip.compress(b"o\n\nfour", mtime=0)
    parts = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert lines_of(*parts) == [Line(1, b"one"), Line(2, b"two"), Line(4, b"four")]


@pytest.mark.parametrize("left", [1, 9, 25])
def test_what_is_gzipped_and_breaks_off_is_said(left: int) -> None:
    packed = gzip.compress(b"one\ntwo\n" * 9, mtime=0)
    with pytest.raises(LinesError, match=r"f: breaks off after line [0-9]+ \(compressed file"):
        lines_of(packed[:-left])


def test_a_file_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"".join(b"line %d\n" % n for n in range(50_000)))[:-2000])
    found = []
    with opened_lines(str(path)) as read, pytest.raises(LinesError, match="breaks off after line"):
        for group in line_groups(read, "cut.gz"):
            found += group
    assert found[:2] == [Line(1, b"line 0"), Line(2, b"line 1")]


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_cannot_be_opened_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(LinesError, match=r": \w"), opened_lines(str(tmp_path / name)):
        pass


@pytest.mark.parametrize("rate", [0.5, 10, 1000, 100_000])
def test_no_more_lines_pass_than_are_due(rate: float) -> None:
    clock = SetClock()
    began_s = clock.monotonic_s()
    count = 0
    group = [Line(number, b"x") for number in range(1, 201)]
    for passed in paced([group[:150], group[150:]], rate, clock, clock.advance):
        count += len(passed)
        elapsed_s = clock.monotonic_s() - began_s
        assert count <= 1 + elapsed_s * rate + max(1, rate * 0.02)
    assert count == 200
    assert clock.monotonic_s() - began_s <= 200 / rate * 1.05 + 0.05


def test_time_without_lines_is_not_made_up_for() -> None:
    clock = SetClock()

    def slow() -> object:
        yield [Line(1, b"a")]
        clock.advance(3600)
        yield [Line(number, b"x") for number in range(2, 102)]

    sizes = [len(group) for group in paced(slow(), 100, clock, clock.advance)]
    assert max(sizes) <= 2
