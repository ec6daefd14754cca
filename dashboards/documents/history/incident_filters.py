"""Which incidents of a list are shown, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from auditors.incidents import Incident
from schemas.findings import FindingCode, FindingStatus, Severity


class IncidentOrder(StrEnum):
    """Which incident stands first."""

    NEWEST = "newest"
    OLDEST = "oldest"
    SEVERITY = "severity"


class Openness(StrEnum):
    """Whether something is still to be put right."""

    OPEN = "open"
    CORRECTED = "corrected"

    @classmethod
    def of(cls, incident: Incident) -> Openness:
        """Say whether an incident is still open."""
        return cls.OPEN if incident.status is FindingStatus.STANDING else cls.CORRECTED


@dataclass(frozen=True, slots=True)
class IncidentFilter:
    """What an incident has to be to be shown; an empty filter lets all pass."""

    severities: frozenset[Severity] = frozenset()
    codes: frozenset[FindingCode] = frozenset()
    status: Openness | None = None

    def __bool__(self) -> bool:
        """Whether it may leave something out."""
        return bool(self.severities or self.codes or self.status)

    def passes(self, incident: Incident) -> bool:
        """Whether an incident is shown; a code counts where any finding of it has that code."""
        return (
            (not self.severities or incident.severity in self.severities)
            and (not self.codes or not self.codes.isdisjoint(code for code, _ in incident.codes))
            and self.status in (None, Openness.of(incident))
        )

    def as_json(self) -> dict[str, object]:
        """Give the filter for programs."""
        return {
            "severities": sorted(self.severities),
            "codes": sorted(self.codes),
            "status": self.status,
        }


ALL: Final = IncidentFilter()
"""Leaves nothing out."""


def in_order(incidents: Iterable[Incident], order: IncidentOrder) -> tuple[Incident, ...]:
    """Put incidents in an order; within one severity the newest stands first."""
    oldest = sorted(incidents, key=lambda one: (one.first_occurred_at_us, one.id))
    if order is IncidentOrder.OLDEST:
        return tuple(oldest)
    newest = oldest[::-1]
    if order is IncidentOrder.NEWEST:
        return tuple(newest)
    ranks = list(Severity)
    return tuple(sorted(newest, key=lambda one: ranks.index(one.severity)))
