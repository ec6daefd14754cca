"""Files of rounds open whoever wrote them, line by line, and break off never silently."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from streams.files.rounds import Damage, RoundsFileError, open_rounds

HEADER = "coup,player_cards,banker_cards"
TEXT = f"{HEADER}\n1,2S 3H,AC 2D\n2,4S 5H,6C 7D\n"
ROWS = [(2, ["1", "2S 3H", "AC 2D"]), (3, ["2", "4S 5H", "6C 7D"])]


def rows_of(path: Path, content: bytes | str) -> list[object]:
    """Write a file, open it, and give its rows."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with open_rounds(str(path)) as file:
        return list(file.rows())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a place for a file."""
    return tmp_path / "rounds.csv"


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        gzip.compress(TEXT.encode("utf-16-le"), mtime=0),
        gzip.compress(TEXT.encode(), mtime=0),
        gzip.compress(b"\xef\xbb\xbf" + TEXT.encode(), mtime=0),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.replace(",", ";").encode(),
        TEXT.replace(",", "\t").encode(),
        TEXT.replace(",", "|").encode(),
        TEXT.rstrip("\n").encode(),
    ],
    ids=[
        "plain",
        "bom",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-16-gzip",
        "gzip",
        "gzip-bom",
        "crlf",
        "cr",
        "semicolon",
        "tab",
        "bar",
        "no-end",
    ],
)
def test_every_way_of_writing_a_table_gives_the_same_rows(path: Path, content: bytes) -> None:
    assert rows_of(path, content) == ROWS


def test_blank_lines_are_no_rows_and_count_as_lines(path: Path) -> None:
    content = f"\n\n{HEADER}\n\n1,2S 3H,AC 2D\n   \n,,\n , ,\n2,4S 5H,6C 7D\n\n"
    assert rows_of(path, content) == [(5, ROWS[0][1]), (9, ROWS[1][1])]


def test_a_row_over_several_lines_stands_in_its_first_line(path: Path) -> None:
    content = f'{HEADER},note\n1,2S 3H,AC 2D,"two\nlines"\n2,4S 5H,6C 7D,x\n'
    assert rows_of(path, content) == [
        (2, ["1", "2S 3H", "AC 2D", "two\nlines"]),
        (4, ["2", "4S 5H", "6C 7D", "x"]),
    ]


def test_a_header_over_several_lines_is_one_header(path: Path) -> None:
    path.write_text('coup,"player\ncards",banker_cards\n1,2S 3H,AC 2D\n')
    with open_rounds(str(path)) as file:
        assert file.header == ("coup", "player\ncards", "banker_cards")
        assert list(file.rows()) == [(3, ["1", "2S 3H", "AC 2D"])]


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_last_row_over_several_lines_is_a_row(path: Path, end: str) -> None:
    content = f'{HEADER},note,more\n1,2S 3H,AC 2D,"two\nlines",{end}'
    ((line, cells),) = rows_of(path, content)
    assert (line, cells[3]) == (2, "two\nlines")


LONE = "a quote that is opened here is not closed"


def test_a_quote_that_is_never_closed_is_damage_and_the_rows_after_it_are_read(path: Path) -> None:
    content = f'{HEADER}\n1,2S 3H,AC 2D\n2,"4S 5H,6C 7D\n3,2S 3H,AC 2D\n'
    assert rows_of(path, content) == [ROWS[0], Damage(3, LONE), (4, ["3", "2S 3H", "AC 2D"])]


def test_rows_between_two_lone_quotes_are_read(path: Path) -> None:
    """They would be one long cell of a note that nobody reads."""
    rows = [f"{number},2S 3H,AC 2D,x\n" for number in range(9)]
    rows[2], rows[6] = '2,2S 3H,AC 2D,"x\n', '6,2S 3H,AC 2D,x"\n'
    found = rows_of(path, f"{HEADER},note\n{''.join(rows)}")
    assert found[2] == Damage(4, LONE)
    others = [int(cells[0]) for _, cells in found[:2] + found[3:]]
    assert others == [0, 1, 3, 4, 5, 6, 7, 8]
    assert [line for line, _ in found[3:]] == [5, 6, 7, 8, 9, 10]


def test_two_rows_with_lone_quotes_lose_no_row_beside_them(path: Path) -> None:
    rows = [f"{number},2S 3H,AC 2D\n" for number in range(8)]
    rows[2], rows[5] = '2,"2S 3H,AC 2D\n', '5,2S 3H,"AC 2D\n'
    found = rows_of(path, f"{HEADER}\n{''.join(rows)}")
    assert [one.line for one in found if isinstance(one, Damage)] == [4, 7]
    assert [int(one[1][0]) for one in found if isinstance(one, tuple)] == [0, 1, 3, 4, 6, 7]


def test_a_lone_quote_before_more_rows_than_a_cell_may_hold_loses_its_own_row(path: Path) -> None:
    rows = [f"{number},2S 3H,AC 2D\n" for number in range(80_000)]
    rows[1] = '1,"2S 3H,AC 2D\n'
    found = rows_of(path, f"{HEADER}\n{''.join(rows)}")
    assert isinstance(found[1], Damage)
    assert len(found) == len(rows)
    assert found[-1] == (80_001, ["79999", "2S 3H", "AC 2D"])


@pytest.mark.parametrize(
    "note",
    ["one\ntwo", "one, two\nthree, four", "a, b\nc, d, e", 'he said ""no""\nand left', "\n\n"],
)
def test_a_cell_that_was_meant_to_go_over_several_lines_is_one(path: Path, note: str) -> None:
    content = f'{HEADER},note\n1,2S 3H,AC 2D,"{note}"\n2,4S 5H,6C 7D,"{note}"\n'
    rows = rows_of(path, content)
    assert [cells[0] for _, cells in rows] == ["1", "2"]
    assert [cells[3] for _, cells in rows] == [note.replace('""', '"')] * 2


def test_short_rows_are_filled_and_longer_ones_are_noted(path: Path) -> None:
    path.write_text(f"{HEADER}\n1,2S 3H\n2,4S 5H,6C 7D,extra\n3,4S 5H,6C 7D,extra\n")
    with open_rounds(str(path)) as file:
        rows = list(file.rows())
        assert rows[0] == (2, ["1", "2S 3H", ""])
        assert rows[1][1][:3] == ["2", "4S 5H", "6C 7D"]
        assert file.longer_row == 3


def test_a_gzip_that_breaks_off_is_damage_after_the_rows_that_were_read(path: Path) -> None:
    whole = gzip.compress((HEADER + "\n" + "1,2S 3H,AC 2D\n" * 20_000).encode())
    found = rows_of(path, whole[: len(whole) // 2])
    assert len(found) > 100
    assert isinstance(found[-1], Damage)
    assert "the file breaks off here" in found[-1].message
    assert found[-1].line == found[-2][0] + 1


def test_a_cell_larger_than_any_is_damage_and_the_rest_is_read(path: Path) -> None:
    found = rows_of(path, f"{HEADER}\n1,{'x' * 1_100_000},AC 2D\n2,4S 5H,6C 7D\n")
    assert isinstance(found[0], Damage)
    assert found[0].line == 2
    assert found[1] == ROWS[1]


def test_bytes_that_are_no_utf_8_are_replaced(path: Path) -> None:
    content = HEADER.encode() + b"\ncaf\xe9,2S 3H,AC 2D\n"
    ((_, cells),) = rows_of(path, content)
    assert cells == ["caf\ufffd", "2S 3H", "AC 2D"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty; rows of rounds with a header are expected, or events, one JSON object"),
        (b"\n \n\n", "is empty"),
        (b"PK\x03\x04\x00\x00\x00", "is no text file; it is a workbook or an archive"),
        (b'[{"coup": 1}]', "is a list in JSON"),
        ("карты,итог\n".encode("utf-16-le"), "save it as UTF-8: iconv -f UTF-16LE -t UTF-8"),
        (b"\x1f\x8b\x08nonsense", "cannot be read"),
        (b"x" * 70_000, "is no text file"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(path: Path, content: bytes, said: str) -> None:
    with pytest.raises(RoundsFileError) as refused:
        rows_of(path, content)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with (
        pytest.raises(RoundsFileError, match=r"none\.csv: no such file"),
        open_rounds(str(tmp_path / "none.csv")),
    ):
        pass
    with pytest.raises(RoundsFileError, match="is a folder"), open_rounds(str(tmp_path)):
        pass


@pytest.mark.parametrize("content", [TEXT.encode(), gzip.compress(TEXT.encode(), mtime=0)])
def test_standard_input_is_read_like_a_file(
    monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    piped = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", piped)
    with open_rounds("-") as file:
        assert file.name == "standard input"
        assert list(file.rows()) == ROWS
