"""The law as data: sections, wagers, paytables and interpretations, loaded once and validated."""

from auditors.law.loading import load_law
from auditors.law.model import (
    Interpretation,
    InterpretationKind,
    Law,
    LawDataError,
    Outcome,
    Section,
    Wager,
)

__all__ = [
    "Interpretation",
    "InterpretationKind",
    "Law",
    "LawDataError",
    "Outcome",
    "Section",
    "Wager",
    "load_law",
]
