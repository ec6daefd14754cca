"""Marks open whatever missing events may have changed at a table."""

from __future__ import annotations

from typing import Final

from auditors.table.coup_records import made_unverified
from auditors.table.events.table_events import forget_doubtful
from auditors.table.known.context import Folding
from schemas.events.union import tags_where
from schemas.finding_facts.feed import EventUnusable
from schemas.findings import FindingCode
from schemas.wire.errors import RejectReason, UnreadableEventError

_DECIDING: Final = tags_where(lambda event_class: event_class.may_decide_verdicts)
"""Events on which the verdict of a coup or shoe can depend."""


def leave_open(folding: Folding) -> None:
    """Assert nothing more about coups and shoes that events which are missing may explain."""
    coups = made_unverified(folding)
    folding.state.coups = coups
    folding.state.is_after_gap = True
    folding.state.had_gap = True
    forget_doubtful(folding)


def may_decide(error: UnreadableEventError) -> bool:
    """Say whether a verdict may depend on an event that cannot be read.

    One of a type that nobody knows tells nothing that any verdict asks for; it is a finding only,
    so that a device with something new to say does not leave every coup unverified.
    """
    if error.event_type:
        return error.event_type in _DECIDING
    return error.reason is not RejectReason.UNKNOWN_TYPE


def reject_unreadable(
    folding: Folding, problem: str, event_type: str | None, *, is_missed: bool
) -> None:
    """Assert that an event of the feed cannot be read, and leave open what it may decide.

    Args:
        folding: The event on its way.
        problem: Why it cannot be read, as a clause.
        event_type: Its wire tag, where that could be read.
        is_missed: Whether a verdict may depend on it.
    """
    folding.assert_of_feed(
        FindingCode.EVENT_REJECTED,
        str(folding.sequence),
        EventUnusable(
            sequence=folding.sequence,
            event_type=event_type,
            problem=problem,
            then="coups_unverified" if is_missed else "kept_unused",
            is_read=False,
        ),
    )
    if is_missed:
        leave_open(folding)
