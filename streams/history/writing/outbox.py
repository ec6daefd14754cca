"""The outbox of one machine: writes what a host puts out to the history, in batches.

Every message gives its raw event or its dead letter, and its records. They are written in the
order in which they were put, one batch at a time, by a thread of their own; the fold goes on
meanwhile. A batch that failed is never stepped over: the host stops and a later one writes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, encode_record
from streams.history.writing.entries import DeadLetter as StoredLetter
from streams.history.writing.entries import KnownRecord, ReceivedEvents
from streams.history.writing.received_events import events_folded
from streams.host.dead_letters import DeadLetter
from streams.host.ports import LogEntry
from streams.process.clock import Clock

BATCH_MESSAGES: Final = 50_000
"""The most messages of one batch: a batch costs the engine 0.1 s, however small.
Snapshots write out what there is every few seconds, so that few batches grow so large."""

BATCH_BYTES: Final = 32 * 1024 * 1024
"""The most bytes of one batch."""


Observer: TypeAlias = Callable[[LogEntry, Sequence[Record]], None]
"""Is shown every message and its records as they are put; after a restart some come again."""


class BatchWriter(Protocol):
    """Writes to a history; :class:`streams.history.writing.writer.HistoryWriter` is one."""

    def write(
        self,
        records: Iterable[KnownRecord] = ...,
        events: ReceivedEvents = ...,
        dead_letters: Sequence[StoredLetter] = ...,
    ) -> object:
        """Write a batch; all of it is durable when this returns."""
        ...


@dataclass(slots=True)
class _Batch:
    """What waits to be written, in the order in which it was put."""

    messages: list[LogEntry] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    byte_count: int = 0


class HistoryOutbox:
    """Puts a host's outputs into a history."""

    def __init__(
        self,
        writer: BatchWriter,
        clock: Clock,
        observe: Observer | None = None,
    ) -> None:
        """Begin with nothing to write.

        Args:
            writer: Writes batches.
            clock: Says when a batch became known.
            observe: Shown what is put.
        """
        self._writer = writer
        self._clock = clock
        self._observe = observe
        self._batch = _Batch()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._writing: Future[None] | None = None

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave; what ledgers are told is another outbox's matter."""
        del inputs
        batch = self._batch
        if dead_letter is None:
            batch.messages.append(entry)
            batch.records.extend(records)
        else:
            batch.letters.append(dead_letter)
        batch.byte_count += len(entry.raw)
        if self._observe is not None:
            self._observe(entry, records)

    def of_ledgers(self) -> LedgerOutbox:
        """Give an outbox into the same history for what is no event of a source."""
        return LedgerOutbox(self)

    def put_derived(
        self, entry: LogEntry, records: Sequence[Record], dead_letter: DeadLetter | None
    ) -> None:
        """Take what folding a message gave that no device sent: it is not kept as an event."""
        batch = self._batch
        batch.records.extend(records)
        if dead_letter is not None:
            batch.letters.append(dead_letter)
        batch.byte_count += len(entry.raw)
        if self._observe is not None and records:
            self._observe(entry, records)

    async def make_room(self) -> None:
        """Write what waits once it is a batch; wait only for the batch before it."""
        batch = self._batch
        count = max(len(batch.messages), len(batch.records))
        if count >= BATCH_MESSAGES or batch.byte_count >= BATCH_BYTES:
            self._begin_writing()

    async def flush(self) -> None:
        """Write everything that was put."""
        self._begin_writing()
        self._wait()

    def _begin_writing(self) -> None:
        self._wait()
        batch, self._batch = self._batch, _Batch()
        if batch.messages or batch.records or batch.letters:
            self._writing = self._thread.submit(self._write, batch)

    def _wait(self) -> None:
        # A failed batch raises here, again and again: nothing behind it is ever written.
        if self._writing is not None:
            self._writing.result()

    def _write(self, batch: _Batch) -> None:
        known_at_us, events = self._clock.now_us(), ReceivedEvents()
        for some in events_folded(batch.messages, known_at_us):
            events.extend(some)
        self._writer.write(
            (KnownRecord(record, encode_record(record), known_at_us) for record in batch.records),
            events,
            [stored_letter(letter, known_at_us) for letter in batch.letters],
        )

    def close(self) -> None:
        """Let the thread go; what was not flushed is not written."""
        self._thread.shutdown(wait=True, cancel_futures=True)


class LedgerOutbox:
    """Puts the records of ledgers into the history of the tables, in batches with theirs."""

    def __init__(self, outbox: HistoryOutbox) -> None:
        """Put through the outbox of the tables."""
        self._outbox = outbox

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message to a ledger gave."""
        del inputs  # a ledger tells nobody
        self._outbox.put_derived(entry, records, dead_letter)

    async def make_room(self) -> None:
        """Write what waits once it is a batch."""
        await self._outbox.make_room()

    async def flush(self) -> None:
        """Write everything that was put."""
        await self._outbox.flush()


def stored_letter(letter: DeadLetter, known_at_us: int) -> StoredLetter:
    """Describe a dead letter as the history keeps it."""
    return StoredLetter(
        origin_topic=letter.origin.log_id,
        origin_partition=letter.origin.partition,
        origin_offset=letter.offset,
        content_hash=letter.sha256,
        byte_count=letter.length,
        reason=letter.reason,
        detail=letter.detail,
        source_id=letter.key.decode("ascii") if letter.key.isascii() and letter.key else None,
        feed_id=None,
        sequence=None,
        raw_bytes=letter.head,
        known_at_us=known_at_us,
    )
