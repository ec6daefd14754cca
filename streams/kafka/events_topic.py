"""The topic of events: its id names the log that everything else is made from."""

from __future__ import annotations

from schemas.topics import TopicName, topic
from streams.kafka.topics import check_topics, topic_ids
from streams.process.settings import KafkaSettings


class NoEventsTopicError(Exception):
    """There is no topic of events to compare with, or not the one that the settings describe."""


def events_topic_id(settings: KafkaSettings) -> str:
    """Give the id of the topic of events.

    Raises:
        NoEventsTopicError: There is none, or it has another number of partitions.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    checked = check_topics(settings)
    for checked_topic in checked:
        if checked_topic.topic.name is not TopicName.EVENTS or checked_topic.facts is None:
            continue
        if checked_topic.facts.partitions != settings.partitions:
            raise NoEventsTopicError(checked_topic.deviations[0].line)
    found = topic_ids(checked)
    if TopicName.EVENTS not in found:
        name = topic(TopicName.EVENTS).full_name(settings.prefix)
        raise NoEventsTopicError(f"there is no topic {name}; make it: ladderman topics create")
    return found[TopicName.EVENTS]
