"""The progressive fold: what tables and controllers say, to an exact ledger and its findings."""

from auditors.progressive.absorbing import Absorbed, absorb
from auditors.progressive.state import ProgressiveState, decode_state, encode_state, new_state

__all__ = [
    "Absorbed",
    "ProgressiveState",
    "absorb",
    "decode_state",
    "encode_state",
    "new_state",
]
