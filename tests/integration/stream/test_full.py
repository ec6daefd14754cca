"""The scenarios of the stream in full: twenty tables, fifty thousand events, dozens of kills."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from kafka import TopicPartition

from schemas.topics import TopicName
from streams.development.kafka_cluster import KafkaCluster
from streams.development.kafka_configuration import ClusterOptions
from streams.history.opening import history_path
from streams.history.reading.digest import history_digests
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.host.steps import Step
from streams.kafka.partitioning import partition_of
from streams.kafka.topics import create_topics
from tests.integration.stream.test_disorder import bad_night
from tests.integration.stream.test_kills import is_asleep
from tests.integration.stream.test_sink import owned, reading
from tests.support.history.clickhouse_server import running_server
from tests.support.once import once_in_a_run
from tests.support.stream.faulty_wire import FaultyWire
from tests.support.stream.kafka import running_kafka
from tests.support.stream.stream_floor import (
    Expected,
    Stream,
    expected_of,
    full_floor,
    standing_of_ledgers,
)
from tests.support.stream.stream_processes import Running, wait_until

pytestmark = pytest.mark.slow

PARTITIONS = 6
KILLS = 45
REFUSED = 2
LONG_S = 900.0
PATIENCE_S = 30.0
"""For what happens soon on a machine that does nothing else, and may not happen at all."""
PACE = {"snapshot_every": 1_500, "read_count": 300}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """What the full floor comes to."""
    return once_in_a_run(
        tmp_path_factory, "full", lambda at: expected_of(full_floor(), at, PARTITIONS)
    )


@pytest.fixture
def wide(kafka: KafkaCluster, prefix: str, tmp_path: Path) -> Iterator[Stream]:
    """Topics of six partitions."""
    with Stream.begin(kafka.bootstrap, prefix, tmp_path, partitions=PARTITIONS) as begun:
        yield begun


def finish(stream: Stream, full: Expected, workers: list[Running], sinks: list[Running]) -> None:
    """Wait for the end, and hold everything against what it must be."""
    stream.wait_folded(*workers, limit_s=LONG_S)
    stream.wait_sunk(*sinks, limit_s=LONG_S)
    output = stream.output()
    assert output.records == full.records
    assert output.letters == {}
    assert standing_of_ledgers(output.ledgers) == full.ledgers
    assert stream.digests() == full.digests
    for one in (*workers, *sinks):
        assert one.stop() == 0


def killed(stream: Stream) -> int:
    return sum(one.process.poll() == -signal.SIGKILL for one in stream.running)


def test_dozens_of_kills_change_nothing(wide: Stream, full: Expected) -> None:
    """After every numbered step of either host and at random moments, of two workers and a sink."""
    chance = random.Random(1)
    logs = (TopicName.EVENTS, TopicName.PROGRESSIVE_INPUTS)
    steps = [(of.value, step) for of in logs for step in Step if step is not Step.STOPPED]
    floor, count = full_floor(), len(steps)
    workers = {name: wide.odd_worker(name=name, pace=PACE) for name in ("w1", "w2")}
    sink = wide.sink("s1")
    for turn, (of, step) in enumerate(steps):
        name = chance.choice(("w1", "w2"))
        workers[name].kill()
        few = chance.randrange(1, 3)
        dying = wide.odd_worker(name=name, pace=PACE, of=of, step=step.value, occurrence=few)
        wait_until(lambda dying=dying: dying.has_started or dying.has_ended, "a start")
        # Every step is reached as long as there is something to fold.
        part = floor[len(floor) * turn // count : len(floor) * (turn + 1) // count]
        with wide.publishing(part, rate=300):
            assert dying.ended(LONG_S) == -signal.SIGKILL, (of, step)
            workers[name] = wide.odd_worker(name=name, pace=PACE)
            time.sleep(chance.uniform(0.5, 4.0))
            if turn % 4 == 0:
                sink.kill()
                sink = wide.sink("s1")
    for name, one in workers.items():
        one.kill()
        workers[name] = wide.worker(name)
    assert killed(wide) >= KILLS
    finish(wide, full, list(workers.values()), [sink])


def test_a_sink_dies_again_and_again_and_nothing_is_ever_half_read(
    wide: Stream, full: Expected
) -> None:
    chance = random.Random(4)
    moments: list[int] = []
    path = history_path(wide.store)
    worker = wide.worker()
    wide.publish(full_floor())
    with reading(lambda: owned(path), moments):
        for turn in range(12):
            death = {("after_inserts", "after_commits")[turn % 2]: chance.randrange(2, 9)}
            assert wide.odd_sink(name="s1", **death).ended(LONG_S) == -signal.SIGKILL
        for _ in range(4):
            dying = wide.sink("s1")
            assert dying.port
            time.sleep(chance.uniform(0.2, 2.0))  # the moment is the point
            dying.kill()
        sink = wide.sink("s1")
        wide.wait_folded(worker, limit_s=LONG_S)
        wide.wait_sunk(sink, limit_s=LONG_S)
    assert len(moments) > 10
    assert moments == sorted(moments), "a coup that had been there was gone"
    finish(wide, full, [worker], [sink])


def test_workers_come_and_go_all_the_time(wide: Stream, full: Expected) -> None:
    sink = wide.sink()
    with wide.publishing(full_floor(), rate=800):
        workers = [wide.worker()]
        for turn in range(8):
            workers.append(wide.worker())
            workers[-1].wait_ready()
            if turn % 2:
                assert workers.pop(0).stop() == 0
            if len(workers) > 3:
                workers.pop(1).kill()
    finish(wide, full, workers, [sink])


def test_zombies_and_compaction_leave_a_place_to_go_on_from(wide: Stream, full: Expected) -> None:
    chance = random.Random(2)
    wide.compact_quickly(TopicName.SNAPSHOTS)
    sink = wide.sink()
    with wide.publishing(full_floor(), rate=300):
        sleepers: list[Running] = []
        slept = 0
        for _ in range(5):
            sleeper = wide.odd_worker(
                pace=PACE, sleeps_after=Step.FLUSHED.value, at_occurrence=chance.randrange(2, 5)
            )
            sleepers.append(sleeper)
            fell_asleep(sleeper)
            time.sleep(chance.uniform(8.0, 14.0))  # beyond the session
            slept += is_asleep(sleeper)
            for one in sleepers[:-1]:
                one.signal(signal.SIGCONT)
    assert slept >= 2
    for one in sleepers:
        wait_until(lambda one=one: is_awake_again(one), "it to be awake")
        one.kill()
    last = wide.worker()
    finish(wide, full, [last], [sink])
    kept = wide.messages(TopicName.SNAPSHOTS)
    newest = {one.partition: one.offset for one in kept}
    assert len(kept) < sum(newest.values()) // 2, "nothing was compacted away"


def fell_asleep(worker: Running) -> bool:
    """Wait for it to fall asleep, as long as a start takes where much is going on."""
    until_s = time.monotonic() + PATIENCE_S
    while not (asleep := is_asleep(worker)) and time.monotonic() < until_s:
        time.sleep(0.1)
    return asleep


def is_awake_again(worker: Running) -> bool:
    """Wake a worker, however late it fell asleep; one that missed all its limits may have ended."""
    worker.signal(signal.SIGCONT)
    return worker.has_ended or bool(worker.ask("/health")[0])


def test_one_of_three_brokers_may_die(tmp_path: Path, prefix: str, full: Expected) -> None:
    with (
        running_kafka(ClusterOptions(brokers=3)) as cluster,
        Stream.begin(
            cluster.bootstrap, prefix, tmp_path, partitions=PARTITIONS, replication=3
        ) as stream,
    ):
        workers, sink = [stream.worker(), stream.worker()], stream.sink()
        with stream.publishing(full_floor(), rate=700):
            for number in (1, 2, 3):
                time.sleep(10.0)
                cluster.broker(number).kill()
                time.sleep(10.0)
                cluster.start_brokers(number)
        finish(stream, full, workers, [sink])


def test_the_broker_stops_and_starts(tmp_path: Path, prefix: str, full: Expected) -> None:
    with (
        running_kafka() as cluster,
        Stream.begin(cluster.bootstrap, prefix, tmp_path, partitions=PARTITIONS) as stream,
    ):
        floor, workers, sink = full_floor(), [stream.worker(), stream.worker()], stream.sink()
        path = stream.events_file(floor)
        publisher = stream.publisher(path, rate=700)
        for part, end in enumerate((cluster.broker(1).stop, cluster.broker(1).kill) * 2, 1):
            stream.wait_published(len(floor) * part // 6, LONG_S)
            end()
            time.sleep(5.0)
            cluster.start_brokers(1)
        assert publisher.ended(LONG_S) == 0
        finish_as_found(stream, full, workers, [sink])


def test_a_publisher_is_killed_again_and_again(wide: Stream, full: Expected) -> None:
    chance = random.Random(5)
    floor, worker, sink = full_floor(), wide.worker(), wide.sink()
    path = wide.events_file(floor)
    for part in range(1, 9):
        publisher = wide.publisher(path, rate=3_000)
        few = min(sum(wide.ends().values()), len(floor) * part // 9)
        wide.wait_published(few + chance.randrange(300, 3_000), LONG_S)
        publisher.kill()
    assert wide.publisher(path).ended(LONG_S) == 0
    finish_as_found(wide, full, [worker], [sink])


def finish_as_found(
    stream: Stream, full: Expected, workers: list[Running], sinks: list[Running]
) -> None:
    """Hold everything against what it must be, where events may stand on the log twice."""
    stream.wait_folded(*workers, limit_s=LONG_S)
    stream.wait_sunk(*sinks, limit_s=LONG_S)
    assert sum(stream.ends().values()) >= len(full_floor())
    output = stream.output()
    assert output.records == stream.undisturbed()[0]
    assert output.letters == {}
    assert stream.digests() == full.digests
    for one in (*workers, *sinks):
        assert one.stop() == 0


def test_the_last_events_of_the_night_are_never_delivered(wide: Stream, full: Expected) -> None:
    floor = full_floor()
    last = {partition_of(key, PARTITIONS): at for at, (key, _) in enumerate(floor)}
    counts = Counter(partition_of(key, PARTITIONS) for key, _ in floor)
    worker = wide.odd_worker(skip_from={at: count - 1 for at, count in counts.items()})
    sink = wide.sink()
    wide.publish(one for at, one in enumerate(floor) if at not in last.values())
    wide.wait_folded(worker, limit_s=LONG_S)
    wait_until(lambda: not any(worker.metrics("own_reader_leads").values()), "deliveries to lead")
    wide.publish(floor[at] for at in sorted(last.values()))  # and then silence
    wide.wait_folded(worker)
    assert worker.total("probed") == len(last)
    finish(wide, full, [worker], [sink])


def test_a_topic_that_is_made_anew_takes_nobody_by_surprise(wide: Stream) -> None:
    floor = full_floor()
    half = len(floor) // 2
    worker = wide.worker()
    wide.publish(floor[:half])
    wide.wait_folded(worker, limit_s=LONG_S)
    assert worker.stop() == 0
    before = wide.output().count
    with wide.administration() as admin:
        admin.delete_topics([wide.name(TopicName.EVENTS)])
        wait_until(lambda: bool(create_topics(wide.settings)[0]), "the topic to be made again")
    wide.publish(floor[half:])
    for one in (wide.worker(), wide.worker()):
        assert one.ended(LONG_S) == REFUSED
        assert "the log was created again" in one.said
    assert wide.output().count == before


def test_a_snapshot_at_its_limit_loses_nothing(wide: Stream, full: Expected) -> None:
    sink = wide.sink()
    worker = wide.odd_worker(pace={**PACE, "snapshot_bytes_max": 4_000})
    wide.publish(full_floor())
    assert worker.ended(LONG_S) == REFUSED
    assert "a snapshot has at most 4,000" in worker.said
    finish(wide, full, [wide.worker()], [sink])


def test_a_minute_without_the_database(wide: Stream, full: Expected, tmp_path: Path) -> None:
    with running_server(tmp_path / "data") as server, FaultyWire(server.port) as wire:
        server.create_database("ladderman")
        wide.environment.update(
            LADDERMAN_HISTORY_STORE="clickhouse",
            LADDERMAN_CLICKHOUSE_PORT=str(wire.port),
            LADDERMAN_CLICKHOUSE_USER=server.user,
            LADDERMAN_CLICKHOUSE_PASSWORD=server.password,
        )
        worker, sink = wide.worker(), wide.sink()
        sink.wait_ready()
        with wide.publishing(full_floor(), rate=800):
            time.sleep(10.0)
            wire.refuse()
            time.sleep(60.0)
            assert sink.ask("/health")[0] == 503
            wire.accept()
        wide.wait_folded(worker, limit_s=LONG_S)
        wide.wait_sunk(sink, limit_s=LONG_S)
        address = ServerAddress(
            host=server.host, port=server.port, user=server.user, password=server.password
        )
        with closing(ClickHouseServerStore(address)) as store:
            assert store.query("incomplete_subjects").rows() == []
            digests = {one.of: f"{one.row_count} {one.sha256}" for one in history_digests(store)}
        assert digests == full.digests
        assert wide.output().records == full.records


def test_a_long_bad_night(wide: Stream, full: Expected) -> None:
    night = bad_night(full_floor(), random.Random(3), poison_every=40, partitions=PARTITIONS)
    worker, sink = wide.worker(), wide.sink()
    wide.publish_to(night.messages)
    wide.wait_folded(worker, limit_s=LONG_S)
    wide.wait_sunk(sink, limit_s=LONG_S)
    records, letters = wide.undisturbed()
    output = wide.output()
    assert output.records == records
    assert set(output.letters) == set(letters)
    assert len(letters) == night.poison_count
    assert wide.digests() == full.digests


def test_the_log_is_cut_while_nobody_folds(wide: Stream, full: Expected) -> None:
    floor = full_floor()
    half = len(floor) // 2
    worker, sink = wide.worker(), wide.sink()
    wide.publish(floor[:half])
    wait_until(lambda: worker.total("snapshots") > PARTITIONS, "snapshots", lambda: worker.said)
    worker.kill()
    wide.wait_sunk(sink, limit_s=LONG_S)
    with wide.administration() as admin:
        name = wide.name(TopicName.EVENTS)
        admin.delete_records({TopicPartition(name, at): end for at, end in wide.ends().items()})
    wide.publish(floor[half:])
    worker = wide.worker()
    wide.wait_folded(worker, limit_s=LONG_S)
    assert worker.total("from_archive") > 0
    assert worker.total("lost_to_retention") == 0
    finish(wide, full, [worker], [sink])
