"""Workers and sinks while the broker fails: they wait, or say why they end."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.development.kafka_cluster import KafkaCluster
from streams.development.kafka_configuration import ClusterOptions
from tests.support.stream.kafka import running_kafka
from tests.support.stream.stream_floor import Expected, Stream, small_floor
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, Running, wait_until

UNAVAILABLE = 3
STOP_LIMIT_S = 4.0


@pytest.fixture(scope="module")
def fragile() -> Iterator[KafkaCluster]:
    """A broker of this module alone, to be harmed."""
    with running_kafka() as cluster:
        yield cluster


@pytest.fixture
def unlucky(fragile: KafkaCluster, prefix: str, tmp_path: Path) -> Iterator[Stream]:
    """Topics on the broker that is harmed; started again where a test left it dead."""
    fragile.start_brokers()
    with Stream.begin(fragile.bootstrap, prefix, tmp_path) as begun:
        begun.environment["LADDERMAN_KAFKA_STOP_LIMIT_S"] = str(STOP_LIMIT_S)
        yield begun


def wait_status(status: int, *running: Running) -> None:
    wait_until(
        lambda: all(one.ask("/health")[0] == status for one in running),
        f"status {status}",
        lambda: "\n".join(one.said for one in running),
    )


def says_that_brokers_are_away(sink: Running) -> bool:
    status, body = sink.ask("/health")
    return status == 503 and b"the brokers have not answered for" in body


def test_a_broker_that_is_killed_and_comes_back_is_waited_for(
    fragile: KafkaCluster, unlucky: Stream, expected: Expected
) -> None:
    floor = small_floor()
    half = len(floor) // 2
    worker, sink = unlucky.worker(), unlucky.sink()
    wait_status(200, worker, sink)
    unlucky.publish(floor[:half])
    fragile.broker(1).kill()
    wait_until(
        # About ten seconds, and some for a machine that is busy; its client alone takes fifty.
        lambda: says_that_brokers_are_away(sink),
        "the sink to say so",
        lambda: sink.said,
        20.0,
    )
    wait_until(
        # A partition that recovers is not ready either, so the status alone would not tell.
        lambda: b"cannot be read" in worker.ask("/health")[1],
        "a partition that cannot be read",
        lambda: worker.said,
    )
    assert worker.ask("/health")[0] == 503
    fragile.start_brokers(1)
    unlucky.publish(floor[half:])
    unlucky.wait_folded(worker)
    unlucky.wait_sunk(sink)
    wait_status(200, worker, sink)
    output = unlucky.output()
    assert output.records == expected.records
    assert unlucky.digests() == expected.digests
    assert worker.stop() == 0
    assert sink.stop() == 0


def test_processes_end_within_their_limit_while_the_broker_hangs(
    fragile: KafkaCluster, unlucky: Stream
) -> None:
    worker, sink = unlucky.worker(), unlucky.sink()
    wait_status(200, worker, sink)
    unlucky.publish(small_floor()[:200])
    fragile.broker(1).signal(signal.SIGSTOP)
    try:
        what = "the sink to say that the broker hangs"
        wait_until(lambda: says_that_brokers_are_away(sink), what, lambda: sink.said, 20.0)
        for one in (worker, sink):
            began = time.monotonic()
            one.process.terminate()
            assert one.ended(30) in (0, UNAVAILABLE)
            assert time.monotonic() - began < STOP_LIMIT_S + 5, one.said
    finally:
        fragile.broker(1).signal(signal.SIGCONT)
    again = unlucky.worker()
    unlucky.wait_folded(again)
    records, _ = unlucky.undisturbed()
    assert unlucky.output().records == records


LOOKS = (
    ("state", "show", "BAC-01"),
    ("state", "verify", "BAC-01"),
    ("dead-letters", "list", "--from", "topic"),
    ("topics", "check"),
    ("doctor",),
)
"""Commands that look at the stream once."""


def test_who_looks_while_the_broker_hangs_is_told_of_waiting_and_gets_one_line(
    fragile: KafkaCluster, unlucky: Stream
) -> None:
    worker = unlucky.worker()
    unlucky.publish(small_floor()[:200])
    unlucky.wait_folded(worker)
    assert worker.stop() == 0
    fragile.broker(1).signal(signal.SIGSTOP)
    try:
        looking = [
            unlucky.start(
                words[0], str(CONSOLE_SCRIPT), *words, LADDERMAN_KAFKA_REQUEST_TIMEOUT_S="6"
            )
            for words in LOOKS
        ]
        codes = [one.ended(40) for one in looking]
    finally:
        fragile.broker(1).signal(signal.SIGCONT)
    for one, code, words in zip(looking, codes, LOOKS, strict=True):
        assert code == UNAVAILABLE, (words, one.said)
        said = [line for line in one.said.splitlines() if line.startswith("ladderman: ")]
        told = f"ladderman: waiting for Kafka at {fragile.bootstrap} to answer, for at most "
        assert said[0].startswith(told), (words, one.said)
        if words != ("doctor",):  # which answers in full, and says it there
            assert said[1].startswith(f"ladderman: Kafka at {fragile.bootstrap} "), one.said
        assert len(said) == 2 - (words == ("doctor",)), (words, one.said)


def test_without_a_broker_nothing_starts_and_one_line_says_so(
    fragile: KafkaCluster, unlucky: Stream
) -> None:
    fragile.broker(1).kill()
    for one in (unlucky.worker(), unlucky.sink()):
        assert one.ended() == UNAVAILABLE
        (line,) = [line for line in one.said.splitlines() if not line.startswith("{")]
        assert line.startswith(f"ladderman: Kafka at {fragile.bootstrap} cannot be reached")


def test_one_of_three_brokers_is_killed_while_events_come(
    prefix: str, tmp_path: Path, expected: Expected
) -> None:
    floor = small_floor()
    with (
        running_kafka(ClusterOptions(brokers=3)) as cluster,
        Stream.begin(cluster.bootstrap, prefix, tmp_path, replication=3) as stream,
    ):
        worker, sink = stream.worker(), stream.sink()
        wait_status(200, worker, sink)
        with stream.publishing(floor, rate=400):
            wait_until(lambda: worker.total("folded") > 300, "the first events")
            cluster.broker(1).kill()
        stream.wait_folded(worker)
        stream.wait_sunk(sink)
        output = stream.output()
        assert output.records == expected.records
        assert output.letters == {}
        assert stream.digests() == expected.digests
        assert worker.stop() == 0
        assert sink.stop() == 0
