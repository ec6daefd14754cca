"""Where a finding is, in the words that every line about one uses."""

from __future__ import annotations

from schemas.findings import Finding

ID_DIGITS = 8
"""So many digits of an id are shown where people read; as many suffice to ask for it."""


def opening_id(finding: Finding) -> str:
    """Give the id by which a finding, and the incident that holds it, is opened."""
    return finding.id[:ID_DIGITS]


def place_words(finding: Finding) -> str:
    """Name table, shoe, coup and seat: ``BAC-01, shoe S12, coup 3, seat 4``."""
    words = [finding.source] if finding.source else []
    if finding.shoe:
        words.append(f"shoe {finding.shoe}")
    if finding.coup_no is not None:
        words.append(f"coup {finding.coup_no}")
    elif finding.coup:
        words.append(f"coup {finding.coup}")
    if finding.seat:
        words.append(f"seat {finding.seat}")
    return ", ".join(words)
