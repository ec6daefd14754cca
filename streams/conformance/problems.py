"""The problems that a feed can have: what is wrong, where, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PROBLEM_SCHEMA: Final = "ladderman.conformance-problem/1"
"""Name and version of the shape of one problem."""


class Level(StrEnum):
    """Whether a feed with this problem conforms."""

    ERROR = "error"
    """It does not."""

    HINT = "hint"
    """It does; the maker may still want to know. Said once a feed."""


class Rule(StrEnum):
    """Which demand of ``feed.md`` is not met; beside these stand the reasons of refusal."""

    ORDER = "order"
    """Events do not stand in the order of the numbering."""

    GAP = "gap"
    """Numbers are missing."""

    CONFLICT = "conflict"
    """A number was used for other bytes."""

    SENT_AGAIN = "sent_again"
    """The same event again, byte by byte."""

    CHAIN = "chain"
    """``previous_hash`` is not the hash of the event before."""

    CLOCK = "clock"
    """``occurred_at`` goes back, or does not fit the gaming date."""

    HEARTBEAT = "heartbeat"
    """Too long without an event."""

    FEED = "feed"
    """How feeds begin and follow each other."""

    VERSION = "version"
    """An old version of an event."""

    FORM = "form"
    """Allowed, and not the canonical form."""

    KIND = "kind"
    """A table says what a controller says, or the other way round."""

    TABLE = "table"
    """Opening and closing of the table, its counts, its staff."""

    SHOE = "shoe"
    """Loading, burning and ending of a shoe."""

    COUP = "coup"
    """Beginning, parts and end of a coup."""

    WAGER = "wager"
    """Wagers that are not placed, not settled, settled twice."""

    NAME = "name"
    """A wager or seat that nobody knows by this name."""

    SUBMISSION = "submission"
    """The filing that a table carries contradicts itself or the law."""

    REFERENCE = "reference"
    """An id that was not heard before."""

    ID = "id"
    """An id that was used before."""

    REPORTS = "reports"
    """What is sent, against what ``reports`` promises."""

    METER = "meter"
    """Counts of a controller that fall or jump, readings that are missing."""

    BREAKS_OFF = "breaks_off"
    """The file is damaged from here on."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    line: int
    rule: str
    level: Level
    problem: str
    """What is wrong, as a clause."""
    advice: str
    """How to mend it, as a clause."""
    source: str | None = None
    feed: str | None = None
    sequence: int | None = None
    type: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the shape ``ladderman.conformance-problem/1``."""
        return {
            "schema": PROBLEM_SCHEMA,
            "line": self.line,
            "source": self.source,
            "feed": self.feed,
            "sequence": self.sequence,
            "type": self.type,
            "level": self.level.value,
            "rule": self.rule,
            "problem": self.problem,
            "advice": self.advice,
        }


@dataclass(frozen=True, slots=True)
class Said:
    """A problem without its place, as the checks say it."""

    rule: Rule
    problem: str
    advice: str
    level: Level = Level.ERROR
    once: str = ""
    """Not empty: said once a feed for each of these words."""
