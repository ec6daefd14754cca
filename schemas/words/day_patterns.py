"""Patterns for the days that the calendar has, as JSON Schema formats are optional.

Readers look days up in the calendar itself; only the published patterns come from here.
"""

from __future__ import annotations

from typing import Final

_OF_EVERY_YEAR: Final = (
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP: Final = "(0[48]|[2468][048]|[13579][26])"

DAY_OF_2000_TO_2199: Final = f"(2[01][0-9]{{2}}-{_OF_EVERY_YEAR}|(2000|2[01]{_LEAP})-02-29)"
"""A day of the years in which events happen and filings take effect."""
