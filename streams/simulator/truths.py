"""What an audit has to find of one planted fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.findings import FindingCode
from schemas.money import DEFAULT_CURRENCY, format_minor

TRUTH_SCHEMA: Final = "ladderman.truth/1"
"""Name and version of the shape of a truth line."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One planted fault, and exactly what an audit has to find there."""

    plant: str
    source: str
    shoe: str | None
    coup: str | None
    codes: tuple[FindingCode, ...]
    """The codes found there, one entry for each finding."""
    difference_minor: int | None = None
    """Money by which the record differs, over all of its findings."""
    currency: str = DEFAULT_CURRENCY
    note: str = ""
    is_dead_letter: bool = False
    """What was planted is no event: a line of a file is found, in a stream it is a dead letter."""

    @property
    def codes_in_stream(self) -> tuple[FindingCode, ...]:
        """The codes found where events come by a log and not by a file."""
        return () if self.is_dead_letter else self.codes

    def as_json(self) -> dict[str, object]:
        """Give the truth in the shape ``ladderman.truth/1``."""
        difference = self.difference_minor
        return {
            "schema": TRUTH_SCHEMA,
            "plant": self.plant,
            "source": self.source,
            "shoe": self.shoe,
            "coup": self.coup,
            "codes": [code.value for code in self.codes],
            "difference": None if difference is None else format_minor(difference, self.currency),
            "currency": self.currency,
            "note": self.note,
        }
