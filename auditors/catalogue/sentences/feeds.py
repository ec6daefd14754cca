"""Sentences about feeds and devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.sentences.wagers import seconds
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import feed as facts
from schemas.findings import Finding

_THEN: Final = {
    "kept_unused": "; it was kept but not used",
    "coups_unverified": "",
    "judged": "; it was judged all the same",
    "told": "",
}


def events_missing(found: Finding, told: facts.EventsMissing) -> Words:
    """Say which events of a feed did not come."""
    first, last = told.first_sequence, told.last_sequence
    if last is None:
        words = (
            f"Everything feed {told.feed_id} sent from event {first} on is missing; how many "
            "events that is, nobody knows"
        )
    else:
        span = f"Event {first} is" if last == first else f"Events {first} to {last} are"
        words = f"{span} missing from feed {told.feed_id}"
    return Words(f"{words}; the coups beside the gap are unverified.", title_of_code(found.code))


def event_unusable(found: Finding, told: facts.EventUnusable) -> Words:
    """Say what is wrong with an event, and what becomes of it."""
    mark = "" if told.problem.endswith(("?", "!", ".")) else "."
    title = title_of_code(found.code)
    if told.event_type:
        title = f"{title}: {told.event_type}"
    if told.sequence is None:
        return Words(f"{told.problem}{mark}", title)
    lead = f"Event {told.sequence}"
    if not told.is_read:
        after = " The coups beside it are unverified." if told.then == "coups_unverified" else ""
        if not mark and told.then == "kept_unused":
            after = " It was kept but not used."
        return Words(f"{lead} cannot be read: {told.problem}{mark}{after}", title)
    kind = f", {told.event_type}" if told.event_type else ""
    return Words(f"{lead}{kind}: {told.problem}{_THEN[told.then]}.", title)


def fault_open(found: Finding, told: facts.FaultOpen) -> Words:
    """Say which fault was open while a coup was dealt."""
    return Words(
        f"Coup {told.coup_id} was dealt while the {told.device.replace('_', ' ')} had an open "
        f"fault ({told.fault}; fault {told.fault_id}, raised at event {told.raised_sequence}).",
        title_of_code(found.code),
    )


def chain_broken(found: Finding, told: facts.ChainBroken) -> Words:
    """Say that an event does not follow on the one before it."""
    return Words(
        f"Event {told.sequence}'s hash does not match the event before it: a record was changed, "
        f"lost or inserted. It names {told.named_hash}…; the event before it has "
        f"{told.expected_hash}….",
        title_of_code(found.code),
    )


def sequence_again(found: Finding, told: facts.SequenceAgain) -> Words:
    """Say that a sequence came again with another content."""
    return Words(
        f"Event {told.sequence} came a second time with other content; the first one counts.",
        title_of_code(found.code),
    )


def feed_split(found: Finding, told: facts.FeedSplit) -> Words:
    """Say which two feeds of a source were sending."""
    if told.how == "sent_again":
        words = (
            f"Feed {told.feed_id} sent events again after feed {told.other_feed_id} had taken its "
            "place"
        )
    else:
        state = "the table of feed" if told.was_open else "feed"
        still = "was still open" if told.was_open else "was still sending"
        named = "named no feed before it"
        if told.how == "named_another":
            named = f"named feed {told.named_feed_id} as the one before it"
        then = (
            "what it reports of that feed's coups is not used"
            if told.was_open
            else "its meters may come from two devices, or have started over"
        )
        words = (
            f"Feed {told.feed_id} began and {named}, while {state} {told.other_feed_id} {still}; "
            f"{then}"
        )
    return Words(f"{words}.", title_of_code(found.code))


def clock_back(found: Finding, told: facts.ClockBack) -> Words:
    """Say by how much the clock went back."""
    return Words(
        f"Event {told.sequence} is dated {seconds(told.back_us)} s before the event before it.",
        f"Device clock went back {seconds(told.back_us)} s",
    )


def table_silent(found: Finding, told: facts.TableSilent) -> Words:
    """Say how long an open table sent nothing."""
    while_words = seconds(told.silent_us)
    return Words(
        f"The open table sent nothing for {while_words} s before event {told.sequence}.",
        f"Table silent for {while_words} s",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.ChainBroken: chain_broken,
    facts.ClockBack: clock_back,
    facts.EventUnusable: event_unusable,
    facts.EventsMissing: events_missing,
    facts.FaultOpen: fault_open,
    facts.FeedSplit: feed_split,
    facts.SequenceAgain: sequence_again,
    facts.TableSilent: table_silent,
}
