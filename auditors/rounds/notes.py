"""Notes about a file, said once instead of once a row."""

from __future__ import annotations


class Notes:
    """What is said once about a file: readings that were needed, and checks that are off."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self.checks_off: dict[str, str] = {}

    def say(self, about: str, line: str) -> None:
        """Say a line, once for what it is about."""
        self.said.setdefault(about, line)

    def off(self, check: str, reason: str) -> None:
        """Switch a check off with its reason, once."""
        self.checks_off.setdefault(check, reason)
