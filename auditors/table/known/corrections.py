"""What a coup keeps of corrections, and of settlements that contradict an earlier one."""

from __future__ import annotations

from typing import NamedTuple

from schemas.finding_facts.payment import Lacking


class Correction(NamedTuple):
    """A correction of a payment, as far as findings ask."""

    correction_id: str
    settlement_id: str
    sequence: int
    occurred_at_us: int
    is_authorised: bool
    lacks: Lacking | None = None
    """What it does not name; not known of states before this. Likewise below."""
    paid_change_minor: int | None = None
    """By how much it changed what was paid."""


class Conflict(NamedTuple):
    """A settlement that contradicts the first one of its id."""

    settlement_id: str
    sequence: int
    paid_minor: int
    occurred_at_us: int | None = None
    """Not known of states before this."""
