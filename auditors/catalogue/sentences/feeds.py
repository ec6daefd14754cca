"""Sentences about feeds and devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import feed as facts
from schemas.findings import Finding

_THEN: Final = {
    "kept_unused": "; it is kept, and not used",
    "coups_unverified": "",
    "judged": "; it is judged all the same",
    "told": "",
}


def events_missing(found: Finding, told: facts.EventsMissing) -> Words:
    """Say which events of a feed did not come."""
    first, last = told.first_sequence, told.last_sequence
    if last is None:
        words = (
            f"Whatever feed {told.feed_id} said from event {first} on is missing, it is not known "
            "how many events"
        )
    else:
        span = f"Event {first} is" if last == first else f"Events {first} to {last} are"
        words = f"{span} missing from feed {told.feed_id}"
    return Words(f"{words}; the coups beside the gap are unverified.", title_of_code(found.code))


def event_unusable(found: Finding, told: facts.EventUnusable) -> Words:
    """Say what is wrong with an event, and what becomes of it."""
    mark = "" if told.problem.endswith(("?", "!", ".")) else "."
    then = _THEN[told.then]
    if told.sequence is None:
        return Words(f"{told.problem}{mark}", title_of_code(found.code))
    lead = f"Event {told.sequence}"
    if not told.is_read:
        after = " The coups beside it are unverified." if told.then == "coups_unverified" else ""
        if not mark and told.then == "kept_unused":
            after = " It is kept, and not used."
        return Words(
            f"{lead} cannot be read: {told.problem}{mark}{after}", title_of_code(found.code)
        )
    kind = f", {told.event_type}" if told.event_type else ""
    return Words(f"{lead}{kind}: {told.problem}{then}.", title_of_code(found.code))


def fault_open(found: Finding, told: facts.FaultOpen) -> Words:
    """Say which fault was open while a coup was dealt."""
    return Words(
        f"Fault {told.fault_id} of the {told.device.replace('_', ' ')} ({told.fault}) was raised "
        f"at event {told.raised_sequence} and open when coup {told.coup_id} was dealt.",
        title_of_code(found.code),
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.EventUnusable: event_unusable,
    facts.EventsMissing: events_missing,
    facts.FaultOpen: fault_open,
}
