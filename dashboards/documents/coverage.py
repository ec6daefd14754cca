"""Which checks were on and which were off, for programs."""

from __future__ import annotations

from auditors.coverage import Coverage


def coverage_json(coverage: Coverage) -> dict[str, object]:
    """Give the checks that were on, and those that were off with the reason."""
    return {
        "checks_on": list(coverage.on),
        "checks_off": [{"check": check, "reason": reason} for check, reason in coverage.off],
    }
