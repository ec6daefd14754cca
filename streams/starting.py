"""What must stand before a process of the stream starts? Its topics; a line says what to do."""

from __future__ import annotations

import gc
import sys
from typing import Final

from streams.settings import KafkaSettings
from streams.topics import CheckedTopic, check_topics

_COLLECTED_AFTER: Final = (5_000, 20, 50)
_THREADS_TAKE_TURNS_S: Final = 0.001


def prepare_interpreter() -> None:
    """Have the interpreter pause seldom and briefly, once everything long-lived is in memory.

    Measured at 1,000 events a second: law and classes need not be looked through for garbage, and
    the thread that fetches gets its turn after one millisecond instead of five while the other
    folds, which takes two thirds off the way of a message.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)
    sys.setswitchinterval(_THREADS_TAKE_TURNS_S)


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


def topics_there(settings: KafkaSettings) -> None:
    """Make sure that the topics exist, for one who only reads them.

    Raises:
        TopicsRefusedError: A topic is missing.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    _refuse([one for one in check_topics(settings) if one.facts is None])


def _refuse(checked: list[CheckedTopic]) -> None:
    problems = [one.line for topic in checked for one in topic.deviations]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise TopicsRefusedError(f"{problems[0]}{more}; see ladderman topics check")
