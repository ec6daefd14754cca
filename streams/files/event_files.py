"""Files of events: one event a line, read exactly as the bytes were written.

A damaged line is said and stepped over. Gzip and standard input are recognised; what was read
once can be read again by its position, without keeping it in memory.
"""

from __future__ import annotations

import io
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from schemas.wire import EVENT_BYTES_MAX
from schemas.wire.errors import RejectReason
from streams.files.opened_files import (
    BROKEN_FILE,
    GZIP_MARK,
    STANDARD_INPUT,
    standard_input,
    unpacked,
    why_broken,
    why_not_opened,
)

LINE_BYTES_MAX: Final = 4 * EVENT_BYTES_MAX
"""A longer line is not kept; it is four times as long as any event."""

_HEAD_MAX: Final = 8192
_CHUNK: Final = 1024 * 1024
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class EventFileError(ValueError):
    """A file that cannot be read as events; the message says what and where."""


class EventLine(NamedTuple):
    """One line with something on it."""

    line: int
    """Physical line, from 1."""
    raw: bytes
    """Its bytes without the line end."""
    position: int
    """By which :meth:`EventFile.read_at` reads it again."""


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that cannot be an event, whatever is on it."""

    line: int
    reason: str
    """Machine-readable: a reject reason, or ``breaks_off``."""
    message: str
    """One line for people."""


class EventFile:
    """One open file of events."""

    def __init__(self, name: str, lines: io.BufferedIOBase, again: IO[bytes] | None) -> None:
        """Take over an open file.

        Args:
            name: How messages call it.
            lines: What is read.
            again: The same file, where it can be read at any place; None: a copy is kept on disk.
        """
        self.name = name
        self.line_count = 0
        """Physical lines read so far."""
        self._lines = lines
        self._copy = None if again else cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115
        self._again = again or cast("IO[bytes]", self._copy)

    def lines(self) -> Iterator[EventLine | DamagedLine]:
        """Give each line; blank ones are left out, and a broken file ends with a damage."""
        position = 0
        while True:
            try:
                raw = self._lines.readline(LINE_BYTES_MAX)
            except BROKEN_FILE as error:
                yield self._broken(error)
                return
            if not raw:
                return
            self.line_count += 1
            if len(raw) == LINE_BYTES_MAX and not raw.endswith(b"\n"):
                try:
                    rest, has_end = self._skip_line()
                except BROKEN_FILE as error:
                    yield self._broken(error)
                    return
                yield _too_large(self.line_count, len(raw) + rest)
                if self._copy is None:
                    position += len(raw) + rest + has_end
                continue
            bare = _without_end(raw)
            if bare.strip():
                if self._copy is not None:  # before it is given: who gets it may read it at once
                    self._copy.write(bare + b"\n")
                yield EventLine(self.line_count, bare, position)
                if self._copy is not None:
                    position += len(bare) + 1
            if self._copy is None:
                position += len(raw)

    def _broken(self, error: BaseException) -> DamagedLine:
        return DamagedLine(
            self.line_count + 1,
            "breaks_off",
            f"the file breaks off here ({why_broken(error)}); send the rest in a file of its own",
        )

    def _skip_line(self) -> tuple[int, bool]:
        """Step over the rest of a line; say how long it was, and whether it had an end."""
        length = 0
        while rest := self._lines.readline(_CHUNK):
            length += len(rest)
            if rest.endswith(b"\n"):
                return length - 1, True
        return length, False

    def read_at(self, position: int) -> bytes:
        """Read a line again."""
        if self._copy is not None:
            self._copy.flush()
        raw = os.pread(self._again.fileno(), LINE_BYTES_MAX, position)
        line, end, _ = raw.partition(b"\n")
        return _without_end(line + end)

    def close(self) -> None:
        """Give the copy back, where one was kept."""
        if self._copy is not None:
            self._copy.close()


def _without_end(raw: bytes) -> bytes:
    """Take off the line end; a carriage return belongs to it only where a line feed follows."""
    return raw[: -2 if raw.endswith(b"\r\n") else -1] if raw.endswith(b"\n") else raw


def _too_large(line: int, length: int) -> DamagedLine:
    return DamagedLine(
        line,
        RejectReason.TOO_LARGE.value,
        f"{length:,} bytes; an event has at most {EVENT_BYTES_MAX:,}: split it or shorten lists",
    )


def is_event_file(path: str) -> bool:
    """Say by its first bytes whether a file holds events; standard input stays unread.

    A file that cannot be opened is none: whoever opens it next says why. A pipe is none either,
    as what is read of it here would be gone: ``<(zcat rounds.csv.gz)`` holds rounds.
    """
    try:
        if path == STANDARD_INPUT:
            return looks_like_events(standard_input().peek(_HEAD_MAX)[:_HEAD_MAX])
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return looks_like_events(file.read(_HEAD_MAX))
    except (OSError, ValueError):
        return False


def looks_like_events(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of events: a line begins with a brace."""
    if head[:2] == GZIP_MARK:
        try:
            head = zlib.decompressobj(31).decompress(head, _HEAD_MAX)
        except zlib.error:
            return False
    if head[:2] in _WIDE_MARKS:
        head = head.replace(b"\0", b"")[2:]
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    return any(line.lstrip().startswith(b"{") for line in lines)


@contextmanager
def open_events(path: str) -> Iterator[EventFile]:
    """Open a file of events, or standard input for ``-``.

    Raises:
        EventFileError: It is missing, a folder, unreadable, empty or in UTF-16.
    """
    if path == STANDARD_INPUT:
        with _opened("standard input", standard_input(), is_file=False) as file:
            yield file
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except IsADirectoryError:
        raise EventFileError(f"{path}: is a folder; name a file of events") from None
    except (OSError, ValueError) as error:
        raise EventFileError(f"{path}: {why_not_opened(error)}") from None
    with raw, _opened(path, raw, is_file=raw.seekable()) as file:
        yield file


@contextmanager
def _opened(name: str, raw: io.BufferedReader, *, is_file: bool) -> Iterator[EventFile]:
    try:
        head = raw.peek(2)[:2]
    except OSError as error:
        raise EventFileError(f"{name}: cannot be read: {error}") from None
    if not head:
        raise EventFileError(f"{name}: is empty; events are expected, one a line")
    if head in _WIDE_MARKS:
        raise EventFileError(f"{name}: is UTF-16; write events as UTF-8 without byte order mark")
    lines = unpacked(raw)
    file = EventFile(name, lines, raw if is_file and lines is raw else None)
    try:
        yield file
    finally:
        file.close()
