"""The topics: made once, and checked against what the protocol needs at every start.

What is wrong is a :class:`Deviation` in plain words with how to mend it. Nothing that exists is
ever changed from here: a topic holds evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import (
    InvalidReplicationFactorError,
    KafkaError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from schemas.topics import DAY_MS, MIB, TOPICS, Topic, TopicName
from streams.kafka.administration import KafkaUnavailableError, administration
from streams.process.settings import KafkaSettings

_HOUR_MS: Final = 60 * 60 * 1000
_UNLIMITED: Final = -1


@dataclass(frozen=True, slots=True)
class Deviation:
    """One thing about a topic that is not as it must be."""

    topic: str
    """Its full name."""
    what: str
    """What is so, and what must be."""
    mend: str
    """What to do about it."""

    @property
    def line(self) -> str:
        """All of it in one line."""
        return f"{self.topic} {self.what}; {self.mend}"


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """One topic as the cluster has it."""

    name: str
    topic_id: str
    """Another one is another topic, also under the same name."""
    replicas: Sequence[int]
    """Copies of each partition."""
    leaderless: Sequence[int]
    """Partitions that nobody serves."""
    configuration: Mapping[str, str]

    @property
    def partitions(self) -> int:
        """How many partitions it has."""
        return len(self.replicas)


@dataclass(frozen=True, slots=True)
class CheckedTopic:
    """A topic as it should be, as it is, and what the difference is."""

    topic: Topic
    name: str
    facts: TopicFacts | None
    """None where it does not exist."""
    deviations: tuple[Deviation, ...]


def create_topics(settings: KafkaSettings) -> tuple[list[str], list[CheckedTopic]]:
    """Make the topics that are missing, then check all.

    Returns:
        Names of those that were made, and every topic checked.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached or did not make one.
    """
    with administration(settings) as admin:
        there = _facts(admin, settings)
        missing = [topic for topic in TOPICS if topic.full_name(settings.prefix) not in there]
        made = [name for topic in missing if (name := _create(admin, settings, topic))]
        admin.wait_for_topics(made)
        there = _facts(admin, settings)
    return made, _checked(settings, there)


def check_topics(settings: KafkaSettings) -> list[CheckedTopic]:
    """Compare every topic with what it must be; workers start only where nothing deviates.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
    """
    with administration(settings) as admin:
        return _checked(settings, _facts(admin, settings))


def _create(admin: KafkaAdminClient, settings: KafkaSettings, topic: Topic) -> str | None:
    """Make one topic; None where somebody else just did."""
    name = topic.full_name(settings.prefix)
    wanted = {
        "num_partitions": settings.partitions,
        "replication_factor": settings.replication,
        "configs": topic.configuration(settings.min_insync),
    }
    try:
        admin.create_topics({name: wanted})
    except TopicAlreadyExistsError:
        return None
    except InvalidReplicationFactorError:
        brokers = len(admin.describe_cluster()["brokers"])
        raise KafkaUnavailableError(
            f"{name} needs {settings.replication} brokers and the cluster has {brokers}: start "
            "more, or set kafka.dev = true where losing events does not matter"
        ) from None
    except KafkaError as error:
        raise KafkaUnavailableError(f"{name} could not be made: {error}") from None
    return name


def _facts(admin: KafkaAdminClient, settings: KafkaSettings) -> dict[str, TopicFacts]:
    names = [topic.full_name(settings.prefix) for topic in TOPICS]
    described = {
        answer["name"]: answer for answer in admin.describe_topics(names) if _exists(answer)
    }
    if not described:
        return {}
    resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in described]
    configurations = admin.describe_configs(resources, config_filter="all")["topic"]
    return {name: _facts_of(answer, configurations[name]) for name, answer in described.items()}


def _exists(described: Mapping[str, Any]) -> bool:
    error = for_code(described["error_code"])
    if error is UnknownTopicOrPartitionError:
        return False
    if described["error_code"]:
        raise error(described["name"])
    return True


def _facts_of(described: Mapping[str, Any], configuration: Mapping[str, Any]) -> TopicFacts:
    partitions = sorted(described["partitions"], key=lambda one: one["partition_index"])
    return TopicFacts(
        name=described["name"],
        topic_id=str(described["topic_id"]),
        replicas=[len(partition["replica_nodes"]) for partition in partitions],
        leaderless=[
            partition["partition_index"] for partition in partitions if partition["leader_id"] < 0
        ],
        configuration={key: str(value["value"]) for key, value in configuration.items()},
    )


def _checked(settings: KafkaSettings, there: Mapping[str, TopicFacts]) -> list[CheckedTopic]:
    checked = []
    for topic in TOPICS:
        name = topic.full_name(settings.prefix)
        facts = there.get(name)
        checked.append(CheckedTopic(topic, name, facts, deviations_of(settings, topic, facts)))
    return checked


def deviations_of(
    settings: KafkaSettings, topic: Topic, facts: TopicFacts | None
) -> tuple[Deviation, ...]:
    """Say in plain words how a topic differs from what it must be.

    Args:
        settings: How topics are to be made.
        topic: What it must be.
        facts: What it is; None where it does not exist.
    """
    name = topic.full_name(settings.prefix)
    if facts is None:
        return (Deviation(name, "does not exist", "make it: ladderman topics create"),)
    return (
        *_shape_deviations(settings, name, facts),
        *_configuration_deviations(settings, topic, facts),
    )


def _shape_deviations(settings: KafkaSettings, name: str, facts: TopicFacts) -> Iterator[Deviation]:
    if facts.partitions != settings.partitions:
        yield Deviation(
            name,
            f"has {facts.partitions} partitions and the settings say {settings.partitions}",
            "the number never changes in place, since keys would move: set kafka.partitions back, "
            "or close all tables and take another kafka.prefix",
        )
    fewest = min(facts.replicas, default=0)
    if fewest < settings.replication:
        yield Deviation(
            name,
            f"has {fewest} {'copy' if fewest == 1 else 'copies'} of a partition and needs "
            f"{settings.replication}",
            "add copies with kafka-reassign-partitions, or set kafka.dev = true where losing "
            "events does not matter",
        )
    if facts.leaderless:
        which = ", ".join(map(str, facts.leaderless))
        yield Deviation(
            name,
            f"has no leader for partition {which}",
            "start the brokers that hold it",
        )


def _configuration_deviations(
    settings: KafkaSettings, topic: Topic, facts: TopicFacts
) -> Iterator[Deviation]:
    for key, wanted in topic.configuration(settings.min_insync).items():
        there = facts.configuration.get(key, "")
        if _suffices(key, there, wanted):
            continue
        command = (
            f"kafka-configs --bootstrap-server {settings.bootstrap} --entity-type topics "
            f"--entity-name {facts.name} --alter --add-config {key}={wanted}"
        )
        what = f"has {key} {_in_words(key, there)} and needs {_bound(key)}{_in_words(key, wanted)}"
        yield Deviation(facts.name, f"{what} ({_REASONS[key]})", f"mend it: {command}")


_AT_LEAST: Final = frozenset({"retention.ms", "max.message.bytes", "min.insync.replicas"})
_AT_MOST: Final = frozenset({"segment.bytes", "segment.ms", "min.cleanable.dirty.ratio"})

_REASONS: Final = {
    "cleanup.policy": "anything else loses messages or keeps too many",
    "message.timestamp.type": "times must be those of arrival, not a device's",
    "max.message.bytes": "longer messages would be refused",
    "min.insync.replicas": "an acknowledged message could be lost with one broker",
    "unclean.leader.election.enable": "a broker that lags could take over and lose messages",
    "retention.ms": "what was not folded yet could be removed",
    "retention.bytes": "what was not folded yet could be removed",
    "segment.bytes": "a recovery would have to read all of it",
    "segment.ms": "old snapshots would stay too long",
    "min.cleanable.dirty.ratio": "old snapshots would stay too long",
}


def _bound(key: str) -> str:
    return "at least " if key in _AT_LEAST else "at most " if key in _AT_MOST else ""


def _suffices(key: str, there: str, wanted: str) -> bool:
    if key in _AT_LEAST or key in _AT_MOST:
        try:
            found, limit = float(there), float(wanted)
        except ValueError:
            return False
        if key == "retention.ms" and found == _UNLIMITED:
            return True
        return found >= limit if key in _AT_LEAST else found <= limit
    return there == wanted


def _in_words(key: str, value: str) -> str:
    """Give a value the way that a person reads it."""
    if not value.lstrip("-").isdigit():
        return value or "(nothing)"
    number = int(value)
    if number == _UNLIMITED and key.startswith("retention"):
        return "without limit"
    if key.endswith(".ms"):
        unit, size = ("day", DAY_MS) if number >= DAY_MS else ("hour", _HOUR_MS)
        amount = f"{number / size:.3g}"
        return f"{amount} {unit}{'' if amount == '1' else 's'}"
    if key.endswith("bytes"):
        return f"{number / MIB:.4g} MiB"
    return value


def retention_s(checked: Sequence[CheckedTopic], name: TopicName) -> float:
    """Say how long a topic keeps its messages, seconds; infinite where without limit."""
    facts = next(
        (checked_topic.facts for checked_topic in checked if checked_topic.topic.name is name), None
    )
    retention_ms = int(facts.configuration.get("retention.ms", _UNLIMITED)) if facts else _UNLIMITED
    return retention_ms / 1000 if retention_ms >= 0 else float("inf")


def topic_ids(checked: Sequence[CheckedTopic]) -> dict[TopicName, str]:
    """Give the ids of the topics that exist; a topic made anew under its name has another."""
    return {
        checked_topic.topic.name: checked_topic.facts.topic_id
        for checked_topic in checked
        if checked_topic.facts is not None
    }
