"""The offset at which a sink begins to read: behind what its history has, whatever Kafka says.

Each history has a group of its own, so no other one's sink takes a share of what belongs into it.
The group says who writes which partition; how far this history was written the history says itself,
which stays true where it was lost, brought back from an earlier day, or copied.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from aiokafka import AIOKafkaConsumer, TopicPartition

from schemas.topics import TopicName, topic
from streams.history.identity import give_identity, history_id
from streams.history.log_claim import ClaimedHistory, claim_history, is_untouched
from streams.kafka.positions import sink_group, sink_watermarks
from streams.process.clock import Clock
from streams.process.settings import KafkaSettings
from streams.sink.marks import HistoryMarks, Marks

SINK_TOPICS: Final = (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS)
"""What sinks read."""


@dataclass(frozen=True, slots=True)
class BegunHistory:
    """A history that a sink may write."""

    group: str
    """The group of its sinks."""
    marks: HistoryMarks
    is_new: bool
    """Whether nothing was ever written to it."""


def begin_history(
    store: ClaimedHistory,
    settings: KafkaSettings,
    ids: Mapping[TopicName, str],
    clock: Clock,
    *,
    place: str,
) -> BegunHistory:
    """Make sure that a history is of these topics and has an id.

    One that an earlier version has written goes on where the group stood that was everybody's.

    Args:
        store: The history, migrated.
        settings: Where the topics are.
        ids: Ids of all topics.
        clock: The clock of this machine.
        place: Of the history, for people.

    Raises:
        ForeignLogError: It is of other topics.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    is_new = is_untouched(store)
    if is_new:
        give_identity(store, clock.now_us())
    logs = {
        topic_name: ids[topic_name]
        for topic_name in (TopicName.EVENTS, TopicName.PROGRESSIVE_INPUTS)
    }
    claim_history(store, logs, clock.now_us(), place=place)
    names = {
        topic(topic_name).full_name(settings.prefix): ids[topic_name] for topic_name in SINK_TOPICS
    }
    marks = HistoryMarks(store, names)
    if history_id(store) is None:
        marks.note(
            {
                at: offset
                for at, offset in sink_watermarks(settings, sink_group(settings, None)).items()
                if at.topic in names
            }
        )
    return BegunHistory(sink_group(settings, give_identity(store, clock.now_us())), marks, is_new)


@dataclass(frozen=True, slots=True)
class Start:
    """Where reading one partition begins."""

    offset: int
    lost: int = 0
    """Messages before it that left the topic before they were written here."""
    unread: int = 0
    """Messages before it that had left the topic before this history was begun."""


async def starts_of(
    consumer: AIOKafkaConsumer, marks: Marks, places: Iterable[TopicPartition]
) -> dict[TopicPartition, Start]:
    """Find out where reading begins, for partitions that were just given to a member.

    What the group has committed only counts where it is lower: somebody has set it back.

    Raises:
        HistoryError: The history cannot be asked.
        KafkaError: The brokers cannot be asked.
    """
    wanted = list(places)
    kept_from = await consumer.beginning_offsets(wanted)
    ends = await consumer.end_offsets(wanted)
    known = await asyncio.to_thread(marks.read)
    found = {}
    for at in wanted:
        committed = await consumer.committed(at)
        first, marked = kept_from[at], known.get(at)
        if marked is None:
            found[at] = Start(first, unread=first)
            continue
        wished = marked if committed is None else min(marked, committed)
        if wished > ends[at]:  # the log has lost its end: what stands there now is other messages
            wished = first
        found[at] = Start(max(wished, first), lost=max(0, first - wished))
    return found
