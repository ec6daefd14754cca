"""What must stand before a process of the stream starts? Its topics; a line says what to do."""

from __future__ import annotations

from streams.interpreter import prepare_interpreter
from streams.settings import KafkaSettings
from streams.topics import CheckedTopic, check_topics

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

    Raises:
        TopicsRefusedError: A topic is missing.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    checked = check_topics(settings)
    _refuse([one for one in checked if one.facts is None])
    return checked


def _refuse(checked: list[CheckedTopic]) -> None:
    problems = [one.line for topic in checked for one in topic.deviations]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise TopicsRefusedError(f"{problems[0]}{more}; see ladderman topics check")
