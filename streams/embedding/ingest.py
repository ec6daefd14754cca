"""Takes files of events into a store line by line; an event that is given again is taken once.

What is in the log already is left out: the same bytes say the same source, feed and sequence. So
a file may be given again after a crash, or with new lines at its end. Lines that are no event are
put in too, once; they become dead letters with their reason.
"""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson

from auditors.table import TableState
from schemas.words.counting import counted
from streams.embedding.pipeline import EmbeddedPipeline, logs_of
from streams.files.event_keys import key_of
from streams.files.opened_files import (
    BROKEN_FILE,
    STANDARD_INPUT,
    standard_input,
    unpacked,
    why_broken,
    why_not_opened,
)
from streams.history.embedded.store import ChdbStore
from streams.history.log_claim import claim_history
from streams.history.opening import history_path
from streams.history.shared import own_history
from streams.history.sharing.api import HistoryApi
from streams.history.writing.outbox import HistoryOutbox, Observer
from streams.history.writing.writer import HistoryWriter
from streams.host.ledger_fold import ProgressiveFold
from streams.host.ports import Fold
from streams.host.steps import Step
from streams.host.table_fold import TableFold
from streams.process.clock import Clock, SystemClock

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of a longer line the rest is left out; no event is nearly so long."""

GROUP_LINES: Final = 2_000
"""Lines that are made durable at a time."""

_CHUNK: Final = 1024 * 1024


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
) -> IngestCounts:
    """Put the events of files into a store and fold them.

    Args:
        pipeline: The store.
        paths: Files with one event a line, maybe gzipped, in the order in which they are read;
            ``-`` is standard input.
        report: Told the counts now and then.

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
    known = known_contents(pipeline)
    for path in paths:
        group: list[tuple[bytes, bytes]] = []
        for raw in _lines_of(path, counts):
            counts.lines += 1
            content = _content(raw)
            if content in known:
                counts.known += 1
                continue
            known.add(content)
            counts.taken += 1
            group.append((key_of(raw), raw))
            if len(group) == GROUP_LINES:
                _take_group(pipeline, group, counts)
                group.clear()
                if report is not None:
                    report(counts)
        _take_group(pipeline, group, counts)
    pipeline.deliver()
    counts.dead_letters = pipeline.counts.dead_letters - dead_before
    counts.waiting = [line for state in pipeline.host.states for line in _waits(state)]
    return counts


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
) -> IngestCounts:
    """Put the events of files into a store directory; the same as opening and ingesting."""
    with embedded_store(directory, alert=alert) as (pipeline, _):
        return ingest_files(pipeline, paths, report)


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


def _lines_of(path: str, counts: IngestCounts) -> Iterator[bytes]:
    """Give the lines of a file without their ends; blank ones are left out."""
    number = 0
    with _opened(path) as file:
        try:
            while raw := file.readline(LINE_BYTES_MAX):
                number += 1
                if len(raw) == LINE_BYTES_MAX and not raw.endswith(b"\n"):
                    counts.cut += 1
                    _skip_line(file)
                if raw.endswith(b"\n"):
                    raw = raw[: -2 if raw.endswith(b"\r\n") else -1]
                if raw.strip():
                    yield raw
        except BROKEN_FILE as error:
            counts.broken.append(
                f"{path}: breaks off after line {number} ({why_broken(error)}); "
                "give the rest in a file of its own"
            )


@contextmanager
def _opened(path: str) -> Iterator[io.BufferedIOBase]:
    if path == STANDARD_INPUT:
        yield unpacked(standard_input())
        return
    with Path(path).open("rb") as file:
        yield unpacked(file)


def _skip_line(file: io.BufferedIOBase) -> None:
    while rest := file.readline(_CHUNK):
        if rest.endswith(b"\n"):
            return
