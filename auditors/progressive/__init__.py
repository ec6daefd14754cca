"""The progressive fold: what tables and controllers say, to an exact ledger and its findings."""

from auditors.progressive.absorbing import Absorbed, absorb
from auditors.progressive.ledger.capabilities import checks_of
from auditors.progressive.ledger.state import (
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
