"""The table fold: one event after the other, to verdicts; the same for every path there is."""

from auditors.table.absorbing import Absorbed, DeadReason, Delivered, absorb
from auditors.table.amending import amend
from auditors.table.capabilities import checks_off, checks_on
from auditors.table.state import TableState, decode_state, encode_state, new_state

__all__ = [
    "Absorbed",
    "DeadReason",
    "Delivered",
    "TableState",
    "absorb",
    "amend",
    "checks_off",
    "checks_on",
    "decode_state",
    "encode_state",
    "new_state",
]
