"""The canary: a table of no property, which makes a known mistake every minute.

Its mistake goes the way of every table's, so that everybody knows the way is open. What it says is
evidence like any other and is kept; people see it only where they ask for it.
"""

from __future__ import annotations

from typing import Final

CANARY_TABLE: Final = "ladderman-canary"
"""Id of the canary; queries of the history name it too."""


def is_canary(table_id: str, *, is_simulated: bool) -> bool:
    """Say whether something is of the canary: a real table is none, whatever it calls itself."""
    return is_simulated and table_id == CANARY_TABLE
