"""One segment file: how records stand in it, and how one of them is found again.

A segment begins with sixteen bytes, a mark and the number of its first record, and goes on with
frames. Its name is that number in twenty digits, so a listing shows what is there.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import Final

from streams.process.durable import sync_directory
from streams.spool.errors import SpoolDamagedError
from streams.spool.frames import (
    HEADER_SIZE,
    PAYLOAD_MAX,
    appended_us_of,
    decode_frame,
    frame_size_at,
)

SUFFIX: Final = ".log"
"""Ending of the name of a segment."""

START: Final = 16
"""Position of the first frame."""

_MAGIC: Final = b"LADDLOG1"
_NUMBER: Final = struct.Struct("<Q")
_WINDOW: Final = 1024 * 1024
_MARK_EVERY: Final = 16 * 1024


def segment_path(directory: Path, base: int) -> Path:
    """Name the segment that begins with a record."""
    return directory / f"{base:020d}{SUFFIX}"


class SegmentFile:
    """One segment: a run of records, numbered from ``base``."""

    def __init__(self, path: Path, base: int, size: int) -> None:
        """Take a file whose bytes up to ``size`` are whole frames."""
        self.path = path
        self.base = base
        self.size = size
        """Bytes that are whole records; there may be more behind them that are not."""
        self._mark_numbers = array("Q")
        self._mark_positions = array("Q")
        self._is_marked = size <= START
        self._next_read = (base, START)
        self._reading = threading.Lock()
        """Where records stand is found once, by one reader at a time."""

    @classmethod
    def create(cls, directory: Path, base: int) -> SegmentFile:
        """Begin a new, empty segment, durably."""
        path = segment_path(directory, base)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            os.pwrite(descriptor, _MAGIC + _NUMBER.pack(base), 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        sync_directory(directory)
        return cls(path, base, START)

    @classmethod
    def reopen(cls, path: Path) -> SegmentFile:
        """Take a segment that was closed in good order.

        Raises:
            SpoolDamagedError: The file does not begin as a segment of its name does.
        """
        base = int(path.stem)
        with path.open("rb") as file:
            head = file.read(START)
        if head != _MAGIC + _NUMBER.pack(base):
            raise SpoolDamagedError(
                f"{path} does not begin as a segment with record {base} does; restore it"
            )
        return cls(path, base, path.stat().st_size)

    def measure(self) -> int:
        """Read every frame and find where the whole ones end; note it as the size.

        Returns:
            How many records are whole.
        """
        self._is_marked = True
        count, position, last_mark = 0, START, -_MARK_EVERY
        limit = self.path.stat().st_size
        window, window_at = b"", START
        with self.path.open("rb", buffering=0) as file:
            while position < limit:
                frame = decode_frame(window, position - window_at)
                if frame is None:
                    wanted = frame_size_at(window, position - window_at) or _WINDOW
                    if window_at == position and len(window) >= min(wanted, limit - position):
                        break  # all of it was there, and it is no frame
                    window_at = position
                    window = _read_at(file.fileno(), max(wanted, _WINDOW), position)
                    continue
                if position - last_mark >= _MARK_EVERY:
                    self.note_mark(self.base + count, position)
                    last_mark = position
                count += 1
                position = window_at + frame.end
        self.size = position
        return count

    def first_appended_us(self) -> int | None:
        """Say when the first record was appended; None where there is none yet."""
        with self.path.open("rb") as file:
            file.seek(START)
            frame = file.read(HEADER_SIZE)
        return appended_us_of(frame) if len(frame) == HEADER_SIZE else None

    def note_mark(self, number: int, position: int) -> None:
        """Remember where a record stands, so that it and those behind it are found quickly."""
        self._mark_numbers.append(number)
        self._mark_positions.append(position)

    def note_written(self, number: int, position: int) -> None:
        """Remember where a record was written, if enough was written since the last mark."""
        if not self._mark_positions or position - self._mark_positions[-1] >= _MARK_EVERY:
            self.note_mark(number, position)

    def read(self, start: int, stop: int, bytes_max: int) -> list[tuple[int, bytes]]:
        """Read records by their number.

        Args:
            start: Number of the first record, one that the segment holds.
            stop: Number behind the last record wanted.
            bytes_max: About how many bytes to read at most; one record is always read.

        Raises:
            SpoolDamagedError: A record cannot be read as it was written.
        """
        with self._reading, self.path.open("rb", buffering=0) as file:
            descriptor = file.fileno()
            position = self._position_of(descriptor, start)
            found = self._read_frames(descriptor, position, (start, stop), bytes_max)
        if not found:
            raise SpoolDamagedError(
                f"{self.path}: record {start} at byte {position} is not as it was written; "
                "restore the file from a copy"
            )
        return found

    def _read_frames(
        self, descriptor: int, position: int, numbers: tuple[int, int], bytes_max: int
    ) -> list[tuple[int, bytes]]:
        """Read whole frames from one window, which grows only where a single one is larger."""
        start, stop = numbers
        wanted = min(bytes_max, self.size - position)
        window = _read_at(descriptor, wanted, position)
        first_size = frame_size_at(window, 0)
        if first_size and first_size > len(window):
            window = _read_at(descriptor, min(first_size, self.size - position), position)
        found: list[tuple[int, bytes]] = []
        unpack, check_of, length_of_window = _FIELDS.unpack_from, zlib.crc32, len(window)
        at, number = 0, start
        while number < stop and at + HEADER_SIZE <= length_of_window:
            length, check = unpack(window, at)
            body = at + HEADER_SIZE
            end = body + length
            if not 0 < length <= PAYLOAD_MAX or end > length_of_window:
                break
            payload = window[body:end]
            if check_of(payload, check_of(window[at : at + 12])) != check:
                break
            found.append((number, payload))
            number += 1
            at = end
        self._next_read = (number, position + at)
        return found

    def _position_of(self, descriptor: int, number: int) -> int:
        if self._next_read[0] == number:
            return self._next_read[1]
        if number == self.base:
            return START
        if not self._is_marked:
            self._mark_all(descriptor)
        at = bisect_right(self._mark_numbers, number) - 1
        known = self._mark_numbers[at] if at >= 0 else self.base
        position = self._mark_positions[at] if at >= 0 else START
        return self._hop(descriptor, (known, position), number)

    def _hop(self, descriptor: int, known: tuple[int, int], number: int) -> int:
        """Step from frame to frame by their lengths until a record is reached."""
        at_number, position = known
        while at_number < number:
            window = _read_at(descriptor, 4 * _MARK_EVERY, position)
            inside = 0
            while at_number < number:
                size = frame_size_at(window, inside)
                if not size:
                    break
                inside += size
                at_number += 1
            if inside == 0:
                raise SpoolDamagedError(
                    f"{self.path}: no record begins at byte {position}; restore the file"
                )
            position += inside
        return position

    def _mark_all(self, descriptor: int) -> None:
        """Find where the records of a closed segment stand, by their lengths."""
        number, position = self.base, START
        while position < self.size:
            window = _read_at(descriptor, _WINDOW, position)
            inside = 0
            while position + inside < self.size:
                size = frame_size_at(window, inside)
                if not size:
                    break
                self.note_written(number, position + inside)
                inside += size
                number += 1
            if inside == 0:
                break  # reading the record says what is wrong with it
            position += inside
        self._is_marked = True


_FIELDS: Final = struct.Struct("<I8xI")


def _read_at(descriptor: int, size: int, position: int) -> bytes:
    """Read so many bytes at a position; fewer only where the file ends."""
    window = os.pread(descriptor, size, position)
    while len(window) < size:
        more = os.pread(descriptor, size - len(window), position + len(window))
        if not more:
            break
        window += more
    return window
