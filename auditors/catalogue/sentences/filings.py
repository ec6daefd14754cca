"""Sentences about Rules Submissions that contradict a condition of offering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words, capital
from schemas.finding_facts import filing as facts
from schemas.findings import Finding


def filing_defect(_found: Finding, told: facts.FilingDefect) -> Words:
    """Say what does not fit, of which wager, and in which field of the filing it stands."""
    says = "; ".join(told.problems)
    lead = f"{told.wager_name}: {says}" if told.wager_name else capital(says)
    mark = "" if lead.endswith("?") else "."
    leaf = told.field.rpartition("].")[2] if "]." in told.field else told.field.partition("[")[0]
    about = leaf.replace("_", " ").replace(".", " ")
    of_wager = f" of {told.wager_name}" if told.wager_name else ""
    if told.wager_name and about == "wagers":
        about, of_wager = told.wager_name, ""
    return Words(f"{lead}{mark} Field: {told.field}.", f"Filing defect: {about}{of_wager}")


RENDERERS: Final[Mapping[type, object]] = {facts.FilingDefect: filing_defect}
