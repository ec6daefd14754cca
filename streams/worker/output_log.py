"""The log lines of a worker about its outputs: findings, dead letters and amended coups.

Each is a line with its source and coup. A flood of them, as of a paytable that is wrong for a whole
shift, is counted after the first: the topics have every one, and a log that nobody reads has none.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from auditors.catalogue.places import opening_id, place_words
from schemas.findings import Finding
from schemas.instants import instant_text
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, RecordKind
from streams.host.dead_letters import DeadLetter
from streams.host.ports import LogEntry, Outbox
from streams.kafka.finding_changes import FindingChange, FindingChanges
from streams.process.clock import Clock
from streams.process.logs import Said

LINES_MAX: Final = 200
"""The most lines about outputs within :data:`WINDOW_S`; the rest is counted."""

WINDOW_S: Final = 10.0

_DETAIL_MAX: Final = 300

_OF_LEDGERS: Final = frozenset(
    {
        RecordKind.LEDGER,
        RecordKind.READING,
        RecordKind.HIT,
        RecordKind.PROGRESSIVE_DAY,
        RecordKind.PROGRESSIVE,
    }
)


class OutputLog:
    """Writes lines about what the hosts of a worker put out."""

    def __init__(self, log: logging.Logger, clock: Clock) -> None:
        """Have written nothing."""
        self._log, self._clock = log, clock
        self._changes = FindingChanges()
        self._left_out: Counter[str] = Counter()
        self._withdrawn: Counter[tuple[bool, int]] = Counter()
        self._began_s = clock.monotonic_s()
        self._written = 0

    def records(self, partition: int, records: Sequence[Record]) -> None:
        """Tell of the findings that are new, changed or withdrawn, and of amended coups."""
        for record in records:
            if record.cause == "amended" and record.kind is RecordKind.COUP:
                words = f"{record.table_id}: coup {record.subject} amended: late events are in it"
                about = {"coup": record.subject, "source": record.table_id}
                self._write("amended coups", words, partition, record, about)
            for change in self._changes.of(record):
                self._finding(partition, record, change)

    def _finding(self, partition: int, record: Record, change: FindingChange) -> None:
        one = change.finding
        if one is not None:
            word = "changed: " if change.word == "changed" else ""
            about: dict[str, str | None] = {
                "source": one.source,
                "coup": one.coup,
                "finding": one.id,
                "code": one.code.value,
                "severity": one.severity.value,
                "title": one.title,
                "occurred_at": _instant(one),
            }
            place = place_words(one)
            words = f"finding {opening_id(one)} {one.code.value} {word}{place}: {one.sentence}"
            self._write("findings", words, partition, record, about)
            return
        self._withdrawn[record.kind in _OF_LEDGERS, partition] += 1
        coup = record.subject if record.kind is RecordKind.COUP else None
        about = {"source": record.table_id, "coup": coup, "finding": change.finding_id}
        words = f"{record.table_id}: finding {change.finding_id} withdrawn"
        self._write("withdrawn findings", words, partition, record, about)

    def withdrawn(self, partition: int, *, of_ledgers: bool = False) -> int:
        """Say how many findings of a partition were withdrawn."""
        return self._withdrawn[of_ledgers, partition]

    def dead_letter(self, letter: DeadLetter) -> None:
        """Tell of a message that could not be read."""
        source = letter.key.decode("ascii", "backslashreplace")[:64] or None
        line = Said(
            f"dead letter {letter.letter_id}: {letter.reason}: {letter.detail[:_DETAIL_MAX]}",
            source=source,
            reason=letter.reason,
            partition=letter.origin.partition,
            offset=letter.offset,
        )
        if self._may_write("dead letters"):
            self._log.warning(line)

    def _write(
        self, what: str, words: str, partition: int, record: Record, about: Mapping[str, str | None]
    ) -> None:
        if self._may_write(what):
            before = "progressives, " * (record.kind in _OF_LEDGERS)
            place = {"shoe": record.shoe_id, "partition": partition, "offset": record.offset}
            self._log.info(Said(before + words, **about, **place))

    def _may_write(self, what: str) -> bool:
        if self._clock.monotonic_s() - self._began_s >= WINDOW_S:
            self.sum_up()
        self._written += 1
        if self._written <= LINES_MAX:
            return True
        self._left_out[what] += 1
        return False

    async def run(self) -> None:
        """Say what was only counted also where nothing more comes."""
        while True:
            await asyncio.sleep(WINDOW_S)
            self.sum_up()

    def sum_up(self) -> None:
        """Say what was only counted, and begin to count anew."""
        if self._left_out:
            counts = ", ".join(f"{count:,} {what}" for what, count in self._left_out.items())
            self._log.warning(
                f"{counts} more than the log shows in {WINDOW_S:g} s; the topics have them all"
            )
        self._left_out.clear()
        self._began_s, self._written = self._clock.monotonic_s(), 0


def _instant(found: Finding) -> str | None:
    return None if found.occurred_at_us is None else instant_text(found.occurred_at_us)


class LoggedOutbox:
    """An outbox whose outputs are told of, whichever way they are sent."""

    def __init__(self, outbox: Outbox, log: OutputLog, partition: int) -> None:
        """Send through another outbox."""
        self._put: Callable[..., None] = outbox.put
        self._told, self._partition = log, partition
        self.make_room, self.flush = outbox.make_room, outbox.flush

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave."""
        self._put(entry, records, dead_letter, inputs)
        if records:
            self._told.records(self._partition, records)
        if dead_letter is not None:
            self._told.dead_letter(dead_letter)
