"""The progressive fold: what tables and controllers say, to an exact ledger and its findings."""

from auditors.progressive.absorbing import Absorbed, absorb
from auditors.progressive.capabilities import checks_of
from auditors.progressive.state import (
    STATE_FORMAT,
    ProgressiveState,
    decode_state,
    encode_state,
    new_state,
)

__all__ = [
    "STATE_FORMAT",
    "Absorbed",
    "ProgressiveState",
    "absorb",
    "checks_of",
    "decode_state",
    "encode_state",
    "new_state",
]
