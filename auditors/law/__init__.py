"""The law as data: sections, wagers, paytables and interpretations, loaded once and validated."""

from auditors.law.loading import all_laws, jurisdictions, law_in_force, load_law, wager_held
from auditors.law.model import (
    Interpretation,
    InterpretationKind,
    Law,
    LawDataError,
    Outcome,
    Section,
    UnknownJurisdictionError,
    Wager,
)

__all__ = [
    "Interpretation",
    "InterpretationKind",
    "Law",
    "LawDataError",
    "Outcome",
    "Section",
    "UnknownJurisdictionError",
    "Wager",
    "all_laws",
    "jurisdictions",
    "law_in_force",
    "load_law",
    "wager_held",
]
