"""Topics are made as the protocol needs them, and what differs on the broker is found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaProducer
from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import ConfigResource, ConfigResourceType

from dashboards.commands.stream.topics import register
from schemas.topics import MESSAGE_BYTES_MAX, TOPICS, TopicName
from streams.development.kafka_cluster import KafkaCluster
from streams.kafka.administration import administration
from streams.kafka.connecting import aiokafka_options, python_options
from streams.kafka.partitioning import partition_of
from streams.kafka.topics import check_topics, create_topics, topic_ids
from streams.process.settings import KafkaSettings
from tests.support.texts.command_line import Answer, run_command


@pytest.fixture
def settings(kafka: KafkaCluster, prefix: str) -> KafkaSettings:
    return KafkaSettings(bootstrap=kafka.bootstrap, prefix=prefix, partitions=3, dev=True)


@pytest.fixture
def admin(settings: KafkaSettings) -> Iterator[KafkaAdminClient]:
    with administration(settings) as client:
        yield client


@pytest.fixture
def topics(settings: KafkaSettings, monkeypatch: pytest.MonkeyPatch):
    """Run ``ladderman topics`` on the broker, as a person would."""
    monkeypatch.setenv("LADDERMAN_KAFKA_BOOTSTRAP", settings.bootstrap)
    monkeypatch.setenv("LADDERMAN_KAFKA_PREFIX", settings.prefix)
    monkeypatch.setenv("LADDERMAN_KAFKA_PARTITIONS", "3")
    monkeypatch.setenv("LADDERMAN_KAFKA_DEV", "true")

    def run(*arguments: str) -> Answer:
        return run_command(register, "topics", *arguments)

    return run


def test_topics_are_made_once_and_are_then_in_order(topics, settings: KafkaSettings) -> None:
    before = topics("check")
    assert before.code == 1
    assert "does not exist" in before.out

    first, second = topics("create"), topics("create", "--format", "json")
    assert (first.code, second.code) == (0, 0), first.out + second.out
    assert first.out.count(" made") == len(TOPICS)
    assert second.err == "made: none, all existed\n"
    assert [one["name"] for one in second.document["topics"]] == [
        one.full_name(settings.prefix) for one in TOPICS
    ]
    assert {one["partitions"] for one in second.document["topics"]} == {3}
    assert topics("check").code == 0


def test_what_differs_on_the_broker_is_found_and_nothing_of_it_changed(
    topics, settings: KafkaSettings, admin: KafkaAdminClient
) -> None:
    create_topics(settings)
    name = f"{settings.prefix}.events"
    wrong = {"retention.ms": "3600000", "cleanup.policy": "compact,delete"}
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, wrong)])
    snapshots = ConfigResource(
        ConfigResourceType.TOPIC, f"{settings.prefix}.snapshots", {"max.message.bytes": "1048588"}
    )
    admin.alter_configs([snapshots])

    for command in ("check", "create"):
        answer = topics(command, "--format", "jsonl")
        assert answer.code == 1
        found = {
            one["name"].removeprefix(f"{settings.prefix}."): [d["what"] for d in one["deviations"]]
            for one in answer.objects
            if one["deviations"]
        }
        assert sorted(found) == ["events", "snapshots"]
        assert any("cleanup.policy compact,delete" in what for what in found["events"])
        assert any("retention.ms 1 hour" in what for what in found["events"])
        assert "max.message.bytes 1 MiB" in found["snapshots"][0]


def test_a_topic_made_anew_has_another_id(settings: KafkaSettings, admin: KafkaAdminClient) -> None:
    create_topics(settings)
    before = topic_ids(check_topics(settings))
    admin.delete_topics([f"{settings.prefix}.events"])
    made, after = create_topics(settings)
    while not made:  # the broker may still be removing the old one
        made, after = create_topics(settings)
    now = topic_ids(after)
    assert now[TopicName.EVENTS] != before[TopicName.EVENTS]
    assert now[TopicName.VERDICTS] == before[TopicName.VERDICTS]


def test_more_copies_than_brokers_are_refused_in_words(topics, monkeypatch) -> None:
    monkeypatch.setenv("LADDERMAN_KAFKA_REPLICATION", "3")
    answer = topics("create")
    assert answer.code == 3
    assert "needs 3 brokers and the cluster has 1: start more, or set kafka.dev" in answer.err


def test_a_broker_that_is_away_is_one_line(topics, monkeypatch) -> None:
    monkeypatch.setenv("LADDERMAN_KAFKA_BOOTSTRAP", "127.0.0.1:9")
    answer = topics("check")
    assert answer.code == 3
    assert answer.err == (
        "Kafka at 127.0.0.1:9 cannot be reached: Connection refused; "
        "start it, or set kafka.bootstrap"
    )


def test_every_client_sends_a_key_to_the_same_partition(settings: KafkaSettings) -> None:
    create_topics(settings)
    name = f"{settings.prefix}.events"
    keys = [f"table-{number}".encode() for number in range(20)]

    producer = KafkaProducer(**python_options(settings))
    sent = [producer.send(name, key=key, value=b"{}") for key in keys]
    by_python = [future.get(20).partition for future in sent]
    producer.close()

    async def by_aiokafka() -> list[int]:
        async with AIOKafkaProducer(**aiokafka_options(settings)) as producer:
            return [(await producer.send_and_wait(name, b"{}", key=key)).partition for key in keys]

    expected = [partition_of(key, 3) for key in keys]
    assert by_python == expected
    assert asyncio.run(by_aiokafka()) == expected
    assert len(set(expected)) == 3


def test_a_snapshot_of_the_greatest_length_is_admitted(settings: KafkaSettings) -> None:
    create_topics(settings)
    snapshot = bytes(MESSAGE_BYTES_MAX - 1024)

    async def put() -> int:
        options = {**aiokafka_options(settings), "max_request_size": MESSAGE_BYTES_MAX}
        async with AIOKafkaProducer(**options) as producer:
            sent = await producer.send_and_wait(f"{settings.prefix}.snapshots", snapshot, key=b"0")
            return sent.offset

    assert asyncio.run(put()) == 0
