"""The fold of tables for a host: :mod:`auditors.table` under the law of this build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from auditors import table
from auditors.law import load_law
from streams.host.ports import Folded, LogEntry


class TableFold:
    """The table fold in the shape that a host takes."""

    @property
    def audit_epoch(self) -> int:
        """The epoch of the law data."""
        return load_law().audit_epoch

    @property
    def state_format(self) -> int:
        """The shape of the states of this build."""
        return table.STATE_FORMAT

    def new_state(self, source_id: str) -> object:
        """Give the state of a source of which nothing was heard."""
        return table.new_state(source_id)

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message."""
        # The host hands back what this fold gave; a cast would be a call for every message.
        return table.absorb(state, entry, read_again)  # type: ignore[arg-type]

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Fold the shoe in play again."""
        messages = [table.Delivered(entry.offset, entry.raw) for entry in entries]
        return table.amend(cast(table.TableState, state), messages, read_again)

    def encode_state(self, state: object) -> bytes:
        """Give the canonical JSON of a state, on one line."""
        return table.encode_state(cast(table.TableState, state))

    def decode_state(self, raw: bytes, audit_epoch: int) -> object:
        """Read a state back; all epochs so far have states of the same shape.

        Raises:
            ValueError: The bytes are no state.
        """
        del audit_epoch  # the first epoch whose states have another shape converts them here
        return table.decode_state(raw)
