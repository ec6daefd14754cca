"""Which faults can be planted? One or more for every finding, and every known incident."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from streams.simulator.faults import Plant

PLANTS: Final[Mapping[str, Plant]] = {}
