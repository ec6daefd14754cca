"""Reads the rows of a file of rounds, whatever program wrote it.

Any delimiter, a byte order mark, UTF-16, gzip and standard input are recognised. Bytes that are no
UTF-8 are replaced, not refused: they stand in some name, and the cards beside them are still
evidence.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from streams.files.opened_files import (
    BROKEN_FILE,
    STANDARD_INPUT,
    standard_input,
    unpacked,
    why_not_opened,
)

DELIMITERS: Final = ",;\t|"
"""Characters that may part the cells of a row."""

_HEADER_MAX: Final = 65_536
_CELL_MAX: Final = 1_048_576
_WIDTH_MIN: Final = 3
"""Lines of fewer cells say too little about whether they are rows."""
_BEGINNING: Final = 64
"""Bytes by which the encoding is told."""
_CERTAIN_MIN: Final = 16
"""Fewer bytes tell nothing for certain."""


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
        """Read the header of an open file; blank lines before it are skipped.

        Raises:
            RoundsFileError: The file is empty, or no text.
        """
        self.name = name
        csv.field_size_limit(_CELL_MAX)
        header, self._lines_before = _read_header(name, text)
        self.delimiter = max(DELIMITERS, key=lambda one: len(_cells(header, one)))
        self.header = tuple(_cells(header, self.delimiter))
        self._lines = _Lines(text)
        self.longer_row: int | None = None
        """The first line that had more cells than the header; what is too much is left out."""

    def rows(self) -> Iterator[tuple[int, list[str]] | Damage]:
        """Give each row with its physical line (the header's is 1), or what is damaged.

        Rows are as long as the header or longer: missing cells are empty. Blank lines, and lines
        of nothing but delimiters, are no rows.
        """
        width, lines = len(self.header), self._lines
        line, held = self._lines_before + 1, _NOTHING_HELD
        while True:
            reader, before = csv.reader(lines.rest(), delimiter=self.delimiter), line - 1
            try:
                for cells in reader:
                    yield from held
                    held = _NOTHING_HELD
                    following = before + reader.line_num + 1
                    if len(cells) != width:
                        self._note_length(line, cells)
                    if following > line + 1:
                        if self._swallows_rows(lines.read[line - following :]):
                            raise _LoneQuoteError
                        if not _is_blank(cells):
                            held = [(line, cells)]
                    elif (cells and cells[0] >= "!") or not _is_blank(cells):
                        yield line, cells
                    line = following
                    if not held:
                        lines.read.clear()
                if held and _is_open(held[0][1], lines.read[-1]):
                    (line, _), held = held[0], _NOTHING_HELD
                    raise _LoneQuoteError
                yield from held
                return
            except csv.Error as error:
                yield from held
                yield Damage(line, _why(error))
                line, held = lines.again(line, before + reader.line_num + 1), _NOTHING_HELD
            except BROKEN_FILE as error:
                yield from held
                yield Damage(line, f"the file breaks off here ({error})")
                return

    def _swallows_rows(self, lines: Sequence[str]) -> bool:
        """Whether a row over several lines holds lines that are rows, because of a lone quote.

        A line of a cell that was meant to go over several lines is none, but for one with as many
        delimiters as a row. Its last one has the quote that closes the cell.
        """
        width = len(self.header)
        return width >= _WIDTH_MIN and any(
            line.count('"') % 2 == 0 and len(_cells(line, self.delimiter)) == width
            for line in lines[1:]
        )

    def _note_length(self, line: int, cells: list[str]) -> None:
        """Fill up a row that is shorter than the header, remember the first that is longer."""
        missing = len(self.header) - len(cells)
        if missing > 0 and cells:
            cells += [""] * missing
        elif missing < 0 and self.longer_row is None:
            self.longer_row = line


class _LoneQuoteError(csv.Error):
    """A quote is opened in a row and not closed in it."""


def _why(error: csv.Error) -> str:
    if isinstance(error, _LoneQuoteError):
        return "a quote that is opened here is not closed"
    return f"the row cannot be split into cells ({error})"


def _is_blank(cells: list[str]) -> bool:
    return not any(cell.strip() for cell in cells)


_NOTHING_HELD: Final[list[tuple[int, list[str]]]] = []


def _is_open(cells: list[str], line: str) -> bool:
    """Whether the file ended inside of quotes with this row.

    The reader of the standard library gives what it has then: the rest of the file as one cell,
    with the end of its last line in it.

    Args:
        cells: The last row, which stands on several lines.
        line: The last one of them; a cell that ends with a line is closed at its beginning.
    """
    last = next((cell for cell in reversed(cells) if cell), "")
    return last.endswith(("\n", "\r")) and not line.startswith('"')


class _Lines:
    """The lines of an open file, of which the latest can be read again."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self._again: deque[str] = deque()
        self.read: list[str] = []
        """Lines that were read since somebody emptied it."""

    def rest(self) -> Iterator[str]:
        """Give the lines that were not read yet, or are to be read again."""
        keep, again = self.read.append, self._again
        while again:
            line = again.popleft()
            keep(line)
            yield line
        for line in self._text:
            keep(line)
            yield line

    def again(self, begun: int, following: int) -> int:
        """Have the lines of a row read again but for its first one.

        Args:
            begun: Line in which the row begins.
            following: Line after the row.

        Returns:
            The line that is read next.
        """
        count = following - begun - 1
        self._again.extendleft(reversed(self.read[len(self.read) - count :]))
        self.read.clear()
        return begun + 1


def _read_header(name: str, text: IO[str]) -> tuple[str, int]:
    """Give the text of the header, and the number of lines up to its end."""
    lines = 1
    try:
        header = text.readline(_HEADER_MAX)
        while header and not header.strip():
            header, lines = text.readline(_HEADER_MAX), lines + 1
        while header.count('"') % 2 and len(header) < _HEADER_MAX:
            more = text.readline(_HEADER_MAX)
            if not more:
                break
            header, lines = header + more, lines + 1
    except BROKEN_FILE as error:
        raise RoundsFileError(f"{name}: cannot be read: {error}") from None
    if not header or "\0" in header or len(header) >= _HEADER_MAX:
        what = "is no text file" if header else "is empty"
        raise RoundsFileError(f"{name}: {what}; {_hint(header)}")
    if header.lstrip().startswith("["):
        raise RoundsFileError(
            f"{name}: is a list in JSON; rounds are read as CSV, events as one JSON object a line"
        )
    return header, lines


def _hint(header: str) -> str:
    """Say what to do about a file that is no text."""
    if header.startswith("PK\x03\x04"):
        return "it is a workbook or an archive; save its sheet as CSV, or unpack it"
    hint = "rows of rounds with a header are expected, or events, one JSON object a line"
    if "\0" in header:
        hint += "; is it UTF-16? save it as UTF-8: iconv -f UTF-16LE -t UTF-8"
    return hint


def _cells(header: str, delimiter: str) -> list[str]:
    return next(csv.reader(header.splitlines(keepends=True), delimiter=delimiter), [])


@contextmanager
def open_rounds(path: str) -> Iterator[RoundsFile]:
    """Open a file of rounds, or standard input for ``-``.

    Raises:
        RoundsFileError: It is missing, a folder, unreadable, empty or no text.
    """
    if path == STANDARD_INPUT:
        with _as_text("standard input", standard_input()) as text:
            yield RoundsFile("standard input", text)
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except IsADirectoryError:
        raise RoundsFileError(f"{path}: is a folder; name a file of rounds") from None
    except OSError as error:
        raise RoundsFileError(f"{path}: {why_not_opened(error)}") from None
    with raw, _as_text(path, raw) as text:
        yield RoundsFile(path, text)


@contextmanager
def _as_text(name: str, raw: IO[bytes]) -> Iterator[IO[str]]:
    try:
        buffered = _buffered(unpacked(_buffered(raw)))
        beginning = buffered.peek(_BEGINNING)[:_BEGINNING]
    except BROKEN_FILE as error:
        raise RoundsFileError(f"{name}: cannot be read: {error}") from None
    text = io.TextIOWrapper(
        buffered, encoding=_encoding_of(beginning), errors="replace", newline=""
    )
    try:
        yield text
    finally:
        text.detach()


def _buffered(raw: IO[bytes] | io.BufferedIOBase) -> io.BufferedReader:
    if isinstance(raw, io.BufferedReader):
        return raw
    return io.BufferedReader(cast("io.RawIOBase", raw))


def _encoding_of(beginning: bytes) -> str:
    """Say how a file is encoded: by its mark, or since every other byte of its header is zero."""
    if beginning[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "utf-32"
    if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    even, odd = beginning[::2], beginning[1::2]
    if len(beginning) >= _CERTAIN_MIN:
        if not any(odd) and all(even):
            return "utf-16-le"
        if not any(even) and all(odd):
            return "utf-16-be"
    return "utf-8-sig"
