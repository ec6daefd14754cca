"""Topics, their keys, and how they must be kept.

Names begin with a prefix from the settings, and every topic has the same number of partitions. A
key's partition is murmur2 of the key, whichever client sends.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

MIB: Final = 1024 * 1024
DAY_MS: Final = 24 * 60 * 60 * 1000

MESSAGE_BYTES_MAX: Final = 5 * MIB
"""The longest message of any topic, and what clients must be able to send and fetch."""

_USUAL_BYTES_MAX: Final = 1 * MIB
_RETENTION_DAYS: Final = 30
_COMPACT_SEGMENT_BYTES: Final = 64 * MIB
_COMPACT_SEGMENT_MS: Final = 10 * 60 * 1000


class TopicName(StrEnum):
    """What stands behind the prefix."""

    EVENTS = "events"
    VERDICTS = "verdicts"
    FINDINGS = "findings"
    PROGRESSIVE_INPUTS = "progressive-inputs"
    SNAPSHOTS = "snapshots"
    PROGRESSIVE_SNAPSHOTS = "progressive-snapshots"
    DEAD_LETTERS = "dead-letters"


class Key(StrEnum):
    """What a message's key says."""

    SOURCE = "source_id"
    TABLE = "table_id"
    PROGRESSIVE = "progressive_id"
    PARTITION = "partition number"
    """The message is sent to the partition that it is about, not to that of its key."""
    ORIGIN = "origin topic/partition"


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: what it carries and how it must be kept."""

    name: TopicName
    key: Key
    content: str
    cleanup: Literal["delete", "compact"] = "delete"
    retention_days: int = _RETENTION_DAYS
    """At least so long; means nothing where only the last of each key is kept."""
    message_bytes_max: int = _USUAL_BYTES_MAX
    """Messages of this length must be admitted."""

    def full_name(self, prefix: str) -> str:
        """Give the name under a prefix."""
        return f"{prefix}.{self.name}"

    def configuration(self, min_insync: int) -> dict[str, str]:
        """Give the topic's configuration in Kafka's words.

        Every topic carries the time of arrival: retention then counts from there, and a device
        whose clock is wrong can neither have its events removed early nor be refused for them.

        Args:
            min_insync: Copies that must have a message before it is acknowledged.
        """
        kept = {
            "cleanup.policy": self.cleanup,
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(self.message_bytes_max),
            "min.insync.replicas": str(min_insync),
            "unclean.leader.election.enable": "false",
        }
        if self.cleanup == "delete":
            retention_ms = str(self.retention_days * DAY_MS)
            return {**kept, "retention.ms": retention_ms, "retention.bytes": "-1"}
        # Only closed segments are compacted; a recovery reads all that is there.
        return {
            **kept,
            "segment.bytes": str(_COMPACT_SEGMENT_BYTES),
            "segment.ms": str(_COMPACT_SEGMENT_MS),
            "min.cleanable.dirty.ratio": "0.1",
        }


TOPICS: Final = (
    Topic(TopicName.EVENTS, Key.SOURCE, "raw events of all sources"),
    Topic(
        TopicName.VERDICTS,
        Key.TABLE,
        "one record per coup or other subject, whole, versioned",
        message_bytes_max=MESSAGE_BYTES_MAX,
    ),
    Topic(TopicName.FINDINGS, Key.TABLE, "each finding that is new, changed or withdrawn"),
    Topic(
        TopicName.PROGRESSIVE_INPUTS,
        Key.PROGRESSIVE,
        "what tables and controllers say about a progressive",
    ),
    Topic(
        TopicName.SNAPSHOTS,
        Key.PARTITION,
        "whole state of one partition of events",
        cleanup="compact",
        message_bytes_max=MESSAGE_BYTES_MAX,
    ),
    Topic(
        TopicName.PROGRESSIVE_SNAPSHOTS,
        Key.PARTITION,
        "whole state of one partition of progressive-inputs",
        cleanup="compact",
        message_bytes_max=MESSAGE_BYTES_MAX,
    ),
    Topic(TopicName.DEAD_LETTERS, Key.ORIGIN, "what could not be read, with its reason"),
)
"""Every topic, in the order in which messages pass through them."""


def topic(name: TopicName) -> Topic:
    """Find a topic by what stands behind the prefix."""
    return next(known for known in TOPICS if known.name is name)
