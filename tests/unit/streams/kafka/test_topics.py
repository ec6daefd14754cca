"""Every way in which a topic is not kept as it must be is said in words, with how to mend it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.topics import TOPICS, Topic, TopicName, topic
from streams.kafka.topics import TopicFacts, deviations_of
from streams.process.settings import KafkaSettings

SETTINGS = KafkaSettings(partitions=4, bootstrap="kafka:9092")


def facts_of(one: Topic, **changed: str) -> TopicFacts:
    """A topic as it must be, with some of its configuration changed."""
    names = {key.replace("_", "."): value for key, value in changed.items()}
    return TopicFacts(
        name=one.full_name("ladderman"),
        topic_id="id",
        replicas=[3, 3, 3, 3],
        leaderless=[],
        configuration={**one.configuration(2), **names},
    )


@pytest.mark.parametrize("one", TOPICS, ids=lambda one: one.name)
def test_a_topic_as_it_must_be_has_no_deviation(one: Topic) -> None:
    assert deviations_of(SETTINGS, one, facts_of(one)) == ()


def test_a_missing_topic_is_to_be_made() -> None:
    [found] = deviations_of(SETTINGS, topic(TopicName.EVENTS), None)
    assert found.line == "ladderman.events does not exist; make it: ladderman topics create"


@pytest.mark.parametrize(
    ("name", "key", "value", "what"),
    [
        (
            "events",
            "retention_ms",
            "604800000",
            "has retention.ms 7 days and needs at least 30 day",
        ),
        ("events", "retention_ms", "3600000", "has retention.ms 1 hour and needs at least 30 days"),
        ("events", "retention_bytes", "1048576", "retention.bytes 1 MiB and needs without limit"),
        ("events", "cleanup_policy", "compact", "has cleanup.policy compact and needs delete ("),
        ("events", "cleanup_policy", "compact,delete", "has cleanup.policy compact,delete and nee"),
        ("snapshots", "cleanup_policy", "delete", "has cleanup.policy delete and needs compact ("),
        ("verdicts", "message_timestamp_type", "CreateTime", "CreateTime and needs LogAppendTime"),
        ("snapshots", "max_message_bytes", "1048588", "1 MiB and needs at least 5 MiB"),
        ("events", "min_insync_replicas", "1", "has min.insync.replicas 1 and needs at least 2 ("),
        ("events", "unclean_leader_election_enable", "true", "true and needs false ("),
        ("snapshots", "segment_bytes", "1073741824", "1024 MiB and needs at most 64 MiB"),
    ],
)
def test_a_setting_that_does_not_suffice_is_said_with_the_command_that_mends_it(
    name: str, key: str, value: str, what: str
) -> None:
    one = topic(TopicName(name))
    [found] = deviations_of(SETTINGS, one, facts_of(one, **{key: value}))
    assert what in found.what
    setting = key.replace("_", ".")
    wanted = one.configuration(2)[setting]
    assert found.mend == (
        "mend it: kafka-configs --bootstrap-server kafka:9092 --entity-type topics "
        f"--entity-name ladderman.{name} --alter --add-config {setting}={wanted}"
    )


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("events", "retention_ms", "-1"),
        ("events", "retention_ms", "31536000000"),
        ("events", "max_message_bytes", "10485760"),
        ("events", "min_insync_replicas", "3"),
        ("snapshots", "segment_bytes", "1048576"),
        ("snapshots", "min_cleanable_dirty_ratio", "0.01"),
        ("snapshots", "retention_ms", "1"),
    ],
)
def test_more_than_is_needed_is_no_deviation(name: str, key: str, value: str) -> None:
    one = topic(TopicName(name))
    assert deviations_of(SETTINGS, one, facts_of(one, **{key: value})) == ()


def test_another_number_of_partitions_is_never_to_be_changed_in_place() -> None:
    one = topic(TopicName.EVENTS)
    [found] = deviations_of(SETTINGS, one, replace(facts_of(one), replicas=[3, 3]))
    assert found.what == "has 2 partitions and the settings say 4"
    assert "never changes in place" in found.mend


def test_the_partition_with_the_fewest_copies_counts() -> None:
    one = topic(TopicName.EVENTS)
    [found] = deviations_of(SETTINGS, one, replace(facts_of(one), replicas=[3, 1, 3, 3]))
    assert found.what == "has 1 copy of a partition and needs 3"


def test_partitions_without_a_leader_are_named() -> None:
    one = topic(TopicName.EVENTS)
    [found] = deviations_of(SETTINGS, one, replace(facts_of(one), leaderless=[1, 3]))
    assert found.what == "has no leader for partition 1, 3"


def test_one_copy_is_enough_for_development() -> None:
    one = topic(TopicName.EVENTS)
    settings = KafkaSettings(partitions=4, dev=True)
    facts = replace(facts_of(one, min_insync_replicas="1"), replicas=[1, 1, 1, 1])
    assert deviations_of(settings, one, facts) == ()


def test_all_that_is_wrong_is_said_at_once() -> None:
    one = topic(TopicName.VERDICTS)
    facts = facts_of(one, cleanup_policy="compact", message_timestamp_type="CreateTime")
    found = deviations_of(SETTINGS, one, replace(facts, replicas=[1]))
    assert len(found) == 4
    assert all("\n" not in one.line for one in found)


def test_names_lie_below_the_prefix_and_are_all_different() -> None:
    names = [one.full_name("floor") for one in TOPICS]
    assert names[0] == "floor.events"
    assert len(set(names)) == len(names) == len(TopicName)
