"""Reads lines in groups while they come: what is there, and never more than is due."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from streams.files.opened_files import (
    BROKEN_FILE,
    GZIP_MARK,
    STANDARD_INPUT,
    why_broken,
    why_not_opened,
)
from streams.process.clock import Clock

LINE_BYTES_MAX: Final = 1_000_000
"""A longer line is no event by far, and no topic takes it."""

GROUP_LINES: Final = 500
_CHUNK: Final = 64 * 1024
_OF_GZIP: Final = 31  # the form that zlib is to unpack
_BURST_S: Final = 0.02
_PAUSE_MIN_S: Final = 0.001

Reader = Callable[[int], bytes]
"""Gives what is there, at most so many bytes and at least one; nothing only at the end."""


class LinesError(Exception):
    """A file of lines cannot be read; one line says which and why."""


class Line(NamedTuple):
    """One line without its end."""

    number: int
    """From 1."""
    raw: bytes | None
    """None where it is longer than :data:`LINE_BYTES_MAX`."""


@contextmanager
def opened_lines(path: str) -> Iterator[Reader]:
    """Open a file of lines, or standard input; what is gzipped is given as it is.

    Args:
        path: The file; ``-`` is standard input.

    Raises:
        LinesError: It cannot be opened.
    """
    if path == STANDARD_INPUT:
        descriptor = sys.stdin.fileno()
        # Whoever pipes lines in waits for no further ones: what is there is taken at once.
        yield lambda size: os.read(descriptor, size)
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise LinesError(f"{path}: {why_not_opened(error)}") from None
    with file:
        yield file.read1


def line_groups(read: Reader, name: str) -> Iterator[list[Line]]:
    """Give lines in groups as they come; blank ones are left out.

    Args:
        read: Where they come from, maybe gzipped.
        name: Of the file, for people.

    Raises:
        LinesError: The file breaks off; the lines before it were given.
    """
    for lines in _available(read, name):
        for at in range(0, len(lines), GROUP_LINES):
            yield lines[at : at + GROUP_LINES]


def paced(
    groups: Iterable[list[Line]], rate: float, clock: Clock, sleep: Callable[[float], None]
) -> Iterator[list[Line]]:
    """Let only so many lines a second through, in smaller groups.

    Args:
        groups: What comes.
        rate: Lines a second.
        clock: Tells how long it took.
        sleep: Waits for some seconds.
    """
    may_pass, looked_at_s = 1.0, clock.monotonic_s()
    burst = max(1.0, rate * _BURST_S)
    for group in groups:
        rest = group
        while rest:
            now_s = clock.monotonic_s()
            # Time in which nothing came is not made up for.
            may_pass = min(may_pass + (now_s - looked_at_s) * rate, burst)
            looked_at_s = now_s
            if may_pass < 1:
                sleep(max((1 - may_pass) / rate, _PAUSE_MIN_S))
                continue
            count = min(int(may_pass), len(rest))
            yield rest[:count]
            rest = rest[count:]
            may_pass -= count


def _available(read: Reader, name: str) -> Iterator[list[Line]]:
    """Give the whole lines of each piece as it comes, and at the end what has no line end."""
    rest, number, is_skipping = b"", 0, False
    pieces = _unpacked(read)
    while True:
        try:
            piece = next(pieces, b"")
        except BROKEN_FILE as error:
            raise LinesError(
                f"{name}: breaks off after line {number} ({why_broken(error)})"
            ) from None
        *whole, rest = (rest + piece).split(b"\n")
        lines = []
        for raw in whole:
            number += 1
            line = _line(number, raw, is_cut=is_skipping)
            is_skipping = False
            if line is not None:
                lines.append(line)
        if len(rest) > LINE_BYTES_MAX:
            rest, is_skipping = b"", True
        if not piece:
            last = _line(number + 1, rest, is_cut=is_skipping)
            yield [*lines, *([last] if last is not None else [])]
            return
        if lines:
            yield lines


def _unpacked(read: Reader) -> Iterator[bytes]:
    """Give what comes, unpacked where it is gzipped; of standard input none can look ahead."""
    piece = read(_CHUNK)
    if piece == GZIP_MARK[:1]:
        piece += read(_CHUNK)
    if not piece.startswith(GZIP_MARK):
        while piece:
            yield piece
            piece = read(_CHUNK)
        return
    while piece:
        packed = zlib.decompressobj(_OF_GZIP)
        while not packed.eof:
            if not piece:
                raise EOFError("compressed file ended before its end mark")
            if some := packed.decompress(piece):
                yield some
            piece = b"" if packed.eof else read(_CHUNK)
        piece = packed.unused_data or read(_CHUNK)  # several may stand one behind the other


def _line(number: int, raw: bytes, *, is_cut: bool) -> Line | None:
    if is_cut or len(raw) > LINE_BYTES_MAX:
        return Line(number, None)
    bare = raw.removesuffix(b"\r")
    return Line(number, bare) if bare.strip() else None
