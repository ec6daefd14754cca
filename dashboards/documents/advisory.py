"""The line that stands under everything that a person might act upon."""

from __future__ import annotations

from typing import Final

ADVISORY: Final = (
    "Texts as held, not checked against the current Code. "
    "Advisory; does not authorise or refuse payment."
)
"""It stands on every screen, page and report."""
