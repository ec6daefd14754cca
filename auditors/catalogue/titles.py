"""Titles of findings: what happened in a few words, the same wherever a finding is shown."""

from __future__ import annotations

from auditors.catalogue import load_catalogue
from schemas.findings import Finding, FindingCode


def title_of_code(code: FindingCode) -> str:
    """Give the catalogue's title of a code."""
    return load_catalogue()[code].title


def title_of(finding: Finding) -> str:
    """Give the title of a finding; one of an earlier build has that of its code."""
    return finding.title or title_of_code(finding.code)
