"""Facts about a Rules Submission that contradicts a condition of offering."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, FactsPart, Name, Words


class FilingDefect(FactsPart):
    """A field of a Rules Submission contradicts the conditions under which it may be offered."""

    kind: Literal["filing_defect"] = "filing_defect"
    field: Name
    """Where it stands in the filing: ``wagers[golden_talons].paytable``."""
    wager_name: Name | None = None
    """The wager that it is about, as its section prints it; None where it is about none."""
    problems: Annotated[tuple[Words, ...], Field(min_length=1, max_length=PARTS_MAX)]
    """What does not fit, a clause each."""


FilingFacts: TypeAlias = FilingDefect
"""Facts of findings about the conditions of offering."""
