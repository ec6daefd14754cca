"""What becomes of an event that can be read but not used? A finding, and nothing else stops."""

from __future__ import annotations

from auditors.asserting import NO_CLAIM
from auditors.table.context import Folding
from schemas.findings import FindingCode
from schemas.records import RecordKind


def reject(folding: Folding, event_type: str, problem: str) -> None:
    """Assert that an event cannot be used.

    Args:
        folding: The event on its way.
        event_type: Its wire tag.
        problem: What is wrong, as a clause without a full stop.
    """
    if folding.state.is_after_gap:
        # What it refers to was most likely lost; the gap itself is the finding.
        return
    folding.assert_once(
        RecordKind.FEED,
        FindingCode.EVENT_REJECTED,
        str(folding.sequence),
        f"Event {folding.sequence}, {event_type}: {problem}; it is kept, and not used.",
        NO_CLAIM,
    )
