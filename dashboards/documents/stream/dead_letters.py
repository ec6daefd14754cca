"""Dead letters: messages that could not be read, with their reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from auditors.clock import instant_of
from dashboards.documents.document import Document
from dashboards.documents.texts import escaped
from streams.host.dead_letters import DEAD_LETTER_SCHEMA
from streams.operating.dead_letter_replay import FoundLetter, LetterCount, source_of

LETTERS_SCHEMA: Final = "ladderman.dead-letters/1"
"""Name and version of the list."""


@dataclass(frozen=True)
class LetterList(Document):
    """Dead letters, latest first, and counts by source: ``ladderman.dead-letters/1``."""

    columns = ("id", "known_at", "source", "reason", "length", "detail", "replayed_to")

    place: str
    """Where they were looked for: the history or the topic."""
    letters: tuple[FoundLetter, ...]
    counts: tuple[LetterCount, ...]
    """Of all, also of those that are not listed."""

    def as_json(self) -> dict[str, object]:
        """Give the whole list."""
        return {
            "schema": LETTERS_SCHEMA,
            "from": self.place,
            "counts": [one._asdict() for one in self.counts],
            "letters": list(self.lines()),
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one letter a line."""
        return [letter_json(one) for one in self.letters]


@dataclass(frozen=True)
class LetterPage(Document):
    """One dead letter with its first bytes."""

    found: FoundLetter
    byte_count: int
    """At most so many bytes are given."""

    def as_json(self) -> dict[str, object]:
        """Give the letter; its bytes in hexadecimal."""
        head = self.found.letter.head[: self.byte_count]
        return {**letter_json(self.found), "head_hex": head.hex()}


def letter_json(found: FoundLetter) -> dict[str, object]:
    """Give one letter without its bytes."""
    letter = found.letter
    return {
        "schema": DEAD_LETTER_SCHEMA,
        "id": letter.letter_id,
        "known_at": put_aside_at(found.known_at_us),
        "source": source_of(letter) or None,
        "reason": letter.reason,
        "detail": escaped(letter.detail),
        "length": letter.length,
        "sha256": letter.sha256,
        "replayed_to": found.replayed_to,
    }


def put_aside_at(at_us: int) -> str:
    """Write the moment at which a letter was put aside."""
    return instant_of(at_us).isoformat(timespec="milliseconds").replace("+00:00", "Z")
