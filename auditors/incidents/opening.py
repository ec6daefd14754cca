"""Which incidents an id opens: its own, that of a finding in it, of a coup, wager or settlement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditors.incidents.values import Incident
from schemas.findings import Finding


def opened_by(
    wanted: str, incidents: Iterable[Incident], findings: Mapping[str, Finding]
) -> tuple[Incident, ...]:
    """Give the incidents that an id opens.

    An incident has the id of a finding that it holds. So every id that it ever had is still that
    of a finding, and opens the incident that holds it now, whatever late events have changed.

    Args:
        wanted: An incident's or a finding's id, or its beginning; a coup's id, ``SHOE/NUMBER`` of
            a coup in its shoe; or the table's own id of a wager or a settlement.
        incidents: All that may be meant.
        findings: Their findings by id.

    Returns:
        None, one, or several where a coup has several or a beginning is that of several.
    """
    known = tuple(incidents)
    text = wanted.strip()
    if not text:
        return ()
    for match in (_is_named, _reaches, _begins):
        found = tuple(incident for incident in known if match(incident, findings, text))
        if found:
            return found
    return ()


def _is_named(incident: Incident, findings: Mapping[str, Finding], text: str) -> bool:
    """Whether a finding of the incident is about what the text names."""
    found = (findings[id_] for id_ in incident.finding_ids if id_ in findings)
    return any(text in _names(finding) for finding in found)


def _names(finding: Finding) -> tuple[str | None, ...]:
    in_shoe = None
    if finding.shoe is not None and finding.coup_no is not None:
        in_shoe = f"{finding.shoe}/{finding.coup_no}"
    return finding.coup, in_shoe, finding.settlement_id, finding.wager_id, finding.id


def _reaches(incident: Incident, _: Mapping[str, Finding], text: str) -> bool:
    """Whether the incident reaches the coup, though no finding of it is about that coup."""
    return text in incident.coup_ids


def _begins(incident: Incident, _: Mapping[str, Finding], text: str) -> bool:
    """Whether the text is the beginning of the id of a finding in the incident."""
    start = text.lower()
    return any(id_.startswith(start) for id_ in incident.finding_ids)
