"""Which findings have one cause, how far does it reach, and how is it told in one line?

Computed when reading, from findings and coups that stand; nothing of it is stored in a finding.
"""

from auditors.incidents.grouping import incidents_of
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
    "told_of",
]
