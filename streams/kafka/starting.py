"""Checks before a process of the stream starts: its topics must be there."""

from __future__ import annotations

from streams.kafka.topics import CheckedTopic, check_topics
from streams.process.interpreter import prepare_interpreter
from streams.process.settings import KafkaSettings

__all__ = ["TopicsRefusedError", "prepare_interpreter", "topics_in_order", "topics_there"]


class TopicsRefusedError(Exception):
    """The topics are not as the protocol needs them; nothing starts on them."""


def topics_in_order(settings: KafkaSettings) -> list[CheckedTopic]:
    """Give the topics, once each is kept as the protocol needs it.

    Raises:
        TopicsRefusedError: A topic is missing or kept otherwise than it must be.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    checked = check_topics(settings)
    _refuse(checked)
    return checked


def topics_there(settings: KafkaSettings) -> list[CheckedTopic]:
    """Give the topics, once all exist, for one who only reads them.

    Where the settings say another number of partitions, the reader would take most events for such
    as stand in a wrong partition, which nobody keeps.

    Raises:
        TopicsRefusedError: A topic is missing, or has another number of partitions.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    checked = check_topics(settings)
    number = settings.partitions
    _refuse(
        [
            checked_topic
            for checked_topic in checked
            if checked_topic.facts is None or checked_topic.facts.partitions != number
        ]
    )
    return checked


def _refuse(checked: list[CheckedTopic]) -> None:
    problems = [deviation.line for topic in checked for deviation in topic.deviations]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise TopicsRefusedError(f"{problems[0]}{more}; see ladderman topics check")
