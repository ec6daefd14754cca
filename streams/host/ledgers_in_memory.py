"""Ledgers of progressives in memory, for files of events that are folded once."""

from __future__ import annotations

from collections.abc import Iterable

from auditors import progressive
from auditors.table import Delivered
from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record


class LedgerFolds:
    """Every progressive that tables and controllers of some files tell something."""

    def __init__(self) -> None:
        """Have heard nothing yet."""
        self.states: dict[str, progressive.ProgressiveState] = {}
        """By progressive, in the order of first mention."""
        self._offset = 0

    def take(self, inputs: Iterable[ProgressiveInput]) -> tuple[Record, ...]:
        """Fold what a message of a source tells; give the records that come of it."""
        records: list[Record] = []
        for said in inputs:
            name = said.progressive_id
            state = self.states.get(name) or progressive.new_state(name)
            delivered = Delivered(self._offset, encode_progressive_input(said))
            folded = progressive.absorb(state, delivered, _nothing_is_held)
            self._offset += 1
            if folded.dead_letter is None:
                self.states[name] = folded.state
                records += folded.records
        return tuple(records)


def _nothing_is_held(offset: int) -> bytes:
    raise AssertionError(f"a ledger holds no message, and asked for {offset}")
