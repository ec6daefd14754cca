"""The table fold: one event after the other, to verdicts; the same for every path there is.

Nothing has to be told that a log is at its end: whatever stands has been put out by then, and what
is still open stays open, because the next event may go on with it. What ends what:

- a **coup** ends with ``coup_closed``, with the first card of the next coup, with the end of its
  shoe or the loading of another, with ``table_closed``, and when it is dropped to make room; what
  has not been reported by then is absent. ``coup_voided`` opens it again, for the refunds;
- a **shoe** ends with ``shoe_ended`` or the loading of the next; then marked vigorish is due;
- **marked vigorish** is due at ``seat_vacated`` too;
- a **gap** is waited for until 20 s of ``occurred_at`` or 64 events have passed, or the feed ends;
- a **feed** ends with the first event of a newer one whose turn comes; what it still holds is
  folded, what it still owes is a gap;
- a **repeated run** of cards ends with the first card that differs;
- a **device fault** ends with ``device_fault_cleared``.
"""

from auditors.table.delivery.absorbing import Absorbed, DeadReason, Delivered, absorb, give_up
from auditors.table.delivery.amending import amend
from auditors.table.known.capabilities import checks_off, checks_on
from auditors.table.known.state import (
    STATE_FORMAT,
    TableState,
    decode_state,
    encode_state,
    new_state,
)

__all__ = [
    "STATE_FORMAT",
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
    "give_up",
    "new_state",
]
