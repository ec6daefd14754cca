"""Findings with one cause, how far it reaches, and how it is told in one line.

Computed when reading, from findings and coups that stand; nothing of it is stored in a finding.
"""

from auditors.incidents.grouping import incidents_of
from auditors.incidents.opening import opened_by
from auditors.incidents.surroundings import (
    EventPlace,
    TableTold,
    ToldCoup,
    ToldFinding,
    ToldShoe,
    ToldWager,
    told_of,
)
from auditors.incidents.values import INCIDENT_SCHEMA, Incident

__all__ = [
    "INCIDENT_SCHEMA",
    "EventPlace",
    "Incident",
    "TableTold",
    "ToldCoup",
    "ToldFinding",
    "ToldShoe",
    "ToldWager",
    "incidents_of",
    "opened_by",
    "told_of",
]
