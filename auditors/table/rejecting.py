"""What becomes of an event that can be read but not used? A finding, and nothing else stops."""

from __future__ import annotations

from auditors.table.context import Folding
from schemas.findings import FindingCode


def reject(folding: Folding, event_type: str, problem: str) -> None:
    """Assert that an event cannot be used.

    Args:
        folding: The event on its way.
        event_type: Its wire tag.
        problem: What is wrong, as a clause without a full stop.
    """
    folding.assert_of_feed(
        FindingCode.EVENT_REJECTED,
        str(folding.sequence),
        f"Event {folding.sequence}, {event_type}: {problem}; it is kept, and not used.",
    )


def reject_unknown(folding: Folding, event_type: str, what: str) -> None:
    """Assert that an event refers to something that was never told.

    Where events of the table are missing it was most likely told by one of them: then the gap is
    the finding.
    """
    state = folding.state
    if not state.had_gap and not state.is_after_gap:
        reject(folding, event_type, f"{what} is not known")
