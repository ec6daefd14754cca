"""An outbox in a file: what was not flushed when its process died is gone, as on a network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import orjson

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from streams.host.dead_letters import DeadLetter, encode_dead_letter
from streams.host.ports import LogEntry
from streams.spool.segments import SegmentedLog
from tests.support.stream.memory_ports import Emitted, emitted_record

_ROOM = 40


class FileOutbox:
    """Outputs in the order in which they became durable, one incarnation after the other."""

    def __init__(self, directory: Path) -> None:
        """Begin an incarnation."""
        self._directory = directory
        self._beside: FileOutbox | None = None
        self._log = SegmentedLog(directory, lambda: 0)
        self._log.append(b"incarnation")
        self._log.sync()

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take outputs; they are not durable yet."""
        for record in records:
            self._append(emitted_record(record))
        if dead_letter is not None:
            key = ("dead-letter", dead_letter.letter_id)
            self._append(Emitted(key, entry.offset, encode_dead_letter(dead_letter)))

    def of_ledgers(self) -> FileOutbox:
        """Give where the records of progressives go: a file of their own beside this one."""
        self._beside = FileOutbox(self._directory.with_name(f"{self._directory.name}-of-ledgers"))
        return self._beside

    def _append(self, emitted: Emitted) -> None:
        raw = base64.b64encode(emitted.raw).decode()
        self._log.append(orjson.dumps([emitted.key, emitted.version, raw]))

    async def make_room(self) -> None:
        """Deliver now and then."""
        if self._log.end - self._log.durable_end > _ROOM:
            self._log.sync()

    async def flush(self) -> None:
        """Deliver everything."""
        self._log.sync()

    def close(self) -> None:
        """Give the file back; an orderly end has flushed."""
        self._log.close()
        if self._beside is not None:
            self._beside.close()


def incarnations(directory: Path) -> list[list[Emitted]]:
    """Read what every incarnation of the host delivered."""
    log = SegmentedLog(directory, lambda: 0)
    found: list[list[Emitted]] = []
    number = 0
    while batch := log.read(number, 10_000):
        for _, payload in batch:
            if payload == b"incarnation":
                found.append([])
            else:
                key, version, raw = orjson.loads(payload)
                found[-1].append(Emitted(tuple(key), version, base64.b64decode(raw)))
        number += len(batch)
    log.close()
    return found
