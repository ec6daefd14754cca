"""Segment files: records are numbered, appended, and flushed in groups.

A record is **appended** when it has its number, and **durable** when a flush has put it on the
disk. Only durable records are shown to readers, so nothing is ever sent or folded that a crash
could take back. What a crash cut short at the end was never durable and is cut off on opening.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from streams.process.durable import PathLock, sync_directory
from streams.spool.errors import (
    SpoolBrokenError,
    SpoolDamagedError,
    SpoolError,
    SpoolFullError,
)
from streams.spool.frames import encode_frame
from streams.spool.segment_file import START, SUFFIX, SegmentFile

MIB: Final = 1024 * 1024
_BUFFER_MAX: Final = MIB
_GROUP_COUNT: Final = 256
_READ_BYTES: Final = 2 * MIB
_READ_BYTES_EACH: Final = 16 * 1024
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# macOS has no fdatasync in Python; fsync does the same and a little more.
_flush_file: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How large files and the whole may grow."""

    segment_bytes: int = 64 * MIB
    """A segment that has reached this is closed and the next begun."""
    total_bytes: int | None = None
    """All segments together; None is what the disk holds."""


class SegmentedLog:
    """Numbered records in a directory that belongs to this process.

    Appending, flushing and reading may be done from different threads.
    """

    def __init__(
        self,
        directory: Path,
        now_us: Callable[[], int],
        *,
        owner: str = "log",
        limits: LogLimits = LogLimits(),
        trusted_end: int = 0,
    ) -> None:
        """Open a log, or begin one, and cut off what a crash left unfinished at its end.

        Args:
            directory: Where its segments are.
            now_us: The clock, microseconds since 1970 UTC; only retention looks at it.
            owner: What owns it, for people.
            limits: Sizes.
            trusted_end: Records below this number were durable for certain.

        Raises:
            PathInUseError: Another process has it open.
            SpoolDamagedError: A record below ``trusted_end`` is not there any more.
            SpoolBrokenError: The disk refused to keep what stands in it.
        """
        self.directory = directory
        self._now_us = now_us
        self._limits = limits
        self._lock = threading.Lock()
        self._flush_lock = threading.Lock()
        self._buffer: list[bytes] = []
        self._buffer_bytes = 0
        self._has_no_room = False
        self._broken: str | None = None
        self.torn_bytes = 0
        """Bytes that were cut off on opening."""
        self._path_lock = PathLock(directory, owner)
        try:
            self._segments, end = self._open_segments(trusted_end)
            self._active: int | None = self._open_active()
        except BaseException:
            self._path_lock.release()
            raise
        self._end = self._written_end = self._durable_end = end

    def _open_segments(self, trusted_end: int) -> tuple[tuple[SegmentFile, ...], int]:
        paths = sorted(self.directory.glob(f"[0-9]*{SUFFIX}"))
        if paths and self._is_headless(paths[-1]):
            # A crash while it was made: it never held a record.
            paths.pop().unlink()
            sync_directory(self.directory)
        segments = tuple(SegmentFile.reopen(path) for path in paths)
        if not segments:
            end = 0
        else:
            last = segments[-1]
            end = last.base + last.measure()
        if end < trusted_end:
            raise SpoolDamagedError(
                f"{self.directory} ends with record {end - 1}, but {trusted_end - 1} was written "
                "once; restore the newest segment from a copy, or begin a new feed"
            )
        if segments:
            self._cut_torn_tail(segments[-1])
        return segments, end

    @staticmethod
    def _is_headless(path: Path) -> bool:
        with path.open("rb") as file:
            head = file.read(START)
        return len(head) < START or not any(head)

    def _cut_torn_tail(self, last: SegmentFile) -> None:
        self.torn_bytes = last.path.stat().st_size - last.size
        if self.torn_bytes:
            with last.path.open("r+b") as file:
                file.truncate(last.size)
                os.fsync(file.fileno())

    def _open_active(self) -> int | None:
        """Open the newest segment; whole records of a killed writer may be in memory only."""
        if not self._segments:
            return None
        active = os.open(self._segments[-1].path, os.O_WRONLY)
        try:
            _flush_file(active)
        except OSError as error:
            os.close(active)
            raise self._break(error) from error
        return active

    @property
    def first_number(self) -> int:
        """Number of the oldest record that is still there."""
        return self._segments[0].base if self._segments else self._end

    @property
    def end(self) -> int:
        """Number that the next record gets."""
        return self._end

    @property
    def durable_end(self) -> int:
        """Number behind the last durable record."""
        return self._durable_end

    @property
    def has_no_room(self) -> bool:
        """Whether the disk had no room for what was taken last; it waits in memory."""
        return self._has_no_room

    @property
    def bytes_held(self) -> int:
        """Bytes in all segments and waiting for them."""
        return sum(segment.size for segment in self._segments) + self._buffer_bytes

    def append(self, payload: bytes) -> int:
        """Take a record; it is durable after the next :meth:`sync`.

        Returns:
            Its number.

        Raises:
            SpoolFullError: There is no room; the record was not taken.
            SpoolBrokenError: The log must be opened anew.
        """
        frame = encode_frame(payload, self._now_us())
        if self._has_no_room or self._buffer_bytes >= _BUFFER_MAX:
            self.sync()
        with self._lock:
            self._refuse_if_broken()
            self._refuse_if_over(len(frame))
            self._buffer.append(frame)
            self._buffer_bytes += len(frame)
            number = self._end
            self._end = number + 1
        return number

    def extend(self, payloads: Iterable[bytes]) -> None:
        """Take records as :meth:`append` does, many at a time: at half the cost of each.

        Raises:
            SpoolFullError: There is no room; what was taken before stays taken.
            SpoolBrokenError: The log must be opened anew.
        """
        if self._limits.total_bytes is not None:
            for payload in payloads:
                self.append(payload)  # each may be the one too many
            return
        waiting = iter(payloads)
        while group := tuple(islice(waiting, _GROUP_COUNT)):
            now_us = self._now_us()
            frames = [encode_frame(payload, now_us) for payload in group]
            if self._has_no_room or self._buffer_bytes >= _BUFFER_MAX:
                self.sync()
            with self._lock:
                self._refuse_if_broken()
                self._buffer.extend(frames)
                self._buffer_bytes += sum(map(len, frames))
                self._end += len(frames)

    def _refuse_if_over(self, size: int) -> None:
        limit = self._limits.total_bytes
        if limit is not None and self.bytes_held + size > limit:
            raise SpoolFullError(
                f"{self.directory} has reached its {limit / MIB:,.0f} MiB; "
                "nothing more is taken until older records may go"
            )

    def _refuse_if_broken(self) -> None:
        if self._broken is not None:
            raise SpoolBrokenError(self._broken)

    def sync(self) -> int:
        """Make everything that was appended so far durable; several callers share one flush.

        Returns:
            Number behind the last durable record.

        Raises:
            SpoolFullError: There is no room. What was taken waits in memory and is written as
                soon as there is; it must not be appended again.
            SpoolBrokenError: The disk refused; the log must be opened anew.
        """
        wanted = self._end
        with self._flush_lock:
            if self._durable_end >= wanted:
                return self._durable_end  # the flush of another caller covered it
            self._refuse_if_broken()
            self._write_out()
            active = self._active
            assert active is not None, "something was written, so there is a segment"
            try:
                _flush_file(active)
            except OSError as error:
                raise self._break(error) from error
            self._durable_end = self._written_end
            return self._durable_end

    def _write_out(self) -> None:
        """Write what waits in memory behind what was written; called by one thread at a time."""
        with self._lock:
            waiting = tuple(self._buffer)
        done = 0
        while done < len(waiting):
            try:
                segment = self._segment_to_write()
                room = self._limits.segment_bytes - segment.size
                group = _first_of(waiting, done, room)
                self._write_at(b"".join(group), segment.size)
            except OSError as error:
                raise self._no_room_or_broken(error) from error
            self._note_written(segment, group)
            done += len(group)

    def _note_written(self, segment: SegmentFile, group: Sequence[bytes]) -> None:
        number, position = self._written_end, segment.size
        for frame in group:
            segment.note_written(number, position)
            number += 1
            position += len(frame)
        with self._lock:
            self._buffer_bytes -= position - segment.size
            segment.size = position
            del self._buffer[: len(group)]
            self._has_no_room = False
            self._written_end = number

    def _write_at(self, content: bytes, position: int) -> None:
        active = self._active
        assert active is not None, "a segment was just opened"
        rest = memoryview(content)
        at = position
        try:
            while rest:
                written = os.pwrite(active, rest, at)
                at += written
                rest = rest[written:]
        except OSError:
            os.ftruncate(active, position)
            raise

    def _no_room_or_broken(self, error: OSError) -> SpoolError:
        if error.errno not in _NO_ROOM:
            return self._break(error)
        self._has_no_room = True
        return SpoolFullError(
            f"{self.directory}: no room on the disk ({error.strerror}); "
            f"{len(self._buffer)} records wait in memory, free some space"
        )

    def _break(self, error: OSError) -> SpoolBrokenError:
        self._broken = (
            f"{self.directory}: the disk refused to write ({error.strerror}), so what it holds "
            "is not known; see to the disk and start again"
        )
        return SpoolBrokenError(self._broken)

    def _segment_to_write(self) -> SegmentFile:
        if self._active is not None:
            last = self._segments[-1]
            if last.size < self._limits.segment_bytes:
                return last
            self._close_segment()
        segment = SegmentFile.create(self.directory, self._written_end)
        self._active = os.open(segment.path, os.O_WRONLY)
        self._segments = (*self._segments, segment)
        return segment

    def _close_segment(self) -> None:
        self._refuse_if_broken()
        if self._active is not None:
            try:
                _flush_file(self._active)
            except OSError as error:
                # Also for want of room: a second flush would succeed, whatever was dropped.
                raise self._break(error) from error
            os.close(self._active)
            self._active = None

    def begin_segment(self) -> None:
        """Close the newest segment: the next record begins another.

        Raises:
            SpoolBrokenError: The disk refused; the log must be opened anew.
        """
        with self._flush_lock:
            self._close_segment()

    def read(self, start: int, count_max: int) -> list[tuple[int, bytes]]:
        """Read durable records in order.

        Args:
            start: Number of the first.
            count_max: At most so many; fewer come where much would have to be read.

        Returns:
            Number and payload; nothing where ``start`` is the durable end or beyond.

        Raises:
            SpoolError: The record was dropped.
            SpoolDamagedError: A record cannot be read as it was written.
        """
        stop = min(start + count_max, self._durable_end)
        if start >= stop:
            return []
        segments = self._segments
        at = bisect_right(segments, start, key=lambda one: one.base) - 1
        if at < 0:
            raise SpoolError(
                f"{self.directory}: record {start} is no longer kept; "
                f"the oldest is {self.first_number}"
            )
        if at + 1 < len(segments):
            stop = min(stop, segments[at + 1].base)
        return segments[at].read(start, stop, min(_READ_BYTES, count_max * _READ_BYTES_EACH))

    def read_one(self, number: int) -> bytes:
        """Read one durable record.

        Raises:
            SpoolError: There is no such record.
            SpoolDamagedError: It cannot be read as it was written.
        """
        found = self.read(number, 1)
        if not found:
            raise SpoolError(f"{self.directory} has no record {number}; it ends at {self.end - 1}")
        return found[0][1]

    @property
    def newest_began_us(self) -> int | None:
        """When the first record of the newest segment was appended; None where there is none."""
        return self._segments[-1].first_appended_us() if self._segments else None

    def drop_segments(self, may_go: Callable[[int, int], bool]) -> int:
        """Remove the oldest closed segments, as long as each may go.

        The newest segment always stays: the next record continues from its last.

        Args:
            may_go: Asked with the number behind the segment's last record, and with when that
                next record was appended, microseconds since 1970 UTC.

        Returns:
            Number of the oldest record that is left.
        """
        with self._flush_lock:
            segments = self._segments
            while len(segments) > 1:
                if not may_go(segments[1].base, segments[1].first_appended_us() or 0):
                    break
                with self._lock:
                    self._segments = segments[1:]
                segments[0].path.unlink()
                segments = self._segments
            sync_directory(self.directory)
        return self.first_number

    def close(self) -> None:
        """Flush what can be flushed and give the directory up."""
        with contextlib.suppress(SpoolError):
            self.sync()
        if self._active is not None:
            os.close(self._active)
            self._active = None
        self._path_lock.release()


def _first_of(frames: Sequence[bytes], start: int, room: int) -> Sequence[bytes]:
    """Take frames until a segment is full; the frame that fills it still belongs to it."""
    size = 0
    for at in range(start, len(frames)):
        size += len(frames[at])
        if size >= room:
            return frames[start : at + 1]
    return frames[start:]
