"""The spool: what was once durable stays as it was, and what was not was never shown."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from streams.process.durable import PathInUseError
from streams.spool import (
    SegmentedLog,
    SpoolBrokenError,
    SpoolDamagedError,
    SpoolError,
    SpoolFullError,
    segments,
)
from streams.spool.frames import HEADER_SIZE, decode_frame, encode_frame
from streams.spool.segment_file import START, SegmentFile
from streams.spool.segments import LogLimits
from tests.support.clocks import SetClock

SMALL = LogLimits(segment_bytes=400)


class Disk:
    """Stands in for writing and flushing, and can refuse either."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        self.flush_fails = False
        self.flush_error = errno.EIO
        self.flushes = 0
        self._pwrite, self._flush = os.pwrite, segments._flush_file
        monkeypatch.setattr(segments.os, "pwrite", self.write)
        monkeypatch.setattr(segments, "_flush_file", self.flush)

    def write(self, descriptor: int, content: memoryview, position: int) -> int:
        if self.room is None:
            return self._pwrite(descriptor, content, position)
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._pwrite(descriptor, content[: self.room], position)
        self.room -= written
        return written

    def flush(self, descriptor: int) -> None:
        self.flushes += 1
        if self.flush_fails:
            raise OSError(self.flush_error, os.strerror(self.flush_error))
        self._flush(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def opened(path: Path, limits: LogLimits = SMALL, trusted_end: int = 0) -> SegmentedLog:
    return SegmentedLog(path, SetClock().now_us, limits=limits, trusted_end=trusted_end)


def filled(path: Path, count: int, limits: LogLimits = SMALL) -> SegmentedLog:
    log = opened(path, limits)
    for number in range(count):
        assert log.append(b"record %d" % number) == number
    log.sync()
    return log


def everything(log: SegmentedLog) -> list[bytes]:
    found: list[bytes] = []
    while batch := log.read(len(found), 1000):
        assert [number for number, _ in batch] == list(range(len(found), len(found) + len(batch)))
        found.extend(payload for _, payload in batch)
    return found


def newest(path: Path) -> Path:
    return max(path.glob("*.log"))


@pytest.fixture
def log_of_fifty(tmp_path: Path) -> Iterator[SegmentedLog]:
    log = filled(tmp_path, 50)
    yield log
    log.close()


def test_records_come_back_in_order_over_many_files(log_of_fifty: SegmentedLog) -> None:
    for number in range(50, 200):
        log_of_fifty.append(b"record %d" % number)
        log_of_fifty.sync()
    sizes = [path.stat().st_size for path in log_of_fifty.directory.glob("*.log")]
    assert len(sizes) == 13
    assert max(sizes) < 400 + HEADER_SIZE + len(b"record 199")
    assert everything(log_of_fifty) == [b"record %d" % number for number in range(200)]
    log_of_fifty.close()
    with_new_eyes = opened(log_of_fifty.directory)
    assert everything(with_new_eyes) == [b"record %d" % number for number in range(200)]
    with_new_eyes.close()


def test_readers_of_one_file_take_turns_since_both_note_where_records_stand(
    log_of_fifty: SegmentedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, here, together = SegmentFile._position_of, [], []

    def slowly(file: SegmentFile, descriptor: int, number: int) -> int:
        here.append(number)
        time.sleep(0.02)
        together.append(len(here))
        here.pop()
        return find(file, descriptor, number)

    monkeypatch.setattr(SegmentFile, "_position_of", slowly)
    with ThreadPoolExecutor(4) as readers:
        found = list(readers.map(log_of_fifty.read_one, (3, 1, 2, 0)))
    assert found == [b"record %d" % number for number in (3, 1, 2, 0)]
    assert together == [1, 1, 1, 1]


@pytest.mark.parametrize("payload_size", [1, 300, 20_000, 3_000_000])
def test_any_record_is_found_by_its_number(tmp_path: Path, payload_size: int) -> None:
    log = opened(tmp_path, LogLimits(segment_bytes=9_000_000))
    payloads = [bytes([number]) * (payload_size + number) for number in range(9)]
    for payload in payloads:
        log.append(payload)
    log.sync()
    log.close()
    log = opened(tmp_path)
    assert [log.read_one(number) for number in (8, 0, 5, 4, 7, 1)] == [
        payloads[number] for number in (8, 0, 5, 4, 7, 1)
    ]
    log.close()


def test_only_what_is_durable_is_shown(log_of_fifty: SegmentedLog) -> None:
    assert log_of_fifty.append(b"not yet") == 50
    assert log_of_fifty.read(50, 1) == []
    assert (log_of_fifty.durable_end, log_of_fifty.end) == (50, 51)
    assert log_of_fifty.sync() == 51
    assert log_of_fifty.read_one(50) == b"not yet"


def test_a_record_that_is_not_there_is_said_to_be_missing(log_of_fifty: SegmentedLog) -> None:
    with pytest.raises(SpoolError, match=r"has no record 50; it ends at 49"):
        log_of_fifty.read_one(50)


@pytest.mark.parametrize("size", [0, 32 * 1024 * 1024 + 1])
def test_an_empty_or_huge_record_is_refused(log_of_fifty: SegmentedLog, size: int) -> None:
    with pytest.raises(ValueError, match="a record has 1 to"):
        log_of_fifty.append(bytes(size))
    assert log_of_fifty.end == 50


def test_a_tail_cut_anywhere_is_cut_off_to_whole_records(tmp_path: Path) -> None:
    log = filled(tmp_path, 3)
    log.close()
    path = newest(tmp_path)
    whole = path.read_bytes()
    last_frame = HEADER_SIZE + len(b"record 2")
    for missing in range(1, last_frame + 1):
        path.write_bytes(whole[:-missing])
        log = opened(tmp_path)
        assert everything(log) == [b"record 0", b"record 1"]
        assert log.torn_bytes == last_frame - missing
        assert log.append(b"again") == 2
        log.close()
        assert everything_in(tmp_path) == [b"record 0", b"record 1", b"again"]


def everything_in(path: Path) -> list[bytes]:
    log = opened(path)
    try:
        return everything(log)
    finally:
        log.close()


@pytest.mark.parametrize(
    "tail",
    [b"\0" * 100, b"\xff" * 100, encode_frame(b"record 3", 1)[:-1] + b"!", b"\0" * 4096],
    ids=["zeros", "ones", "changed", "a page of zeros"],
)
def test_a_tail_that_is_no_record_is_cut_off(tmp_path: Path, tail: bytes) -> None:
    filled(tmp_path, 3).close()
    with newest(tmp_path).open("ab") as file:
        file.write(tail)
    log = opened(tmp_path)
    assert (log.torn_bytes, log.end) == (len(tail), 3)
    log.close()


@pytest.mark.parametrize("head", [b"", b"LADD", bytes(START)])
def test_a_file_that_was_just_being_made_is_removed(tmp_path: Path, head: bytes) -> None:
    filled(tmp_path, 3).close()
    (tmp_path / f"{3:020d}.log").write_bytes(head)
    log = opened(tmp_path)
    assert log.append(b"next") == 3
    log.close()


def test_records_that_were_durable_for_certain_are_never_cut_off(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    path = newest(tmp_path)
    damaged = path.read_bytes()[:-1]
    path.write_bytes(damaged)
    with pytest.raises(SpoolDamagedError, match="ends with record 1, but 2 was written once"):
        opened(tmp_path, trusted_end=3)
    assert path.read_bytes() == damaged
    log = opened(tmp_path, trusted_end=2)
    assert log.end == 2
    log.close()


def test_a_changed_byte_in_an_old_file_is_found_when_it_is_read(tmp_path: Path) -> None:
    log = filled(tmp_path, 50)
    log.close()
    path = min(tmp_path.glob("*.log"))
    content = bytearray(path.read_bytes())
    content[START + 10 * (HEADER_SIZE + 8) + HEADER_SIZE] ^= 1
    path.write_bytes(content)
    log = opened(tmp_path)
    assert [payload for _, payload in log.read(0, 1000)] == [b"record %d" % n for n in range(10)]
    with pytest.raises(SpoolDamagedError, match="record 10 at byte 256 is not as it was written"):
        log.read(10, 1)
    log.close()


def test_a_file_under_a_wrong_name_is_refused(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    newest(tmp_path).rename(tmp_path / f"{7:020d}.log")
    with pytest.raises(SpoolDamagedError, match="does not begin as a segment with record 7 does"):
        opened(tmp_path)


def test_a_directory_has_one_owner(tmp_path: Path) -> None:
    log = filled(tmp_path, 3)
    with pytest.raises(PathInUseError, match=rf"in use by log, process {os.getpid()}; stop it"):
        opened(tmp_path)
    log.close()
    opened(tmp_path).close()


def test_the_owner_is_gone_with_its_process(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"""
import pathlib, streams.process.durable
lock = streams.process.durable.PathLock(pathlib.Path({str(tmp_path)!r}), "child")
print("locked", flush=True)
input()
""",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"locked\n"
        with pytest.raises(PathInUseError, match=f"in use by child, process {child.pid}"):
            opened(tmp_path)
        child.kill()
    opened(tmp_path).close()


def test_a_full_disk_loses_nothing_that_was_taken(tmp_path: Path, disk: Disk) -> None:
    log = filled(tmp_path, 3)
    disk.room = 30
    log.append(b"waits in memory")
    log.append(b"waits as well")
    with pytest.raises(SpoolFullError, match=r"no room on the disk .*; 2 records wait in memory"):
        log.sync()
    assert newest(tmp_path).stat().st_size == START + 3 * (HEADER_SIZE + 8)  # no half record
    with pytest.raises(SpoolFullError):
        log.append(b"is not taken")
    disk.room = None
    assert log.append(b"is taken") == 5
    log.sync()
    assert everything(log)[3:] == [b"waits in memory", b"waits as well", b"is taken"]
    log.close()
    assert everything_in(tmp_path)[3:] == [b"waits in memory", b"waits as well", b"is taken"]


def test_a_file_size_limit_of_the_system_is_a_full_disk(tmp_path: Path) -> None:
    program = f"""
import pathlib, resource, signal
from streams.spool import SegmentedLog, SpoolFullError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = SegmentedLog(pathlib.Path({str(tmp_path)!r}), lambda: 0)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    while True:
        log.append(bytes(100))
        log.sync()
except SpoolFullError as error:
    print("full at", log.durable_end, error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("full at 8 ")
    log = opened(tmp_path)
    assert (log.end, log.torn_bytes) == (8, 0)
    log.close()


def test_a_flush_that_fails_ends_the_use_of_the_log(tmp_path: Path, disk: Disk) -> None:
    log = filled(tmp_path, 3)
    log.append(b"unknown fate")
    disk.flush_fails = True
    with pytest.raises(SpoolBrokenError, match="the disk refused to write"):
        log.sync()
    disk.flush_fails = False
    for act in (log.sync, lambda: log.append(b"more")):
        with pytest.raises(SpoolBrokenError):
            act()
    assert log.durable_end == 3
    log.close()
    assert everything_in(tmp_path)[:3] == [b"record 0", b"record 1", b"record 2"]


def test_what_a_killed_writer_left_is_on_the_disk_before_it_is_shown(
    tmp_path: Path, disk: Disk
) -> None:
    filled(tmp_path, 5).close()
    disk.flushes = 0
    opened(tmp_path).close()
    assert disk.flushes == 1
    disk.flush_fails = True
    with pytest.raises(SpoolBrokenError, match="start again"):
        opened(tmp_path)
    disk.flush_fails = False
    again = opened(tmp_path)
    assert len(everything(again)) == 5
    again.close()


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_flush_that_fails_when_a_file_is_closed_ends_the_use_too(
    tmp_path: Path, disk: Disk, number: int
) -> None:
    """A second flush would succeed, though the first has dropped what was written."""
    log = filled(tmp_path, 3)
    for _ in range(20):
        log.append(b"enough for two files")
    disk.flush_fails, disk.flush_error = True, number
    with pytest.raises(SpoolBrokenError):
        log.sync()
    disk.flush_fails = False
    for use in (log.sync, log.begin_segment, lambda: log.append(b"one more")):
        with pytest.raises(SpoolBrokenError):
            use()
    assert len(everything(log)) == 3
    log.close()


def test_a_log_does_not_outgrow_its_limit(tmp_path: Path) -> None:
    log = opened(tmp_path, LogLimits(segment_bytes=400, total_bytes=1000))
    with pytest.raises(SpoolFullError, match="has reached its"):
        for _ in range(100):
            log.append(bytes(50))
            log.sync()
    assert log.bytes_held <= 1000
    log.close()


def test_waiting_callers_share_one_flush(tmp_path: Path, disk: Disk) -> None:
    log = opened(tmp_path, LogLimits())
    log.append(b"first")
    log.sync()
    before = disk.flushes
    barrier = threading.Barrier(8)

    def write() -> None:
        for _ in range(25):
            number = log.append(b"x")
            barrier.wait()
            assert log.sync() > number
            assert log.read_one(number) == b"x"

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.durable_end == 201
    assert disk.flushes - before <= 100  # 200 without sharing
    log.close()


def test_old_files_go_when_they_may_and_the_newest_stays(tmp_path: Path) -> None:
    log = filled(tmp_path, 20, LogLimits(segment_bytes=100))
    assert log.drop_segments(lambda end, _: end <= 12) == 12
    with pytest.raises(SpoolError, match="record 11 is no longer kept; the oldest is 12"):
        log.read(11, 1)
    assert log.drop_segments(lambda *_: True) == log.first_number > 12
    assert log.read_one(19) == b"record 19"
    assert log.append(b"next") == 20
    log.close()
    log = opened(tmp_path)
    assert (log.first_number, log.end) == (log.first_number, 21)
    log.close()


def test_a_frame_is_its_bytes_and_nothing_else() -> None:
    frame = encode_frame(b"payload", 1_234_567)
    assert frame[:4] == (7).to_bytes(4, "little")
    assert frame[4:12] == (1_234_567).to_bytes(8, "little")
    found = decode_frame(b"??" + frame + b"!", 2)
    assert found is not None
    assert found == (b"payload", 1_234_567, 2 + len(frame))
    for position in range(len(frame)):
        changed = bytearray(frame)
        changed[position] ^= 1
        assert decode_frame(bytes(changed), 0) is None


def test_many_records_at_once_stand_as_each_alone(tmp_path: Path, disk: Disk) -> None:
    payloads = [bytes([number % 251]) * (1 + number % 40) for number in range(700)]
    one, many = opened(tmp_path / "one"), opened(tmp_path / "many")
    for payload in payloads:
        one.append(payload)
    many.extend(payloads)
    assert many.end == one.end == 700
    one.sync()
    many.sync()
    assert everything(many) == payloads
    assert many.bytes_held == one.bytes_held
    disk.room = 0
    many.extend(payloads[:100])
    with pytest.raises(SpoolFullError):
        many.sync()
    with pytest.raises(SpoolFullError):
        many.extend(payloads)
    disk.room = None
    many.sync()
    assert everything(many) == payloads + payloads[:100]
    one.close()
    many.close()


def test_many_records_at_once_stop_at_the_limit_of_a_log(tmp_path: Path) -> None:
    log = opened(tmp_path, LogLimits(segment_bytes=400, total_bytes=1000))
    with pytest.raises(SpoolFullError, match="has reached its"):
        log.extend([bytes(84)] * 50)
    assert log.end == 10
    assert log.bytes_held == 1000
    log.close()
