"""Health: what is set, what answers, what lags, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dashboards.documents.document import Document
from streams.operating.doctor_checks import Check, State, worst
from streams.process.settings import Settings, described

DOCTOR_SCHEMA: Final = "ladderman.doctor/1"
"""Name and version of the document."""


@dataclass(frozen=True)
class HealthPage(Document):
    """Settings and checks: ``ladderman.doctor/1``."""

    settings: Settings
    checks: tuple[Check, ...]

    @property
    def state(self) -> State:
        """The worst of all checks."""
        return worst(list(self.checks))

    def as_json(self) -> dict[str, object]:
        """Give the whole page; of a secret only that it is set."""
        return {
            "schema": DOCTOR_SCHEMA,
            "state": self.state.value,
            "settings": dict(described(self.settings)),
            "checks": [one.as_json() for one in self.checks],
        }


def changed_settings(settings: Settings) -> list[tuple[str, str]]:
    """Give the settings that are not at their default; of a secret only that it is set."""
    defaults = dict(described(Settings.model_construct()))
    return [(key, value) for key, value in described(settings) if defaults.get(key) != value]
