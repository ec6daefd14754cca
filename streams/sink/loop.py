"""The loop of a sink: it reads, writes in a thread, commits after the write, and keeps polling.

While the database is away it holds what it has read, pauses its partitions and goes on polling, so
that it stays a member of its group. A revoked partition is written first, within a limit.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Protocol

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError

from streams.history.store import HistoryError, SchemaError
from streams.history.writing.row_batch import RowBatch
from streams.process.clock import Clock
from streams.sink.batches import Batch, SinkTopics
from streams.sink.beginning import Start, starts_of
from streams.sink.marks import Marks

POLL_MS: Final = 200
RECORDS_MAX: Final = 5_000
RETRY_S_MAX: Final = 5.0
LOOK_WITHIN_S: Final = 3.0
ASK_EVERY_S: Final = 2.0
"""How often the brokers are asked whether they are there: reading alone waits without a word."""
SILENT_S: Final = 7.0
"""Brokers that have not answered for so long are away; it is told within ten seconds."""
MARK_EVERY_S: Final = 10.0
"""Seconds between two marks: what was written since the last may be read again after a crash."""


class SharedHistoryError(Exception):
    """Another sink takes a share of what belongs into a history that only one can write."""


class Writer(Protocol):
    """Writes to a history; :class:`streams.history.writing.writer.HistoryWriter` is one."""

    def write_rows(self, batch: RowBatch) -> object:
        """Write rows; all of them are durable when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """What a sink is told about its topics and its pace."""

    topics: SinkTopics
    partitions: int
    write_every_s: float = 1.0
    """A batch is written at this age even where it is small."""
    revoke_within_s: float = 10.0
    """How long a revoked partition may be written before it is let go."""
    alone_within_s: float | None = None
    """After so long a sink ends that gets a part of the topics only: its history has one writer, so
    another sink has a copy of it. None where several sinks share a history."""


@dataclass(slots=True)
class SinkCounts:
    """What the sink did so far."""

    messages: int = 0
    writes: int = 0
    failures: int = 0
    foreign: int = 0
    """Messages left out because no worker has written them."""
    lost: int = 0
    """Messages that left their topic before they were written."""
    last_failure: str | None = None
    """Why the history cannot be written; None while it can."""
    is_member: bool = False
    """Whether its group has given it its share."""


class Sink(ConsumerRebalanceListener):  # type: ignore[misc]  # no types are shipped
    """Writes one group's share of the topics into a history."""

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        writer: Writer,
        marks: Marks,
        settings: SinkSettings,
        clock: Clock,
        alert: Callable[[str], None],
    ) -> None:
        """Write nothing yet.

        Args:
            consumer: Started, of a group, committing nothing by itself.
            writer: Writes batches; called from one thread at a time.
            marks: How far the history was written; likewise.
            settings: Topics and pace.
            clock: For the pace only.
            alert: Told what people should know, one line.
        """
        self._consumer, self._writer, self._marks = consumer, writer, marks
        self._settings = settings
        self._clock, self._alert = clock, alert
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._batch = Batch()
        self._began_s = clock.monotonic_s()
        self._writing: asyncio.Task[None] | None = None
        self._read_to: dict[TopicPartition, int] = {}
        self._to_begin: set[TopicPartition] = set()
        """Partitions of which it is not known yet where reading begins."""
        self._to_mark: dict[TopicPartition, int] = {}
        """What was written and is not marked in the history yet."""
        self._marked: set[TopicPartition] = set()
        """Partitions that were marked since they were given to us."""
        self._marked_at_s = self._began_s
        self._begin_failure: str | None = None
        self._partial_since_s: float | None = None
        self._answered_s = self._began_s
        self._is_revoking = False
        """While what was read is written for the last time; nothing may overtake it."""
        self._commits = True
        self.counts = SinkCounts()

    @property
    def waiting_messages(self) -> int:
        """How many messages were read and are not being written yet."""
        return self._batch.messages

    def problems(self) -> list[str]:
        """Say what keeps it from its work; nothing where it does it."""
        found = []
        if not self.counts.is_member:
            found.append("waiting for a share of the topics")
        silent_s = self._clock.monotonic_s() - self._answered_s
        if silent_s > SILENT_S:
            found.append(
                f"the brokers have not answered for {silent_s:.0f} s; what is read is kept, see "
                "infra/runbook/KafkaUnreachable.md"
            )
        if self._begin_failure is not None:
            found.append(f"not known yet where to begin: {self._begin_failure}")
        if self.counts.last_failure is not None:
            found.append(self.counts.last_failure)
        return found

    def lags(self) -> dict[str, int]:
        """Say for each partition how many messages were not read yet, as far as is known."""
        found = {}
        for at, offset in list(self._read_to.items()):
            end = self._consumer.highwater(at) if at in self._consumer.assignment() else None
            if end is not None:
                found[f"{at.topic}/{at.partition}"] = max(0, end - offset)
        return found

    async def watch(self) -> None:
        """Ask the brokers again and again whether they are there, until cancelled."""
        while True:
            with contextlib.suppress(KafkaError, TimeoutError, OSError):
                async with asyncio.timeout(LOOK_WITHIN_S):
                    await self._consumer.topics()
                self._answered_s = self._clock.monotonic_s()
            await asyncio.sleep(ASK_EVERY_S)

    def subscribe(self) -> None:
        """Join the group."""
        self._consumer.subscribe(list(self._settings.topics.names), listener=self)

    def take_all(self) -> None:
        """Read every partition, in no group: no other process takes a share of it, or gives one."""
        self._commits = False
        self._consumer.assign(
            [
                TopicPartition(name, number)
                for name in self._settings.topics.names
                for number in range(self._settings.partitions)
            ]
        )
        self.counts.is_member = True

    async def run(self, stop: asyncio.Event) -> None:
        """Read and write until told to stop, then write what is left, within a limit.

        Raises:
            SchemaError: The history was written by another version; nothing is committed.
            ForeignVersionError: A worker of another version wrote what stands on the topics.
            SharedHistoryError: Another sink takes a share of what belongs into this history.
        """
        try:
            while not stop.is_set():
                self._refuse_company()
                await self._begin()
                await self._read()
                self._write_if_due()
            try:
                async with asyncio.timeout(self._settings.revoke_within_s):
                    await self._flush()
            except TimeoutError:
                self._alert("the rest could not be written in time; the next sink writes it")
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def drain(self, *, from_start: bool = False) -> None:
        """Read and write until the ends that the topics have now.

        Args:
            from_start: Begin with the oldest messages kept, whatever was committed.
        """
        while not (assigned := self._consumer.assignment()):
            await self._consumer.getmany(timeout_ms=POLL_MS)
        if from_start:
            self._batch = Batch()
            await self._consumer.seek_to_beginning(*assigned)
        ends = await self._consumer.end_offsets(list(assigned))
        while any([await self._consumer.position(at) < end for at, end in ends.items()]):
            await self._read()
            self._write_if_due()
        await self._flush()

    async def _read(self) -> None:
        """Poll; nothing comes from paused partitions, but the membership lives."""
        self._pause_or_resume()
        found = await self._consumer.getmany(timeout_ms=POLL_MS, max_records=RECORDS_MAX)
        for at, messages in found.items():
            if at in self._to_begin:
                continue  # it is not known yet where to begin; then they are read again
            if self._batch.is_empty:
                self._began_s = self._clock.monotonic_s()
            foreign = self._batch.foreign
            self._batch.add(at, messages, self._settings.topics, self._settings.partitions)
            self.counts.messages += len(messages)
            self._read_to[at] = messages[-1].offset + 1
            if self._batch.foreign > foreign:
                self.counts.foreign += self._batch.foreign - foreign
                self._alert(f"{at.topic} {at.partition}: left out what no worker has written")

    def _pause_or_resume(self) -> None:
        assigned, paused = self._consumer.assignment(), self._consumer.paused()
        if self._batch.is_full and self._writing is not None:
            if open_ones := assigned - paused:
                self._consumer.pause(*open_ones)
        elif paused:
            self._consumer.resume(*(paused & assigned))

    def _write_if_due(self) -> None:
        if self._writing is not None:
            if not self._writing.done():
                return
            self._writing.result()  # what cannot be mended by trying again ends the sink
        if self._is_revoking:
            return
        aged = self._clock.monotonic_s() - self._began_s >= self._settings.write_every_s
        if self._batch.is_empty or not (aged or self._batch.is_full):
            return
        batch, self._batch = self._batch, Batch()
        self._writing = asyncio.create_task(self._write(batch), name="write")

    async def _write(self, batch: Batch) -> None:
        """Write a batch, again and again until it is written, then commit its offsets."""
        await self._until_done(lambda: self._writer.write_rows(batch.rows))
        self.counts.writes += 1
        self._to_mark.update(batch.next_offsets)
        is_late = self._clock.monotonic_s() - self._marked_at_s >= MARK_EVERY_S
        if is_late or not self._marked.issuperset(batch.next_offsets):
            await self._mark()
        await self._commit(batch)

    async def _mark(self) -> None:
        """Note in the history how far it was written."""
        written, self._to_mark = self._to_mark, {}
        if written:
            await self._until_done(lambda: self._marks.note(written))
            self._marked.update(written)
        self._marked_at_s = self._clock.monotonic_s()

    async def _until_done(self, work: Callable[[], object]) -> None:
        """Do something with the history, again and again until it is done."""
        wait_s = 0.1
        while True:
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, work)
                break
            except SchemaError:
                raise
            except HistoryError as error:
                self.counts.failures += 1
                if self.counts.last_failure is None:
                    self._alert(f"the history cannot be written, and is tried again: {error}")
                self.counts.last_failure = str(error)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, RETRY_S_MAX)
        if self.counts.last_failure is not None:
            self._alert("the history is written again")
            self.counts.last_failure = None

    async def _commit(self, batch: Batch) -> None:
        if not self._commits:
            return
        assigned = self._consumer.assignment()
        offsets = batch.without(set(batch.next_offsets) - assigned)
        if not offsets:
            return
        # A commit that fails costs a repeat, which changes nothing that is read.
        with contextlib.suppress(CommitFailedError, IllegalStateError, KafkaError):
            await self._consumer.commit(offsets)

    async def _flush(self) -> None:
        if self._writing is not None:
            # A time limit above stops the waiting, never the writing.
            await asyncio.shield(self._writing)
        batch, self._batch = self._batch, Batch()
        if not batch.is_empty:
            await self._write(batch)
        await self._mark()

    async def on_partitions_revoked(self, revoked: Sequence[TopicPartition]) -> None:
        """Write what was read of partitions that go elsewhere, within a limit."""
        self._partial_since_s = None
        self._is_revoking = True
        # What is still read of them would be written behind a gap, were this not written in time.
        self._to_begin.update(revoked)
        try:
            async with asyncio.timeout(self._settings.revoke_within_s):
                await self._flush()
        except BaseException as error:
            # The next owner reads it again from where the history stands; so does this one.
            self._batch = Batch()
            if not isinstance(error, TimeoutError):
                raise
        finally:
            self._is_revoking = False

    async def on_partitions_assigned(self, assigned: Sequence[TopicPartition]) -> None:
        """Begin anew where the history stands; nothing is remembered from before."""
        self._to_begin = set(assigned)
        self._marked.clear()
        names = self._settings.topics.names
        whole = sum(len(self._consumer.partitions_for_topic(name) or ()) for name in names)
        if len(self._to_begin) < whole:
            self._partial_since_s = self._clock.monotonic_s()
        self.counts.is_member = True

    def _refuse_company(self) -> None:
        """End where another sink has had a part of the topics for longer than a dead one can."""
        limit_s, since_s = self._settings.alone_within_s, self._partial_since_s
        if limit_s is None or since_s is None or self._clock.monotonic_s() - since_s < limit_s:
            return
        raise SharedHistoryError("another sink is given a part of the topics")

    async def _begin(self) -> None:
        """Find out where to begin with partitions that were just given to us."""
        places = self._to_begin & self._consumer.assignment()
        if self._is_revoking or not places:
            return
        try:
            async with asyncio.timeout(LOOK_WITHIN_S):
                starts = await starts_of(self._consumer, self._marks, places)
                # Whoever asks the group how far its history was written hears it from now on.
                if stands := {at: start.offset for at, start in starts.items() if start.offset}:
                    await self._consumer.commit(stands)
        except SchemaError:
            raise
        except (KafkaError, TimeoutError, IllegalStateError, HistoryError) as error:
            self._begin_failure = str(error) or "the brokers do not answer"
            return  # asked again; they are not read before
        self._begin_failure = None
        for at, start in starts.items():
            if at in self._consumer.assignment():
                self._consumer.seek(at, start.offset)
                self._to_begin.discard(at)
        self._tell(starts)

    def _tell(self, starts: Mapping[TopicPartition, Start]) -> None:
        """Say what left its topic before it was written: nobody would miss it."""
        for at, start in starts.items():
            if start.lost:
                self.counts.lost += start.lost
                self._alert(
                    f"{at.topic} {at.partition}: offsets {start.offset - start.lost} to "
                    f"{start.offset - 1} left the topic before they were written; see "
                    "infra/runbook/EventsLostToRetention.md"
                )
        if unread := {at: start for at, start in starts.items() if start.unread}:
            first = min(unread)
            count = unread[first].unread
            more = f" (and {len(unread) - 1} more partitions)" if len(unread) > 1 else ""
            self._alert(
                f"{first.topic} {first.partition}{more} has lost its first {count:,} messages to "
                "retention before this history was begun; where an older history has "
                "them, restore its backup and start the sink with that"
            )
