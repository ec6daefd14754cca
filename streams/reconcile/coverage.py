"""The coverage of the log by the history: counted, and never rounded up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

COVERAGE_SCHEMA: Final = "ladderman.coverage/1"
"""Name and version of the document."""

LISTED_MAX: Final = 20
"""The most of each kind that are listed; all are counted."""

FOUND_KINDS: Final = (
    "events_missing",
    "records_missing",
    "dead_letters_missing",
    "records_conflicting",
    "records_unknown",
    "records_amended",
    "sequence_conflicts",
)
"""What can be found. Each is told from the start: an alert sees only what rises."""


def percent_text(part: int, whole: int) -> str:
    """Give a share with three decimals, cut off, never rounded up: 100.000 means all.

    Args:
        part: At most ``whole``.
        whole: Nothing of nothing is all of it.
    """
    thousandths = 100_000 if whole == 0 else part * 100_000 // whole
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


@dataclass(slots=True)
class TableCoverage:
    """The coups of one table."""

    coups: int = 0
    lacking: int = 0
    """Coups of which the history lacks a version, or has another one."""

    @property
    def covered(self) -> int:
        """Coups of which the history has every version as it must be."""
        return self.coups - self.lacking


@dataclass(slots=True)
class PartitionCoverage:
    """How far one partition could be compared."""

    partition: int
    log_start: int = 0
    log_end: int = 0
    compared_to: int = 0
    """Offset below which everything was compared."""
    obstacle: str | None = None
    """Why nothing, or not all of it, could be compared."""
    not_folded: int = 0
    """Messages at the end of the log that no snapshot of a worker covers."""

    @property
    def waiting(self) -> int:
        """Messages at the end of the log that were not compared."""
        return max(0, self.log_end - self.compared_to)


@dataclass(slots=True)
class Coverage:
    """What was compared, what was found and what was done about it."""

    tables: dict[str, TableCoverage] = field(default_factory=dict)
    partitions: list[PartitionCoverage] = field(default_factory=list)
    events: int = 0
    """Raw events compared; the same for the next two."""
    records: int = 0
    dead_letters: int = 0
    pending: int = 0
    """Records that the sink is about to write."""
    counts: Counter[str] = field(default_factory=Counter)
    """What was found or done, by kind."""
    lines: list[str] = field(default_factory=list)
    """The first of what was found, one line each for people."""

    def found(self, kind: str, line: str) -> None:
        """Note something that was found.

        Args:
            kind: One of :data:`FOUND_KINDS`.
            line: What, where and what was done.
        """
        self.counts[kind] += 1
        if self.counts[kind] <= LISTED_MAX:
            self.lines.append(line)

    @property
    def coups(self) -> int:
        """Coups that the log gives below the watermark."""
        return sum(table.coups for table in self.tables.values())

    @property
    def covered(self) -> int:
        """Coups that the history holds as they must be."""
        return sum(table.covered for table in self.tables.values())

    @property
    def is_complete(self) -> bool:
        """Whether all was compared as far as it was written, is covered, and nothing was found."""
        is_compared = not any(partition.obstacle for partition in self.partitions)
        return is_compared and self.covered == self.coups and not self.counts

    @property
    def percent(self) -> str:
        """The share of coups that are covered, with three decimals."""
        return percent_text(self.covered, self.coups)

    @property
    def waiting(self) -> int:
        """Messages that were published and not compared: the share says nothing of them."""
        return sum(partition.waiting for partition in self.partitions)

    @property
    def not_folded(self) -> int:
        """How many of those no snapshot of a worker covers; the sink has not written the rest."""
        return min(self.waiting, sum(partition.not_folded for partition in self.partitions))

    @property
    def sentence(self) -> str:
        """The figure that people see."""
        if not self.coups:
            return "no coups to cover yet"
        return f"verdicts cover {self.percent} % of {self.coups:,} coups"

    def as_json(self) -> dict[str, object]:
        """Give the document ``ladderman.coverage/1``."""
        return {
            "schema": COVERAGE_SCHEMA,
            "sentence": self.sentence,
            "complete": self.is_complete,
            "coups": self.coups,
            "covered": self.covered,
            "percent": self.percent,
            "events_compared": self.events,
            "records_compared": self.records,
            "dead_letters_compared": self.dead_letters,
            "records_pending": self.pending,
            "messages_waiting": self.waiting,
            "found": dict(sorted(self.counts.items())),
            "lines": list(self.lines),
            "tables": [
                {
                    "table": table,
                    "coups": tally.coups,
                    "covered": tally.covered,
                    "percent": percent_text(tally.covered, tally.coups),
                }
                for table, tally in sorted(self.tables.items())
            ],
            "partitions": [
                {
                    "partition": partition.partition,
                    "log_start": partition.log_start,
                    "log_end": partition.log_end,
                    "compared_to": partition.compared_to,
                    "obstacle": partition.obstacle,
                }
                for partition in self.partitions
            ],
        }
