"""Facts about vigorish: taken, marked, collected late, collected without being due."""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.finding_facts.parts import FactsPart, Name, Whole
from schemas.finding_facts.payment import Reckoning


class VigorishReported(FactsPart):
    """Vigorish was reported otherwise than it was due, though the total paid is right."""

    kind: Literal["vigorish_reported"] = "vigorish_reported"
    wager_name: Name | None
    """None where a seat is settled in one sum."""
    way: Literal["taken", "marked"]
    """How the filing has vigorish kept: taken out of the payment, or marked at the seat."""
    due_minor: Whole
    reported_minor: Whole
    other_minor: Whole = 0
    """Reported in the other way."""
    reckoning: Reckoning | None = None


class VigorishLeft(FactsPart):
    """Marked vigorish of a seat was not collected in time."""

    kind: Literal["vigorish_left"] = "vigorish_left"
    marked_minor: Whole
    when: Literal["shoe_ended", "seat_vacated"]
    """By when it should have been collected."""
    collected_minor: Whole = 0
    """Collected since, too late."""
    unmarked_minor: Whole = 0
    """Unmarked since: it had not been due."""


class VigorishNotDue(FactsPart):
    """More vigorish was collected at a seat than was due."""

    kind: Literal["vigorish_not_due"] = "vigorish_not_due"
    due_minor: Whole
    collected_minor: Whole
    given_back_minor: Whole = 0


VigorishFacts: TypeAlias = VigorishReported | VigorishLeft | VigorishNotDue
"""Facts of findings about vigorish."""
