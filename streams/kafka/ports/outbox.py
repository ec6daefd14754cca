"""Records, findings and dead letters of one partition, put onto their topics in fold order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from aiokafka import AIOKafkaProducer

from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record, RecordKind, encode_record
from streams.host.dead_letters import DeadLetter, encode_dead_letter
from streams.host.ports import LogEntry
from streams.kafka.finding_changes import FindingChange, FindingChanges
from streams.kafka.partitioning import partition_of
from streams.kafka.ports.sending import send

UNACKNOWLEDGED_MAX: Final = 2_000
"""The most messages on their way before the host waits."""

TURN: Final = 32
"""Requests for room after which a host that folds on lets others of its process go on.

By count and not by time: on a busy machine short turns would make small requests, and it busier.
"""

FINDING_CHANGE_SCHEMA: Final = "ladderman.finding-change/1"
"""Name and version of a message about one finding."""


class OutputLostError(Exception):
    """The broker did not take an output; the host stops, and the next one puts it out again."""


@dataclass(frozen=True, slots=True)
class OutputTopics:
    """Names of the topics that a host writes to."""

    verdicts: str
    findings: str
    dead_letters: str
    progressive_inputs: str = ""
    """Where the fold of the tables puts what ledgers are told; ledgers tell nobody."""
    partitions: int | None = None
    """How many partitions each has; None: the producer finds out, for every message anew."""

    @property
    def names(self) -> tuple[str, ...]:
        """Give all of them."""
        all_of_them = (self.verdicts, self.findings, self.dead_letters, self.progressive_inputs)
        return tuple(topic_name for topic_name in all_of_them if topic_name)


class KafkaOutbox:
    """Sends a host's outputs through an idempotent producer, without waiting for each."""

    def __init__(self, producer: AIOKafkaProducer, topics: OutputTopics) -> None:
        """Send with a started producer that keeps the order of each partition."""
        self._producer, self._topics = producer, topics
        self._queued: list[tuple[str, bytes, bytes]] = []
        self._unacknowledged = 0
        self._failure: BaseException | None = None
        self._waiting: tuple[int, asyncio.Future[None]] | None = None
        self._asked = 0
        self._changes = FindingChanges()

    @property
    def unacknowledged(self) -> int:
        """How many messages are on their way."""
        return self._unacknowledged + len(self._queued)

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave, without waiting for its delivery."""
        self._raise_failure()
        for record in records:
            key = record.table_id.encode()
            self._queued.append((self._topics.verdicts, key, encode_record(record)))
            if record.kind is not RecordKind.CHECKPOINT:
                for change in self._changes.of(record):
                    self._queued.append((self._topics.findings, key, _message(change, record)))
        for said in inputs:
            key = said.progressive_id.encode()
            self._queued.append(
                (self._topics.progressive_inputs, key, encode_progressive_input(said))
            )
        if dead_letter is not None:
            key = f"{dead_letter.origin.log_id}/{dead_letter.origin.partition}".encode()
            self._queued.append((self._topics.dead_letters, key, encode_dead_letter(dead_letter)))
        del entry

    async def make_room(self) -> None:
        """Hand over what was put, and wait while too much is undelivered."""
        if self._queued:
            await self._hand_over()
        if self._unacknowledged > UNACKNOWLEDGED_MAX:
            await self._wait_for(UNACKNOWLEDGED_MAX // 2)
        self._asked += 1
        if not self._asked % TURN:
            await asyncio.sleep(0)

    async def flush(self) -> None:
        """Wait until everything that was put is delivered."""
        await self._hand_over()
        if self._unacknowledged:
            await self._wait_for(0)
        self._raise_failure()

    async def _hand_over(self) -> None:
        self._raise_failure()
        queued, self._queued = self._queued, []
        count = self._topics.partitions
        for topic, key, value in queued:
            at = None if count is None else partition_of(key, count)
            future = await send(self._producer, topic, (key, value), at)
            self._unacknowledged += 1
            future.add_done_callback(self._delivered)

    async def _wait_for(self, few: int) -> None:
        """Wait until no more than so many are on their way."""
        arrived = asyncio.get_running_loop().create_future()
        self._waiting = (few, arrived)
        try:
            await arrived
        finally:
            self._waiting = None
        self._raise_failure()

    def _delivered(self, future: asyncio.Future[object]) -> None:
        self._unacknowledged -= 1
        if future.cancelled():
            self._failure = self._failure or asyncio.CancelledError("the producer was closed")
        elif future.exception() is not None:
            self._failure = self._failure or future.exception()
        if self._waiting is not None:
            few, arrived = self._waiting
            if not arrived.done() and (self._failure or self._unacknowledged <= few):
                arrived.set_result(None)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            why = str(self._failure) or type(self._failure).__name__
            raise OutputLostError(f"an output was not delivered: {why}") from self._failure


def _message(change: FindingChange, record: Record) -> bytes:
    document: dict[str, object] = {
        "schema": FINDING_CHANGE_SCHEMA,
        "change": change.word,
        "id": change.finding_id,
        "table": record.table_id,
        "subject": record.subject,
        "version": record.version,
    }
    if change.finding is not None:
        document["finding"] = change.finding.as_json()
    return orjson.dumps(document)
