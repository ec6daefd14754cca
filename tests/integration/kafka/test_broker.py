"""The broker for development is a real one, can be harmed, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from streams.development.kafka_cluster import KafkaCluster, KafkaStartError
from streams.development.kafka_configuration import ClusterOptions
from tests.support.stream.kafka import kafka_or_skip, running_kafka

STARTER = """
import sys, time
from streams.development.kafka_cluster import KafkaCluster
cluster = KafkaCluster()
cluster.start()
print(cluster.directory, cluster.brokers[0].pid, flush=True)
time.sleep(600)
"""


def create(cluster: KafkaCluster, name: str, copies: int = 1) -> None:
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    settings = {"min.insync.replicas": str(max(1, copies - 1))}
    admin.create_topics([NewTopic(name, 1, copies, topic_configs=settings)])
    admin.close()


def send(cluster: KafkaCluster, topic: str, values: list[bytes]) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap)
    for value in values:
        producer.send(topic, value).get(30)
    producer.close()


def receive(cluster: KafkaCluster, topic: str, count: int) -> list[bytes]:
    consumer = KafkaConsumer(bootstrap_servers=cluster.bootstrap, consumer_timeout_ms=20_000)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.seek_to_beginning()
    values = [message.value for _, message in zip(range(count), consumer, strict=False)]
    consumer.close()
    return values


def wait_for(condition: Callable[[], bool], limit_s: float = 15.0) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_what_is_sent_is_received(kafka: KafkaCluster, prefix: str) -> None:
    create(kafka, prefix)
    send(kafka, prefix, [b"one", b"two"])
    assert receive(kafka, prefix, 2) == [b"one", b"two"]


def test_a_killed_broker_keeps_what_it_acknowledged_and_a_stopped_cluster_nothing() -> None:
    with running_kafka() as cluster:
        directory = cluster.directory
        create(cluster, "kept")
        send(cluster, "kept", [b"one", b"two"])
        cluster.broker(1).kill()
        assert cluster.broker(1).pid is None
        cluster.start_brokers(1)
        send(cluster, "kept", [b"three"])
        assert receive(cluster, "kept", 3) == [b"one", b"two", b"three"]
        pid = cluster.broker(1).pid
        cluster.broker(1).signal(signal.SIGSTOP)  # stopped for good although it hears no signal
    assert directory is not None and not directory.exists()
    assert pid is not None and not is_alive(pid)


def test_two_of_three_brokers_go_on_without_the_third() -> None:
    with running_kafka(ClusterOptions(brokers=3)) as cluster:
        create(cluster, "copied", copies=3)
        send(cluster, "copied", [b"one"])
        cluster.broker(1).kill()
        send(cluster, "copied", [b"two"])
        assert receive(cluster, "copied", 2) == [b"one", b"two"]


def test_a_killed_starter_leaves_nothing_behind() -> None:
    kafka_or_skip()
    starter = subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE)
    assert starter.stdout is not None
    directory, pid = starter.stdout.readline().decode().split()
    starter.kill()
    starter.communicate()
    assert wait_for(lambda: not Path(directory).exists())
    assert not is_alive(int(pid))


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.3])
def test_a_starter_killed_while_it_starts_leaves_nothing_behind(
    after_s: float, tmp_path: Path
) -> None:
    kafka_or_skip()
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER], env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert wait_for(lambda: any(tmp_path.glob("ladderman-kafka-*/*.log")), 30)
    time.sleep(after_s)
    starter.kill()
    starter.wait()
    assert wait_for(lambda: not any(tmp_path.iterdir()))
    time.sleep(0.3)
    assert brokers_below(tmp_path) == []


def brokers_below(directory: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"kafka.Kafka" in (line := path.read_bytes()) and str(directory).encode() in line:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_a_broker_that_cannot_start_shows_its_last_lines() -> None:
    options = ClusterOptions(properties={"log.retention.ms": "never"})
    with (
        pytest.raises(KafkaStartError, match=r"(?s)broker 1 ended at once: .*log\.retention\.ms"),
        running_kafka(options),
    ):
        pass
