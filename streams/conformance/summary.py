"""The summary of a checked file of events: what it held, and whether it conforms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

CONFORMANCE_SCHEMA: Final = "ladderman.conformance/1"
"""Name and version of the summary document."""


@dataclass(frozen=True, slots=True)
class FeedSummary:
    """One feed of a file."""

    source: str
    feed: str
    kind: str | None
    events: int
    first_sequence: int
    last_sequence: int
    missing: int
    """Numbers between the first event and the last that did not come."""

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``feeds``."""
        return {
            "source": self.source,
            "feed": self.feed,
            "kind": self.kind,
            "events": self.events,
            "first_sequence": self.first_sequence,
            "last_sequence": self.last_sequence,
            "missing": self.missing,
        }


@dataclass(slots=True)
class ConformanceSummary:
    """What was in a file."""

    lines: int = 0
    """Lines with something on them."""
    types: Counter[str] = field(default_factory=Counter)
    """Readable events by type."""
    errors: Counter[str] = field(default_factory=Counter)
    """By rule."""
    hints: Counter[str] = field(default_factory=Counter)
    """By rule, repeated ones too."""
    feeds: tuple[FeedSummary, ...] = ()
    is_simulated: bool = False

    @property
    def is_conforming(self) -> bool:
        """Whether nothing has to be mended."""
        return not self.errors

    @property
    def has_events(self) -> bool:
        """Whether anything could be read."""
        return bool(self.types)

    def as_json(self, file: str) -> dict[str, object]:
        """Give the document ``ladderman.conformance/1``."""
        return {
            "schema": CONFORMANCE_SCHEMA,
            "file": file,
            "conforming": self.is_conforming,
            "simulated": self.is_simulated,
            "lines": self.lines,
            "events": self.types.total(),
            "types": dict(sorted(self.types.items())),
            "errors": dict(sorted(self.errors.items())),
            "hints": dict(sorted(self.hints.items())),
            "feeds": [feed.as_json() for feed in self.feeds],
        }
