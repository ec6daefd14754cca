"""How are the rows of a file of rounds read, whoever wrote it?

Any delimiter, a byte order mark, gzip and standard input are recognised. Bytes that are no UTF-8
are replaced, not refused: they stand in some name, and the cards beside them are still evidence.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

STANDARD_INPUT: Final = "-"
"""The name by which standard input is asked for."""

DELIMITERS: Final = ",;\t|"
"""Characters that may part the cells of a row."""

_HEADER_MAX: Final = 65_536
_CELL_MAX: Final = 1_048_576


class RoundsFileError(ValueError):
    """A file that cannot be read as rows; the message says what and where."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A place at which rows could not be read."""

    line: int
    message: str


class RoundsFile:
    """One open file of rounds: its header, then its rows."""

    def __init__(self, name: str, text: IO[str]) -> None:
        """Read the header of an open file.

        Raises:
            RoundsFileError: The file is empty, or no text.
        """
        self.name = name
        csv.field_size_limit(_CELL_MAX)
        try:
            first = text.readline(_HEADER_MAX)
        except (OSError, EOFError, zlib.error) as error:
            raise RoundsFileError(f"{name}: cannot be read: {error}") from None
        if not first.strip() or "\0" in first:
            what = "is empty" if not first.strip() else "is no text file"
            raise RoundsFileError(f"{name}: {what}; rows of rounds with a header are expected")
        self.delimiter = max(DELIMITERS, key=lambda one: len(_cells(first, one)))
        self.header = tuple(_cells(first, self.delimiter))
        self._reader = csv.reader(text, delimiter=self.delimiter)

    def rows(self) -> Iterator[tuple[int, list[str]] | Damage]:
        """Give each row with its physical line (the header is line 1), or what is damaged.

        Rows are as long as the header: missing cells are empty, further ones are left out. Blank
        lines are no rows.
        """
        width, reader, line = len(self.header), self._reader, 1
        while True:
            line = reader.line_num + 2
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Damage(line, f"the row cannot be split into cells ({error})")
                continue
            except (OSError, EOFError, zlib.error) as error:
                yield Damage(line, f"the file breaks off here ({error})")
                return
            if not cells:
                continue
            if len(cells) < width:
                cells += [""] * (width - len(cells))
            yield line, cells


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])


@contextmanager
def open_rounds(path: str) -> Iterator[RoundsFile]:
    """Open a file of rounds, or standard input for ``-``.

    Raises:
        RoundsFileError: It is missing, a folder, unreadable, empty or no text.
    """
    if path == STANDARD_INPUT:
        with _as_text(sys.stdin.buffer) as text:
            yield RoundsFile("standard input", text)
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except IsADirectoryError:
        raise RoundsFileError(f"{path}: is a folder; name a file of rounds") from None
    except OSError as error:
        raise RoundsFileError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    with raw, _as_text(raw) as text:
        yield RoundsFile(path, text)


@contextmanager
def _as_text(raw: IO[bytes]) -> Iterator[IO[str]]:
    buffered = (
        raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", raw))
    )
    if buffered.peek(2)[:2] == b"\x1f\x8b":
        unzipped = gzip.GzipFile(fileobj=buffered)
        buffered = io.BufferedReader(cast("io.RawIOBase", unzipped))
    try:
        mark = buffered.peek(4)[:4]
    except (OSError, EOFError, zlib.error):
        mark = b""
    encoding = "utf-16" if mark[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = io.TextIOWrapper(buffered, encoding=encoding, errors="replace", newline="")
    try:
        yield text
    finally:
        text.detach()
