"""Places of findings in a file of recorded rounds, built only for rows that have one."""

from __future__ import annotations

from collections.abc import Sequence

from auditors.law.wager_names import wager_title
from auditors.rounds.columns import RoundsMapping
from auditors.settlement.asserting import NO_CLAIM, Claim, Place, assert_finding
from auditors.settlement.rules import Rules
from auditors.settlement.terms import WagerRef
from schemas.finding_facts.rounds import RowUnusable, StakeNotPayable
from schemas.findings import Finding, FindingCode


class RowPlaces:
    """Gives the place of a row, as its own cells name it."""

    def __init__(self, rules: Rules, mapping: RoundsMapping, file: str) -> None:
        """Prepare to give places.

        Args:
            rules: The law under the terms asked for.
            mapping: Which column says what.
            file: The file's name, as findings give it.
        """
        self._columns, self._mapping, self._rules = mapping.columns, mapping, rules
        self._file = file

    def of(self, line: int, cells: Sequence[str], position: int | None = None) -> Place:
        """Give the place of a row, in one of its columns where that is given."""
        columns, terms = self._columns, self._rules.terms
        return Place(
            source=self._text(columns.table, cells) or self._text(columns.source, cells),
            file=self._file,
            line=line,
            column=self._mapping.name(position),
            shoe=self._text(columns.shoe, cells),
            coup=self._text(columns.coup, cells),
            seat=self._text(columns.seat, cells),
            currency=terms.currency,
            rules_version=terms.rules_version,
        )

    def rejected(
        self, line: int, cells: Sequence[str], position: int | None, message: str
    ) -> Finding:
        """Assert that a cell cannot be used; the rest of the row is judged without it."""
        return self._rejected(self.of(line, cells, position), RowUnusable(problem=message))

    def unpayable(
        self, line: int, cells: Sequence[str], position: int | None, ref: WagerRef, message: str
    ) -> Finding:
        """Assert that no whole amount is due on a stake: the wager is known, what to pay is not."""
        claim = Claim(wager=ref.id, hand=ref.hand)
        told = StakeNotPayable(wager_name=wager_title(ref.id, ref.hand), problem=message)
        return self._rejected(self.of(line, cells, position), told, claim)

    def damaged(self, line: int, message: str) -> Finding:
        """Assert that a line cannot be read as a row."""
        terms = self._rules.terms
        place = Place(
            file=self._file, line=line, currency=terms.currency, rules_version=terms.rules_version
        )
        return self._rejected(place, RowUnusable(problem=message))

    def _rejected(
        self, place: Place, told: RowUnusable | StakeNotPayable, claim: Claim = NO_CLAIM
    ) -> Finding:
        return assert_finding(
            FindingCode.EVENT_REJECTED,
            f"{place.line}/{place.column}",
            told,
            place,
            claim,
            submission=self._rules.terms.submission,
        )

    @staticmethod
    def _text(position: int | None, cells: Sequence[str]) -> str | None:
        return (cells[position].strip() or None) if position is not None else None
