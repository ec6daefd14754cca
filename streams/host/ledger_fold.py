"""The fold of progressives for a host: :mod:`auditors.progressive`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from auditors import progressive, table
from auditors.law import load_law
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from streams.host.ports import DeadReason, Folded, LogEntry


class LedgerFolded(NamedTuple):
    """What one message to a ledger gave; it tells nobody else anything."""

    state: object
    records: tuple[Record, ...]
    dead_letter: DeadReason | None
    is_valid: bool
    inputs: tuple[ProgressiveInput, ...] = ()
    amend_from: int | None = None


class ProgressiveFold:
    """The fold of progressives in the shape that a host takes."""

    @property
    def audit_epoch(self) -> int:
        """The epoch of the law data."""
        return load_law().audit_epoch

    @property
    def state_format(self) -> int:
        """The shape of the states of this build."""
        return progressive.STATE_FORMAT

    def new_state(self, source_id: str) -> object:
        """Give the state of a progressive of which nothing was heard."""
        return progressive.new_state(source_id)

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        delivered = table.Delivered(entry.offset, entry.raw)
        folded = progressive.absorb(
            cast(progressive.ProgressiveState, state), delivered, read_again
        )
        return LedgerFolded(folded.state, folded.records, folded.dead_letter, folded.is_valid)

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Never asked for: a ledger takes late truth in by itself."""
        raise AssertionError(f"no ledger is folded again: {state!r}, {len(entries)}, {read_again}")

    def encode_state(self, state: object) -> bytes:
        """Give the canonical JSON of a state, on one line."""
        return progressive.encode_state(cast(progressive.ProgressiveState, state))

    def decode_state(self, raw: bytes, audit_epoch: int) -> object:
        """Read a state back; one of format 1, which has no ``standing``, too.

        Raises:
            ValueError: The bytes are no state.
        """
        del audit_epoch  # the first epoch whose states have another shape converts them here
        return progressive.decode_state(raw)


def pending_count(state: progressive.ProgressiveState) -> int:
    """Count the readings that are not judged yet."""
    return sum(len(level.readings) for level in state.levels)
