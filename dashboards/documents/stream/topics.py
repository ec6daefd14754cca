"""The topics on Kafka: what they are, and what is not as it must be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dashboards.documents.document import Document
from streams.kafka.topics import CheckedTopic

TOPICS_SCHEMA: Final = "ladderman.topics/1"

TOPIC_SCHEMA: Final = "ladderman.topic/1"


@dataclass(frozen=True)
class TopicList(Document):
    """All topics with what deviates: ``ladderman.topics/1``."""

    bootstrap: str
    """The brokers that were asked."""
    topics: tuple[CheckedTopic, ...]
    made: tuple[str, ...] = ()
    """Names of those that were made just now."""

    def as_json(self) -> dict[str, object]:
        """Give the whole list."""
        return {
            "schema": TOPICS_SCHEMA,
            "bootstrap": self.bootstrap,
            "topics": list(self.lines()),
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one topic a line."""
        return [_topic_json(one) for one in self.topics]


def _topic_json(one: CheckedTopic) -> dict[str, object]:
    facts = one.facts
    return {
        "schema": TOPIC_SCHEMA,
        "name": one.name,
        "topic_id": facts.topic_id if facts else None,
        "key": one.topic.key.value,
        "content": one.topic.content,
        "cleanup": one.topic.cleanup,
        "partitions": facts.partitions if facts else None,
        "replication": min(facts.replicas, default=None) if facts else None,
        "deviations": [{"what": d.what, "mend": d.mend} for d in one.deviations],
    }
