"""Incidents: findings with one cause, told in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from auditors.catalogue import Lane
from auditors.clock import instant_of
from schemas.events.fields import format_instant
from schemas.findings import FindingCode, FindingStatus, Severity
from schemas.money import format_minor

INCIDENT_SCHEMA: Final = "ladderman.incident/1"
"""Name and version of the shape in which incidents are written everywhere."""


@dataclass(frozen=True, slots=True)
class Incident:
    """Findings with one cause: what happened, since when, and how far it reaches."""

    id: str
    """That of its first finding. No range or filter changes it, since incidents are always made of
    all that stands about a table; it stays while the incident grows, and where late events change
    which finding is the first, the id of the former one still opens the incident that holds it."""
    table_id: str
    code: FindingCode
    """The finding that names the cause."""
    lane: Lane
    severity: Severity
    """The worst of its findings."""
    status: FindingStatus
    """Corrected where every one of its findings is."""
    title: str
    """One line for people."""
    first_occurred_at_us: int
    last_occurred_at_us: int
    """When the first and the last act happened that is wrong: the times of its findings."""
    first_feed_id: str
    first_sequence: int
    """The first event that differs, in its feed."""
    shoe_ids: tuple[str, ...]
    coup_ids: tuple[str, ...]
    """Coups that it reaches, in their order."""
    finding_ids: tuple[str, ...]
    """In the order in which they were recorded."""
    codes: tuple[tuple[FindingCode, int], ...]
    """Each code and how many findings of it, the cause's first."""
    staked_minor: int
    """Money staked on what it reaches."""
    difference_minor: int | None
    """Paid less due, over all of its findings; None where it is about no payment."""
    wrongly_paid_minor: int | None
    """The same with every difference counted as positive."""
    corrected_minor: int | None
    residual_minor: int | None
    currency: str
    is_simulated: bool

    def as_json(self) -> dict[str, object]:
        """Give the shape ``ladderman.incident/1``: money as decimal strings."""
        return {
            "schema": INCIDENT_SCHEMA,
            "id": self.id,
            "code": self.code.value,
            "lane": self.lane.value,
            "severity": self.severity.value,
            "status": self.status.value,
            "source": self.table_id,
            "title": self.title,
            "first_occurred_at": format_instant(instant_of(self.first_occurred_at_us)),
            "last_occurred_at": format_instant(instant_of(self.last_occurred_at_us)),
            "first_feed": self.first_feed_id,
            "first_sequence": self.first_sequence,
            "shoes": list(self.shoe_ids),
            "coup_count": len(self.coup_ids),
            "first_coup": self.coup_ids[0] if self.coup_ids else None,
            "last_coup": self.coup_ids[-1] if self.coup_ids else None,
            "coups": list(self.coup_ids),
            "codes": {code.value: count for code, count in self.codes},
            "findings": list(self.finding_ids),
            "staked": self._money(self.staked_minor),
            "difference": self._money(self.difference_minor),
            "wrongly_paid": self._money(self.wrongly_paid_minor),
            "corrected": self._money(self.corrected_minor),
            "residual": self._money(self.residual_minor),
            "currency": self.currency,
            "simulated": self.is_simulated,
        }

    def _money(self, minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, self.currency)
