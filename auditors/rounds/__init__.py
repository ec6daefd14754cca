"""Recorded rounds: rows of files that others wrote, each a set of claims about one coup."""

from auditors.rounds.auditing import RowAuditor, RowStatus
from auditors.rounds.columns import RoundColumns, RoundsMapping

__all__ = ["RoundColumns", "RoundsMapping", "RowAuditor", "RowStatus"]
