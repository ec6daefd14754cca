"""Checks that were on for a file of rounds, and why the others were off.

"No findings" means nothing without this list.
"""

from __future__ import annotations

from dataclasses import dataclass

from auditors.rounds.auditing import RowAuditor
from auditors.rounds.columns import RoundsMapping
from auditors.settlement.rules import Rules
from schemas.cards import Knowledge


@dataclass(frozen=True, slots=True)
class Coverage:
    """Checks that were on, and those that were off with the reason."""

    on: tuple[str, ...]
    off: tuple[tuple[str, str], ...]


def coverage_of(rules: Rules, mapping: RoundsMapping, auditor: RowAuditor) -> Coverage:
    """Say which checks a file could feed, as far as its rows have been read."""
    switch = _Switches(mapping, auditor)
    columns = mapping.columns
    switch.on("drawing_rules")
    switch.claims("winner", columns.winners, "names no winner")
    pairs = tuple(position for pair in columns.points for position in pair if position is not None)
    switch.claims("points", pairs, "states no point counts")
    if auditor.claims.is_on:
        switch.claims("payouts", (columns.wager or 0,), "names no wager")
    else:
        switch.off("payouts", "wagers, stakes and payments are not recorded")
    _winning_wagers(switch, mapping, auditor)
    shoes = () if columns.shoe is None else (columns.shoe,)
    switch.claims("shoe_composition", shoes, "names no shoe")
    switch.claims("shoe_order", shoes, "names no shoe")
    _terms(switch, rules, mapping)
    known = auditor.knowledge
    switch.either("suits", known >= Knowledge.SUIT, "suits are not recorded")
    switch.either("ranks", known >= Knowledge.RANK, "ranks of ten-valued cards are not recorded")
    for check, reason in auditor.notes.checks_off.items():
        switch.off(check, reason)
    return Coverage(tuple(switch.checks_on), tuple(switch.checks_off.items()))


class _Switches:
    def __init__(self, mapping: RoundsMapping, auditor: RowAuditor) -> None:
        self._mapping, self._auditor = mapping, auditor
        self.checks_on: list[str] = []
        self.checks_off: dict[str, str] = {}

    def on(self, check: str) -> None:
        self.checks_on.append(check)

    def off(self, check: str, reason: str) -> None:
        if check in self.checks_on:
            self.checks_on.remove(check)
        self.checks_off.setdefault(check, reason)

    def either(self, check: str, is_on: bool, reason: str) -> None:
        self.on(check) if is_on else self.off(check, reason)

    def claims(self, check: str, positions: tuple[int, ...], absent: str) -> None:
        """Switch on a check that some row made a claim for."""
        if not positions:
            self.off(check, f"the file {absent}")
        elif self._auditor.silent.issuperset(positions):
            names = ", ".join(self._mapping.name(position) or "" for position in positions)
            self.off(check, f"nothing is recorded in {names}")
        else:
            self.on(check)


def _winning_wagers(switch: _Switches, mapping: RoundsMapping, auditor: RowAuditor) -> None:
    if not mapping.columns.winning_wagers:
        switch.off("winning_wagers", "no list of winning wagers is recorded")
    elif not auditor.lists:
        switch.off("winning_wagers", "no kinds are declared; add [winning_wagers] to a mapping")
    else:
        switch.claims("winning_wagers", tuple(winners.position for winners in auditor.lists), "")


def _terms(switch: _Switches, rules: Rules, mapping: RoundsMapping) -> None:
    columns = mapping.columns
    has_wager = columns.wager is not None
    dated = columns.occurred_at is not None or mapping.gaming_date is not None
    reason = "no time column is recorded; add --gaming-date" if has_wager else "no wagers"
    switch.either("dates", has_wager and dated, reason)
    has_person = columns.patron is not None or columns.seat is not None
    reason = "neither seats nor patrons are named, or no coup ids" if has_wager else "no wagers"
    switch.either("base_wager", has_wager and has_person and columns.coup is not None, reason)
    filed = rules.terms.submission is not None
    reason = "no Rules Submission is given" if has_wager else "no wagers"
    switch.either("wagers_offered", has_wager and filed, reason)
