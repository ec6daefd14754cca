"""Files of events put into a store, line by line, each event once, however often asked.

Before a store is made or touched, the files are looked at: without any event nothing is made, and
simulated play is kept apart from real play. What is in the log already is left out: the same bytes
say the same source, feed and sequence. So a file may be given again after a crash, or with new
lines at its end. Lines that are no event are put in too, once; they become dead letters with their
reason.
"""

from __future__ import annotations

import hashlib
import io
import shlex
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

import orjson

from auditors.table import TableState
from schemas.words.counting import counted
from streams.embedding.event_survey import Survey
from streams.embedding.pipeline import LOG_DIRECTORY, STORE_FOLDERS, EmbeddedPipeline, logs_of
from streams.files.event_keys import key_of
from streams.files.opened_files import (
    BROKEN_FILE,
    STANDARD_INPUT,
    standard_input,
    unpacked,
    why_broken,
    why_not_opened,
)
from streams.history.embedded.ingest_marks import IngestMark, IngestMarks, mark_of
from streams.history.embedded.removal import FolderBefore
from streams.history.embedded.store import ChdbStore
from streams.history.log_claim import claim_history
from streams.history.opening import history_path
from streams.history.reading.holdings import holdings_of
from streams.history.sharing.api import HistoryApi
from streams.history.sharing.shared import own_history
from streams.history.store import HISTORY_FOLDER
from streams.history.writing.outbox import HistoryOutbox, Observer
from streams.history.writing.writer import HistoryWriter
from streams.host.ledger_fold import ProgressiveFold
from streams.host.ports import Fold
from streams.host.steps import Step
from streams.host.table_fold import TableFold
from streams.operating.known_events import check_build
from streams.process.clock import Clock, SystemClock
from streams.spool.segment_file import SUFFIX

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of a longer line the rest is left out; no event is nearly so long."""

GROUP_LINES: Final = 2_000
"""Lines that are made durable at a time."""

MARK_SECONDS: Final = 1.0
"""The mark of a file says how far it was read, at most so long ago."""

_CHUNK: Final = 1024 * 1024


Waits: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Gives what is entered while something is waited for."""


class IngestError(ValueError):
    """A file that cannot be opened; the text is one line for a person."""


@dataclass(slots=True)
class IngestCounts:
    """What became of the lines."""

    lines: int = 0
    """Lines with something on them."""
    taken: int = 0
    """New to the log."""
    known: int = 0
    """In the log already, or in the files twice."""
    cut: int = 0
    """Longer than :data:`LINE_BYTES_MAX`; only their beginning was taken."""
    broken: list[str] = field(default_factory=list)
    """Files that break off, one line each; what stands before was taken."""
    dead_letters: int = 0
    """Of those taken: no events, kept aside with the reason."""
    waiting: list[str] = field(default_factory=list)
    """Sources of which events wait for one that has not come, one line each."""
    late: Counter[str] = field(default_factory=Counter)
    """Source to how many events came after they had been given up as missing."""
    interrupted: list[IngestMark] = field(default_factory=list)
    """Files that were not read to their end, because somebody wanted the end."""
    read_bytes: int = 0
    """How much of the files was read; of gzipped ones, of the packed bytes."""
    total_bytes: int | None = None
    """Length of all files; None where one of them has none."""


@contextmanager
def embedded_store(
    directory: Path,
    *,
    alert: Callable[[str], None],
    clock: Clock | None = None,
    fold: Fold | None = None,
    progressives: Fold | None = None,
    observe: Observer | None = None,
    after_step: Callable[[Step], None] | None = None,
    **pace: float,
) -> Iterator[tuple[EmbeddedPipeline, ChdbStore]]:
    """Own a store directory: log, host and history, which others can read meanwhile.

    On an orderly end everything is delivered and a snapshot taken; after an error the store is
    left as it is, and its next owner does the rest again.

    Args:
        directory: The store, made where it does not exist.
        alert: Told what people should know, one line.
        clock: The clock of this machine.
        fold: The fold; that of tables where none is given.
        progressives: The fold of what tables and controllers tell about progressives; the real
            one where none is given.
        observe: Shown every message and its records as they are folded.
        after_step: Called after every step of the hosts; tests stop the world there.
        **pace: Other paces of :class:`~streams.host.partition_host.HostSettings`.

    Raises:
        PathInUseError: Another process owns the log.
        HistoryError: The history cannot be used.
        HostError: What is kept cannot be gone on from.
    """
    clock = clock or SystemClock()
    check_build()
    with own_history(history_path(directory)) as store:
        store.migrate()
        logs, is_empty = logs_of(directory)
        claim_history(
            store, logs, clock.now_us(), place=str(store.path), is_log_empty=is_empty
        )  # before anything is folded into it
        pipeline = EmbeddedPipeline(
            directory,
            fold or TableFold(),
            HistoryOutbox(HistoryWriter(store), clock, observe),
            clock,
            alert=alert,
            progressives=progressives or ProgressiveFold(),
            after_step=after_step,
            **pace,
        )
        with HistoryApi(store):
            try:
                yield pipeline, store
            except BaseException:
                pipeline.abandon()
                raise
            pipeline.close()


def ingest_files(
    pipeline: EmbeddedPipeline,
    paths: Sequence[str],
    report: Callable[[IngestCounts], None] | None = None,
    *,
    marks: IngestMarks | None = None,
    stop: threading.Event | None = None,
    check: Callable[[list[bytes]], None] | None = None,
    waits: Waits = nullcontext,
) -> IngestCounts:
    """Put the events of files into a store and fold them.

    Args:
        pipeline: The store.
        paths: Files with one event a line, maybe gzipped, in the order in which they are read;
            ``-`` is standard input.
        report: Told the counts now and then.
        marks: Where each file is marked as not taken whole until it is.
        stop: Ends the work in good order when set.
        check: Shown each group of new lines before it is taken; may refuse it.
        waits: Entered while a pipe is waited for; a KeyboardInterrupt there ends the work in good
            order, too.

    Returns:
        What became of the lines.

    Raises:
        IngestError: A file cannot be opened; then nothing of any file was taken.
        SpoolFullError: The disk is full; give the same files again when there is room.
    """
    for path in paths:
        _refuse_unreadable(path)
    counts, dead_before = IngestCounts(), pipeline.counts.dead_letters
    pipeline.log.sync()  # after a full disk, what was taken then is still waiting in memory
    run = _Run(pipeline, counts, marks, report, check, waits)
    run.take(paths, stop or threading.Event())
    pipeline.catch_up()  # what an earlier try left in the log, too
    pipeline.deliver()
    run.note_ended()
    counts.dead_letters = pipeline.counts.dead_letters - dead_before
    counts.waiting = [line for state in pipeline.host.states for line in _waits(state)]
    return counts


class _Run:
    """One run over files, group by group."""

    def __init__(
        self,
        pipeline: EmbeddedPipeline,
        counts: IngestCounts,
        marks: IngestMarks | None,
        report: Callable[[IngestCounts], None] | None,
        check: Callable[[list[bytes]], None] | None,
        waits: Waits,
    ) -> None:
        self._pipeline, self._counts, self._marks = pipeline, counts, marks
        self._report, self._check, self._waits = report, check, waits
        self._known = known_contents(pipeline)
        self._begun: list[IngestMark] = []
        self._is_marked = False
        self._bytes_before = 0
        self._marked_s = time.monotonic()

    def take(self, paths: Sequence[str], stop: threading.Event) -> None:
        """Take files one after the other, until told to stop."""
        self._begun = [mark_of(path) for path in paths]
        lengths = [mark.byte_count for mark in self._begun]
        if None not in lengths:
            self._counts.total_bytes = sum(length or 0 for length in lengths)
        for number, path in enumerate(paths):
            if stop.is_set() or not self._take_file(number, path, stop):
                self._counts.interrupted = self._begun[number:]
                return
            self._bytes_before = self._counts.read_bytes

    def _take_file(self, number: int, path: str, stop: threading.Event) -> bool:
        """Take a file; say whether it was read to its end."""
        group: list[tuple[bytes, bytes]] = []
        is_whole = True
        with _opened(path) as file:
            for raw in _lines_of(path, file, self._counts, self._waits):
                if self._is_new(raw):
                    group.append((key_of(raw), raw))
                if len(group) == GROUP_LINES or self._counts.lines % GROUP_LINES == 0:
                    self._take_group(group)
                    self._tell(number, file)
                    if stop.is_set():
                        is_whole = False
                        break
            self._take_group(group)
            self._tell(number, file)
            is_whole = is_whole and not file.is_broken_off
            if not is_whole and self._is_marked:
                self._mark(self._begun[number])
        return is_whole

    def _is_new(self, raw: bytes) -> bool:
        counts, content = self._counts, _content(raw)
        counts.lines += 1
        if content in self._known:
            counts.known += 1
            return False
        self._known.add(content)
        counts.taken += 1
        return True

    def _take_group(self, group: list[tuple[bytes, bytes]]) -> None:
        if not group:
            return
        if self._check is not None:
            self._check([raw for _, raw in group])
        if not self._is_marked:
            self._is_marked = True
            for mark in self._begun:
                self._mark(mark)
        _take_group(self._pipeline, group, self._counts)
        group.clear()

    def _tell(self, number: int, file: _LineFile) -> None:
        """Say how far the file was read."""
        read_bytes = file.position()
        self._counts.read_bytes = self._bytes_before + read_bytes
        self._begun[number] = replace(self._begun[number], read_bytes=read_bytes)
        if self._is_marked and time.monotonic() - self._marked_s >= MARK_SECONDS:
            self._mark(self._begun[number])
        if self._report is not None:
            self._report(self._counts)

    def _mark(self, mark: IngestMark) -> None:
        self._marked_s = time.monotonic()
        if self._marks is not None:
            self._marks.put(mark)

    def note_ended(self) -> None:
        """Take away the marks of the files that were read to their end."""
        if self._marks is not None:
            for mark in self._begun:
                if not any(mark.is_of(cut) for cut in self._counts.interrupted):
                    self._marks.remove(mark)


def _take_group(
    pipeline: EmbeddedPipeline, group: list[tuple[bytes, bytes]], counts: IngestCounts
) -> None:
    """Put messages into the log and fold them; count those that had been given up as missing."""
    gaps = {
        (state.source_id, feed.feed_id): feed.gaps
        for state in pipeline.host.states
        if isinstance(state, TableState)
        for feed in (state.feed, state.incoming, *state.superseded)
        if feed is not None and feed.gaps
    }
    if gaps:
        counts.late.update(source_id for source_id in _late(group, gaps))
    pipeline.extend(group)
    pipeline.catch_up()


def _late(
    group: list[tuple[bytes, bytes]], gaps: dict[tuple[str, str], tuple[tuple[int, int], ...]]
) -> Iterator[str]:
    """Give the source of each message that lies in a gap of its feed."""
    sources = {source_id.encode(): source_id for source_id, _ in gaps}
    for key, raw in group:
        source_id = sources.get(key)
        if source_id is None:
            continue
        event = orjson.loads(raw)
        sequence = event.get("sequence")
        here = gaps.get((source_id, str(event.get("feed_id"))), ())
        if isinstance(sequence, int) and any(first <= sequence <= last for first, last in here):
            yield source_id


def _waits(state: object) -> Iterator[str]:
    """Say for which event of a source others wait; nothing of them is audited until then."""
    if not isinstance(state, TableState):
        return
    for feed in (state.feed, state.incoming):
        if feed is not None and feed.held:
            first, count = feed.held[0].sequence, len(feed.held)
            missing = f"event {feed.next_sequence}"
            if first - feed.next_sequence > 1:
                missing = f"events {feed.next_sequence} to {first - 1}"
            yield (
                f"{state.source_id}: {counted(count, 'event')} of feed {feed.feed_id} from {first} "
                f"on {'waits' if count == 1 else 'wait'} for {missing}; give the file that has it, "
                "else later events make it a gap"
            )


def ingest_events(
    paths: Sequence[str],
    directory: Path,
    *,
    alert: Callable[[str], None],
    report: Callable[[IngestCounts], None] | None = None,
    stop: threading.Event | None = None,
    waits: Waits = nullcontext,
) -> IngestCounts:
    """Put the events of files into a store directory, made where it does not exist.

    Files without any event make no store.

    Args:
        paths: As for :func:`ingest_files`.
        directory: The store.
        alert: Told what people should know, one line.
        report: Told the counts now and then.
        stop: Ends the work in good order when set.
        waits: As for :func:`ingest_files`.

    Raises:
        IngestError: A file cannot be opened, no line is an event, or simulated and real play would
            stand beside each other; then nothing of any file was taken.
        HistoryError, HostError, PathInUseError, SpoolError: As for :func:`embedded_store`.
    """
    survey = surveyed(paths)
    before = FolderBefore.of(directory)
    is_made_here, is_used = False, True
    try:
        with embedded_store(directory, alert=alert) as (pipeline, store):
            is_made_here = not before.holds(HISTORY_FOLDER) and not pipeline.next_offset
            check = _refuse_other_play(survey, store)
            check([])
            counts = ingest_files(
                pipeline,
                paths,
                report,
                marks=IngestMarks(store.path),
                stop=stop,
                check=None if survey.is_whole else check,
                waits=waits,
            )
            is_used = counts.taken > counts.dead_letters
    except BaseException:
        is_used = _holds_messages(directory)
        raise
    finally:
        if is_made_here and not is_used:
            before.remove_made(history_path(directory).absolute(), *STORE_FOLDERS)
    if not is_used and is_made_here and not counts.interrupted:
        raise IngestError(f"{', '.join(paths)}: {_no_event(paths)}")
    return counts


def surveyed(paths: Sequence[str]) -> Survey:
    """Look at files before a store is made for them.

    Raises:
        IngestError: One cannot be opened, no line is an event, or simulated and real play stand
            beside each other.
    """
    survey = Survey()
    for path in paths:
        _refuse_unreadable(path)
        if path == STANDARD_INPUT or not Path(path).is_file():
            survey.is_whole = False  # what is read of it here would be gone
            continue
        with _opened(path) as file:
            survey.look_at(_lines_of(path, file, IngestCounts()))
    if survey.is_whole and not survey.has_event:
        raise IngestError(f"{', '.join(paths)}: {_no_event(paths)}")
    if survey.mixed_line is not None:
        raise IngestError(f"{', '.join(paths)}: {survey.mixed_line}; nothing was taken")
    return survey


def _no_event(paths: Sequence[str]) -> str:
    named = shlex.quote(paths[0])
    return f"no line is an event; nothing was taken; ladderman conform {named} says what each lacks"


def _refuse_other_play(survey: Survey, store: ChdbStore) -> Callable[[list[bytes]], None]:
    """Give what refuses lines of another kind of play than the store holds."""
    held = holdings_of(store, f"history {store.path}", store.path)

    def check(lines: list[bytes]) -> None:
        survey.look_at(lines)
        line = survey.mixed_line or survey.refusal(
            held.place, has_simulated=held.has_simulated, has_real=held.has_real
        )
        if line is not None:
            raise IngestError(line)

    return check


def _holds_messages(directory: Path) -> bool:
    """Say whether anything was taken into the log of a store before its end was wanted."""
    log = directory / LOG_DIRECTORY
    return any(file.stat().st_size for file in log.glob(f"*{SUFFIX}"))


def known_contents(pipeline: EmbeddedPipeline) -> set[bytes]:
    """Read what is in the log, as 16 bytes of each message's SHA-256; 100 bytes of memory each."""
    return {_content(entry.raw) for entry in pipeline.log.entries()}


def _content(raw: bytes) -> bytes:
    return hashlib.sha256(raw).digest()[:16]


def _refuse_unreadable(path: str) -> None:
    if path == STANDARD_INPUT:
        return
    try:
        with Path(path).open("rb"):
            pass
    except IsADirectoryError:
        raise IngestError(f"{path}: is a folder; name files of events") from None
    except (OSError, ValueError) as error:
        raise IngestError(f"{path}: {why_not_opened(error)}; nothing was taken") from None


def _lines_of(
    path: str, file: _LineFile, counts: IngestCounts, waits: Waits = nullcontext
) -> Iterator[bytes]:
    """Give the lines of a file without their ends; blank ones are left out."""
    number = 0
    try:
        while raw := file.next_line(waits):
            number += 1
            file.read_bytes += len(raw)
            if len(raw) == LINE_BYTES_MAX and not raw.endswith(b"\n"):
                counts.cut += 1
                _skip_line(file.lines)
            if raw.endswith(b"\n"):
                raw = raw[: -2 if raw.endswith(b"\r\n") else -1]
            if raw.strip():
                yield raw
    except BROKEN_FILE as error:
        counts.broken.append(
            f"{path}: breaks off after line {number} ({why_broken(error)}); "
            "give the rest in a file of its own"
        )


@dataclass(slots=True)
class _LineFile:
    """An open file of lines."""

    lines: io.BufferedIOBase
    packed: io.BufferedReader | None
    """The file itself, maybe gzipped; None where it says no position."""
    read_bytes: int = 0
    """Length of the lines that were read."""

    is_broken_off: bool = False
    """Somebody wanted the end while more was waited for."""

    def next_line(self, waits: Waits) -> bytes:
        """Read a line; nothing at the end."""
        if self.packed is not None:
            return self.lines.readline(LINE_BYTES_MAX)
        try:
            with waits():
                return self.lines.readline(LINE_BYTES_MAX)
        except KeyboardInterrupt:
            self.is_broken_off = True
            return b""

    def position(self) -> int:
        """Say how many of the file's own bytes were read."""
        return self.read_bytes if self.packed is None else self.packed.tell()


@contextmanager
def _opened(path: str) -> Iterator[_LineFile]:
    if path == STANDARD_INPUT:
        yield _LineFile(unpacked(standard_input()), None)
        return
    with Path(path).open("rb") as file:
        yield _LineFile(unpacked(file), file if file.seekable() else None)


def _skip_line(file: io.BufferedIOBase) -> None:
    while rest := file.readline(_CHUNK):
        if rest.endswith(b"\n"):
            return
