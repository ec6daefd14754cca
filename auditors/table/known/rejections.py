"""Events that can be read and not used: each is a finding, and nothing else stops."""

from __future__ import annotations

from collections.abc import Mapping

from auditors.table.known.context import Folding
from schemas.finding_facts.feed import EventUnusable
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
        EventUnusable(
            sequence=folding.sequence,
            event_type=event_type,
            problem=problem,
            then="kept_unused",
        ),
    )


def reject_unknown(folding: Folding, event_type: str, what: str) -> None:
    """Assert that an event refers to something that was never told.

    Where events of the table are missing it was most likely told by one of them: then the gap is
    the finding.
    """
    state = folding.state
    if not state.had_gap and not state.is_after_gap:
        reject(folding, event_type, f"{what} is not known")


def say_used_again(
    folding: Folding, event_type: str, kept: Mapping[str, str], besides: str = ""
) -> None:
    """Assert that an event begins something by an id that was used before.

    Args:
        folding: The event on its way.
        event_type: Its wire tag.
        kept: What it begins, such as ``shoe S1``, and the name under which that is kept.
        besides: What else is wrong with the event, with a mark before it.
    """
    before, after = "was told before, and an id is never used again", "this one is"
    if len(kept) > 1:
        before, after = "were told before, and ids are never used again", "these are"
    folding.assert_of_feed(
        FindingCode.EVENT_REJECTED,
        str(folding.sequence),
        EventUnusable(
            sequence=folding.sequence,
            event_type=event_type,
            problem=(
                f"{' and '.join(kept)} {before}; {after} kept as {' and '.join(kept.values())}"
                f"{besides}"
            ),
            then="told",
        ),
    )
