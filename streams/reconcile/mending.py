"""Puts what was missing onto the topics as the worker or the publisher would have put it."""

from __future__ import annotations

import asyncio
from typing import Protocol

import orjson
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record, encode_record
from schemas.topics import TopicName, topic
from streams.host.dead_letters import DeadLetter, encode_dead_letter
from streams.host.ports import LogEntry
from streams.kafka.passing_clients import unavailable
from streams.kafka.ports.outbox import FINDING_CHANGE_SCHEMA
from streams.process.settings import KafkaSettings


class Mender(Protocol):
    """Puts onto the topics what is missing."""

    async def republish(self, entry: LogEntry) -> None:
        """Put the bytes of a message onto the log again."""
        ...

    async def emit(self, record: Record) -> None:
        """Put out a record that the worker put out, or would have."""
        ...

    async def emit_amended(self, record: Record, before: Record | None) -> None:
        """Put out a record that replaces another, and what changes about findings."""
        ...

    async def tell(self, said: ProgressiveInput) -> None:
        """Tell the ledger of a progressive what a coup says otherwise."""
        ...

    async def emit_letter(self, letter: DeadLetter) -> None:
        """Put out a dead letter."""
        ...

    async def flush(self) -> None:
        """Wait until all of it is delivered."""
        ...


class KafkaMender:
    """Sends through one idempotent producer."""

    def __init__(self, producer: AIOKafkaProducer, settings: KafkaSettings) -> None:
        """Send with a started producer.

        Args:
            producer: Idempotent.
            settings: Say what the topics are called.
        """
        self._producer, self._settings = producer, settings
        self._waiting: list[asyncio.Future[object]] = []

    async def republish(self, entry: LogEntry) -> None:
        """Put the bytes of a message onto the log again; the fold lets a repeat pass."""
        await self._send(TopicName.EVENTS, entry.key, entry.raw)

    async def emit(self, record: Record) -> None:
        """Put out a record; nothing is said about findings, which may have changed since."""
        await self._send(TopicName.VERDICTS, record.table_id.encode(), encode_record(record))

    async def emit_amended(self, record: Record, before: Record | None) -> None:
        """Put out a record that replaces another, and what changes about findings."""
        await self.emit(record)
        for change in finding_changes(record, before):
            await self._send(TopicName.FINDINGS, record.table_id.encode(), change)

    async def tell(self, said: ProgressiveInput) -> None:
        """Tell the ledger of a progressive what a coup says otherwise; it lets a repeat pass."""
        key, raw = said.progressive_id.encode(), encode_progressive_input(said)
        await self._send(TopicName.PROGRESSIVE_INPUTS, key, raw)

    async def emit_letter(self, letter: DeadLetter) -> None:
        """Put out a dead letter."""
        key = f"{letter.origin.log_id}/{letter.origin.partition}".encode()
        await self._send(TopicName.DEAD_LETTERS, key, encode_dead_letter(letter))

    async def flush(self) -> None:
        """Wait until all of it is delivered.

        Raises:
            KafkaUnavailableError: Something was not; the next round finds it again.
        """
        waiting, self._waiting = self._waiting, []
        try:
            await asyncio.gather(*waiting)
        except KafkaError as error:
            raise unavailable(self._settings, error) from None

    async def _send(self, name: TopicName, key: bytes, value: bytes) -> None:
        full_name = topic(name).full_name(self._settings.prefix)
        try:
            self._waiting.append(await self._producer.send(full_name, value=value, key=key))
        except KafkaError as error:
            raise unavailable(self._settings, error) from None


def finding_changes(record: Record, before: Record | None) -> list[bytes]:
    """Say which findings of a subject are new, changed or withdrawn.

    Args:
        record: What stands from now on.
        before: What stood; None: nothing did.
    """
    old = {finding.id: finding for finding in before.findings} if before is not None else {}
    new = {finding.id: finding for finding in record.findings}
    about = {"table": record.table_id, "subject": record.subject, "version": record.version}
    changes: list[dict[str, object]] = [
        {
            "schema": FINDING_CHANGE_SCHEMA,
            "change": "changed" if finding.id in old else "new",
            "id": finding.id,
            **about,
            "finding": finding.as_json(),
        }
        for finding in record.findings
        if old.get(finding.id) != finding
    ]
    changes += [
        {"schema": FINDING_CHANGE_SCHEMA, "change": "withdrawn", "id": finding_id, **about}
        for finding_id in old
        if finding_id not in new
    ]
    return [orjson.dumps(change) for change in changes]
