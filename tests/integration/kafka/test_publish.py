"""Killed at any moment, with brokers that come and go, a publisher loses and renumbers nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson
import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from schemas.events import Heartbeat
from schemas.topics import TopicName, topic
from schemas.wire import chain_hash, parse_event
from streams.development.kafka_cluster import KafkaCluster
from streams.kafka.connecting import aiokafka_options
from streams.kafka.partitioning import partition_of
from streams.kafka.topics import create_topics
from streams.process.settings import KafkaSettings
from streams.publishing.kafka_sender import KafkaSender
from streams.publishing.publisher import SendFailedError
from streams.spool import SpooledEvent
from tests.support.stream.kafka import running_kafka

COMMAND = Path(sys.executable).with_name("ladderman")
PARTITIONS = 3
KILLS = 5
SOURCES = ("BAC-01", "BAC-02", "BAC-03")


class Bench:
    """A set of topics, a directory of spools, and publishers as processes."""

    def __init__(self, settings: KafkaSettings, directory: Path) -> None:
        self.settings, self.directory = settings, directory
        create_topics(settings)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "LADDERMAN_KAFKA_BOOTSTRAP": self.settings.bootstrap,
            "LADDERMAN_KAFKA_PREFIX": self.settings.prefix,
            "LADDERMAN_KAFKA_PARTITIONS": str(PARTITIONS),
            "LADDERMAN_KAFKA_DEV": "true",
            "LADDERMAN_DATA_DIRECTORY": str(self.directory / "data"),
        }
        return subprocess.Popen(
            [COMMAND, "publish", *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, kill_after_s: float | None = None) -> tuple[int, str, str]:
        with self.start(*arguments) as publisher:
            if kill_after_s is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    publisher.wait(kill_after_s)
                publisher.kill()
            out, err = publisher.communicate(timeout=100)
        return publisher.returncode, out, err

    def log(self) -> list[tuple[int, bytes, bytes]]:
        """Give partition, key and bytes of every message, each partition in its order."""
        return asyncio.run(self._log())

    async def _log(self) -> list[tuple[int, bytes, bytes]]:
        name = topic(TopicName.EVENTS).full_name(self.settings.prefix)
        found = []
        async with AIOKafkaConsumer(
            **aiokafka_options(self.settings), auto_offset_reset="earliest"
        ) as consumer:
            for partition in range(PARTITIONS):
                at = TopicPartition(name, partition)
                consumer.assign([at])
                end = (await consumer.end_offsets([at]))[at]
                while await consumer.position(at) < end:
                    got = await consumer.getmany(at, timeout_ms=500)
                    found += [(partition, one.key, one.value) for one in got.get(at, [])]
        return found


@pytest.fixture
def bench(kafka: KafkaCluster, prefix: str, tmp_path: Path) -> Bench:
    settings = KafkaSettings(
        bootstrap=kafka.bootstrap, prefix=prefix, partitions=PARTITIONS, dev=True
    )
    return Bench(settings, tmp_path)


def drafts(count: int) -> list[bytes]:
    return [
        orjson.dumps(
            {
                "type": "seat_vacated",
                "schema_version": 1,
                "source_id": SOURCES[number % len(SOURCES)],
                "occurred_at": "2025-06-07T16:00:00.000000Z",
                "seat": str(number),
            }
        )
        for number in range(count)
    ]


def check_published(log: Sequence[tuple[int, bytes, bytes]], count: int) -> None:
    """Every draft once, in its order, numbered without a gap, in the partition of its source."""
    for source in SOURCES:
        key = source.encode()
        assert {partition for partition, one, _ in log if one == key} == {
            partition_of(key, PARTITIONS)
        }
        raws = list(dict.fromkeys(raw for _, one, raw in log if one == key))
        events = [parse_event(raw) for raw in raws]
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert [event.previous_hash for event in events[1:]] == [chain_hash(r) for r in raws[:-1]]
        assert len({event.feed_id for event in events}) == 1
        said = [event for event in events[1:] if not isinstance(event, Heartbeat)]
        expected = [str(n) for n in range(count) if SOURCES[n % len(SOURCES)] == source]
        assert [event.seat for event in said] == expected


def test_drafts_survive_kills_at_random_moments(bench: Bench) -> None:
    count = 4000
    path = bench.directory / "drafts.jsonl"
    path.write_bytes(b"\n".join(drafts(count)))
    chance = random.Random(3)
    killed = 0
    for _ in range(KILLS):
        code, *_ = bench.run(str(path), "--rate", "1500", kill_after_s=chance.uniform(0.8, 2.5))
        killed += code == -9
    assert killed >= 3
    code, out, err = bench.run(str(path))
    assert code == 0, err
    assert out.endswith("all acknowledged.\n")
    check_published(bench.log(), count)

    code, out, _ = bench.run(str(path))
    assert (code, out) == (
        0,
        "0 events published, 4,000 had been taken before; all acknowledged.\n",
    )


def test_a_publisher_that_is_told_to_stop_sends_what_it_took_and_says_so(bench: Bench) -> None:
    path = bench.directory / "drafts.jsonl"
    path.write_bytes(b"\n".join(drafts(1000)))
    with bench.start(str(path), "--rate", "200", "--port", "0") as publisher:
        assert publisher.stderr is not None
        assert publisher.stderr.readline().startswith("metrics and health on ")
        time.sleep(1.0)  # somewhere in the middle: the moment is the point
        publisher.terminate()
        out, err = publisher.communicate(timeout=30)
    assert publisher.returncode == 130, err
    assert err == "stopping: what was taken is still sent, for 5 s at most\n"
    assert "all acknowledged. Stopped before the end of the file: give it again" in out
    assert 0 < int(out.split()[0]) < 1000

    with bench.start(str(path), "--port", "0") as publisher:
        out, err = publisher.communicate(timeout=60)
    assert publisher.returncode == 0, err
    check_published(bench.log(), 1000)


def test_a_gateway_that_is_told_to_stop_ends_in_good_order(bench: Bench) -> None:
    with bench.start("-", "--port", "0") as publisher:
        assert publisher.stdin is not None
        assert publisher.stderr is not None
        assert publisher.stderr.readline().startswith("metrics and health on ")
        for raw in drafts(300):
            publisher.stdin.write(raw.decode() + "\n")
        publisher.stdin.flush()
        publisher.terminate()  # what stands in the pipe by now is nowhere else
        publisher.wait(30)
        assert publisher.returncode == 0
    check_published(bench.log(), 300)


def test_finished_events_survive_kills_with_their_bytes(bench: Bench) -> None:
    path = bench.directory / "drafts.jsonl"
    path.write_bytes(b"\n".join(drafts(1500)))
    assert bench.run(str(path))[0] == 0
    first = bench.log()
    finished = bench.directory / "finished.jsonl"
    finished.write_bytes(b"\n".join(raw for _, _, raw in first))

    other = Bench(
        bench.settings.model_copy(update={"prefix": f"{bench.settings.prefix}-2"}),
        bench.directory / "other",
    )
    for after_s in (1.2, 1.8):
        other.run(str(finished), "--rate", "1000", kill_after_s=after_s)
    code, _, err = other.run(str(finished))
    assert code == 0, err
    assert list(dict.fromkeys(other.log())) == first


@pytest.fixture(scope="module")
def harmed() -> Iterator[KafkaCluster]:
    """A broker that tests of this module stop and start again."""
    with running_kafka() as cluster:
        yield cluster


def wait_for_metric(at: str, name: str, *, above_0: bool, limit_s: float = 20.0) -> None:
    """Wait until a metric of every source is above 0, or until it is 0 for all."""
    deadline_s = time.monotonic() + limit_s
    while time.monotonic() < deadline_s:
        with urllib.request.urlopen(f"http://{at}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        values = [float(line.split()[1]) for line in lines if line.startswith(f"{name}{{")]
        if len(values) == len(SOURCES) and all((value > 0) == above_0 for value in values):
            return
        time.sleep(0.05)
    pytest.fail(f"{name} of {SOURCES} was {values}")


def test_events_wait_for_a_broker_that_is_away(
    harmed: KafkaCluster, prefix: str, tmp_path: Path
) -> None:
    settings = KafkaSettings(
        bootstrap=harmed.bootstrap, prefix=prefix, partitions=PARTITIONS, dev=True
    )
    bench = Bench(settings, tmp_path)
    rows = drafts(60)
    with bench.start("-", "--port", "0") as publisher:
        assert publisher.stdin is not None
        assert publisher.stderr is not None
        at = publisher.stderr.readline().rpartition(" ")[2].strip()
        for some, wanted in ((rows[:20], False), (rows[20:], True)):
            for row in some:
                publisher.stdin.write(row.decode() + "\n")
            publisher.stdin.flush()
            wait_for_metric(at, "ladderman_spool_waiting_events", above_0=wanted)
            harmed.broker(1).kill()
        harmed.start_brokers(1)
        out, err = publisher.communicate(timeout=100)
    assert publisher.returncode == 0, err
    assert out == "60 events published; all acknowledged.\n"
    check_published(bench.log(), len(rows))


def test_without_topics_the_line_says_how_to_make_them(
    kafka: KafkaCluster, prefix: str, tmp_path: Path
) -> None:
    settings = KafkaSettings(bootstrap=kafka.bootstrap, prefix=prefix, partitions=1, dev=True)
    with (
        contextlib.closing(KafkaSender(settings)) as sender,
        pytest.raises(SendFailedError, match=r"no topic t\w+\.events; make it: ladderman topics"),
    ):
        sender.send("BAC-01", [SpooledEvent(1, b"{}")])


def test_a_sender_says_why_it_fails_and_goes_on_when_it_can(
    harmed: KafkaCluster, prefix: str
) -> None:
    settings = KafkaSettings(bootstrap=harmed.bootstrap, prefix=prefix, partitions=1, dev=True)
    create_topics(settings)
    events = [SpooledEvent(number, b"%d" % number) for number in range(1, 4)]
    with contextlib.closing(KafkaSender(settings, send_limit_s=3.0)) as sender:
        sender.send("BAC-01", events)
        harmed.broker(1).stop()
        began_s = time.monotonic()
        for _ in range(2):
            with pytest.raises(SendFailedError, match="Connection refused"):
                sender.send("BAC-01", events)
        assert time.monotonic() - began_s < 20
        harmed.start_brokers(1)
        sender.send("BAC-01", events)
